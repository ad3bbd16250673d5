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
from app.pipeline.backup import back_up, restore
from app.pipeline.days import note_loads
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.store import next_id, write_result
from ingest.lake.damage import damage_of_database, damage_of_parquet, damaged_parquet
from ingest.lake.folders import MERGED, SCHEMA_FOLDER
from ingest.lake.lost import lost_id
from ingest.lake.warehouse import Warehouse
from ingest.load import mark_forgotten
from ingest.repair.missing import to_load_again
from tests.kit.tables import TIMES_OF_LOADS, different_tables
from tests.steps.app.pipeline.test_incremental import building, built_of_everything
from tests.steps.app.pipeline.test_lost_link import manifest
from tests.unit.app.cli.test_what_next import MANIFEST, load

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
    assert set(warehouse.loads()) == {lost_id(source_id)}
    assert str(file) in caplog.text
    assert reason in caplog.text
    with warehouse.connect() as db:
        aside = db.execute("SELECT path, reason FROM raw.quarantine").fetchall()
    ((path, said),) = aside
    assert path == str(file)
    assert reason in said
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
    assert "it has an endless line" in line
    assert (warehouse.lake / "damaged" / file.name).exists()
    with warehouse.connect() as db:
        assert db.execute("SELECT count(*) FROM meta.log").fetchall() == [(0,)]


def a_single_load(warehouse: Warehouse) -> Path:
    return next(one for one in warehouse.raw.iterdir() if len(one.name) == 64)


def merged_loads(warehouse: Warehouse) -> Path:
    return next(warehouse.raw.glob(f"{MERGED}*"))


LOSSES: dict[str, Callable[[Warehouse], object]] = {
    "rows": lambda w: (a_single_load(w) / "bench_run.0.parquet").unlink(),
    "rows of merged loads": lambda w: (merged_loads(w) / "bench_run.0.parquet").unlink(),
    "ledger": lambda w: (a_single_load(w) / "ledger.0.parquet").unlink(),
    "ledger of merged loads": lambda w: (merged_loads(w) / "ledger.0.parquet").unlink(),
    "folder": lambda w: shutil.rmtree(a_single_load(w)),
    "folder of merged loads": lambda w: shutil.rmtree(merged_loads(w)),
}
COMMANDS: dict[str, Callable[[Warehouse], object]] = {
    "ingest": lambda w: steps.ingest_paths(w, sorted(w.file.parent.glob("*.toml"))),
    "build": steps.build,
    "reload": lambda w: steps.reload(w, steps.outdated(w)),
}


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    """A warehouse of two merged loads and one of its own; its builds note the loads only."""

    def note(warehouse: Warehouse, *_: object) -> str:
        with warehouse.open_work() as db:
            note_loads(db, warehouse.loads())
        return "a build"

    monkeypatch.setattr(steps, "build_marts", note)
    warehouse = Warehouse(tmp_path / "w.duckdb")
    steps.ingest_paths(warehouse, [manifest(tmp_path, name) for name in ("may", "june")])
    steps.merge_loads(warehouse)
    steps.ingest_paths(warehouse, [manifest(tmp_path, "july")])
    steps.build(warehouse)
    return warehouse


def runs(warehouse: Warehouse) -> list[tuple[object, ...]]:
    with warehouse.connect() as db:
        return db.execute(
            "SELECT source_id, campaign, start_utc FROM raw.bench_run ORDER BY ALL"
        ).fetchall()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("loss", LOSSES)
def test_what_is_lost_is_loaded_again_from_its_files(
    three: Warehouse, loss: str, command: str
) -> None:
    before, rows = how_loaded(three), runs(three)
    LOSSES[loss](three)
    COMMANDS[command](three)
    assert how_loaded(three) == before
    assert runs(three) == rows
    assert steps.heal(three) == []


@pytest.mark.parametrize("loss", LOSSES)
def test_what_is_lost_with_its_files_is_noted_until_they_are_back(
    three: Warehouse, loss: str
) -> None:
    before, rows = how_loaded(three), runs(three)
    files = sorted(three.file.parent.glob("*.toml"))
    LOSSES[loss](three)
    for file in files:
        file.rename(file.with_suffix(".away"))
    steps.build(three)
    lost = [one for one in three.loads() if one.startswith("lost-")]
    assert len(lost) == (2 if "merged" in loss else 1)
    assert set(runs(three)) < set(rows)
    for file in files:
        file.with_suffix(".away").rename(file)
    steps.build(three)
    assert how_loaded(three) == before
    assert runs(three) == rows


