"""The pages Loads and Data issues, on a log and a few findings written by hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.dashboard.navigation import view_of
from app.results.queries import issues
from app.results.reader import Reader
from tests.kit.cases import cases
from tests.kit.dashboard import HOSTILE, published

LOADS, ISSUES = view_of("loads"), view_of("data-issues")
ROWS = Path(__file__).with_name("loads.sql").read_text()
NOW = datetime.now(UTC).replace(hour=0, minute=1, second=0, microsecond=0)
MB = 1 << 20


def ended(step: str, ago: int, seconds: float | None, **more: object) -> dict[str, object]:
    """Return the last line of a step that began some days ago."""
    begun = NOW - timedelta(days=ago)
    status = more.pop("status", "ok")
    line = {
        "event": "ended", "step": step, "step_id": f"{step}{ago}{status}", "status": status,
        "begun": begun, "time": begun + timedelta(seconds=seconds or 9), "seconds": seconds,
    }  # fmt: skip
    return line | more


def failed_file(name: str, days: int, status: str = "failed") -> dict[str, object]:
    return {
        "event": "file", "file": name, "status": status, "message": f"denied to {name}",
        "time": NOW - timedelta(days=days),
    }  # fmt: skip


LINES = [
    ended("ingest", 2, 10, loads=2, bytes=3 * MB, records=500, failures=1),
    ended("ingest", 1, 30, loads=1, bytes=MB, records=700),
    ended("build", 2, 4), ended("build", 1, 2),
    ended("publish", 2, 1, published_bytes=5 * MB, lake_bytes=9 * MB),
    ended("check", 3, 6), ended("check", 2, 5, status="failed", message=f"no limits for {HOSTILE}"),
    {"event": "begun", "step": "reload", "step_id": "r", "begun": NOW, "time": NOW},
    failed_file("denied.smf", 3), failed_file("denied.smf", 2),
    failed_file("late.smf", 3), failed_file("late.smf", 2, "loaded"),
]  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = published(tmp_path_factory.mktemp("loads"), ROWS)
    text = "".join(f"{json.dumps(line, default=str)}\n" for line in LINES)
    (file.with_suffix(".lake") / "log" / "2026-01-01.jsonl").write_text(text)
    return file


def test_loads_says_what_the_steps_did_and_which_files_failed(file: Path, open_page) -> None:
    page = open_page(LOADS, file)
    assert not page.exception
    assert {metric.label: metric.value for metric in page.metric}["Lake"] == "9 MB"
    steps, days, failed, refused = (
        next(table.value for table in page.dataframe if column in table.value)
        for column in ("step", "day", "tries", "refused")
    )
    assert [steps.step[0], *steps[steps.step == "reload"].state] == ["check", "not ended"]
    assert days[["loads", "mb", "rate"]].to_numpy().tolist()[:2] == [[1, 1, 700 / 30], [2, 3, 50]]
    assert failed[["file", "tries"]].to_numpy().tolist() == [["denied.smf", 2]]
    assert refused.refused.tolist() == ["it has no end"]
    assert len(page.get("vega_lite_chart")) == 2


@cases
def test_findings_of_a_run_are_about_it_or_at_its_time(run, expected, file: Path) -> None:
    assert issues.data_issues(Reader(file), run)["record_no"].to_list() == expected


@cases
def test_findings_are_chosen_by_severity_kind_and_system(
    chosen, expected, file: Path, open_page
) -> None:
    page = open_page(ISSUES, file, **chosen)
    assert not page.exception
    found = [t.value.record_no.tolist() for t in page.dataframe if "record_no" in t.value]
    assert found == ([expected] if expected else [])


def test_data_issues_counts_the_findings_and_says_what_is_not_known(file: Path, open_page) -> None:
    page = open_page(ISSUES, file)
    assert {metric.label: metric.value for metric in page.metric} == {
        "Errors": "3", "Warnings": "1", "Notes": "1",
    }  # fmt: skip
    kinds, listed, unknown = (table.value for table in page.dataframe)
    assert kinds[["kind_in_words", "systems", "affects_in_words"]].to_numpy().tolist() == [
        ["Overlapping intervals", 2, "CPU, Work, zIIP"], ["Negative CPU time", 1, "Classes"],
        ["Short run", 0, "CPU"], ["Duplicate records", 0, ""],
    ]  # fmt: skip
    assert list(listed.record_no) == [3, 1, 2, 4, 9]
    assert unknown[["system", "minutes", "kinds_in_words"]].to_numpy().tolist() == [
        ["SY3", 60.0, "No records"], ["PLEX1/SY1", 15.0, "Overlapping intervals"],
    ]  # fmt: skip


@cases
def test_a_page_says_what_is_not_there(path, statement, words, tmp_path: Path, open_page) -> None:
    page = open_page(view_of(path), published(tmp_path, statement))
    assert not page.exception
    assert words in "".join(str(e.value) for kind in ("info", "caption") for e in page.get(kind))
