"""Derived files that a crash or a bad disk damaged are made again, or named with what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from app.pipeline.heal import to_load_again
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.store import next_id, write_result
from ingest.damage import damage_of_database, damage_of_parquet, damaged_parquet
from ingest.folders import SCHEMA_FOLDER
from ingest.load import mark_forgotten
from ingest.warehouse import Warehouse
from tests.app.cli.test_what_next import MANIFEST, load
from tests.app.pipeline.test_incremental import building

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


def test_a_load_with_a_damaged_file_is_set_aside_and_loaded_again_by_the_next_build(
    warehouse: Warehouse, damage: Damage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "june.toml"
    other.write_text(MANIFEST.replace("may", "june"))
    steps.ingest_paths(warehouse, [other])
    before = set(warehouse.loads())
    (source_id, *_) = before
    change(warehouse.raw / source_id / "bench_run.0.parquet", damage)
    (line,) = steps.heal(warehouse)
    assert source_id not in warehouse.loads()
    assert str(warehouse.lake / "damaged") in line
    assert "the next build loads its source files again" in line
    with warehouse.connect() as db:
        assert db.execute("SELECT count(*) FROM raw.bench_run").fetchall() == [(1,)]
    build_nothing(warehouse, monkeypatch)
    assert set(warehouse.loads()) == before
    assert steps.heal(warehouse) == []
    assert to_load_again(warehouse) == []


def build_nothing(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do what a build does before it builds."""
    monkeypatch.setattr(steps, "build_marts", lambda *_: "a build")
    steps.build(warehouse)


@pytest.mark.parametrize("merged", [False, True])
def test_a_load_is_made_again_as_it_was_although_its_ledger_is_damaged(
    warehouse: Warehouse,
    merged: bool,
    tmp_path: Path,
    dumps: list[Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dump = Path(shutil.copy(dumps[0], tmp_path))
    how = {"code_page": "1047", "ams_type": 200}
    steps.ingest_paths(warehouse, [dump], "simulated", **how)
    if merged:
        warehouse.store.compact(enough=2)
    before = how_loaded(warehouse)
    for folder in warehouse.raw.iterdir():
        if folder.name != SCHEMA_FOLDER:
            change(folder / "ledger.0.parquet", HALF)
    build_nothing(warehouse, monkeypatch)
    assert how_loaded(warehouse) == before
    assert (str(dump), "simulated", "1047", 200) in before


def how_loaded(warehouse: Warehouse) -> list[tuple[object, ...]]:
    columns = ("path", "origin", "code_page", "ams_type")
    return sorted(warehouse.store.ledger().select(columns).collect().rows())


def gone(file: Path) -> None:
    file.unlink()


def another(file: Path) -> None:
    file.write_text(MANIFEST.replace("may", "june"))


@pytest.mark.parametrize(
    ("happens", "reason"),
    [(gone, "No such file"), (another, "the file is not the one that was loaded")],
)
def test_a_load_whose_file_is_gone_is_named_and_loaded_again_when_it_is_back(
    warehouse: Warehouse,
    happens: Callable[[Path], None],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    before, file = set(warehouse.loads()), tmp_path / "manifest.toml"
    (source_id,) = before
    held = file.read_text()
    happens(file)
    change(warehouse.raw / source_id / "bench_run.0.parquet", HALF)
    build_nothing(warehouse, monkeypatch)
    assert warehouse.loads() == {}
    assert str(file) in caplog.text
    assert reason in caplog.text
    file.write_text(held)
    build_nothing(warehouse, monkeypatch)
    assert set(warehouse.loads()) == before


def test_a_load_that_is_forgotten_is_not_made_again(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source_id,) = warehouse.loads()
    change(warehouse.raw / source_id / "bench_run.0.parquet", HALF)
    steps.heal(warehouse)
    mark_forgotten(warehouse, source_id)
    build_nothing(warehouse, monkeypatch)
    assert warehouse.loads() == {}
    assert to_load_again(warehouse) == []


def test_a_load_is_named_by_its_folder_if_nothing_else_is_left(warehouse: Warehouse) -> None:
    (source_id,) = warehouse.loads()
    change(warehouse.raw / source_id / "ledger.0.parquet", HALF)
    change(warehouse.raw / source_id / "ledger.json", HALF)
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
def test_a_build_notices_blocks_that_were_overwritten(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    building(monkeypatch, "+fct_run")
    first = steps.build(warehouse)
    held = warehouse.work.read_bytes()
    headers = 3 * 4096
    warehouse.work.write_bytes(held[:headers] + os.urandom(len(held) - headers))
    second = steps.build(warehouse)
    assert second != first
    with warehouse.open_work() as db:
        assert db.execute("SELECT count(*) FROM marts.fct_run").fetchall() == [(1,)]


def test_a_log_with_a_line_without_end_is_set_aside(warehouse: Warehouse) -> None:
    (file,) = (warehouse.lake / "log").glob("2*.jsonl")
    with file.open("r+b") as log:
        log.truncate(40 << 20)  # zeros, as after a crash
    (line,) = steps.heal(warehouse)
    assert "it has a line without end" in line
    assert (warehouse.lake / "damaged" / file.name).exists()
    with warehouse.connect() as db:
        assert db.execute("SELECT count(*) FROM meta.log").fetchall() == [(0,)]
