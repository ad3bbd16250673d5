"""Write the answer to a query to a Parquet or an Excel file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.common import UsageError
from ingest.base.extras import require
from ingest.lake.queries import Query

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

__all__ = ["WRITERS"]

_EXCEL_ROWS = (1 << 20) - 1  # below the headings


def _parquet(query: Query, sql: str, parameters: Mapping[str, object], out: Path) -> int:
    from pyarrow.parquet import ParquetWriter

    writers: list[ParquetWriter] = []
    count = 0

    def take(table: pa.Table) -> None:
        nonlocal count
        if not writers:
            writers.append(ParquetWriter(out, table.schema, compression="zstd"))
        writers[0].write_table(table)
        count += table.num_rows

    try:
        query.each_batch(sql, parameters, take)
    finally:
        for writer in writers:
            writer.close()
    return count


def _excel(query: Query, sql: str, parameters: Mapping[str, object], out: Path) -> int:
    require("excel")  # Polars uses it
    import polars as pl
    import pyarrow as pa
    from polars import selectors as cs

    parts: list[pa.Table] = []
    count = 0

    def take(table: pa.Table) -> None:
        nonlocal count
        count += table.num_rows
        if count > _EXCEL_ROWS:
            raise UsageError(f"more than {_EXCEL_ROWS:,} rows, which Excel cannot hold")
        parts.append(table)

    query.each_batch(sql, parameters, take)
    frame = pl.DataFrame(pa.concat_tables(parts))
    nested = cs.expand_selector(frame, cs.nested())
    frame.with_columns(
        cs.datetime(time_zone="*").dt.convert_time_zone("UTC").dt.replace_time_zone(None),
        cs.float().replace([math.inf, -math.inf, math.nan], None),
        cs.duration().dt.total_microseconds() / 1e6,
        cs.binary().bin.encode("hex").str.to_uppercase(),
        *(pl.Series(name, [json.dumps(held, default=str) for held in frame[name].to_list()])
          for name in nested),
    ).write_excel(out, autofit=True)  # fmt: skip
    return count


#: How an answer is written, by the suffix of the file: each returns the number of rows.
WRITERS: dict[str, Callable[[Query, str, Mapping[str, object], Path], int]] = {
    ".parquet": _parquet,
    ".xlsx": _excel,
}
