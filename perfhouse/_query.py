"""Rows of a query as a Polars frame."""

from __future__ import annotations

import re
from collections.abc import Sequence

import duckdb
import polars as pl

from ingest.lake.sql import identifier

_INTERVALS = re.compile(r"INTERVAL((?:\[\])*)")


def frame(db: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[object]) -> pl.DataFrame:
    """Return a query's rows; intervals, which Polars does not know, become durations."""
    rows: duckdb.DuckDBPyRelation | None = (
        db.sql(sql, params=list(parameters)) if parameters else db.sql(sql)
    )
    if rows is None:  # a statement without a result
        return pl.DataFrame()
    kinds = zip(rows.columns, map(str, rows.types), strict=True)
    depths = {  # of lists around the intervals
        name: len(found[1]) // 2 for name, kind in kinds if (found := _INTERVALS.fullmatch(kind))
    }
    if not depths:
        return rows.pl()
    chosen = [
        f"{_microseconds(identifier(name), depths[name])} AS {identifier(name)}"
        if name in depths
        else identifier(name)
        for name in rows.columns
    ]
    numbers = rows.project(", ".join(chosen)).pl()
    return numbers.with_columns(pl.col(name).cast(_duration(depths[name])) for name in depths)


def _microseconds(column: str, depth: int) -> str:
    if depth == 0:
        return f"epoch_us({column})"
    return f"list_transform({column}, lambda x{depth}: {_microseconds(f'x{depth}', depth - 1)})"


def _duration(depth: int) -> pl.DataType:
    return pl.List(_duration(depth - 1)) if depth else pl.Duration("us")
