"""What commands say while nothing is published, and what they advise to run next."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from app.cli.main import main
from app.pipeline import steps
from expectations.outcome import ISSUES, REGRESSIONS, AuditResult, ExpectationOutcome
from expectations.store import write_result
from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases
from tests.kit.manifests import load, manifest


def outcome(suite: str, severity: str, message: str) -> ExpectationOutcome:
    """Return a verdict, which failed if there is a message."""
    return ExpectationOutcome(suite, "marts.t", "x", "", not message, severity, "", "", message)


def audited(*outcomes: ExpectationOutcome) -> AuditResult:
    return AuditResult("20260301T100000", "b1", outcomes)


PASSED = outcome("marts", "fault", "")
WARNING = outcome("marts", "warning", "few runs")
IMPOSSIBLE = outcome("marts", "error", "negative times")
SLOWER = outcome(REGRESSIONS, "error", "rate is worse")
LOST, DOUBLED = outcome("raw", "fault", "rows are lost."), outcome("raw", "fault", "twice")


@pytest.fixture
def changed(tmp_path: Path) -> Warehouse:
    """A warehouse for a test that changes it."""
    return load(tmp_path)


def said(
    capsys: pytest.CaptureFixture[str], warehouse: Warehouse, *words: str, status: int = 2
) -> str:
    """Run a command on a warehouse; return what it prints."""
    capsys.readouterr()
    assert main([*words, "--warehouse", str(warehouse.file)]) == status
    printed = capsys.readouterr()
    return printed.out + printed.err


BUILD = "build", "check", "publish"
AUDITS = {
    "nothing is found": (PASSED,),
    "warnings are": (PASSED, WARNING),
    "errors are": (PASSED, WARNING, IMPOSSIBLE, SLOWER),
    "only a regression is": (PASSED, SLOWER),
    "a fault is, among others": (PASSED, IMPOSSIBLE, LOST, SLOWER),
    "two faults are": (DOUBLED, LOST),
    "no kind of data issue is": (outcome(ISSUES, "error", ""),),
} | {
    f"data issues are, {severity}": (
        PASSED, replace(outcome(ISSUES, severity, "boost: 1 found"), passed=severity == "note"),
    )
    for severity in ("note", "warning", "error")
}  # fmt: skip


def test_a_check_says_what_it_found_and_readers_what_became_of_the_build(
    changed: Warehouse,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    """Status and text of a check, and what a reader says then."""
    monkeypatch.setattr("app.cli.common.console._width", 200)
    changed.work.touch()  # a build begins by making it
    read = ("sql", "FROM marts.fct_run")
    told = {"before": said(capsys, changed, *read)}
    for name, outcomes in AUDITS.items():
        audit = audited(*outcomes)
        monkeypatch.setattr(steps, "check", lambda *_, audit=audit: audit)
        status = main(["check", "--warehouse", str(changed.file)])
        told[name] = (status, capsys.readouterr().out)
        write_result(audit, changed.audit, "1")
        told[f"{name}, for readers"] = said(capsys, changed, *read)
    assert json.loads(json.dumps(told).replace(str(changed.file.parent), "DIR")) == snapshot


def test_readers_say_that_no_file_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    steps.prepare(warehouse)
    text = said(capsys, warehouse, "sql", "FROM marts.fct_run")
    assert "no file is loaded. Run: perfhouse run PATH --warehouse" in text


def test_a_wrong_name_in_a_published_warehouse_is_an_error_of_its_own(
    changed: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    with changed.open_work() as db:
        db.execute("CREATE SCHEMA marts; CREATE TABLE marts.fct_run AS SELECT 1 AS n")
    changed.publish()
    text = said(capsys, changed, "sql", "FROM intermediate.int_run")
    assert "nothing is published" not in text


@cases
def test_advice_names_the_warehouse_unless_it_is_the_one_in_the_data_folder(
    words: tuple[str, ...],
    commands: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    loaded = Warehouse(tmp_path / "warehouse/perfhouse.duckdb")
    steps.ingest_paths(loaded, [manifest(tmp_path, "may")])
    option = f" --warehouse {shlex.quote(str(loaded.file))}"
    named = "; ".join(f"perfhouse {command}{option}" for command in commands)
    assert named in said(capsys, loaded, *words)
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path))
    text = said(capsys, loaded, *words)
    assert "; ".join(f"perfhouse {command}" for command in commands) in text
    assert "--warehouse" not in text


def test_what_comes_after_a_declared_run_and_a_forgotten_load_names_the_warehouse(
    changed: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    (source_id,) = changed.loads()
    after = changed.command(*BUILD)
    assert after.count(f"--warehouse {changed.file}") == 3
    assert after in said(capsys, changed, "forget", source_id, status=0)
    times = ("--start", "2026-03-02T10:00Z", "--stop", "2026-03-02T11:00Z")
    assert after in said(capsys, changed, "run-add", "--campaign", "c", *times, status=0)


def test_advice_without_a_warehouse_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = Warehouse(tmp_path / "my results.duckdb")
    text = said(capsys, nowhere, "sql", "SELECT 1")
    assert f"'perfhouse run PATH --warehouse {shlex.quote(str(nowhere.file))}'" in text
