"""SQL on the tables of a DuckLake: rows of loads, and the copy of a build."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from ingest.lake.rolled import OWNER
from ingest.lake.seal import read_checked
from ingest.lake.sql import identifier, literal, pattern
from ingest.lake.store import Ranges

__all__ = [
    "BUILT",
    "DAYS_OF_ROWS",
    "FILES_OF_TABLE",
    "KEPT_TABLES",
    "NULLS",
    "ROWS",
    "UNKNOWN_DAY",
    "copy_table",
    "days_of_loads",
    "delete_loads",
    "insert_loads",
    "note_statistics",
    "snapshot_of",
    "tables_with_rows",
    "views_of_build",
]

BUILT = ("staging", "intermediate", "marts", "team")  # schemas that dbt builds
UNKNOWN_DAY = "1970-01-01"  # the day of records without a known day


# Do not ask duckdb_tables() or information_schema.tables while a lake is attached: for them,
# DuckLake looks up the size of each of its tables. information_schema.columns takes a tenth.

#: Raw tables of a lake that have, or had, rows.
_FILLED = """
    SELECT made.table_name
    FROM __ducklake_metadata_lake_raw.ducklake_table AS made
    JOIN __ducklake_metadata_lake_raw.ducklake_table_stats USING (table_id)
    WHERE record_count > 0 AND made.end_snapshot IS NULL
"""


#: Note in the catalog that tables without statistics have no rows. DuckLake writes statistics with
#: the first row, and until then asks the catalog for those of each column, again for each query.
_STATISTICS = """
    INSERT INTO __ducklake_metadata_LAKE.ducklake_table_column_stats (table_id, column_id)
    SELECT table_id, column_id
    FROM __ducklake_metadata_LAKE.ducklake_column
    WHERE
        end_snapshot IS NULL
        AND table_id NOT IN (SELECT table_id FROM __ducklake_metadata_LAKE.ducklake_table_stats);
    INSERT INTO __ducklake_metadata_LAKE.ducklake_table_stats
        (table_id, record_count, next_row_id, file_size_bytes)
    SELECT table_id, 0, 0, 0
    FROM __ducklake_metadata_LAKE.ducklake_table
    WHERE
        end_snapshot IS NULL
        AND table_id NOT IN (SELECT table_id FROM __ducklake_metadata_LAKE.ducklake_table_stats)
"""


#: Columns of NULLs of their types, of each raw table.
NULLS = """
    SELECT
        table_name,
        string_agg(
            'NULL::' || data_type || ' AS "' || column_name || '"', ', ' ORDER BY column_index
        )
    FROM duckdb_columns()
    WHERE database_name = 'lake_raw' AND schema_name = 'raw' AND column_name <> 'day'
    GROUP BY table_name
"""


#: Which raw tables may have rows of the days from $1 to $2, and of the unknown day. Rows that an
#: earlier release left waiting in the catalog may be of any day.
DAYS_OF_ROWS = f"""
    SELECT
        table_name,
        bool_or(may_be_any OR partition_value BETWEEN $1 AND $2),
        bool_or(may_be_any OR partition_value = '{UNKNOWN_DAY}')
    FROM (
        SELECT
            made.table_name, partition_value,
            inlined.table_id IS NOT NULL
                OR (file.data_file_id IS NOT NULL AND partition_value IS NULL) AS may_be_any
        FROM __ducklake_metadata_lake_raw.ducklake_table AS made
        LEFT JOIN __ducklake_metadata_lake_raw.ducklake_inlined_data_tables AS inlined
            USING (table_id)
        LEFT JOIN __ducklake_metadata_lake_raw.ducklake_data_file AS file
            ON file.table_id = made.table_id AND file.end_snapshot IS NULL
        LEFT JOIN __ducklake_metadata_lake_raw.ducklake_file_partition_value USING (data_file_id)
        WHERE made.end_snapshot IS NULL
    )
    GROUP BY table_name
