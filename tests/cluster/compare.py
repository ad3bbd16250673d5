"""Compare what readers of two warehouses see, row by row."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb

from ingest.sql import identifier, literal
from ingest.warehouse import Warehouse
from tests.app.pipeline.test_incremental import ABOUT_BUILDS, TIMES_OF_LOADS, differs

__all__ = ["different"]

SCHEMAS = ("intermediate", "marts")
FEWEST = 100  # tables: with fewer, something is missing in both
#: Tables about builds and steps, and the moments of loads: each warehouse has its own.
LEFT_OUT = ABOUT_BUILDS
COLUMNS_LEFT_OUT = TIMES_OF_LOADS

Columns = list[tuple[str, str]]
Tables = dict[str, Columns]  # schema.table -> columns and types


def different(one: Warehouse, other: Warehouse) -> list[str]:
    """Return a line for each table of `intermediate` and `marts` that differs, in order."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as db:
        found = {
            name: _copied(db, name, warehouse, Path(folder) / name)
            for name, warehouse in (("one", one), ("other", other))
        }
        lines = [
            f"{table}: only in {warehouse.file}"
            for warehouse, tables, others in (
                (one, found["one"], found["other"]), (other, found["other"], found["one"])
            )
            for table in sorted(tables.keys() - others.keys())
        ]  # fmt: skip
        both = found["one"].keys() & found["other"].keys()
        if len(both) < FEWEST:
            lines.append(f"only {len(both)} tables to compare")
        for table in sorted(both):
            of = found["one"][table], found["other"][table]
            if of[0] != of[1]:
                lines.append(f"{table}: other columns: {sorted({*of[0]} ^ {*of[1]})}")
            elif differs(db, table, [c for c in of[0] if c[0] not in COLUMNS_LEFT_OUT]):
                lines.append(f"{table}: other rows: {_counts(db, table)}")
        return lines


def _copied(db: duckdb.DuckDBPyConnection, name: str, warehouse: Warehouse, folder: Path) -> Tables:
    """Show the tables of a warehouse in a database of this name, from copies as files."""
    folder.mkdir()
    db.execute(f"ATTACH ':memory:' AS {name}")
    for schema in SCHEMAS:
        db.execute(f"CREATE SCHEMA {name}.{schema}")
    with warehouse.connect() as source:
        rows = source.execute(
            "SELECT table_schema, table_name, "
            "list((column_name, data_type) ORDER BY ordinal_position) "
            "FROM information_schema.columns WHERE table_catalog = current_database() "
            f"AND table_schema IN {SCHEMAS} GROUP BY ALL"
        ).fetchall()
        for schema, table, _ in rows:
            place = f"{schema}.{identifier(table)}"
            file = folder / f"{schema}.{table}.parquet"
            source.execute(f"COPY (FROM {place}) TO {literal(str(file))}")
            db.execute(f"CREATE VIEW {name}.{place} AS FROM {literal(str(file))}")
    return {
        f"{schema}.{table}": [tuple(c) for c in columns]
        for schema, table, columns in rows
        if table not in LEFT_OUT
    }


def _counts(db: duckdb.DuckDBPyConnection, table: str) -> str:
    counts = [
        db.execute(f"SELECT count(*) FROM {name}.{table}").fetchall()[0][0]
        for name in ("one", "other")
    ]
    return " and ".join(f"{count:,}" for count in counts)
