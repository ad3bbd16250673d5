"""The views of `raw` and `staging`, and of `meta` what the lake holds, in a DuckDB database.

The view `raw.<table>` shows the documented columns, with comments, of the macro
`raw_files.<table>()`, which reads the Parquet files. To show chosen loads only, just the macros are
defined again. The views `staging.<name>` show the same rows with plain names and units, as
`ingest.formats.names` declares them. All paths come from the macro `raw_files.lake()`, and no view
names its database, so a database can be copied for another warehouse by redefining that one macro.

Five thousand comments take seconds to write. A database that has them is kept in the cache, and
new databases begin as its copy.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import duckdb

from ingest.lake import log_fields
from ingest.lake.cache import cache, version
from ingest.lake.folders import Folders, write_schema
from ingest.lake.generations import SCHEMA_FOLDER
from ingest.lake.meta_columns import comment_on_meta
from ingest.lake.sql import identifier, literal, pattern
from ingest.lake.store import Ranges, Store

__all__ = ["SCHEMAS", "define", "definition_of", "lake_of", "move", "sources_with_rows", "template"]

#: Schemas of a warehouse, and of any DuckDB database.
SCHEMAS = {
    *("raw", "raw_files", "meta", "staging", "intermediate", "marts", "team"),
    *("main", "temp", "system", "information_schema", "pg_catalog"),
}
#: Folder of the lake -> the views of `meta` that show its files.
_VIEWS_OF = {
    "audit": ("expectation_result",),
    "regressions": ("regression_event", "regression"),
    log_fields.FOLDER: ("log", "pipeline_step", "pipeline_state"),
}
_KEPT = 5  # templates of different versions that stay in the cache


def define(
    db: duckdb.DuckDBPyConnection,
    lake: Path,
    store: Store,
    only: Mapping[str, Ranges] | None = None,
    *,
    to_build: bool = False,
    commented: bool = False,
) -> None:
    """Define the views that are missing or outdated, in one transaction.

    only: source_id -> ranges of record_no that the views show; None: all rows. to_build: for a
    build, which may read only the current rows. commented: write comments too, if raw.* have
    to be defined.
    """
    also = [name for name in ("audit", "regressions") if any((lake / name).glob("*.parquet"))]
    also += [log_fields.FOLDER] * any((lake / log_fields.FOLDER).glob("*.jsonl"))
    store.attach(db)
    is_live = only is None and not to_build
    chosen = {} if is_live else store.rows_to_build(db, only)
    shown = hashlib.sha256(repr(chosen).encode()).hexdigest() if chosen else ""
    profile = str(store.profile or "")
    wanted = {"version": version(), "lake": str(lake), "profile": profile, "shown": shown,
              "also": " ".join(also)}  # fmt: skip
    present = definition_of(db)
    if present == wanted:
        return
    statements = [
        "CREATE SCHEMA IF NOT EXISTS raw; CREATE SCHEMA IF NOT EXISTS meta",
        "CREATE SCHEMA IF NOT EXISTS staging",
        "CREATE SCHEMA IF NOT EXISTS raw_files",
        # DuckDB opens all files of a macro when it is defined. In the cache there are few.
        _lake(cache() if template(make=False) else lake),
    ]
    is_new = present.get("version") != wanted["version"]
    if is_new or (present["shown"], present["profile"]) != (shown, profile):
        statements += _row_macros(store, chosen)
    if is_new:
        statements += _raw_views() + _plain_views()
    if is_new and commented:
        statements += _comments()
    statements.append(_lake(lake))
    also = also if is_new or present["also"] != wanted["also"] else []
    if "audit" in also:
        statements.append(
            # DISTINCT: a file of many audits, and those that it replaces, for a moment.
            "CREATE OR REPLACE VIEW meta.expectation_result AS SELECT DISTINCT * FROM "
            "read_parquet(raw_files.lake() || '/audit/*.parquet', union_by_name=true)"
        )
    if "regressions" in also:
        statements.append(_REGRESSIONS)
    if log_fields.FOLDER in also:
        statements.append(log_fields.VIEWS)
    statements.append(_note(wanted))
    db.execute(";\n".join(["BEGIN", *statements, "COMMIT"]))
    if commented:
        views = [view for name in also for view in _VIEWS_OF[name]]
        comment_on_meta(db, [*views, *(["code"] * is_new)])


def definition_of(db: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return what a database's views were defined from; nothing if it has none."""
    try:
        ((definition,),) = db.execute("SELECT raw_files.definition()").fetchall()
    except duckdb.CatalogException:
        return {}
    return json.loads(definition)


