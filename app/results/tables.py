"""What tables there are, their columns with units and how they add up, and where fields are."""

from __future__ import annotations

from typing import NamedTuple

import duckdb

from app.results.suggest import did_you_mean
from ingest.base.errors import RequestError
from ingest.formats.names.smf_explorer import explorer_names
from ingest.lake.locked import PUBLISHED
from ingest.lake.sql import literal

__all__ = ["Table", "describe", "of_field"]

_TABLES = f"""
    SELECT schema_name, table_name, comment, estimated_size = 0 FROM duckdb_tables()
    WHERE database_name = current_database() AND schema_name IN {PUBLISHED}
    UNION ALL
    SELECT schema_name, view_name, comment, schema_name = 'raw' FROM duckdb_views()
    WHERE database_name = current_database() AND schema_name IN {PUBLISHED}
"""
# A comment is "Text. Unit: UNIT. Adds up: HOW. Source: FIELDS."
_COLUMNS = r"""
    SELECT
        column_name AS "column",
        data_type AS "type",
        nullif(unit, '') AS unit,
        nullif(adds_up, '') AS adds_up,
        about,
        nullif(source, '') AS source
    FROM (
        SELECT
            *,
            regexp_replace(regexp_replace(comment, '\s*\bUnit: .*$', ''), '\.\.$', '.') AS about,
            regexp_extract(comment, '\bUnit: ([^.]*)\.', 1) AS unit,
            regexp_extract(comment, '\bAdds up: ([^.]*)\.', 1) AS adds_up,
            regexp_extract(comment, '\bSource: (.*)$', 1) AS source
        FROM duckdb_columns()
        WHERE database_name = current_database() AND schema_name = $1 AND table_name = $2
    )
    ORDER BY column_index
"""
# Columns that are one of the fields `wanted`, or name one as their source.
_OF_FIELD = r"""
    SELECT
        schema_name AS "schema",
        table_name AS "table",
        column_name AS "column",
        upper(string_agg(DISTINCT field, ', ' ORDER BY field)) AS field,
        string_agg(DISTINCT smf_explorer, ', ' ORDER BY smf_explorer) AS smf_explorer,
        any_value(comment) AS about
    FROM (
        SELECT
            *,
            regexp_extract_all(lower(regexp_extract(comment, '\bSource: (.*)$', 1)), '\w+')
                AS sources
        FROM duckdb_columns()
        WHERE database_name = current_database() AND schema_name IN ('marts', 'raw', 'team')
    )
    INNER JOIN (VALUES {wanted}) AS wanted (field, smf_explorer)
        ON lower(column_name) = field OR list_contains(sources, field)
    GROUP BY ALL
    ORDER BY ALL
"""


class Table(NamedTuple):
    """A table or view; about: what a row is."""

    schema: str
    name: str
    about: str


def describe(
    db: duckdb.DuckDBPyConnection, name: str, *, everything: bool = True
) -> tuple[Table | None, duckdb.DuckDBPyConnection]:
    """Return the table of a name and its columns, or None and the tables that a text suits.

    A table's name, or else its description, has the text. A row of the result is a column: column,
    type, unit, adds_up (how values add up over rows; only of marts), about, source. Or it is a
    table: schema, table, about. Raises RequestError if none is found. everything: also raw tables,
    and empty ones, if there is no name.
    """
    tables = _matching_tables(db, name, everything=everything)
    if name and len(tables) == 1:
        return tables[0], _columns_of(db, tables[0])
    rows = ", ".join(f"({', '.join(map(literal, table))})" for table in tables)
    return None, db.execute(f'FROM (VALUES {rows}) AS t ("schema", "table", about)')


def of_field(db: duckdb.DuckDBPyConnection, text: str) -> duckdb.DuckDBPyConnection:
    """Return the columns that hold a field of SMF records or are worked out from it.

    `text` is the field's name in IBM's manuals, or part of its name in IBM SMF Explorer. A row is a
    column: schema, table, column, field, smf_explorer, about. Raises RequestError if there is none.
    """
    wanted = text.lower()
    names = explorer_names()
    fields = {field: name for field, name in names.items() if field == wanted or wanted in name}
    fields = fields or {wanted: ""}
    rows = ", ".join(f"({literal(field)}, {literal(name)})" for field, name in fields.items())
    sql = _OF_FIELD.replace("{wanted}", rows)
    if not db.execute(sql).fetchall():
        known = db.sql(
            "SELECT DISTINCT upper(column_name) FROM duckdb_columns() WHERE schema_name = 'raw'"
        )
        near = did_you_mean(text, (name for (name,) in known.fetchall()))
        raise RequestError(f"no column comes from a field named {text!r}{near}")
    return db.execute(sql)


def _matching_tables(db: duckdb.DuckDBPyConnection, text: str, *, everything: bool) -> list[Table]:
    tables = [
        Table(schema, name, about or "")
        for schema, name, about, is_left_out in db.sql(_TABLES).fetchall()
        if everything or text or not is_left_out
    ]
    tables.sort(key=lambda table: (PUBLISHED.index(table.schema), table.name))
    wanted = text.lower()
    exact = [t for t in tables if wanted in {t.name.lower(), f"{t.schema}.{t.name}".lower()}]
    near = exact[:1] or [t for t in tables if wanted in f"{t.schema}.{t.name}".lower()]
    near = near or [t for t in tables if wanted in t.about.lower()]
    if not near:
        names = [table.name for table in tables]
        like = did_you_mean(text, names)
        raise RequestError(f"no table is named {text!r}{like}", "--field FIELD looks for a field")
    return near


def _columns_of(db: duckdb.DuckDBPyConnection, table: Table) -> duckdb.DuckDBPyConnection:
    sql = _COLUMNS.replace("$1", literal(table.schema)).replace("$2", literal(table.name))
    return db.execute(sql)