def test_what_stands_in_for_a_lost_load_is_merged_kept_and_restored(
    three: Warehouse, tmp_path: Path
) -> None:
    LOSSES["rows"](three)
    (tmp_path / "july.toml").unlink()
    steps.build(three)
    (lost,) = (one for one in three.loads() if one.startswith("lost-"))
    steps.ingest_paths(three, [manifest(tmp_path, "august")])
    assert steps.merge_loads(three) == 2
    assert main(["retain", "--warehouse", str(three.file)]) == 0
    steps.build(three)  # it stays, and is not noted twice
    back_up(three, tmp_path / "kept")
    made = Warehouse(tmp_path / "restored" / "r.duckdb")
    restore(tmp_path / "kept", made)
    for warehouse in (three, made):
        assert [one for one in warehouse.loads() if one.startswith("lost-")] == [lost]
        with warehouse.connect() as db:
            assert db.execute("SELECT source_id FROM raw.quarantine").fetchall() == [(lost,)]
        assert steps.heal(warehouse) == []
    manifest(tmp_path, "july")
    steps.build(three)
    assert lost not in three.loads()


@pytest.mark.timeout(900)
def test_a_lost_load_is_an_error_in_the_data_until_it_is_back_or_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    building(monkeypatch, "+fct_data_issue", "+dim_load")
    warehouse = Warehouse(tmp_path / "w" / "w.duckdb")
    may, june = (manifest(tmp_path, name) for name in ("may", "june"))
    steps.ingest_paths(warehouse, [may, june])
    steps.build(warehouse)
    first = Warehouse(tmp_path / "first" / "w.duckdb")
    shutil.copytree(warehouse.file.parent, first.file.parent, symlinks=True)
    first.point_views_at_own_lake()
    (source_id,) = (one.source_id for one in steps.outdated(warehouse, everything=True)
                    if one.path == str(june))  # fmt: skip

    def issues(built: Warehouse) -> list[tuple[object, ...]]:
        with built.open_work() as db:
            return db.execute(
                "SELECT severity, subject FROM marts.fct_data_issue WHERE kind = 'lost_load'"
            ).fetchall()

    june.rename(june.with_suffix(".away"))
    (warehouse.raw / source_id / "bench_run.0.parquet").unlink()
    check = ["check", "--warehouse", str(warehouse.file)]
    assert main(check) == 2
    assert "perfhouse build" in capsys.readouterr().err
    steps.build(warehouse)
    assert issues(warehouse) == [("error", str(june))]
    assert main(check) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert f"error: lost_load: 1 found, first {june}: its rows are lost" in said
    assert "faults of perfhouse" not in said
    assert different_tables(warehouse, built_of_everything(warehouse, tmp_path / "lost")) == []

    forgetting = Warehouse(tmp_path / "forgetting" / "w.duckdb")
    shutil.copytree(warehouse.file.parent, forgetting.file.parent, symlinks=True)
    forgetting.point_views_at_own_lake()
    assert main(["forget", lost_id(source_id), "--warehouse", str(forgetting.file)]) == 0
    for _ in range(2):  # it does not come back
        steps.build(forgetting)
        assert issues(forgetting) == []
        assert len(forgetting.loads()) == 1

    june.with_suffix(".away").rename(june)
    steps.build(warehouse)
    assert issues(warehouse) == []
    assert lost_id(source_id) not in warehouse.loads()
    assert different_tables(warehouse, first, without=TIMES_OF_LOADS) == []


def test_a_folder_whose_list_of_files_is_gone_stays_in_place(
    warehouse: Warehouse, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its source file may be gone, and its rows are whole as far as can be seen."""
    (tmp_path / "manifest.toml").unlink()
    before = warehouse.loads()
    (source_id,) = before
    (warehouse.raw / source_id / "files.json").unlink()
    assert steps.heal(warehouse) == []
    assert warehouse.loads() == before
    assert "its list of files is rebuilt" in caplog.text
    caplog.clear()
    assert steps.heal(warehouse) == []
    assert caplog.text == ""
