"""Compare what readers of two warehouses see, row by row."""

from __future__ import annotations

import duckdb

from ingest.lake.warehouse import Warehouse
from tests.kit.tables import ABOUT_BUILDS, TIMES_OF_LOADS, differ, rows

__all__ = ["different"]

FEWEST = 100  # tables: with fewer, something is missing in both

Tables = dict[str, list[tuple[str, str]]]  # schema.table -> columns and types


def different(one: Warehouse, other: Warehouse) -> list[str]:
    """Return a line for each table of `intermediate` and `marts` that differs, in order."""
    with one.connect() as first, other.connect() as second:
        ours, theirs = _tables(first), _tables(second)
        lines = [f"{table}: only in {one.file}" for table in sorted(ours.keys() - theirs.keys())]
        lines += [f"{table}: only in {other.file}" for table in sorted(theirs.keys() - ours.keys())]
        both = sorted(ours.keys() & theirs.keys())
        if len(both) < FEWEST:
            lines.append(f"only {len(both)} tables to compare")
        for table in both:
            if ours[table] != theirs[table]:
                lines.append(f"{table}: other columns: {sorted({*ours[table]} ^ {*theirs[table]})}")
                continue
            found = [rows(db, table, ours[table], TIMES_OF_LOADS) for db in (first, second)]
            if differ(*found):
                counts = " and ".join(f"{frame['rows'].sum():,}" for frame in found)
                lines.append(f"{table}: other rows: {counts}")
        return lines


def _tables(db: duckdb.DuckDBPyConnection) -> Tables:
    found = db.execute(
        "SELECT table_schema, table_name, list((column_name, data_type) ORDER BY ordinal_position) "
        "FROM information_schema.columns WHERE table_catalog = current_database() "
        "AND table_schema IN ('intermediate', 'marts') GROUP BY ALL"
    ).fetchall()
    return {
        f"{schema}.{table}": [tuple(column) for column in columns]
        for schema, table, columns in found
        if table not in ABOUT_BUILDS
    }
