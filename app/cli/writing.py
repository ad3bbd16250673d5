"""Write the answer to a query to a Parquet or an Excel file, in the process of the query."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.common import UsageError
from ingest.lake.answers import data_frame, write_parquet

if TYPE_CHECKING:
    import duckdb

__all__ = ["WRITERS"]

_EXCEL_ROWS = (1 << 20) - 1  # below the headings


def _excel(answer: duckdb.DuckDBPyRelation, out: Path) -> None:
    import polars as pl
    from polars import selectors as cs

    frame = data_frame(answer.limit(_EXCEL_ROWS + 1))
    if frame.height > _EXCEL_ROWS:
        raise UsageError(f"more than {_EXCEL_ROWS:,} rows, which Excel cannot hold")
    frame.with_columns(
        cs.datetime(time_zone="*").dt.convert_time_zone("UTC").dt.replace_time_zone(None),
        cs.float().replace([math.inf, -math.inf, math.nan], None),
        cs.duration().dt.total_microseconds() / 1e6,
        cs.binary().bin.encode("hex").str.to_uppercase(),
        *(pl.Series(name, [json.dumps(held, default=str) for held in frame[name].to_list()])
          for name in cs.expand_selector(frame, cs.nested())),
    ).write_excel(out, autofit=True)  # fmt: skip


#: How an answer is written, by the suffix of the file.
WRITERS: dict[str, Callable[[duckdb.DuckDBPyRelation, Path], None]] = {
    ".parquet": write_parquet,
    ".xlsx": _excel,
}
