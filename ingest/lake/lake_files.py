"""Data files of a DuckLake: which are gone or damaged, and how its catalog gives them up.

A lake's files never change, so one that the catalog names is damaged if it is not there, or not as
long as the catalog says. DuckLake has no call that takes such a file out of its table, and refuses
to delete rows of one that it cannot read. So `give_up` writes into the catalog what DuckLake writes
when it deletes all rows of a file (DuckLake specification 1.0, tables ducklake_data_file and
ducklake_delete_file, column end_snapshot).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest.lake.catalogue import LEDGER_SCHEMAS, raw_schemas
from ingest.lake.damage import damage_of_parquet
from ingest.lake.lake_tables import UNKNOWN_DAY
from ingest.lake.rolled import OWNER
from ingest.lake.sql import literal, pattern

__all__ = [
    "GONE",
    "LakeFile",
    "RowsOfFile",
    "files_of",
    "give_up",
    "loads_of",
    "read_all",
    "rows_of",
]

GONE = "it is gone"
_RECORD_TYPE = re.compile(r"smf(\d+)_")  # at the beginning of a table's name

#: Files that tables of a catalog are made of now, and files of rows that were deleted from those.
_FILES = """
    SELECT
        schema_name || '.' || table_name AS name, data_file_id, file_size_bytes, record_count,
        if(file.path_is_relative,
            if(made.path_is_relative,
                if(room.path_is_relative, $1, '') || room.path, '') || made.path, '') || file.path
    FROM (
        SELECT
            table_id, data_file_id, path, path_is_relative, file_size_bytes, record_count,
            end_snapshot
        FROM __ducklake_metadata_LAKE.ducklake_data_file
        UNION ALL
        SELECT
            table_id, data_file_id, path, path_is_relative, file_size_bytes, delete_count,
            end_snapshot
        FROM __ducklake_metadata_LAKE.ducklake_delete_file
    ) AS file
    JOIN __ducklake_metadata_LAKE.ducklake_table AS made USING (table_id)
    JOIN __ducklake_metadata_LAKE.ducklake_schema AS room USING (schema_id)
    WHERE file.end_snapshot IS NULL AND made.end_snapshot IS NULL AND room.end_snapshot IS NULL
    ORDER BY ALL
"""
#: Of which day and of which loads the rows of data files are.
_ROWS = """
    SELECT table_name, partition_value, min(min_value), max(max_value)
    FROM __ducklake_metadata_lake_raw.ducklake_data_file AS file
    JOIN __ducklake_metadata_lake_raw.ducklake_table AS made USING (table_id)
    LEFT JOIN __ducklake_metadata_lake_raw.ducklake_file_partition_value USING (data_file_id)
    LEFT JOIN (
        SELECT data_file_id, min_value, max_value
        FROM __ducklake_metadata_lake_raw.ducklake_file_column_stats
        JOIN __ducklake_metadata_lake_raw.ducklake_column USING (table_id, column_id)
        WHERE column_name = 'source_id'
    ) USING (data_file_id)
    WHERE list_contains($1, data_file_id) AND made.end_snapshot IS NULL
    GROUP BY data_file_id, table_name, partition_value
"""
_GIVE_UP = """
    INSERT INTO __ducklake_metadata_lake_raw.ducklake_snapshot
    SELECT snapshot_id + 1, now(), schema_version, next_catalog_id, next_file_id
    FROM __ducklake_metadata_lake_raw.ducklake_snapshot
    ORDER BY snapshot_id DESC LIMIT 1;
    INSERT INTO __ducklake_metadata_lake_raw.ducklake_snapshot_changes
        (snapshot_id, changes_made, author, commit_message)
    SELECT
        (SELECT max(snapshot_id) FROM __ducklake_metadata_lake_raw.ducklake_snapshot),
        string_agg(DISTINCT 'deleted_from_table:' || table_id, ','), 'perfhouse', 'damaged files'
    FROM __ducklake_metadata_lake_raw.ducklake_data_file WHERE data_file_id IN (FILES);
    UPDATE __ducklake_metadata_lake_raw.ducklake_data_file
    SET end_snapshot = (SELECT max(snapshot_id) FROM __ducklake_metadata_lake_raw.ducklake_snapshot)
    WHERE data_file_id IN (FILES) AND end_snapshot IS NULL;
    UPDATE __ducklake_metadata_lake_raw.ducklake_delete_file
    SET end_snapshot = (SELECT max(snapshot_id) FROM __ducklake_metadata_lake_raw.ducklake_snapshot)
    WHERE data_file_id IN (FILES) AND end_snapshot IS NULL;
