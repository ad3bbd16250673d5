from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pytest

from expectations.audit import run_audit
from expectations.baselines import BASELINES_FILE, baselines_file, read_baselines
from expectations.outcome import ExpectationOutcome
from ingest.base.errors import SettingsError
from tests.kit.cases import cases, queries
from tests.kit.databases import make_raw

ENTRY = Path(__file__).with_name("baselines.toml").read_text()
MART = queries(__file__)["mart"]


def rows(
    rates: list[float | None],
    *,
    load: str = "aaaaaaaaaaaaaaaa",
    hour: int = 10,
    manager: str = "QM1",
    origin: str = "measured",
) -> str:
    values = ", ".join(
        f"('{origin}', '{load}', '{manager}', '2026-02-27 {hour}:{minute:02}:00', "
        f"{'NULL' if rate is None else rate})"
        for minute, rate in enumerate(rates)
    )
    return f"INSERT INTO marts.fct_queue_manager_interval VALUES {values}"


def judge(tmp_path: Path, *statements: str, entry: str = ENTRY) -> ExpectationOutcome:
    from expectations.gx.auditor import Auditor

    work = tmp_path / "w.duckdb"
    with duckdb.connect(str(work)) as connection:
        for statement in (MART, *statements):
            connection.execute(statement)
    file = tmp_path / "baselines.toml"
    file.write_text(entry)
    with Auditor(work) as auditor:
        (outcome,) = auditor.judge_baselines(read_baselines(file))
    return outcome


def test_message_names_series_change_and_source(tmp_path: Path) -> None:
    outcome = judge(tmp_path, rows([160.0, 150.0, 140.0]))
    assert outcome.severity == "error"
    assert (outcome.suite, outcome.expectation) == ("rates", "QM1 puts")
    assert outcome.message == (
        "marts.fct_queue_manager_interval.put_requests_per_second of origin measured, "
        "queue_manager QM1: 150 messages/s is 25.0 % below the baseline of 200 (tolerance 6 %; "
        "median of 3 rows of load aaaaaaaaaaaa, 2026-02-27 10:00:00 to 2026-02-27 10:02:00 UTC; "
        "baseline from run 7). Find the cause, or set a new baseline."
    )
    assert outcome.rows_failed == 3
    assert outcome.observed.startswith("150 messages/s (-25.0 %)")
    assert outcome.expected == "at least 200 messages/s less 6 %"


@cases
def test_the_median_of_the_latest_load_is_judged(
    loads: list[tuple[list[float], str, int]], judged: str, tmp_path: Path
) -> None:
    outcome = judge(tmp_path, *(rows(of, load=load * 16, hour=hour) for of, load, hour in loads))
    assert outcome.passed is (not judged)
    assert judged in outcome.message


@pytest.mark.parametrize("other", [{"manager": "QM2"}, {"origin": "simulated"}])
def test_rows_of_other_series_and_origins_are_not_judged(
    other: dict[str, str], tmp_path: Path
) -> None:
    outcome = judge(tmp_path, rows([1.0], **other))  # type: ignore[arg-type]
    assert outcome.passed
    assert outcome.observed == "no rows"
    assert "not judged, no rows" in outcome.message


def test_missing_figures_are_not_judged(tmp_path: Path) -> None:
    assert judge(tmp_path, rows([None, None])).observed == "no rows"


@cases
def test_baseline_that_cannot_be_judged_has_failed(old: str, new: str, tmp_path: Path) -> None:
    assert old in ENTRY
    outcome = judge(tmp_path, rows([200.0]), entry=ENTRY.replace(old, new))
    assert not outcome.passed
    assert "could not be judged" in outcome.message
    assert new.partition(" =")[0].rpartition(".")[2] in outcome.message


@cases
def test_invalid_file_is_rejected_with_one_line(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    assert old in ENTRY
    file = tmp_path / "b.toml"
    file.write_text(ENTRY.replace(old, new))
    with pytest.raises(SettingsError, match=words) as caught:
        read_baselines(file)
    assert str(caught.value).startswith(str(file))


def test_duplicate_name_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "b.toml"
    file.write_text(ENTRY + ENTRY)
    with pytest.raises(SettingsError, match="duplicate name"):
        read_baselines(file)


def test_missing_file_has_no_baselines(tmp_path: Path) -> None:
    assert read_baselines(tmp_path / "none.toml") == ()


def test_environment_variable_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERFHOUSE_BASELINES", raising=False)
    assert baselines_file() == BASELINES_FILE
    named = tmp_path / "b.toml"
    monkeypatch.setenv("PERFHOUSE_BASELINES", str(named))
    with pytest.raises(SettingsError, match="no such file"):
        baselines_file()
    named.touch()
    assert baselines_file() == named


def test_example_in_the_file_is_a_valid_baseline(tmp_path: Path) -> None:
    text = BASELINES_FILE.read_text()
    example = text[text.index("# [[baseline]]") :].partition("\n\n")[0]
    file = tmp_path / "b.toml"
    file.write_text("\n".join(line.removeprefix("# ") for line in example.splitlines()))
    (baseline,) = read_baselines(file)
    assert baseline.key == "origin measured, system_id SYS1, queue_manager QM1"
    (bundled,) = read_baselines(BASELINES_FILE)
    assert bundled.key == "origin simulated, system_id SYN1, queue_manager SYQ1"


@pytest.mark.parametrize("rate", [150.0, 199.0])
def test_audit_stores_the_verdict_and_rejects_a_slow_build(rate: float, tmp_path: Path) -> None:
    work = make_raw(tmp_path / "w.duckdb", MART, rows([rate]))
    file = tmp_path / "b.toml"
    file.write_text(ENTRY)
    result = run_audit(work, tmp_path / "audit", "build1", baselines=file)
    (verdict,) = (r for r in result.results if r.suite == "rates")
    assert verdict.passed is (rate > 188)
    assert (verdict in result.errors) is (rate < 188)
    stored = pl.read_parquet(tmp_path / "audit" / f"{result.check_id}.parquet")
    assert stored.height == len(result.results)
    assert stored["build_id"].unique().to_list() == ["build1"]
    row = stored.row(by_predicate=pl.col("suite") == "rates", named=True)
    assert row["message"] == verdict.message
    assert row["passed"] is verdict.passed


def test_audit_without_baselines_passes_with_a_note(tmp_path: Path) -> None:
    work = make_raw(tmp_path / "w.duckdb")
    result = run_audit(work, tmp_path / "audit", "build1", baselines=tmp_path / "none.toml")
    (verdict,) = (r for r in result.results if r.suite == "rates")
    assert verdict.passed
    assert result.notes == (verdict,)
    assert verdict.message == "No rate was judged: none.toml sets no baseline"


def test_baselines_of_the_bundled_data_are_not_mentioned_without_them(tmp_path: Path) -> None:
    work = make_raw(tmp_path / "w.duckdb", MART, rows([300.0]))
    file = tmp_path / "b.toml"
    file.write_text(
        ENTRY
        + ENTRY.replace("QM1", "SYQ1").replace(
            "[baseline.where]", "bundled = true\n[baseline.where]"
        )
    )
    result = run_audit(work, tmp_path / "audit", "build1", baselines=file)
    (verdict,) = (r for r in result.results if r.suite == "rates")
    assert verdict.expectation == "QM1 puts"
    assert not any("SYQ1" in note.message for note in result.notes)
