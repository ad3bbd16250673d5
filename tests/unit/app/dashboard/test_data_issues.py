"""The page Data issues, and its queries, on a few findings written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.dashboard.navigation import view_of
from app.results.queries import issues
from app.results.reader import Reader
from tests.kit.cases import cases
from tests.kit.dashboard import published

FINDINGS = Path(__file__).with_name("data_issues.sql").read_text()
PAGE = view_of("data-issues")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published(tmp_path_factory.mktemp("issues"), FINDINGS)


def records(file: Path, **chosen: object) -> list[int]:
    return issues.found(Reader(file), **chosen)["record_no"].to_list()  # type: ignore[arg-type]


def test_findings_are_counted_by_severity_and_kind(file: Path) -> None:
    counts = issues.counts(Reader(file)).select(
        "severity", "kind", "findings", "systems", "affects"
    )
    assert counts.rows() == [
        ("error", "overlapping_intervals", 2, 2, ["CPU", "work", "zIIP"]),
        ("error", "negative_cpu_time", 1, 1, ["classes"]),
        ("warning", "short_run", 1, 0, ["CPU"]),
        ("note", "duplicate_records", 1, 0, []),
    ]


@cases
def test_findings_are_chosen_by_severity_kind_system_and_run(
    chosen: dict[str, object], expected: list[int], file: Path
) -> None:
    assert records(file, **chosen) == expected


def test_only_systems_and_runs_with_findings_are_offered(file: Path) -> None:
    assert issues.systems(Reader(file)) == ["PLEX1/SY1", "PLEX1/SY2", "SY1"]
    assert issues.runs(Reader(file)) == ["r1", "r2"]


def test_page_counts_and_lists_the_findings(file: Path, open_page) -> None:
    page = open_page(PAGE, file)
    assert not page.exception
    assert {metric.label: metric.value for metric in page.metric} == {
        "Errors": "3",
        "Warnings": "1",
        "Notes": "1",
    }
    kinds, listed, unknown = (table.value for table in page.dataframe)
    assert unknown[["system", "figures", "minutes", "why"]].to_numpy().tolist() == [
        ["SY3", "MQ", 60.0, "no records"],
        ["PLEX1/SY1", "CPU", 15.0, "Overlapping intervals"],
    ]
    assert list(kinds.kind) == [
        "Overlapping intervals", "Negative CPU time", "Short run", "Duplicate records",
    ]  # fmt: skip
    assert list(listed.record_no) == [3, 1, 2, 4, 9]
    assert list(listed.affects)[1] == "CPU, work"
    assert set(listed.path) == {"dump.smf"}


def test_filters_of_the_page_are_in_the_url(file: Path, open_page) -> None:
    page = open_page(PAGE, file, system=["PLEX1/SY1"], severity=["error"], run="r1")
    assert not page.exception
    assert list(page.dataframe[1].value.record_no) == [1]
    assert page.query_params == {"system": "PLEX1/SY1", "severity": "error", "run": "r1"}
    page = open_page(PAGE, file, system=["PLEX1/SY1"], severity=["note"])
    assert "No finding matches these filters." in page.info[0].value


def test_page_without_findings_says_so(tmp_path: Path, open_page) -> None:
    page = open_page(PAGE, published(tmp_path))
    assert not page.exception
    assert "Nothing is wrong with the loaded data" in page.success[0].value
    assert not page.dataframe


def test_page_without_loads_says_what_to_run(tmp_path: Path, open_page) -> None:
    page = open_page(PAGE, published(tmp_path, "DELETE FROM marts.dim_load"))
    assert not page.exception
    assert "Nothing is loaded yet" in page.info[0].value
    assert "perfhouse run PATH" in page.code[0].value
