"""A file of results that is given again with other labels or settings."""

from __future__ import annotations

import polars as pl

from ingest.base.errors import SettingsError
from ingest.formats import about
from ingest.formats.parsers import find_parser
from ingest.formats.sources import Source
from ingest.formats.text.parser import ParserOfFile
from ingest.lake.alone import alone
from ingest.lake.warehouse import Warehouse

__all__ = ["describe_other_settings"]


def describe_other_settings(
    warehouse: Warehouse, source: Source, source_id: str
) -> list[str] | None:
    """Return a line if settings and options say of a loaded file what they did not say then.

    If nothing of the file could be loaded then, its load is removed, and None is returned: it is
    to be loaded as they say now. Raises OSError if the file is gone, and StepError.
    """
    parser = find_parser(source.head)
    if parser is None or not isinstance(parser[0], ParserOfFile):
        return []
    ledger = warehouse.store.ledger().filter(pl.col("source_id") == source_id)
    before, loaded = next(ledger.select("about", "records_loaded").collect().iter_rows(), ("", 1))
    try:
        changed = about.describe_other_settings(source.path, before)
    except SettingsError as error:
        return [str(error)]
    if changed and not loaded:
        with alone(warehouse):
            warehouse.forget(source_id)
        return None
    forget = warehouse.command(f"forget {source_id[:12]}")
    remedy = f"left as it was; to load it so: '{forget}', then give it again"
    return [f"given before without {changed}, and {remedy}"] if changed else []