"""


#: The tables of a lake with their numbers of files, and of files of deleted rows.
FILES_OF_TABLE = """
    SELECT
        schema_name, table_name, count(DISTINCT file.data_file_id),
        count(DISTINCT gone.delete_file_id)
    FROM __ducklake_metadata_LAKE.ducklake_table AS made
    JOIN __ducklake_metadata_LAKE.ducklake_schema AS room USING (schema_id)
    JOIN __ducklake_metadata_LAKE.ducklake_data_file AS file
        ON file.table_id = made.table_id AND file.end_snapshot IS NULL
    LEFT JOIN __ducklake_metadata_LAKE.ducklake_delete_file AS gone
        ON gone.data_file_id = file.data_file_id AND gone.end_snapshot IS NULL
    WHERE made.end_snapshot IS NULL AND room.end_snapshot IS NULL
    GROUP BY ALL
"""


#: The tables of dbt, as schema.table, with their numbers of rows.
ROWS = """
    WITH gone AS (
        SELECT data_file_id, sum(delete_count) AS rows
        FROM __ducklake_metadata_lake_marts.ducklake_delete_file
        WHERE end_snapshot IS NULL
        GROUP BY data_file_id
    )
    SELECT
        schema_name || '.' || table_name AS name,
        coalesce(sum(file.record_count - coalesce(gone.rows, 0)), 0)::BIGINT AS rows
    FROM __ducklake_metadata_lake_marts.ducklake_table AS made
    JOIN __ducklake_metadata_lake_marts.ducklake_schema AS room USING (schema_id)
    LEFT JOIN __ducklake_metadata_lake_marts.ducklake_data_file AS file
        ON file.table_id = made.table_id AND file.end_snapshot IS NULL
    LEFT JOIN gone USING (data_file_id)
    WHERE made.end_snapshot IS NULL AND room.end_snapshot IS NULL
    GROUP BY ALL
"""


#: Tables that dbt built in a working database, with their columns.
KEPT_TABLES = """
    SELECT
        schema_name, table_name,
        list(struct_pack(column_name, data_type, is_nullable) ORDER BY column_index)
    FROM duckdb_columns() JOIN duckdb_tables() USING (database_name, schema_name, table_name)
    WHERE list_contains($1, schema_name)
    GROUP BY ALL
    ORDER BY ALL
"""


def note_statistics(db: duckdb.DuckDBPyConnection, lake: str) -> None:
    """Note that tables of lake_raw or lake_marts that never had a row have none."""
    db.execute(_STATISTICS.replace("LAKE", lake))


def copy_table(
    db: duckdb.DuckDBPyConnection, name: str, columns: Sequence[Mapping[str, Any]]
) -> None:
    """Copy a table of the attached database `kept` into lake_marts."""
    defined = ", ".join(
        f"{identifier(column['column_name'])} {column['data_type']}"
        + " NOT NULL" * (not column["is_nullable"])
        for column in columns
    )
    db.execute(f"CREATE TABLE lake_marts.{name} ({defined})")
    if db.execute(f"FROM kept.{name} LIMIT 1").fetchall():
        db.execute(f"INSERT INTO lake_marts.{name} FROM kept.{name}")


def views_of_build(db: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Yield SQL that makes views of what dbt built, with the comments that meta.lineage has."""
    listed = ", ".join(map(literal, BUILT))
    for schema in BUILT:
        yield f"CREATE SCHEMA IF NOT EXISTS {schema}"
    for schema, table, comment, names, columns in db.execute(
        "SELECT schema_name, table_name, any_value(lineage.description), "
        "list(column_name), any_value(columns) FROM duckdb_columns() "
        "LEFT JOIN meta.lineage ON lineage.name = schema_name || '.' || table_name "
        f"WHERE database_name = 'lake_marts' AND schema_name IN ({listed}) "
        "GROUP BY schema_name, table_name ORDER BY 1, 2"
    ).fetchall():
        name = f"{schema}.{identifier(table)}"
        yield (
            f"CREATE OR REPLACE VIEW {name} AS "
            f"FROM lake_marts.{name} AT (VERSION => raw_files.snapshot())"
        )
        if comment:
            yield f"COMMENT ON VIEW {name} IS {literal(comment)}"
        for column in columns or ():  # lineage may know some that the table does not have
            if column["name"] in names and (note := column["description"]):
                column_name = f"{name}.{identifier(column['name'])}"
                yield f"COMMENT ON COLUMN {column_name} IS {literal(note)}"


