"""Damaged data files of a DuckLake: the loads in them are removed as a whole, and loaded again.

LAKE/damaged/<ID>/rows.json says which rows were in files that the catalog has given up, until what
is left of their loads is removed too. So a kill at any time leaves no load with a part of its rows.
Marts in damaged files are built again.
"""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from ingest.base.errors import WarehouseError
from ingest.base.files import replacing
from ingest.lake.ducklake import DuckLake
from ingest.lake.lake_files import (
    GONE,
    LakeFile,
    RowsOfFile,
    files_of,
    give_up,
    loads_of,
    read_all,
    rows_of,
)
from ingest.lake.lake_tables import delete_loads
from ingest.lake.lost import LOST
from ingest.lake.profile import read_profile
from ingest.lake.rolled import HOURS, TABLE
from ingest.lake.warehouse import Warehouse

__all__ = ["find_damaged_files", "give_up_damaged_files"]

_NOTE = "rows.json"
_CLOCKS = 60.0  # seconds that those of two hosts may differ
_RAW, _MARTS = "lake_raw", "lake_marts"

log = logging.getLogger(__name__)


def find_damaged_files(warehouse: Warehouse, *, deep: bool = False) -> list[LakeFile]:
    """Return the data files of a lake that are gone or damaged; deep: read all rows.

    Raises WarehouseError if none is there: it is more likely that they are not where they should be
    than that all are lost.
    """
    store = warehouse.store
    if not isinstance(store, DuckLake):
        return []
    data = read_profile(store.profile).data
    raw = store.transact(lambda db: files_of(db, _RAW, f"{data}raw/"))
    if raw and all(damaged.damage == GONE for damaged in raw):
        raise WarehouseError(
            f"{data}: none of the {len(raw):,} data files of the lake is there: is it the right "
            "place, and mounted? Otherwise restore catalog and data from a backup"
        )
    files = raw + store.transact(lambda db: files_of(db, _MARTS, f"{data}marts/"))
    if deep:
        with store.opened() as db:
            files = [file if file.damage else read_all(db, file) for file in files]
    return [file for file in files if file.damage]


def give_up_damaged_files(warehouse: Warehouse, *, deep: bool = False) -> None:
    """Give damaged files of a lake up, and let the loads in them be loaded again.

    Call it alone with the warehouse. Every line that is logged says what to do.
    """
    store = warehouse.store
    if not isinstance(store, DuckLake):
        return
    damaged = find_damaged_files(warehouse, deep=deep)
    for file in damaged:
        log.warning("%s: damaged (%s), and given up", file.path, file.damage)
    if raw := [file for file in damaged if file.lake == _RAW]:
        given_up = {"at": time.time(), "rows": store.transact(lambda db: rows_of(db, raw))}
        folder = warehouse.lake / "damaged" / secrets.token_hex(8)
        folder.mkdir(parents=True)
        with replacing(folder / _NOTE) as draft:
            draft.write_text(json.dumps(given_up, indent=0))
        store.transact(lambda db: give_up(db, raw), in_turn=True)
    for note in sorted((warehouse.lake / "damaged").glob(f"*/{_NOTE}")):
        _remove_loads(warehouse, store, note)
    if len(raw) < len(damaged):
        warehouse.discard_work()


def _remove_loads(warehouse: Warehouse, store: DuckLake, note: Path) -> None:
    """Remove what is left of the loads whose rows a note names."""
    given_up = json.loads(note.read_bytes())
    rows = [RowsOfFile(*row) for row in given_up["rows"]]
    named = store.transact(lambda db: loads_of(db, rows))
    later = datetime.fromtimestamp(given_up["at"] + _CLOCKS, UTC).replace(tzinfo=None)
    ledger = store.ledger().filter(pl.col("source_id").is_in(named)).collect()
    new = ledger.filter(pl.col("loaded_at") > later)["source_id"]
    gone = {
        source_id for source_id in named if not source_id.startswith((f"{HOURS}-", f"{LOST}-"))
    } - set(new)
    for line in _advice(rows):
        log.warning("%s", line)
    store.transact(lambda db: delete_loads(db, gone), in_turn=True)
    note.unlink()
    note.parent.rmdir()


def _advice(rows: Collection[RowsOfFile]) -> Iterator[str]:
    """Yield what cannot be made again by loading files."""
    tables = {row.table for row in rows}
    if TABLE in tables:
        days = sorted({str(row.day) for row in rows if row.table == TABLE})
        yield (
            f"hourly totals are lost ({', '.join(days)}); they exist nowhere else: restore catalog "
            "and data from a backup"
        )
    if "ledger_rolled" in tables:
        yield "which files retention has removed is no longer known: they may be loaded again"
