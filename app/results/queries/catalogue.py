"""What can be asked: the tables with their descriptions, and the queries of docs/queries.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import polars as pl

from app.results.reader import Reader

__all__ = ["SCHEMAS", "any_load", "columns", "documented", "filled", "tables"]

#: The schemas that people query, in the order in which they look.
SCHEMAS = ("marts", "team", "raw", "meta")
# A heading, at most a paragraph of prose, and the query below it.
_HEADED = re.compile(r"^##+ ([^\n]+)\n\n(?:[^#]+?\n\n)?```sql\n(.+?)```", re.MULTILINE | re.DOTALL)


def any_load(reader: Reader) -> bool:
    """Return whether the build has any load."""
    return not reader.frame("from marts.dim_load limit 1").is_empty()


def filled(reader: Reader, marts: Iterable[str]) -> set[str]:
    """Return those of some marts that have a row."""
    queries = (f"select '{mart}' as mart where exists (from marts.{mart})" for mart in marts)
    return set(reader.frame(" union all ".join(queries))["mart"])


@cache
def documented(page: Path) -> dict[str, str]:
    """Return the queries of a Markdown page by the heading above each."""
    return dict(_HEADED.findall(page.read_text(encoding="utf-8")))


def tables(reader: Reader) -> pl.DataFrame:
    """Return one row per table and view of SCHEMAS: schema, name, description."""
    return reader.catalogue_frame(
        """
        select schema_name as schema, name, description
        from (
            select database_name, schema_name, table_name as name, comment as description
            from duckdb_tables()
            union all
            select database_name, schema_name, view_name, comment from duckdb_views()
        )
        where database_name = current_database() and list_contains(?, schema_name)
        order by array_position(?, schema_name), name
        """,
        (SCHEMAS, SCHEMAS),
    )


def columns(reader: Reader, schema: str, table: str) -> pl.DataFrame:
    """Return one row per column of a table: name, type, description."""
    return reader.catalogue_frame(
        """
        select column_name as name, lower(data_type) as type, comment as description
        from duckdb_columns()
        where database_name = current_database() and schema_name = ? and table_name = ?
        order by column_index
        """,
        (schema, table),
    )
