"""A copy of a warehouse for other tools: one DuckDB file that stands alone, or Parquet files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import duckdb

from app.pipeline.publication import require_published
from ingest.base.errors import RequestError
from ingest.base.files import replacing
from ingest.lake.answers import write_parquet
from ingest.lake.locked import PUBLISHED, open_database
from ingest.lake.sql import identifier, literal
from ingest.lake.warehouse import Warehouse

__all__ = ["export"]


Progress = Callable[[int, int], None]


class _Relation(NamedTuple):
    schema: str
    name: str

    @property
    def sql(self) -> str:
        return f"{identifier(self.schema)}.{identifier(self.name)}"


def export(
    warehouse: Warehouse, out: Path, *, marts_only: bool = False, progress: Progress | None = None
) -> int:
    """Copy the published tables to a DuckDB file or a new folder; return their number.

    `out` ends in .duckdb, or is a folder that is empty or missing: each table is then SCHEMA/TABLE.
    parquet in it. Views over the lake become tables, so the copy needs nothing else; tables of
    `raw` without rows are left out. marts_only: only `marts` and `team`. progress: called with the
    number of tables done and of all. Raises RequestError and WarehouseError.
    """
    require_published(warehouse)
    if out.suffix == ".duckdb":
        with replacing(out) as draft:
            return _copy(warehouse, draft, marts_only, progress)
    if out.suffix or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise RequestError(f"{out}: name a file that ends in .duckdb, or a new folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = out.with_name(f".{out.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        count = _write(warehouse, draft, marts_only, progress)
        if out.exists():
            out.rmdir()
        draft.rename(out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return count


def _copy(warehouse: Warehouse, file: Path, marts_only: bool, progress: Progress | None) -> int:
    with open_database(warehouse.file, read_only=True, apart=True) as db:
        db.execute(f"ATTACH {literal(str(file))} AS exported")
        relations = _relations(warehouse, db, marts_only=marts_only)
        for schema in {relation.schema for relation in relations}:
            db.execute(f"CREATE SCHEMA exported.{identifier(schema)}")
        for done, relation in enumerate(relations):
            if progress:
                progress(done, len(relations))
            db.execute(f"CREATE TABLE exported.{relation.sql} AS FROM {relation.sql}")
        for statement in _comments(warehouse, relations):
            db.execute(statement)
        db.execute("DETACH exported")
    return len(relations)


def _write(warehouse: Warehouse, folder: Path, marts_only: bool, progress: Progress | None) -> int:
    with open_database(warehouse.file, read_only=True, apart=True) as db:
        relations = _relations(warehouse, db, marts_only=marts_only)
        for done, relation in enumerate(relations):
            if progress:
                progress(done, len(relations))
            path = folder / relation.schema / f"{relation.name}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            # DuckDB writes no negative interval, and none that other tools take for a duration.
            write_parquet(db.sql(f"FROM {relation.sql}"), path)
    return len(relations)


def _relations(
    warehouse: Warehouse, db: duckdb.DuckDBPyConnection, *, marts_only: bool
) -> list[_Relation]:
    """Return the tables and views to copy."""
    listed = _list_tables(
        warehouse,
        f"""
        SELECT schema_name, table_name FROM duckdb_tables()
        WHERE database_name = current_database() AND schema_name IN {PUBLISHED}
        UNION ALL
        SELECT schema_name, view_name FROM duckdb_views()
        WHERE database_name = current_database() AND schema_name IN {PUBLISHED}
        ORDER BY ALL
        """,
    )
    relations = [_Relation(*row) for row in listed]
    return [
        relation
        for relation in relations
        if relation.schema in ("marts", "team")
        or not (marts_only or (relation.schema == "raw" and _is_empty(db, relation)))
    ]


def _list_tables(warehouse: Warehouse, sql: str) -> list[tuple[str, ...]]:
    """Return what the published file says of its tables, without looking up those of a DuckLake."""
    with open_database(warehouse.file, read_only=True, apart=True, lake=False) as db:
        return db.execute(sql).fetchall()


def _is_empty(db: duckdb.DuckDBPyConnection, relation: _Relation) -> bool:
    return not db.execute(f"FROM {relation.sql} LIMIT 1").fetchall()


def _comments(warehouse: Warehouse, relations: list[_Relation]) -> list[str]:
    """Return the statements that give the copied tables and columns their descriptions."""
    kept = set(relations)
    tables = _list_tables(
        warehouse,
        """
        SELECT schema_name, table_name, comment FROM duckdb_tables()
        WHERE database_name = current_database() AND comment IS NOT NULL
        UNION ALL
        SELECT schema_name, view_name, comment FROM duckdb_views()
        WHERE database_name = current_database() AND comment IS NOT NULL
        """,
    )
    columns = _list_tables(
        warehouse,
        "SELECT schema_name, table_name, column_name, comment FROM duckdb_columns() "
        "WHERE database_name = current_database() AND comment IS NOT NULL",
    )
    return [
        f"COMMENT ON TABLE exported.{_Relation(schema, name).sql} IS {literal(text)}"
        for schema, name, text in tables
        if _Relation(schema, name) in kept
    ] + [
        f"COMMENT ON COLUMN exported.{_Relation(schema, name).sql}.{identifier(column)} "
        f"IS {literal(text)}"
        for schema, name, column, text in columns
        if _Relation(schema, name) in kept
    ]
