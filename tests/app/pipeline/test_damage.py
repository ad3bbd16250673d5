"""Derived files that a crash or a bad disk damaged are made again, or named with what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.store import next_id, write_result
from ingest.damage import damage_of_database, damage_of_parquet, damaged_parquet
from ingest.warehouse import Warehouse
from tests.app.cli.test_what_next import MANIFEST, load

Damage = Callable[[bytes], bytes]

HALF: Damage = lambda held: held[: len(held) // 2]  # noqa: E731
DAMAGES: dict[str, Damage] = {
    "empty": lambda _: b"",
    "zeros": lambda held: bytes(len(held)),
    "half": HALF,
    "one byte short": lambda held: held[:-1],
    "another file": lambda _: b"name,value\n" * 20,
}


@pytest.fixture(params=DAMAGES, ids=list(DAMAGES))
def damage(request: pytest.FixtureRequest) -> Damage:
    return DAMAGES[request.param]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """A warehouse with one load."""
    return load(tmp_path)


def change(file: Path, damage: Damage) -> None:
    file.write_bytes(damage(file.read_bytes()))


def test_whole_files_are_not_damaged(warehouse: Warehouse) -> None:
    with warehouse.open_work() as db:
        db.execute("CREATE TABLE t AS SELECT * FROM range(100000)")
    assert [damage_of_database(file) for file in (warehouse.file, warehouse.work)] == ["", ""]
    files = list(warehouse.lake.rglob("*.parquet"))
    assert len(files) > 100
    assert {damage_of_parquet(file) for file in files} == {""}


def test_a_damaged_working_database_is_made_again(
    warehouse: Warehouse, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    with warehouse.open_work() as db:
        db.execute("CREATE TABLE meta.build AS SELECT 1")
    change(warehouse.work, damage)
    assert main(["publish", "--warehouse", str(warehouse.file)]) == 2
    assert "run 'perfhouse build" in capsys.readouterr().err
    with warehouse.open_work() as db:
        assert db.execute("SELECT count(*) FROM raw.bench_run").fetchall() == [(1,)]


def test_a_working_database_in_use_is_not_taken_for_damaged(warehouse: Warehouse) -> None:
    code = "import duckdb, sys; db = duckdb.connect(sys.argv[1]); print(flush=True); input()"
    with warehouse.open_work():
        pass
    with subprocess.Popen(
        [sys.executable, "-c", code, warehouse.work],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout
        other.stdout.readline()
        before = warehouse.work.stat().st_ino
        with pytest.raises(Exception, match="another process has it open"), warehouse.open_work():
            pass
        other.communicate("\n")
    assert warehouse.work.stat().st_ino == before


def test_a_damaged_published_file_is_named_and_made_again(
    warehouse: Warehouse, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    change(warehouse.file, damage)
    query = [
        "sql",
        "SELECT count(*) AS runs FROM raw.bench_run",
        "--warehouse",
        str(warehouse.file),
    ]
    assert main(query) == 2
    said = capsys.readouterr().err
    assert "damaged" in said
    assert "perfhouse build" in said
    steps.prepare(warehouse)  # which build and ingest do
    assert main(query) == 0


def test_a_load_with_a_damaged_file_is_set_aside_and_can_be_loaded_again(
    warehouse: Warehouse, damage: Damage, tmp_path: Path
) -> None:
    other = tmp_path / "june.toml"
    other.write_text(MANIFEST.replace("may", "june"))
    steps.ingest_paths(warehouse, [other])
    (source_id, *_) = warehouse.loads()
    change(warehouse.raw / source_id / "bench_run.0.parquet", damage)
    (line,) = steps.heal(warehouse)
    assert source_id not in warehouse.loads()
    assert str(warehouse.lake / "damaged") in line
    assert "perfhouse run" in line
    with warehouse.connect() as db:
        assert db.execute("SELECT count(*) FROM raw.bench_run").fetchall() == [(1,)]
    loads = steps.ingest_paths(warehouse, [tmp_path / "manifest.toml", other])
    assert sorted(load.status for load in loads) == ["duplicate", "loaded"]
    assert steps.heal(warehouse) == []


def test_a_load_whose_ledger_is_damaged_is_named_by_its_folder(warehouse: Warehouse) -> None:
    (source_id,) = warehouse.loads()
    change(warehouse.raw / source_id / "ledger.0.parquet", HALF)
    (line,) = steps.heal(warehouse)
    assert source_id in line
    assert "damaged too" in line
    assert warehouse.loads() == {}


@pytest.mark.parametrize("table", ["ledger", "smf_record"])
def test_damaged_empty_tables_are_written_again(warehouse: Warehouse, table: str) -> None:
    change(warehouse.raw / "_schema" / f"{table}.0.parquet", HALF)
    assert steps.heal(warehouse) == []
    assert list(damaged_parquet(warehouse.raw / "_schema")) == []
    with warehouse.connect() as db:
        assert db.execute(f"SELECT count(*) FROM raw.{table}").fetchall()


def test_a_damaged_verdict_is_set_aside(warehouse: Warehouse) -> None:
    passed = ExpectationOutcome("raw", "raw.t", "x", "", True, "fault", "", "")
    for _ in range(2):
        result = AuditResult(next_id(warehouse.audit), "b", (passed,))
        file = write_result(result, warehouse.audit, "")
    change(file, HALF)
    (line,) = steps.heal(warehouse)
    assert line.endswith("run the check again")
    assert not file.exists()


@pytest.mark.timeout(600)
def test_a_build_notices_blocks_that_were_overwritten(warehouse: Warehouse) -> None:
    first = steps.build(warehouse)
    held = warehouse.work.read_bytes()
    headers = 3 * 4096
    warehouse.work.write_bytes(held[:headers] + os.urandom(len(held) - headers))
    second = steps.build(warehouse)
    assert second != first
    with warehouse.open_work() as db:
        assert db.execute("SELECT count(*) FROM marts.fct_run").fetchall() == [(1,)]
