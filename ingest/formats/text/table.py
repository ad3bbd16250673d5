"""Columns of the tables that parsers of text fill, and rows that become frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from ingest.formats.text.parser import Rejected

__all__ = ["Column", "Output", "describe_tables"]

_BATCH = 1000  # rows that are collected before they become columns


class Column(NamedTuple):
    """One column of a table: its name, its meaning with the unit, and its type."""

    name: str
    doc: str
    dtype: type[pl.DataType] = pl.Float64


def describe_tables(
    tables: Mapping[str, Sequence[Column]],
) -> tuple[dict[str, dict[str, pl.DataType]], dict[str, dict[str, str]]]:
    """Return the schemas of tables, and what their columns mean."""
    return (
        {table: {c.name: c.dtype() for c in columns} for table, columns in tables.items()},
        {table: {c.name: c.doc for c in columns} for table, columns in tables.items()},
    )


class Output:
    """Collects rows by table and rejected lines, and turns them into frames."""

    def __init__(self, schemas: dict[str, dict[str, pl.DataType]]) -> None:
        """`schemas` maps table to column to type; rows may omit columns."""
        self.schemas = schemas
        self.rejected: list[Rejected] = []
        self._more: dict[str, list[pl.DataFrame]] = {}
        self._rows: dict[str, list[dict[str, object]]] = {table: [] for table in schemas}
        self._columns: dict[str, dict[str, list[object]]] = {
            table: {name: [] for name in schema} for table, schema in schemas.items()
        }

    def add(self, table: str, row: dict[str, object]) -> None:
        """Add one row, which must not be changed afterwards."""
        rows = self._rows[table]
        rows.append(row)
        if len(rows) == _BATCH:
            self._turn(table)

    def _turn(self, table: str) -> None:
        """Turn rows into columns: many at a time cost half as much as one by one."""
        for name, values in self._columns[table].items():
            values.extend([row.get(name) for row in self._rows[table]])
        self._rows[table].clear()

    def extend(self, table: str, frame: pl.DataFrame) -> None:
        """Add the rows of a frame; columns that it lacks are null."""
        columns = [
            (pl.col(name) if name in frame.columns else pl.lit(None)).cast(dtype).alias(name)
            for name, dtype in self.schemas[table].items()
        ]
        self._more.setdefault(table, []).append(frame.select(columns))

    def reject(self, line: int, reason: str) -> None:
        """Note a part that was left out."""
        self.rejected.append(Rejected(line, reason))

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return a frame for every table that has rows."""
        for table in self.schemas:
            self._turn(table)
        parts = {
            table: [pl.DataFrame(columns, schema=self.schemas[table]), *self._more.get(table, ())]
            for table, columns in self._columns.items()
        }
        frames = {table: pl.concat(frames) for table, frames in parts.items()}
        return {table: frame for table, frame in frames.items() if frame.height}
