"""Read what loads left in a lake without the views: fast, and exact in the types."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import polars as pl

from ingest.lake.folders import SCHEMA_FOLDER
from ingest.lake.locked import cursor_of, lock
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from ingest.writer import Load

Tables = dict[str, pl.DataFrame]


def read_tables(warehouse: Warehouse, source_id: str, *, without: set[str]) -> Tables:
    """Return the rows of raw.smf* from a file, by table, except the columns `without`."""
    folder = warehouse.raw / source_id
    parts: dict[str, list[Path]] = {}
    for file in sorted(folder.glob("smf*.parquet"), key=lambda p: int(p.name.split(".")[1])):
        parts.setdefault(file.name.split(".")[0], []).append(file)
    return {
        table: pl.concat(map(pl.read_parquet, files)).drop(without, strict=False)
        for table, files in sorted(parts.items())
    }


def load_whole(warehouse: Warehouse, file: Path) -> Load:
    """Load a file without faults."""
    load = load_file(warehouse, file)
    assert load.status == "loaded", load.reasons
    return load


def differences(ours: Tables, others: Tables) -> dict[str, list[str]]:
    """Return table -> columns that differ ("*" if one of the two lacks the table)."""
    found = {name: ["*"] for name in ours.keys() ^ others.keys()}
    for name in ours.keys() & others.keys():
        a, b = ours[name], others[name]
        differing = [c for c in a.columns if c not in b.columns or not a[c].equals(b[c])]
        if differing or a.shape != b.shape:
            found[name] = differing or ["number of columns"]
    return found


def tables_with_rows(warehouse: Warehouse) -> list[str]:
    """Return the names of the tables of raw that have rows."""
    return sorted({file.name.split(".")[0] for file in warehouse.raw.glob("[!_]*/*.parquet")})


def empty(warehouse: Warehouse) -> None:
    """Remove all loads, and what is known of them."""
    shutil.rmtree(warehouse.lake / "commits", ignore_errors=True)
    for folder in (*warehouse.raw.iterdir(), *warehouse.staging.iterdir()):
        if folder.name != SCHEMA_FOLDER:
            shutil.rmtree(folder) if folder.is_dir() else folder.unlink()


def build_and_read(warehouse: Warehouse) -> None:
    """Publish a build with one mart in a new warehouse, and read it, locked too."""
    with warehouse.open_work():
        pass
    with duckdb.connect(str(warehouse.work)) as db:
        db.execute("CREATE SCHEMA marts; CREATE TABLE marts.made AS SELECT 1 AS number")
    warehouse.publish()
    with warehouse.connect() as db:
        tables = "SELECT number, (SELECT count(*) FROM raw.ledger) FROM marts.made"
        assert db.execute(tables).fetchall() == [(1, 0)]
        assert db.execute("SELECT count(*) > 0 FROM meta.code").fetchall() == [(True,)]
        lock(db)
        assert db.execute(tables).fetchall() == [(1, 0)]
        with cursor_of(db) as cursor:
            assert cursor.execute(tables).fetchall() == [(1, 0)]