def lake_of(db: duckdb.DuckDBPyConnection) -> str | None:
    """Return the lake that a database's views read; None if it has none."""
    return definition_of(db).get("lake")


def move(db: duckdb.DuckDBPyConnection, lake: Path) -> None:
    """Let a database's views read another lake."""
    moved = definition_of(db) | {"lake": str(lake)}
    db.execute(";\n".join(["BEGIN", _lake(lake), _note(moved), "COMMIT"]))


def sources_with_rows(db: duckdb.DuckDBPyConnection, store: Store, *, of_all: bool) -> list[str]:
    """Return the raw tables of source files, and plain views of them, that show any row.

    Without the table of all records: what reads it joins it to a section.
    of_all: the views show all loads.
    """
    from ingest.formats.binary.records import RECORD_TABLE
    from ingest.formats.names import PLAIN_VIEWS
    from ingest.lake.catalogue import LEDGER_SCHEMAS, raw_schemas

    def have_rows(rows: Mapping[str, str]) -> list[str]:
        first = [f"(SELECT {literal(name)} FROM {shown} LIMIT 1)" for name, shown in rows.items()]
        return (
            [name for (name,) in db.execute(" UNION ALL ".join(first)).fetchall()] if rows else []
        )

    filled = store.filled(db)
    tables = [
        table
        for table in raw_schemas()
        if table not in LEDGER_SCHEMAS and (filled is None or table in filled)
    ]
    present = [f"raw.{table}" for table in tables]
    if filled is None or not of_all:
        present = have_rows({f"raw.{table}": f"raw_files.{table}()" for table in tables})
    views = {
        f"staging.{view.name}": view
        for view in PLAIN_VIEWS
        if f"raw.{view.table}" in present and view.table != RECORD_TABLE
    }
    present += [name for name, view in views.items() if not view.where]
    present += have_rows({name: name for name, view in views.items() if view.where})
    return [name for name in present if name != f"raw.{RECORD_TABLE}"]


def _note(definition: Mapping[str, str]) -> str:
    text = literal(json.dumps(definition))
    return f"CREATE OR REPLACE MACRO raw_files.definition() AS {text}"


def _lake(place: Path) -> str:
    return f"CREATE OR REPLACE MACRO raw_files.lake() AS {literal(pattern(str(place)))}"


