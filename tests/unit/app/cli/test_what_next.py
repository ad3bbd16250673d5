"""What commands say while nothing is published, and what they advise to run next."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from expectations.outcome import ISSUES, REGRESSIONS, AuditResult, ExpectationOutcome
from expectations.store import write_result
from ingest.lake.warehouse import Warehouse
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


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """A warehouse for all tests, which do not change it."""
    return load(tmp_path_factory.mktemp("loaded"))


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


@pytest.mark.parametrize(
    ("audit", "reason"),
    [
        ((), "1 file is loaded, but no build was audited"),
        ((PASSED, WARNING, IMPOSSIBLE, SLOWER), "build b1 was audited, but not published"),
        (
            (PASSED, IMPOSSIBLE, LOST, SLOWER),
            "build b1 was held back, as its audit found a fault of perfhouse: rows are lost",
        ),
        (
            (DOUBLED, LOST),
            (
                "build b1 was held back, as its audit found a fault of perfhouse: rows are lost "
                "(and 1 more)"
            ),
        ),
    ],
)
def test_readers_say_what_became_of_the_last_build(
    audit: tuple[ExpectationOutcome, ...],
    reason: str,
    changed: Warehouse,
    capsys: pytest.CaptureFixture[str],
) -> None:
    changed.work.touch()  # a build begins by making it
    if audit:
        write_result(audited(*audit), changed.audit, "1")
    text = said(capsys, changed, "sql", "FROM marts.fct_run")
    assert f"nothing is published: {reason}. Run: {changed.command(*BUILD)}\n" in text


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


REFUSED = [
    # command, what it advises to run
    (("sql", "FROM marts.fct_run"), BUILD),
    (("check",), ("build",)),
    (("publish",), ("build",)),
    (("regressions", "show", "r.1"), ("regressions --all",)),
    (("regressions", "expect", "r.1", "--note", "x"), ("regressions --all",)),
]


@pytest.mark.parametrize(("words", "commands"), REFUSED)
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


def test_a_check_that_finds_regressions_says_where_to_read_more(
    loaded: Warehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(steps, "check", lambda *_: audited(PASSED, SLOWER))
    text = said(capsys, loaded, "check", status=1)
    assert f"more: {loaded.command('regressions')}\n" in text
    monkeypatch.setattr(steps, "check", lambda *_: audited(PASSED))
    assert "more:" not in said(capsys, loaded, "check", status=0)


@pytest.mark.parametrize(
    ("audit", "status"),
    [((PASSED, WARNING), 0), ((PASSED, IMPOSSIBLE), 1), ((SLOWER,), 1), ((LOST, IMPOSSIBLE), 2)],
)
def test_only_a_fault_of_perfhouse_is_status_2(
    audit: tuple[ExpectationOutcome, ...],
    status: int,
    loaded: Warehouse,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(steps, "check", lambda *_: audited(*audit))
    text = said(capsys, loaded, "check", status=status)
    assert ("1 fault of perfhouse" in text) is (status == 2)
    for found in audit:
        assert not found.message or f"{found.severity}: {found.message}" in text


def test_a_check_that_finds_data_issues_says_how_to_list_them(
    loaded: Warehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for severity, status in (("note", 0), ("warning", 0), ("error", 1)):
        found = replace(outcome(ISSUES, severity, "boost: 1 found"), passed=severity == "note")
        monkeypatch.setattr(steps, "check", lambda *_, found=found: audited(PASSED, found))
        text = said(capsys, loaded, "check", status=status)
        assert f"{severity}: boost: 1 found\n" in text
        every = loaded.command("sql 'FROM marts.fct_data_issue'")
        assert f"all data issues: {every}\n" in text
    monkeypatch.setattr(steps, "check", lambda *_: audited(outcome(ISSUES, "error", "")))
    assert "all data issues" not in said(capsys, loaded, "check", status=0)


def test_advice_without_a_warehouse_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = Warehouse(tmp_path / "my results.duckdb")
    text = said(capsys, nowhere, "sql", "SELECT 1")
    assert f"'perfhouse run PATH --warehouse {shlex.quote(str(nowhere.file))}'" in text
