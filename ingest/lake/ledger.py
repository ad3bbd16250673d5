"""The entry of one load in the ledger, and its tables beside the rows of the load."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from ingest.lake.catalogue import LEDGER_SCHEMAS
from ingest.lake.parquet import write_parquet
from ingest.lake.seal import Files, HowLoaded, seal

__all__ = ["Entry", "ledger_tables", "write_ledger"]


class Entry(NamedTuple):
    """A row of raw.ledger, without the version of perfhouse.

    bytes: unpacked; stored_bytes: on disk; ams_type: None where records were not decoded;
    loaded_at: UTC, now if it is None; about: see ingest.formats.about.
    """

    source_id: str
    path: str
    origin: str
    kind: str
    status: str
    records_loaded: int
    records_quarantined: int = 0
    bytes: int = 0
    stored_bytes: int = 0
    framing: str = ""
    compression: str = "none"
    decoder: str = ""
    code_page: str = ""
    ams_type: int | None = None
    loaded_at: datetime | None = None
    about: str | None = None

    def how(self) -> HowLoaded:
        """Return how the load was made."""
        return HowLoaded(
            self.source_id, self.path, self.origin, self.code_page, self.ams_type or 180,
            self.about or "",
        )  # fmt: skip


def write_ledger(
    folder: Path,
    entry: Entry,
    *,
    days: Iterable[Mapping[str, Any]],
    counts: Iterable[Mapping[str, Any]] = (),
    others: Files,
) -> None:
    """Write raw.ledger, ledger_day and ledger_count of a load into its folder, and seal that.

    days, counts: their rows, without the source_id; others: the files of its other tables. Raises
    OSError.
    """
    files = dict(others)
    for name, frame in ledger_tables(entry, days=days, counts=counts).items():
        files |= write_parquet(frame, folder / f"{name}.0.parquet")
    seal(folder, files, [entry.how()])


def ledger_tables(
    entry: Entry, *, days: Iterable[Mapping[str, Any]], counts: Iterable[Mapping[str, Any]] = ()
) -> dict[str, pl.DataFrame]:
    """Return those tables of the ledger that have rows."""
    named = {"source_id": entry.source_id}
    row = entry._asdict() | {
        "decoder_version": version("perfhouse"),
        "records": entry.records_loaded + entry.records_quarantined,
        "loaded_at": entry.loaded_at or datetime.now(UTC).replace(tzinfo=None),
    }
    tables = {"ledger": [row], "ledger_count": counts, "ledger_day": days}
    return {
        name: pl.DataFrame(listed, schema=LEDGER_SCHEMAS[name])
        for name, rows in tables.items()
        if (listed := [named | dict(row) for row in rows])
    }
