"""A backup holds all that cannot be made again; what is restored from it is the same warehouse."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from threading import Thread

import duckdb
import pytest

from app.cli.main import main
from app.pipeline import steps
from app.pipeline.backup import back_up, restore
from app.pipeline.bundled import samples
from ingest.base.waiting import locked
from ingest.lake.alone import alone, waiting
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from tests.unit.app.cli.test_what_next import MANIFEST, load

CHANGES_NAMES = ("os.rename", "shutil.rmtree", "os.symlink")

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(["app.pipeline.backup"])


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


def the_only(folder: Path) -> Path:
    (found,) = (one for one in folder.iterdir() if not one.name.startswith("."))
    return found


def test_a_restored_warehouse_is_the_same_under_another_name(
    bundled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse, other = Warehouse(bundled), Warehouse(tmp_path / "else where" / "other.db")
    assert main(["backup", str(tmp_path / "kept"), "--warehouse", str(bundled)]) == 0
    assert main(["restore", str(tmp_path / "kept"), "--warehouse", str(other.file)]) == 0
    before, after = all_rows(warehouse), all_rows(other)
    assert len(after) > 200
    assert after == before
    capsys.readouterr()
    again = ["run", str(samples()), "--origin", "simulated", "--warehouse", str(other.file)]
    assert main(again) == 0
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
    assert steps.ingest_paths(other, [tmp_path / "manifest.toml"])[0].status == "duplicate"


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
            load_file(warehouse, write(tmp_path / f"more-{number}.toml", f"c{number}"))
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


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("lake_format", 999, "later than this release"),
        ("perfhouse_backup", 999, "later than this release"),
        ("files", {"../../etc/x": [1, "", 0]}, "is no file of a backup"),
        ("files", {"/etc/x": [1, "", 0]}, "is no file of a backup"),
        ("files", {"lake": [1, "", 0], "": [1, "", 0]}, "is no file of a backup"),
        ("files", 7, "no manifest of a backup"),
    ],
)
def test_a_manifest_that_cannot_be_right_is_refused(
    warehouse: Warehouse, tmp_path: Path, key: str, value: object, said: str
) -> None:
    backup = back_up(warehouse, tmp_path / "kept").folder
    manifest = json.loads((backup / "manifest.json").read_text()) | {key: value}
    (backup / "manifest.json").write_text(json.dumps(manifest))
    other = Warehouse(tmp_path / "other.duckdb")
    with pytest.raises(steps.StepError, match=said):
        restore(backup, other)
    assert not other.lake.exists()


def test_a_warehouse_is_replaced_only_if_told_so(warehouse: Warehouse, tmp_path: Path) -> None:
    backup = back_up(warehouse, tmp_path / "kept").folder
    before = held(warehouse)
    load_file(warehouse, write(tmp_path / "b.toml", "later"))
    assert main(["restore", str(backup), "--warehouse", str(warehouse.file)]) == 2
    assert len(warehouse.loads()) == 2
    is_used = pytest.raises(steps.StepError, match="in use by process")
    with locked(warehouse.lake / "build.lock", wait=0), waiting(0), is_used:
        restore(backup, warehouse, replace=True)
    restore(backup, warehouse, replace=True)
    assert held(warehouse) == before
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]


@pytest.mark.parametrize(
    ("where", "said"),
    [("nothing", "no backup here"), (".", "no backup here"), ("b.json", "no backup here")],
)
def test_what_is_no_backup_is_said(tmp_path: Path, where: str, said: str) -> None:
    with pytest.raises(steps.StepError, match=said):
        restore(tmp_path / where, Warehouse(tmp_path / "other.duckdb"))


def test_a_backup_inside_its_lake_is_refused(warehouse: Warehouse) -> None:
    with pytest.raises(steps.StepError, match="inside the lake"):
        back_up(warehouse, warehouse.lake / "kept")


def write(file: Path, campaign: str) -> Path:
    file.write_text(MANIFEST.replace("may", campaign))
    return file


def act_and_die(
    step: int | None, steps_done: Synchronized[int], act: Callable[..., object], *arguments: object
) -> None:
    """Call a function, count how often it changes names, and be killed at one `step`."""

    def count(event: str, about: tuple[object, ...]) -> None:
        is_empty_table = event == "os.rename" and "_schema" in str(about[0])
        steps_done.value += event in CHANGES_NAMES and not is_empty_table
        if steps_done.value == step:
            steps_done.value += 1  # os.kill is an audit event, too
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    act(*arguments)


def steps_of(act: Callable[..., object], *arguments: object, killed_at: int | None = None) -> int:
    """Call a function in a process; return how often it changed names of files until its end."""
    done = _server.Value("q", 0)
    process = _server.Process(target=act_and_die, args=(killed_at, done, act, *arguments))
    process.start()
    process.join()
    assert process.exitcode == (0 if killed_at is None else -signal.SIGKILL)
    return done.value


def test_a_killed_backup_leaves_nothing_that_looks_whole(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    for step in range(1, steps_of(back_up, warehouse, tmp_path / "whole") + 1):
        steps_of(back_up, warehouse, kept, killed_at=step)
        for one in kept.iterdir() if kept.exists() else ():
            assert one.name.startswith(".") or (one / "manifest.json").exists()
    back_up(warehouse, kept, keep=1)
    restore(kept, Warehouse(tmp_path / "other.duckdb"))
    assert [one.name for one in kept.iterdir() if one.name.startswith(".draft")] == []
    assert list(warehouse.staging.glob("backup.*")) == []


def replacing(backup: Path, file: Path) -> None:
    restore(backup, Warehouse(file), replace=True)


def test_a_killed_restore_leaves_nothing_that_looks_whole(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    backup, whole = back_up(warehouse, tmp_path / "kept").folder, held(warehouse)
    other = Warehouse(tmp_path / "o" / "other.duckdb")
    replacing(backup, other.file)
    steps = steps_of(replacing, backup, other.file)
    assert steps > 6
    # The last ones put the warehouse in its place; those before them copy files, all alike.
    for step in {1, 2, steps // 2, *range(steps - 4, steps + 1)}:
        steps_of(replacing, backup, other.file, killed_at=step)
        assert not other.lake.exists() or held(other) == whole
    replacing(backup, other.file)
    assert held(other) == whole
    names = sorted(one.name for one in other.file.parent.iterdir())
    assert [one for one in names if ".replaced." not in one] == ["other.duckdb", "other.lake"]


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
