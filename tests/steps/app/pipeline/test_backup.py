"""A backup holds all that cannot be made again; what is restored from it is the same warehouse."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from threading import Thread

import duckdb
import pytest

from app.cli.main import main
from app.pipeline import steps
from app.pipeline.backup import back_up, restore
from ingest.base.waiting import locked
from ingest.lake.alone import alone, waiting
from ingest.lake.merged import loads_by_folder
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from tests.kit.manifests import load, manifest
from tests.kit.processes import steps_of
from tests.kit.warehouses import copied


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """A warehouse with one load, and something of everything else that a lake holds."""
    made = load(tmp_path)
    for name in (
        "declared/r1.json", "outbox/told.json", "forgotten/abc", "landing.json",
        "retention.toml", "damaged/old/smf_record.0.parquet",
    ):  # fmt: skip
        (made.lake / name).parent.mkdir(exist_ok=True, parents=True)
        (made.lake / name).write_text(f"{name}\n")
    for name in ("data_docs/index.html", "dbt/dbt.log", "staging/x.1/a.parquet"):
        (made.lake / name).parent.mkdir(exist_ok=True, parents=True)
        (made.lake / name).write_text("can be made again")
    return made


def held(warehouse: Warehouse) -> dict[str, bytes]:
    """Return the files of a lake, except locks, databases, empty tables and places of rows.

    Nor the log, which every step adds to.
    """
    parts = {"raw": warehouse.raw.resolve(), **{
        p.name: p for p in warehouse.lake.iterdir() if p.name not in ("raw", "generations")
    }}  # fmt: skip
    files = [(f"{name}/{file.relative_to(place)}", file)
             for name, place in parts.items() for file in [place, *place.rglob("*")]]  # fmt: skip
    left_out = ("_schema/", "work.duckdb", ".lock", "data_docs", "dbt/", "staging", "log/2")
    return {
        name: file.read_bytes()
        for name, file in files
        if file.is_file() and not any(part in name for part in left_out)
    }


def all_rows(warehouse: Warehouse) -> dict[str, list[tuple[int, int]]]:
    """Return the number and the sum of hashes of the rows of every table of raw and marts."""
    with warehouse.connect() as db:
        tables = db.execute(
            "SELECT table_schema || '.' || table_name FROM information_schema.tables "
            "WHERE table_schema IN ('raw', 'marts')"
        ).fetchall()
        return {
            table: db.execute(f"SELECT count(*), sum(hash(t)) FROM {table} AS t").fetchall()
            for (table,) in tables
        }


def test_a_restored_warehouse_is_the_same_under_another_name(
    days: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = copied(days, tmp_path / "w")
    other = Warehouse(tmp_path / "else where" / "other.db")
    assert main(["backup", str(tmp_path / "kept"), "--warehouse", str(warehouse.file)]) == 0
    assert main(["restore", str(tmp_path / "kept"), "--warehouse", str(other.file)]) == 0
    before, after = all_rows(warehouse), all_rows(other)
    assert len(after) > 200
    assert after == before
    capsys.readouterr()
    again = str(days.parents[1] / "files/00")
    assert main(["run", again, "--warehouse", str(other.file)]) == 0
    assert "nothing new since the published build" in capsys.readouterr().out
    with other.open_work() as db:  # so that the next build is one of what changed
        assert db.execute("SELECT count(*) FROM meta.build").fetchall() == [(1,)]


def test_all_of_the_lake_is_kept(warehouse: Warehouse, tmp_path: Path) -> None:
    backup = back_up(warehouse, tmp_path / "kept").folder
    assert not list(backup.rglob("index.html"))
    other = Warehouse(tmp_path / "other" / "o.duckdb")
    restore(backup, other)
    assert held(other) == held(warehouse)
    assert len(held(other)) > 10
    with other.connect() as db:
        steps_kept = "SELECT step, status FROM meta.pipeline_step ORDER BY begun_at"
        assert db.execute(steps_kept).fetchall() == [("ingest", "ok"), ("backup", None)]
    assert steps.ingest_paths(other, [tmp_path / "may.toml"])[0].status == "duplicate"


def test_unchanged_files_are_links_to_the_backup_before(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    first = back_up(warehouse, kept)
    assert first.copied == first.bytes
    (warehouse.lake / "landing.json").write_text("changed")
    second = back_up(warehouse, kept)
    (log,) = (second.folder / "lake" / "log").glob("2*.jsonl")  # it grew
    assert second.copied == len("changed") + log.stat().st_size
    assert {file.name for file in second.folder.rglob("*") if file.stat().st_nlink == 1
            and file.is_file()} == {"manifest.json", "landing.json", log.name}  # fmt: skip
    shutil.rmtree(first.folder)  # each backup is whole without the others
    restore(kept, Warehouse(tmp_path / "other.duckdb"))
    assert main(["backup", str(kept), "--keep", "2", "--warehouse", str(warehouse.file)]) == 0
    back_up(warehouse, kept, keep=2)
    assert len([one for one in kept.iterdir() if not one.name.startswith(".")]) == 2


def test_a_backup_goes_on_while_files_are_loaded_and_merged(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    def change() -> None:
        for number in range(1, 13):
            other = manifest(tmp_path, "june")
            other.write_text(other.read_text().replace("june", f"c{number}"))
            load_file(warehouse, other)
            if number % 4 == 0:
                warehouse.store.compact(2)

    changing, backups = Thread(target=change), []
    changing.start()
    with alone(warehouse):  # a build is under way, too
        while changing.is_alive():
            backups.append(back_up(warehouse, tmp_path / "kept").folder)
    changing.join()
    assert len(backups) > 1
    numbers = []
    for number, backup in enumerate([backups[0], *backups[-2:]]):
        other = Warehouse(tmp_path / str(number) / "o.duckdb")
        restore(backup, other)
        with other.connect() as db:
            runs = "SELECT count(*), count(DISTINCT source_id) FROM raw.bench_run"
            ((rows, sources),) = db.execute(runs).fetchall()
        assert rows == sources == len(other.loads())
        numbers.append(rows)
    assert numbers == sorted(numbers)


def test_a_flipped_byte_is_named(
    warehouse: Warehouse, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backup = back_up(warehouse, tmp_path / "kept").folder
    flipped = next(backup.rglob("ledger.0.parquet"))
    content = bytearray(flipped.read_bytes())
    content[len(content) // 2] ^= 1
    flipped.write_bytes(content)
    (backup / "lake" / "landing.json").unlink()
    other = tmp_path / "other" / "o.duckdb"
    assert main(["restore", str(backup), "--warehouse", str(other)]) == 2
    said = capsys.readouterr().err
    assert f"{flipped.relative_to(backup)}: its content has changed" in said
    assert "lake/landing.json: missing" in said
    assert list(other.parent.iterdir()) == []


def test_a_manifest_that_cannot_be_right_is_refused(warehouse: Warehouse, tmp_path: Path) -> None:
    backup = back_up(warehouse, tmp_path / "kept").folder
    other, whole = Warehouse(tmp_path / "other.duckdb"), (backup / "manifest.json").read_text()
    for key, value, said in (
        ("lake_format", 999, "later than this release"),
        ("perfhouse_backup", 999, "later than this release"),
        ("files", {"../../etc/x": [1, "", 0]}, "is no file of a backup"),
        ("files", {"/etc/x": [1, "", 0]}, "is no file of a backup"),
        ("files", {"lake": [1, "", 0], "": [1, "", 0]}, "is no file of a backup"),
        ("files", 7, "no manifest of a backup"),
        ("files", {}, "it lists no files"),
        ("files", {"lake/": [1, "", 0]}, "is no file of a backup"),
        ("files", {"lake/a\0b": [1, "", 0]}, "is no file of a backup"),
        ("files", {"lake/a": [1, "", -1e30]}, "is no file of a backup"),
        ("files", {"lake/a": [1, "", 1e400]}, "no manifest of a backup"),
        ("rows", 0, "rows, not 0"),
        ("loads", ["0" * 64], f"{'0' * 64}: its load is missing"),
    ):
        (backup / "manifest.json").write_text(json.dumps(json.loads(whole) | {key: value}))
        with pytest.raises(steps.StepError, match=said):
            restore(backup, other)
        assert not other.lake.exists()


def test_a_warehouse_is_replaced_only_if_told_so(warehouse: Warehouse, tmp_path: Path) -> None:
    backup = back_up(warehouse, tmp_path / "kept").folder
    before = held(warehouse)
    load_file(warehouse, manifest(tmp_path, "june"))
    assert main(["restore", str(backup), "--warehouse", str(warehouse.file)]) == 2
    assert len(warehouse.loads()) == 2
    is_used = pytest.raises(steps.StepError, match="in use by process")
    with locked(warehouse.lake / "build.lock", wait=0), waiting(0), is_used:
        restore(backup, warehouse, replace=True)
    restore(backup, warehouse, replace=True)
    assert held(warehouse) == before
    (aside,) = (one for one in tmp_path.iterdir() if one.name.startswith("."))
    assert len(loads_by_folder((aside / warehouse.lake.name / "raw").resolve())) == 2


def test_what_is_no_backup_is_said(warehouse: Warehouse, tmp_path: Path) -> None:
    for where in ("nothing", "."):
        with pytest.raises(steps.StepError, match="no backup here"):
            restore(tmp_path / where, Warehouse(tmp_path / "other.duckdb"))
    with pytest.raises(steps.StepError, match="inside the lake"):
        back_up(warehouse, warehouse.lake / "kept")


def replacing(backup: Path, file: Path) -> None:
    restore(backup, Warehouse(file), replace=True)


def test_after_a_killed_restore_a_command_finds_a_whole_warehouse(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    """tests/system kills it, and a backup, everywhere."""
    backup, whole = back_up(warehouse, tmp_path / "kept").folder, held(warehouse)
    load_file(warehouse, manifest(tmp_path, "june"))
    other = shutil.copytree(warehouse.lake, tmp_path / "o/w.lake", symlinks=True).parent
    last = steps_of(replacing, backup, Path(shutil.copy(warehouse.file, other / "w.duckdb")))
    steps_of(replacing, backup, warehouse.file, killed_at=last - 2)
    assert main(["sql", "FROM raw.ledger", "--warehouse", str(warehouse.file)]) == 0
    assert held(warehouse) == whole


def test_a_backup_without_a_published_file_is_restored(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    warehouse.file.unlink()
    backup = back_up(warehouse, tmp_path / "kept").folder
    other = Warehouse(tmp_path / "other.duckdb")
    restore(backup, other)
    steps.prepare(other)
    with other.connect() as db:
        assert db.execute("SELECT count(*) FROM raw.bench_run").fetchall() == [(1,)]


def test_views_of_a_restored_file_read_its_own_lake(warehouse: Warehouse, tmp_path: Path) -> None:
    other = Warehouse(tmp_path / "other.duckdb")
    restore(back_up(warehouse, tmp_path / "kept").folder, other)
    shutil.rmtree(warehouse.lake)
    with duckdb.connect(str(other.file), read_only=True) as db:
        assert db.execute("SELECT count(*) FROM raw.bench_run").fetchall() == [(1,)]
