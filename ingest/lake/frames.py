"""Rows of a query as a Polars frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    import polars as pl

__all__ = ["frame"]


def frame(
    db: duckdb.DuckDBPyConnection,
    sql: str,
    parameters: Sequence[object] | Mapping[str, object] = (),
) -> pl.DataFrame:
    """Return the rows of a query that has an answer. Raises duckdb.Error.

    parameters: by place, or by name.
    """
    given = dict(parameters) if isinstance(parameters, Mapping) else list(parameters)
    if hasattr(db, "pl"):  # up to DuckDB 1.5, where `sql` is ten times as slow with parameters
        return db.execute(sql, given).pl()
    return db.sql(sql, params=given).pl()
