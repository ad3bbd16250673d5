"""How the loads of a folder were made, beside its ledger: enough to load their files again.

The ledger is a Parquet file. If that is damaged, LOAD/ledger.json still names the source files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest.lake.frames import frame
from ingest.lake.sql import pattern

__all__ = ["HowLoaded", "read_ledger", "read_spare", "write_spare"]

_NAME = "ledger.json"


class HowLoaded(NamedTuple):
    """A load and how it was made."""

    source_id: str
    path: str
    origin: str
    code_page: str
    ams_type: int
    about: str = (
        ""  # see ingest.formats.about: what was known of a file of results besides its content
    )


def write_spare(folder: Path, loads: Sequence[HowLoaded]) -> None:
    """Write how the loads in a folder were made. Raises OSError."""
    listed = [load if load.about else load[:-1] for load in loads]
    (folder / _NAME).write_text(json.dumps(listed, indent=0))


def read_spare(folder: Path) -> list[HowLoaded]:
    """Return how the loads in a folder were made, from the spare or the ledger; [] without both."""
    try:
        return [HowLoaded(*load) for load in json.loads((folder / _NAME).read_bytes())]
    except (OSError, ValueError, TypeError):
        return read_ledger(folder)


def read_ledger(folder: Path) -> list[HowLoaded]:
    """Return how the loads in a folder were made, from its ledger; [] if that is damaged."""
    files = [pattern(str(file)) for file in folder.glob("ledger.*.parquet")]
    try:
        with duckdb.connect() as db:
            rows = frame(db, "FROM read_parquet($1)", [files]).to_dicts()
    except duckdb.Error:
        return []
    return [
        HowLoaded(
            row["source_id"],
            row["path"],
            row["origin"],
            row.get("code_page") or "037",  # null in ledgers of earlier releases
            row.get("ams_type") or 180,
            row.get("about") or "",
        )
        for row in rows
    ]
