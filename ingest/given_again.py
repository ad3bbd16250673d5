"""What is said of a file of results that was loaded before with other labels or settings."""

from __future__ import annotations

import polars as pl

from ingest.base.errors import SettingsError
from ingest.formats import about
from ingest.formats.parsers import find_parser
from ingest.formats.sources import Source
from ingest.formats.text.parser import ParserOfFile
from ingest.lake.warehouse import Warehouse

__all__ = ["said_otherwise"]


def said_otherwise(warehouse: Warehouse, source: Source, source_id: str) -> list[str]:
    """Return a line if settings and options say of a loaded file what they did not say then.

    Raises OSError if the file is gone.
    """
    known = find_parser(source.head)
    if known is None or not isinstance(known[0], ParserOfFile):
        return []
    ledger = warehouse.store.ledger().filter(pl.col("source_id") == source_id)
    before = ledger.select("about").collect().to_series().to_list()
    try:
        changed = about.said_otherwise(source.path, before[0] if before else None)
    except SettingsError as error:
        return [str(error)]
    forget = warehouse.command(f"forget {source_id[:12]}")
    remedy = f"left as it was; to load it so: '{forget}', then give it again"
    return [f"given before without {changed}, and {remedy}"] if changed else []
