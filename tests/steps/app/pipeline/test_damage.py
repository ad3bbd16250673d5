"""Derived files that a crash or a bad disk damaged are made again, or named with what to do."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import main
from app.pipeline import steps
from app.pipeline.backup import back_up, restore
from app.pipeline.days import note_loads
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.store import next_id, write_result
from ingest.lake.damage import damage_of_database, damage_of_parquet, damaged_parquet
from ingest.lake.folders import SCHEMA_FOLDER
from ingest.lake.lost import lost_id
from ingest.lake.warehouse import Warehouse
from ingest.load import mark_forgotten
from ingest.repair import repair
from ingest.repair.missing import missing_loads
from tests.kit.manifests import load, manifest, merged, single
from tests.kit.warehouses import copied

Damage = Callable[[bytes], bytes]

HALF: Damage = lambda held: held[: len(held) // 2]  # noqa: E731
DAMAGES: dict[str, Damage] = {
    "empty": lambda _: b"",
    "zeros": lambda held: bytes(len(held)),
    "half": HALF,
    "one byte short": lambda held: held[:-1],
    "another file": lambda _: b"name,value\n" * 20,
}


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """A warehouse with one load."""
    return load(tmp_path)


@pytest.fixture
def three(tmp_path: Path, small: Path) -> Warehouse:
    """A built warehouse of two merged loads and one of its own."""
    return copied(small, tmp_path / "three")


def change(file: Path, damage: Damage) -> None:
    content = file.read_bytes()
    file.unlink()  # it may be a link
    file.write_bytes(damage(content))


def runs(warehouse: Warehouse) -> list[tuple[object, ...]]:
    with warehouse.connect() as db:
        return db.execute(
            "SELECT source_id, campaign, start_utc FROM raw.bench_run ORDER BY ALL"
        ).fetchall()


def how_loaded(warehouse: Warehouse) -> list[tuple[object, ...]]:
    columns = ("path", "origin", "code_page", "ams_type")
    return sorted(warehouse.store.ledger().select(columns).collect().rows())


def test_whole_files_are_not_damaged(warehouse: Warehouse) -> None:
    with warehouse.open_work() as db:
        db.execute("CREATE TABLE t AS SELECT * FROM range(100000)")
    assert [damage_of_database(file) for file in (warehouse.file, warehouse.work)] == ["", ""]
    files = list(warehouse.lake.rglob("*.parquet"))
    assert len(files) > 100
    assert {damage_of_parquet(file) for file in files} == {""}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_of_any_kind_is_seen(three: Warehouse, damage: str) -> None:
    rows = single(three) / "bench_run.0.parquet"
    for file, damage_of in ((three.work, damage_of_database), (rows, damage_of_parquet)):
        change(file, DAMAGES[damage])
        assert damage_of(file)


def test_a_damaged_working_database_is_made_again(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    with warehouse.open_work() as db:
        db.execute("CREATE TABLE meta.build AS SELECT 1")
    change(warehouse.work, HALF)
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
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    change(warehouse.file, HALF)
    query = ["sql", "SELECT count(*) FROM raw.bench_run", "--warehouse", str(warehouse.file)]
    assert main(query) == 2
    said = capsys.readouterr().err
    assert "damaged" in said
    assert "perfhouse build" in said
    steps.prepare(warehouse)  # which build and ingest do
    assert main(query) == 0


def test_a_load_with_a_damaged_file_is_set_aside_and_loaded_again_by_the_next_build(
    three: Warehouse,
) -> None:
    before, rows = how_loaded(three), runs(three)
    source_id = single(three).name
    change(three.raw / source_id / "bench_run.0.parquet", HALF)
    (line,) = steps.heal(three)
    assert source_id not in three.loads()
    assert str(three.lake / "damaged") in line
    assert "the next build loads its source files again" in line
    assert len(runs(three)) == 2
    repair(three)  # as a build does first
    assert how_loaded(three) == before
    assert runs(three) == rows
    assert steps.heal(three) == []
    assert missing_loads(three) == []


@pytest.mark.parametrize("is_merged", [False, True])
def test_a_load_is_made_again_as_it_was_although_its_ledger_is_damaged(
    warehouse: Warehouse, is_merged: bool, tmp_path: Path, dumps: list[Path]
) -> None:
    dump = Path(shutil.copy(dumps[0], tmp_path))
    how = {"code_page": "1047", "ams_type": 200}
    steps.ingest_paths(warehouse, [dump], "simulated", **how)
    if is_merged:
        warehouse.store.compact(enough=2)
    before = how_loaded(warehouse)
    for folder in warehouse.raw.iterdir():
        if folder.name != SCHEMA_FOLDER:
            change(folder / "ledger.0.parquet", HALF)
    repair(warehouse)
    assert how_loaded(warehouse) == before
    assert (str(dump), "simulated", "1047", 200) in before


def gone(file: Path) -> None:
    file.unlink()


def another(file: Path) -> None:
    manifest(file.parent, "june").rename(file)


@pytest.mark.parametrize(
    ("happens", "reason"),
    [(gone, "No such file"), (another, "the file is not the one that was loaded")],
)
def test_a_load_whose_file_is_gone_is_named_and_loaded_again_when_it_is_back(
    warehouse: Warehouse,
    happens: Callable[[Path], None],
    reason: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    before, file = set(warehouse.loads()), tmp_path / "may.toml"
    (source_id,) = before
    held = file.read_text()
    happens(file)
    change(warehouse.raw / source_id / "bench_run.0.parquet", HALF)
    repair(warehouse)
    assert set(warehouse.loads()) == {lost_id(source_id)}
    assert str(file) in caplog.text
    assert reason in caplog.text
    with warehouse.connect() as db:
        aside = db.execute("SELECT path, reason FROM raw.quarantine").fetchall()
    ((path, said),) = aside
    assert path == str(file)
    assert reason in said
    file.write_text(held)
    repair(warehouse)
    assert set(warehouse.loads()) == before


def test_a_load_that_is_forgotten_is_not_made_again(warehouse: Warehouse) -> None:
    (source_id,) = warehouse.loads()
    change(warehouse.raw / source_id / "bench_run.0.parquet", HALF)
    steps.heal(warehouse)
    mark_forgotten(warehouse, source_id)
    repair(warehouse)
    assert warehouse.loads() == {}
    assert missing_loads(warehouse) == []


def test_a_load_is_named_by_its_folder_if_nothing_else_is_left(warehouse: Warehouse) -> None:
    (source_id,) = warehouse.loads()
    change(warehouse.raw / source_id / "ledger.0.parquet", HALF)
    change(warehouse.raw / source_id / "load.json", HALF)
    (line,) = steps.heal(warehouse)
    assert source_id in line
    assert warehouse.loads() == {}
    repair(warehouse)
    assert warehouse.loads().keys() == {source_id}


def test_damaged_empty_tables_are_written_again(warehouse: Warehouse) -> None:
    for table in ("ledger", "smf_record"):
        change(warehouse.raw / "_schema" / f"{table}.0.parquet", HALF)
    assert steps.heal(warehouse) == []
    assert list(damaged_parquet(warehouse.raw / "_schema")) == []
    with warehouse.connect() as db:
        assert db.execute("SELECT count(*) FROM raw.smf_record").fetchall() == [(0,)]


def test_a_damaged_verdict_is_set_aside(warehouse: Warehouse) -> None:
    passed = ExpectationOutcome("raw", "raw.t", "x", "", True, "fault", "", "")
    for _ in range(2):
        result = AuditResult(next_id(warehouse.audit), "b", (passed,))
        file = write_result(result, warehouse.audit, "")
    change(file, HALF)
    (line,) = steps.heal(warehouse)
    assert line.endswith("run the check again")
    assert not file.exists()


def test_a_log_with_a_line_without_end_is_set_aside(warehouse: Warehouse) -> None:
    (file,) = (warehouse.lake / "log").glob("2*.jsonl")
    with file.open("r+b") as log:
        log.truncate(40 << 20)  # zeros, as after a crash
    (line,) = steps.heal(warehouse)
    assert "it has an endless line" in line
    assert (warehouse.lake / "damaged" / file.name).exists()
    with warehouse.connect() as db:
        assert db.execute("SELECT count(*) FROM meta.log").fetchall() == [(0,)]


def lost(warehouse: Warehouse) -> list[str]:
    return [one for one in warehouse.loads() if one.startswith("lost-")]


LOSSES: dict[str, Callable[[Warehouse], object]] = {
    "rows": lambda w: (single(w) / "bench_run.0.parquet").unlink(),
    "rows of merged loads": lambda w: (merged(w) / "bench_run.0.parquet").unlink(),
    "ledger": lambda w: (single(w) / "ledger.0.parquet").unlink(),
    "ledger of merged loads": lambda w: (merged(w) / "ledger.0.parquet").unlink(),
    "folder": lambda w: shutil.rmtree(single(w)),
    "folder of merged loads": lambda w: shutil.rmtree(merged(w)),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_what_is_lost_is_loaded_again_from_its_files(three: Warehouse, loss: str) -> None:
    """As `reload` does, and a build (see tests/kit/lives.py)."""
    before, rows = how_loaded(three), runs(three)
    LOSSES[loss](three)
    steps.reload(three, steps.outdated(three))
    assert how_loaded(three) == before
    assert runs(three) == rows
    assert steps.heal(three) == []


def test_what_is_lost_is_loaded_again_when_its_files_are_ingested(three: Warehouse) -> None:
    before, rows = how_loaded(three), runs(three)
    files = [path for path, *_ in before]
    for loss in ("rows", "folder of merged loads"):
        LOSSES[loss](three)
    steps.ingest_paths(three, [str(file) for file in files])
    assert how_loaded(three) == before
    assert runs(three) == rows


@pytest.mark.parametrize("loss", ["ledger", "folder of merged loads"])
def test_what_is_lost_with_its_files_is_noted_until_they_are_back(
    tmp_path: Path, loss: str
) -> None:
    warehouse = load(tmp_path, "may", "june")
    steps.merge_loads(warehouse)
    steps.ingest_paths(warehouse, [manifest(tmp_path, "july")])
    with warehouse.open_work() as db:
        note_loads(db, warehouse.loads())  # as a build does at its end
    before, rows = how_loaded(warehouse), runs(warehouse)
    LOSSES[loss](warehouse)
    for file in (files := sorted(tmp_path.glob("*.toml"))):
        file.rename(file.with_suffix(".away"))
    repair(warehouse)
    assert len(lost(warehouse)) == (2 if "merged" in loss else 1)
    assert set(runs(warehouse)) < set(rows)
    for file in files:
        file.with_suffix(".away").rename(file)
    repair(warehouse)
    assert how_loaded(warehouse) == before
    assert runs(warehouse) == rows


def test_what_stands_in_for_a_lost_load_is_merged_kept_and_restored(tmp_path: Path) -> None:
    warehouse = load(tmp_path, "july")
    LOSSES["rows"](warehouse)
    (tmp_path / "july.toml").unlink()
    repair(warehouse)
    (stands_in,) = lost(warehouse)
    steps.ingest_paths(warehouse, [manifest(tmp_path, "august")])
    assert steps.merge_loads(warehouse) == 2
    assert main(["retain", "--warehouse", str(warehouse.file)]) == 0
    repair(warehouse)  # it stays, and is not noted twice
    back_up(warehouse, tmp_path / "kept")
    made = Warehouse(tmp_path / "restored" / "r.duckdb")
    restore(tmp_path / "kept", made)
    for one in (warehouse, made):
        assert lost(one) == [stands_in]
        with one.connect() as db:
            assert db.execute("SELECT source_id FROM raw.quarantine").fetchall() == [(stands_in,)]
        assert steps.heal(one) == []
    manifest(tmp_path, "july")
    repair(warehouse)
    assert lost(warehouse) == []


def test_a_lost_load_is_an_error_in_the_data_until_it_is_back_or_forgotten(
    three: Warehouse, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (load,) = steps.ingest_paths(three, [august := manifest(tmp_path, "august")])

    def issues() -> list[tuple[object, ...]]:
        with three.open_work() as db:
            return db.execute(
                "SELECT severity, subject FROM marts.fct_data_issue WHERE kind = 'lost_load'"
            ).fetchall()

    august.rename(away := august.with_suffix(".away"))
    (three.raw / load.source_id / "bench_run.0.parquet").unlink()
    check = ["check", "--warehouse", str(three.file)]
    assert main(check) == 2
    assert "perfhouse build" in capsys.readouterr().err
    steps.build(three)
    assert issues() == [("error", str(august))]
    assert main(check) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert f"error: lost_load: 1 found, first {august}: its rows are lost" in said
    assert "faults of perfhouse" not in said

    back = copied(three.file, tmp_path / "back")
    away.rename(august)
    repair(back)
    assert (load.source_id in back.loads(), lost(back)) == (True, [])
    august.rename(away)
    assert main(["forget", lost_id(load.source_id), "--warehouse", str(three.file)]) == 0
    repair(three)
    assert len(three.loads()) == 3  # it does not come back


def test_a_folder_whose_list_of_files_is_gone_stays_in_place(
    warehouse: Warehouse, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its source file may be gone, and its rows are whole as far as can be seen."""
    (tmp_path / "may.toml").unlink()
    before = warehouse.loads()
    (source_id,) = before
    (warehouse.raw / source_id / "load.json").unlink()
    assert steps.heal(warehouse) == []
    assert warehouse.loads() == before
    assert "its list of files is rebuilt" in caplog.text
    caplog.clear()
    assert steps.heal(warehouse) == []
    assert caplog.text == ""
