"""Warehouses that earlier releases made: opened, read once more, built, as if loaded today."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from app.pipeline import steps
from app.pipeline.loading import How
from ingest import views
from ingest.catalogue import raw_schemas
from ingest.warehouse import FORMAT, Warehouse
from tests.app.pipeline.tables import TIMES_OF_LOADS, different_tables
from tests.app.pipeline.test_incremental import building
from tests.ingest.stored import STORED, unpack

FORMATS = sorted(STORED.glob("format-*.tar.xz"))
#: A process that opens a warehouse, and is killed where it would call a function.
KILLED = """
import os, sys
from pathlib import Path
from ingest import folders
from ingest.warehouse import Warehouse

file, name = sys.argv[1:]
places = {"rmtree": folders.shutil, "_write_format": Warehouse, "_write_schema": folders.Folders}
setattr(places[name], name, lambda *_: os._exit(9))
Warehouse(Path(file)).create()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all stored warehouses are unpacked: loads keep the paths of their files."""
    return tmp_path_factory.mktemp("stored") / "place"


@pytest.fixture(scope="module")
def fresh(place: Path) -> Warehouse:
    """A warehouse of the same files, loaded by today's code."""
    sources = unpack(FORMATS[0], place).lake / "declared"
    made = Warehouse(place.with_name("fresh") / "w.duckdb")
    steps.prepare(made)
    for file in sorted(sources.iterdir()):
        steps.ingest_file(made, file, How("simulated"))
    return made


@pytest.fixture(params=FORMATS, ids=lambda file: file.name.partition(".")[0])
def earlier(request: pytest.FixtureRequest, place: Path, fresh: Warehouse) -> Warehouse:
    shutil.rmtree(place)
    return unpack(request.param, place)


def content(warehouse: Warehouse) -> dict[str, tuple[Any, ...]]:
    """Return the number of rows and a digest of every raw table, without when a file was loaded.

    The views of a published file are those of the release that published it.
    """
    with duckdb.connect() as db:
        views.define(db, warehouse.lake, warehouse.store, commented=False)
        rows = {table: f"raw.{table}" for table in raw_schemas()}
        rows["ledger"] = "(SELECT * EXCLUDE (loaded_at) FROM raw.ledger)"
        digest = "SELECT count(*), bit_xor(hash(t)) FROM {} AS t"
        return {
            table: db.execute(digest.format(chosen)).fetchone() for table, chosen in rows.items()
        }


def test_every_format_is_stored() -> None:
    assert [f"format-{n}.tar.xz" for n in range(1, FORMAT + 1)] == [file.name for file in FORMATS]


def reload_all(warehouse: Warehouse) -> None:
    loads = steps.reload(warehouse, steps.outdated(warehouse, everything=True))
    assert {load.status for load in loads} == {"loaded"}
    assert steps.outdated(warehouse) == []


def test_a_warehouse_of_an_earlier_release_gives_the_rows_of_today(
    earlier: Warehouse, fresh: Warehouse
) -> None:
    steps.prepare(earlier)
    assert earlier.loads().keys() == fresh.loads().keys()
    reload_all(earlier)
    assert content(earlier) == content(fresh)


def test_the_oldest_gives_the_marts_of_today(
    place: Path, fresh: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others have the same rows by then."""
    building(monkeypatch)
    shutil.rmtree(place)
    oldest = unpack(FORMATS[0], place)
    steps.prepare(oldest)
    reload_all(oldest)
    for warehouse in (oldest, fresh):
        steps.build(warehouse)
    assert different_tables(fresh, oldest, without=TIMES_OF_LOADS) == []


def test_its_files_are_not_loaded_twice(earlier: Warehouse) -> None:
    loads = steps.ingest_paths(earlier, sorted((earlier.lake / "declared").iterdir()))
    assert {load.status for load in loads} == {"duplicate"}


@pytest.mark.parametrize("function", ["rmtree", "_write_format", "_write_schema"])
def test_a_kill_in_the_middle_of_a_migration_does_no_harm(
    place: Path, fresh: Warehouse, function: str
) -> None:
    shutil.rmtree(place)
    warehouse = unpack(FORMATS[0], place)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, warehouse.file, function],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert killed.returncode == 9
    steps.prepare(warehouse)
    assert (warehouse.lake / "format").read_text() == f"{FORMAT}\n"
    assert not (warehouse.raw / "_merged").exists()
    assert warehouse.loads().keys() == fresh.loads().keys()
    assert all(map(warehouse.store.holds, fresh.loads()))