def snapshot_of(file: Path) -> int | None:
    """Return the snapshot that a database's views show; None without a build."""
    if not file.exists():
        return None
    try:
        with duckdb.connect(str(file), read_only=True) as db:
            return int(db.execute("SELECT raw_files.snapshot()").fetchall()[0][0])
    except duckdb.CatalogException:
        return None


def tables_with_rows(db: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the raw tables that have rows, by the catalog."""
    return {table for (table,) in db.execute(_FILLED).fetchall()}


def delete_loads(db: duckdb.DuckDBPyConnection, source_ids: Collection[str]) -> None:
    """Delete the rows of loads in an attached lake, whether the ledger has them or not."""
    from ingest.lake.catalogue import raw_schemas

    named = ", ".join(map(literal, source_ids)) or "NULL"
    filled = tables_with_rows(db)
    for table in raw_schemas():
        if table in filled:
            owner = OWNER.get(table, "source_id")
            db.execute(f"DELETE FROM lake_raw.raw.{table} WHERE {owner} IN ({named})")


def insert_loads(
    db: duckdb.DuckDBPyConnection,
    alone: Mapping[str, Path],
    source_ids: Collection[str],
    together: Path | None = None,
) -> None:
    """Insert loads, and claim their names: those with a folder each, and those in one.

    Each table costs as much for one load as for many, so it is inserted into once.
    """
    from ingest.lake.catalogue import LEDGER_SCHEMAS

    for source_id in source_ids:
        claim = identifier(source_id)
        db.execute(f"CREATE OR REPLACE VIEW lake_raw.loads.{claim} AS SELECT 1 AS loaded")
    parts: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
    for source_id, folder in {**alone, "": together}.items():
        for name in read_checked(folder).files if folder else ():
            table, part, _ = name.split(".")
            is_named = table in LEDGER_SCHEMAS and table != "quarantine"
            load = "" if is_named else source_id
            parts[table][load].append((int(part), literal(pattern(f"{folder}/{name}"))))
    days = _days(db, [file for _, file in parts["ledger_day"][""]])
    for table, by_load in parts.items():
        selects = []
        for source_id, loaded_rows in by_load.items():
            files = ", ".join(file for _, file in sorted(loaded_rows))
            name = f", {literal(source_id)} AS source_id" if source_id else ""
            selects.append(f"SELECT *{name} FROM read_parquet([{files}], union_by_name=true)")
        rows = f"({' UNION ALL BY NAME '.join(selects)})"
        if table not in LEDGER_SCHEMAS:
            rows = f"(SELECT loaded.*, {days(rows)})"
        db.execute(f"INSERT INTO lake_raw.raw.{table} BY NAME SELECT * FROM {rows}")


def _days(db: duckdb.DuckDBPyConnection, files: Sequence[str]) -> Callable[[str], str]:
    """Return a function that writes "day FROM rows" for rows with source_id and record_no."""
    ranges = db.execute(
        "SELECT source_id, first_record_no, coalesce(first_day, $1::DATE)::VARCHAR "
        f"FROM read_parquet([{', '.join(files)}]) ORDER BY ALL", [UNKNOWN_DAY]
    ).fetchall() if files else []  # fmt: skip
    day, *others = {day for *_, day in ranges} or {UNKNOWN_DAY}
    if not others:
        return lambda rows: f"DATE {literal(day)} AS day FROM {rows} AS loaded"
    values = ", ".join(
        f"({literal(source_id)}, {number}, DATE {literal(day)})"
        for source_id, number, day in ranges
    )
    return lambda rows: (
        f"coalesce(ranges.day, DATE '{UNKNOWN_DAY}') AS day FROM {rows} AS loaded "
        f"ASOF LEFT JOIN (VALUES {values}) AS ranges (source_id, first_no, day) "
        "ON loaded.source_id = ranges.source_id AND loaded.record_no >= ranges.first_no"
    )


def days_of_loads(db: duckdb.DuckDBPyConnection, only: Mapping[str, Ranges]) -> tuple[str, str]:
    """Return the first and the last day of the loads with chosen records."""
    named = ", ".join(map(literal, only)) or "NULL"
    ((first, last),) = db.execute(
        "SELECT min(first_day)::VARCHAR, max(last_day)::VARCHAR FROM lake_raw.raw.ledger_day "
        f"WHERE source_id IN ({named})"
    ).fetchall()
    return first or UNKNOWN_DAY, last or UNKNOWN_DAY