"""


class LakeFile(NamedTuple):
    """A data file that a catalog names, and what is wrong with it, if anything.

    lake: lake_raw or lake_marts; table: with its schema; data_file_id: of the file itself, or of
    the one whose deleted rows it lists; rows: that it should have.
    """

    lake: str
    table: str
    data_file_id: int
    path: str
    rows: int
    damage: str


class RowsOfFile(NamedTuple):
    """Which rows were in a file: of a table, a day and loads; None: of any."""

    table: str
    day: str | None
    first_source_id: str | None
    last_source_id: str | None


def files_of(db: duckdb.DuckDBPyConnection, lake: str, data: str) -> list[LakeFile]:
    """Return the files of an attached lake that are below `data`.

    Of each its size is looked at, and, where `data` is a folder, its frame. Raises duckdb.Error if
    the files cannot be listed.
    """
    named = db.execute(_FILES.replace("LAKE", lake), [data]).fetchall()
    # Afterwards: all that were named have been written before.
    there = _sizes(db, data) if "://" in data else None
    files = []
    for table, data_file_id, size, rows, path in named:
        stored = _size(path) if there is None else there.get(path)
        damage = ""
        if stored is None:
            damage = GONE
        elif stored != size:
            damage = f"it has {stored:,} bytes instead of {size:,}"
        elif there is None:
            damage = damage_of_parquet(Path(path))
        if path.startswith(data):
            files.append(LakeFile(lake, table, data_file_id, path, rows, damage))
    return files


def _size(path: str) -> int | None:
    with suppress(FileNotFoundError, NotADirectoryError):
        return Path(path).stat().st_size
    return None


def _sizes(db: duckdb.DuckDBPyConnection, data: str) -> Mapping[str, int]:
    """Return the sizes of all objects below `data`, by their paths."""
    objects = literal(pattern(data) + "**")
    if not db.execute(f"SELECT 1 FROM glob({objects}) LIMIT 1").fetchall():
        return {}
    return dict(db.execute(f"SELECT filename, size FROM read_blob({objects})").fetchall())


def read_all(db: duckdb.DuckDBPyConnection, file: LakeFile) -> LakeFile:
    """Read all rows of a file, outside a transaction, and note what is wrong with them."""
    rows = f"read_parquet({literal(pattern(file.path))})"
    try:
        ((rows_read, _),) = db.execute(
            f"SELECT count(*), bit_xor(hash(t)) FROM {rows} AS t"
        ).fetchall()
    except duckdb.Error as error:
        return file._replace(damage=str(error).splitlines()[0])
    wrong = f"it has {rows_read:,} rows instead of {file.rows:,}"
    return file if rows_read == file.rows else file._replace(damage=wrong)


def rows_of(db: duckdb.DuckDBPyConnection, files: Sequence[LakeFile]) -> list[RowsOfFile]:
    """Return which rows were in files of lake_raw."""
    chosen = [file.data_file_id for file in files]
    return [RowsOfFile(*row) for row in db.execute(_ROWS, [chosen]).fetchall()]


def give_up(db: duckdb.DuckDBPyConnection, files: Sequence[LakeFile]) -> None:
    """Take files of lake_raw out of their tables, in a transaction of its own."""
    chosen = ", ".join(str(file.data_file_id) for file in files)
    db.execute(_GIVE_UP.replace("FILES", chosen))


def loads_of(db: duckdb.DuckDBPyConnection, rows: Sequence[RowsOfFile]) -> set[str]:
    """Return the loads that may have had some of these rows.

    Where a file of the ledger is gone, these are also all that have rows and no ledger.
    """
    queries = [_loads_of(*row) for row in rows]
    if any(row.table == "ledger" for row in rows):
        queries += [
            f"SELECT source_id FROM lake_raw.raw.{table} "
            "WHERE source_id NOT IN (SELECT source_id FROM lake_raw.raw.ledger)"
            for table in raw_schemas().keys() - OWNER.keys()
        ]
    return {source_id for (source_id,) in db.execute(" UNION ".join(queries)).fetchall()}


def _loads_of(table: str, day: str | None, first: str | None, last: str | None) -> str:
    """Return SQL for the loads with rows in a file; see RowsOfFile."""
    sql = "SELECT source_id FROM lake_raw.raw.ledger"
    if table not in LEDGER_SCHEMAS:
        is_smf, of_type = table.startswith("smf"), _RECORD_TYPE.match(table)
        sql += (
            f" JOIN lake_raw.raw.ledger_day USING (source_id) WHERE (kind = 'smf') = {is_smf} "
            f"AND coalesce(first_day, DATE '{UNKNOWN_DAY}') = DATE {literal(day or UNKNOWN_DAY)}"
        )
        if of_type:
            sql += (
                " AND source_id IN (SELECT source_id FROM lake_raw.raw.ledger_count "
                f"WHERE record_type = {of_type[1]} OR record_type = ledger.ams_type)"
            )
    elif table == "quarantine":
        sql += " WHERE records_quarantined > 0"
    elif table in OWNER:
        sql += " WHERE false"
    elif table != "ledger":  # a load's rows are together in one file
        sql += f" WHERE source_id NOT IN (SELECT source_id FROM lake_raw.raw.{table})"
    if first and last:
        sql = f"SELECT source_id FROM ({sql}) "
        sql += f"WHERE source_id BETWEEN {literal(first)} AND {literal(last)}"
    return sql
