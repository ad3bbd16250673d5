"""Compare what two warehouses built, table by table."""

from __future__ import annotations

from collections.abc import Collection

import duckdb
import polars as pl

from ingest.lake.warehouse import Warehouse

__all__ = ["ABOUT_BUILDS", "TIMES_OF_LOADS", "differ", "different_tables", "rows"]

#: Which runs the last build worked out, what was done before it, and when files were loaded.
ABOUT_BUILDS = {
    "int_runs__rebuilt",
    "fct_arrival",
    "fct_last_night",
    "fct_pipeline_day",
    "fct_pipeline_step",
}
#: Columns that depend on when files were loaded.
TIMES_OF_LOADS = {"declared_at_utc", "loaded_at_utc"}

_OF_DOUBLES = {
    "DOUBLE": '"{}"',
    "DOUBLE[]": 'list_sum("{}")',
    "DOUBLE[][]": 'list_sum(flatten("{}"))',
}
_TABLES = """
    SELECT
        schema_name || '.' || table_name,
        list((column_name, data_type) ORDER BY column_index)
    FROM duckdb_columns()
    WHERE
        database_name = current_database() AND schema_name IN ('intermediate', 'marts', 'team')
        AND table_name NOT IN ($1)
    GROUP BY ALL
"""


def different_tables(one: Warehouse, other: Warehouse, without: Collection[str] = ()) -> list[str]:
    """Return the tables whose rows differ in more than the rounding of sums of doubles.

    without: columns that are not compared.
    """
    about = ", ".join(f"'{name}'" for name in ABOUT_BUILDS)
    listed = _TABLES.replace("$1", about)
    with one.open_work() as first, other.open_work() as second:
        tables, others = (dict(db.execute(listed).fetchall()) for db in (first, second))
        assert tables
        return [
            *(tables.keys() ^ others.keys()),
            *(
                table
                for table, columns in tables.items()
                if columns != others.get(table)
                or differ(*(rows(db, table, columns, without) for db in (first, second)))
            ),
        ]


def rows(
    db: duckdb.DuckDBPyConnection,
    table: str,
    columns: list[tuple[str, str]],
    without: Collection[str],
) -> pl.DataFrame:
    """Return one row per digest of all but the doubles: number of rows, and sums of doubles."""
    columns = [(name, kind) for name, kind in columns if name not in without]
    texts = ", ".join(as_text(name, kind) for name, kind in columns if kind not in _OF_DOUBLES)
    sums = "".join(
        f', sum({_OF_DOUBLES[kind].format(name)}) AS "{name}", count("{name}") AS "n {name}"'
        for name, kind in columns
        if kind in _OF_DOUBLES
    )
    return db.sql(
        f"SELECT md5(concat_ws('|', {texts})) AS texts, count(*) AS rows{sums} FROM {table} "
        "GROUP BY texts ORDER BY texts"
    ).pl()


def differ(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Return whether digests or counts differ, or sums by more than their rounding."""
    if one.shape != other.shape:
        return True
    for column, kind in one.schema.items():
        ours, theirs = one[column], other[column]
        if kind != pl.Float64:
            if not ours.equals(theirs):
                return True
        elif ((ours - theirs).abs() > 1e-8 * ours.abs() + 1e-8).any():
            return True
    return False


def as_text(column: str, kind: str) -> str:
    """Return SQL of a column's text, with six decimals of the doubles in lists and structures."""
    text = f"coalesce(CAST(\"{column}\" AS VARCHAR), 'NULL')"
    return rf"regexp_replace({text}, '(\.\d{{6}})\d+', '\1', 'g')" if "DOUBLE" in kind else text
