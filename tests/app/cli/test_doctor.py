"""`perfhouse doctor` names what is wrong and how to put it right."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from app.cli.main import main
from app.pipeline import doctor
from app.pipeline.log import step
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.store import write_result
from ingest.errors import PerfhouseError
from ingest.warehouse import Warehouse
from tests.app.cli.test_what_next import load


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    made = load(tmp_path)
    with made.open_work():
        pass
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path / "home"))  # without a cache: last
    return made


def halve(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def a_late_check(warehouse: Warehouse) -> None:
    moment = datetime.now(UTC) + timedelta(days=1)
    passed = ExpectationOutcome("raw", "raw.t", "x", "", True, "fault", "", "")
    write_result(
        AuditResult(f"{moment:%Y%m%dT%H%M%S%f}-abcdef", "b", (passed,)), warehouse.audit, ""
    )


def a_notice(warehouse: Warehouse) -> None:
    (warehouse.lake / "outbox").mkdir()
    (warehouse.lake / "outbox" / "after-none.json").write_text(json.dumps({"faults": ["x"]}))


def failing_builds(times: int) -> Callable[[Warehouse], object]:
    def fail(warehouse: Warehouse) -> None:
        for _ in range(times):
            with pytest.raises(PerfhouseError), step(warehouse, "build"):
                raise PerfhouseError("dbt build failed: no room")

    return fail


def open_secrets(_: Warehouse) -> None:
    secrets = doctor.home() / "secrets"
    secrets.mkdir(mode=0o755)
    (secrets / "sign-in.toml").touch(mode=0o644)


CASES: dict[str, tuple[Callable[[Warehouse], object], int, str, str]] = {
    "nothing": (lambda _: None, 0, "does not show all loads", "perfhouse build"),
    "published file": (lambda w: halve(w.file), 1, "it is truncated", "perfhouse publish"),
    "working database": (lambda w: halve(w.work), 1, "it is truncated", "perfhouse build"),
    "load": (
        lambda w: halve(next(w.raw.glob("[!_]*/bench_run.0.parquet"))),
        1,
        "bench_run.0.parquet: it is truncated",
        "perfhouse build",
    ),
    "notice": (a_notice, 0, "1 are not accepted yet", "PERFHOUSE_NOTIFY"),
    "set aside": (
        lambda w: (w.lake / "damaged" / "x").mkdir(parents=True), 0, "1 damaged loads", "again",
    ),
    "steps": (lambda _: None, 0, "last success (UTC): ingest 20", ""),
    "a failure": (
        failing_builds(1), 0,
        "build failed or was interrupted once and never worked: dbt build failed: no room", "log",
    ),
    "failures": (failing_builds(2), 1, "build failed or was interrupted 2 times", "run it again"),
    "clock": (a_late_check, 0, "the last check was at", "set the clock"),
    "secrets": (open_secrets, 1, "others may read the secrets", "chmod 600"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_named_with_its_fix(
    warehouse: Warehouse, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    change, status, found, fix = CASES[case]
    change(warehouse)
    before = {file: file.stat().st_mtime_ns for file in warehouse.lake.rglob("*")}
    capsys.readouterr()
    assert main(["doctor", "--warehouse", str(warehouse.file)]) == status
    printed = capsys.readouterr().out
    assert found in printed
    assert fix in printed
    assert {file: file.stat().st_mtime_ns for file in warehouse.lake.rglob("*")} == before


def test_a_full_disk_and_other_versions_are_named(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_SPARE", 1 << 60)
    monkeypatch.setattr(
        doctor, "requires", lambda _: ["duckdb==0.1", "streamlit==1 ; extra == 'x'"]
    )
    faults = [one for one in doctor.examine(warehouse) if one.state == doctor.FAULT]
    assert [one.about for one in faults] == ["packages", "disk"]
    assert "duckdb is 1" in faults[0].found


def test_without_a_warehouse_it_says_how_to_make_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--warehouse", str(tmp_path / "none.duckdb")]) == 0
    assert "perfhouse run PATH" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_other_programs_misread_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "raw.duckdb"
    Warehouse(file).create()
    assert main(["doctor", "--warehouse", str(file)]) == 0
    assert f"ATTACH '{file}' AS w (READ_ONLY); USE w" in "".join(
        capsys.readouterr().out.split("\n")
    )
    with duckdb.connect() as db:
        db.execute(f"ATTACH '{file}' AS w (READ_ONLY); USE w")
        assert db.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(0,)]
    with duckdb.connect(str(file), read_only=True) as db, pytest.raises(duckdb.BinderException):
        db.execute("SELECT count(*) FROM raw.ledger")