def template(*, make: bool) -> Path | None:
    """Return the database that new ones begin as a copy of: all views, and comments.

    It is in the cache. If it is not there: make it, or return None.
    """
    folder = cache()
    made = folder / "template.duckdb"
    if made.exists() or not make:
        return made if made.exists() else None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as draft:
            schema = Path(draft, "raw", SCHEMA_FOLDER)
            schema.mkdir(parents=True)
            write_schema(schema, Path(draft))
            with duckdb.connect(str(Path(draft, made.name))) as db:
                define(db, Path(draft), Folders(Path(draft)), commented=True)
            os.rename(draft, folder)  # noqa: PTH104
            Path(draft).mkdir()  # for the context manager to remove
    except OSError:  # the cache cannot be written, or another process was first
        return made if made.exists() else None
    for old in sorted(folder.parent.glob("[!.]*"), key=lambda p: p.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return made


def _row_macros(store: Store, chosen: Mapping[str, str]) -> list[str]:
    """Return SQL that defines the macros raw_files.<table>(), of all rows or of chosen ones."""
    from ingest.formats import published
    from ingest.lake.catalogue import LEDGER_SCHEMAS, raw_schemas

    always = {*LEDGER_SCHEMAS, *published.SCHEMAS}
    statements = []
    for table in raw_schemas():
        rows = None if table in always else chosen.get(table)
        rows = rows or store.rows(table)
        statements.append(f"CREATE OR REPLACE MACRO raw_files.{table}() AS TABLE {rows}")
    return statements


def _raw_views() -> list[str]:
    """Return SQL that defines the views raw.<table>, and the labels of codes."""
    from ingest.lake.catalogue import codes, raw_columns, raw_schemas

    statements = []
    for table in raw_schemas():
        columns = ", ".join(
            f"{expression} AS {identifier(name)}" for name, expression, _ in raw_columns(table)
        )
        statements.append(
            f"CREATE OR REPLACE VIEW raw.{table} AS SELECT {columns} FROM raw_files.{table}()"
        )
    labels = ", ".join(
        f"({literal(table)}, {literal(column)}, {code}, {literal(label)})"
        for table, column, code, label in codes()
    )
    statements.append(
        "CREATE OR REPLACE TABLE meta.code AS SELECT table_name, column_name, code::BIGINT AS "
        f"code, label FROM (VALUES {labels}) AS codes (table_name, column_name, code, label)"
    )
    return statements


def _plain_views() -> list[str]:
    """Return SQL that defines the views staging.<name>."""
    from ingest.formats.names import PLAIN_VIEWS
    from ingest.lake.catalogue import plain_columns

    return [
        f"CREATE OR REPLACE VIEW staging.{view.name} AS SELECT "
        + ", ".join(f"{shown} AS {identifier(name)}" for name, shown, _ in plain_columns(view))
        + f" FROM raw.{view.table}"
        + (f" WHERE {view.where}" if view.where else "")
        for view in PLAIN_VIEWS
    ]


def _comments() -> list[str]:
    """Return SQL that comments raw.<table>, staging.<view> and their columns."""
    from ingest.formats.names import PLAIN_VIEWS
    from ingest.lake.catalogue import plain_columns, raw_columns, raw_schemas, title

    statements = []
    for table in raw_schemas():
        statements.append(f"COMMENT ON VIEW raw.{table} IS {literal(title(table))}")
        statements += [
            f"COMMENT ON COLUMN raw.{table}.{identifier(name)} IS {literal(note)}"
            for name, _, note in raw_columns(table)
            if note
        ]
    for view in PLAIN_VIEWS:
        statements.append(f"COMMENT ON VIEW staging.{view.name} IS {literal(view.title)}")
        statements += [
            f"COMMENT ON COLUMN staging.{view.name}.{identifier(name)} IS {literal(text)}"
            for name, _, text in plain_columns(view)
        ]
    return statements


_REGRESSIONS = """
    CREATE OR REPLACE VIEW meta.regression_event AS
    SELECT * FROM read_parquet(raw_files.lake() || '/regressions/*.parquet', union_by_name=true);
    CREATE OR REPLACE VIEW meta.regression AS
    WITH last AS (
        SELECT
            * RENAME (event_at AS changed_at),
            state IN ('suspected', 'new', 'confirmed') AS is_open,
            min(event_at) OVER (PARTITION BY regression_id) AS first_seen_at
        FROM (
            FROM meta.regression_event
            UNION ALL BY NAME
            SELECT NULL::DOUBLE AS lost_percent, NULL::VARCHAR AS onset_first_build,
                NULL::VARCHAR AS onset_last_build
            WHERE false
        )
        QUALIFY row_number() OVER (PARTITION BY regression_id ORDER BY event_id DESC) = 1
    ), sized AS (
        SELECT *,
            CASE WHEN is_open THEN
                coalesce(lost_percent, 0.1 * least(abs(change_percent), 5), 0.5)
                * CASE state WHEN 'suspected' THEN 0.5 WHEN 'new' THEN 0.8 ELSE 1 END
                * if(kind = 'model', 0.2, 1)
            ELSE 0 END AS size
        FROM last
    )
    SELECT
        * EXCLUDE (size, nth),
        coalesce(sum(size) FILTER (nth = 1) OVER (PARTITION BY group_id), 0) AS impact
    FROM (
        SELECT *, row_number() OVER (
            PARTITION BY group_id, configuration_id ORDER BY size DESC, regression_id
        ) AS nth
        FROM sized
    );
    COMMENT ON VIEW meta.regression IS 'One row per regression: its last event';
    COMMENT ON VIEW meta.regression_event IS
    'One row per event of a regression: found, confirmed, accepted, fixed; never changed'
"""
