"""Loads whose rows and files are lost: the stand-in for one in the ledger.

Its `source_id` is lost-<source_id of the load>, its kind LOST, and its one row is in quarantine: so
each build, audit and page says that records are missing, until their file is loaded again or the
load is forgotten.
"""

from __future__ import annotations

import secrets

import polars as pl

from ingest.lake.catalogue import LEDGER_SCHEMAS
from ingest.lake.ledger import Entry, write_ledger
from ingest.lake.parquet import write_parquet
from ingest.lake.seal import HowLoaded
from ingest.lake.warehouse import Warehouse

__all__ = ["LOST", "lost_id", "lost_loads", "note_lost", "original_id", "superseded_stand_ins"]

LOST = "lost"  # the kind of these loads in the ledger
_PREFIX = f"{LOST}-"


def lost_id(source_id: str) -> str:
    """Return the source_id of the stand-in for a load."""
    return _PREFIX + source_id


def original_id(source_id: str) -> str:
    """Return the source_id of the load that this one may stand in for."""
    return source_id.removeprefix(_PREFIX)


def note_lost(warehouse: Warehouse, load: HowLoaded, reason: str) -> None:
    """Commit a stand-in for a lost load, unless there is one. Raises OSError."""
    source_id = lost_id(load.source_id)
    if warehouse.store.holds(source_id):
        return
    entry = Entry(
        source_id,
        load.path,
        load.origin,
        LOST,
        "quarantined",
        records_loaded=0,
        records_quarantined=1,
        code_page=load.code_page,
        ams_type=load.ams_type,
        about=load.about,
    )
    aside = {"path": load.path, "record_no": 0, "file_offset": 0, "reason": reason}
    with warehouse.draft() as draft:
        folder = draft / secrets.token_hex(8)
        folder.mkdir()
        frame = pl.DataFrame([aside], schema=LEDGER_SCHEMAS["quarantine"]).drop("source_id")
        files = write_parquet(frame, folder / "quarantine.0.parquet")
        days = [{"first_record_no": 0, "last_record_no": 0}]
        write_ledger(folder, entry, days=days, others=files)
        warehouse.store.commit(folder, source_id)


def lost_loads(warehouse: Warehouse) -> list[HowLoaded]:
    """Return the stand-ins for lost loads, by path."""
    return warehouse.store.loads(LOST)


def superseded_stand_ins(warehouse: Warehouse) -> list[str]:
    """Return the stand-ins for loads that are there again."""
    stand_ins = (load.source_id for load in lost_loads(warehouse))
    return [source_id for source_id in stand_ins if warehouse.store.holds(original_id(source_id))]
