"""A build that only adds: what new loads bring is worked out in a database of its own.

Most models tell of one record, interval or run, from what was recorded about that time. Loads that
lie apart from all others in time change no row of those: their rows are built beside the last
build and put to its own. Models tagged `across` look over all runs, and are filled anew.

Whether loads lie apart is seen from what was built of them; where it cannot be, or where something
of them belongs to a run of before, the whole is built as ever. So a build that adds holds the same
rows as one that does not.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import duckdb

from app.pipeline.compiled import Node, create, read, refill, run_tests
from ingest.warehouse import Warehouse

__all__ = ["ACROSS", "add_loads", "append", "new_loads", "note_loads"]

ACROSS, PUBLISHED = "across", "published"  # tags of models that tell of more than single loads
CATALOGUE = "catalogue"  # tag of tests that ask what is said of the tables, not their rows
_AS_DBT = "SET TimeZone = 'UTC'"  # a setting of dbt's profile
#: What is further apart has nothing in common: as in the macro `follows` of dbt.
_APART = "INTERVAL 2 HOUR"
_TIMES = {
    "collected_at_utc", "first_data_utc", "interval_end_utc", "interval_start_utc", "last_utc",
    "recorded_at_utc", "smf_time_utc", "start_utc", "stop_utc", "time_utc",
}  # fmt: skip

#: Each answers with a row where new loads may bear on rows of before, or those on theirs.
_BOUND = {
    "time": f"""
        FROM added_load AS new JOIN meta.build_load AS old USING (origin)
        WHERE old.source_id NOT IN (SELECT source_id FROM added_load)
            AND new.first_utc < old.last_utc + {_APART}
            AND new.last_utc + {_APART} > old.first_utc
    """,
    "the same run": """
        FROM added_rows.intermediate.int_runs__declared AS new
        JOIN intermediate.int_runs__declared AS old USING (origin, run_id)
    """,
    "a value of no run": """
        FROM added_rows.intermediate.int_runs__reading WHERE run_id IS NULL
    """,
    "an output of no run": """
        FROM added_rows.marts.fct_run_output WHERE len(run_ids) = 0
    """,
    "an earlier output": """
        FROM marts.fct_run_output AS old
        JOIN added_rows.marts.fct_run AS new ON contains(old.path, new.run_id)
        WHERE len(old.run_ids) = 0
    """,
    "an earlier value": """
        FROM staging.stg_bench__measurement AS old
        JOIN added_rows.marts.fct_run AS new USING (run_id)
        WHERE old.source_id NOT IN (SELECT source_id FROM added_load)
    """,
    "a report whose time zone is not known": """
        FROM added_rows.marts.fct_rmf_report_figure WHERE interval_start_utc IS NULL
        AND source_id NOT IN (SELECT source_id FROM added_load WHERE first_utc IS NOT NULL)
    """,
}


def add_loads(warehouse: Warehouse, models: str) -> bool:
    """Put to the last build what came since, where that is all; whether it was done.

    `models` is the digest of what builds them; the last build has to be of the same. Afterwards
    the working database lacks meta.build, as after dbt's build of the whole. Raises DbtError.
    """
    if not warehouse.work.exists():
        return False
    with warehouse.open_work() as db:
        new = new_loads(db, models)
    if not new or not all((warehouse.raw / source_id).is_dir() for source_id in new):
        return False  # merged with others already
    nodes = read(warehouse.dbt / "target" / "manifest.json", warehouse.work.stem)
    if not nodes:
        return False
    folder = warehouse.lake / "added"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    # Of the same name: the compiled models know the database by it.
    beside = folder / warehouse.work.name
    try:
        with duckdb.connect(str(beside)) as db:
            warehouse.refresh(db, new)
            build_beside(db, nodes, warehouse.work)
        with warehouse.open_work() as db:
            if not append(db, beside):
                return False
            refill_across(db, nodes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return True


def build_beside(db: duckdb.DuckDBPyConnection, nodes: Sequence[Node], last: Path) -> None:
    """Build in a database, whose views of raw show new loads alone, the models that tell of these.

    What is of no load is seen in `last`, the last build. Raises DbtError.
    """
    db.execute(_AS_DBT)
    models = [node for node in nodes if node.kind != "test"]
    asked = set[str]()
    for node in reversed(models):
        if ACROSS not in node.tags or node.name in asked:
            asked |= node.parents
    for schema in {node.schema for node in models}:
        db.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    db.execute(f"ATTACH '{_quoted(last)}' AS last_build (READ_ONLY)")
    there = set[str]()
    for node in models:
        if ACROSS in node.tags and node.name not in asked:
            continue
        if node.kind == "seed" or PUBLISHED in node.tags:
            db.execute(f"CREATE VIEW {node.relation} AS FROM last_build.{node.relation}")
        else:
            create(db, node)
            there.add(node.name)
    run_tests(db, (n for n in nodes if n.parents <= there and CATALOGUE not in n.tags))


def refill_across(db: duckdb.DuckDBPyConnection, nodes: Sequence[Node]) -> None:
    """Fill the tables that tell of more than single loads with what they tell now, and test them.

    Raises DbtError.
    """
    db.execute(_AS_DBT)
    across = [node for node in nodes if ACROSS in node.tags]
    for node in across:
        refill(db, node)
    filled = {node.name for node in across}
    run_tests(db, (node for node in nodes if filled & node.parents))


def note_loads(db: duckdb.DuckDBPyConnection, loads: list[str]) -> None:
    """Write down in meta.build_load which loads a build has, and what time its rows tell of.

    Times are UTC; of loads that tell none they are NULL.
    """
    db.execute(
        "CREATE TABLE IF NOT EXISTS meta.build_load "
        "(source_id VARCHAR, origin VARCHAR, first_utc TIMESTAMP, last_utc TIMESTAMP)"
    )
    db.execute("COMMENT ON TABLE meta.build_load IS 'One row per load in the build'")
    db.execute(
        "INSERT INTO meta.build_load SELECT ledger.source_id, ledger.origin, first_utc, last_utc "
        f"FROM raw.ledger LEFT JOIN ({_spans(db, _own(db))}) USING (source_id) "
        "WHERE list_contains($1, source_id) "
        "AND source_id NOT IN (SELECT source_id FROM meta.build_load)",
        [loads],
    )


def new_loads(db: duckdb.DuckDBPyConnection, models: str) -> list[str]:
    """The loads that came since the last build, where a build that adds them may do."""
    try:
        last = db.execute("SELECT models FROM meta.build").fetchall()
        ((new, gone, published),) = db.execute(
            """
            SELECT
                list(ledger.source_id) FILTER (noted.source_id IS NULL),
                count(*) FILTER (ledger.source_id IS NULL),
                count(*) FILTER (noted.source_id IS NULL AND ledger.origin = 'published')
            FROM raw.ledger FULL JOIN meta.build_load AS noted USING (source_id)
            """
        ).fetchall()
    except (duckdb.CatalogException, duckdb.BinderException):
        return []  # no build, an unfinished one, or one of an earlier version
    return list(new or ()) if last == [(models,)] and not gone and not published else []


def append(db: duckdb.DuckDBPyConnection, beside: Path) -> bool:
    """Put the rows of the database `beside` to those of the last build, if they may stand alone."""
    db.execute(f"ATTACH '{_quoted(beside)}' AS added_rows (READ_ONLY)")
    db.execute(
        "CREATE OR REPLACE TEMP TABLE added_load AS SELECT source_id, origin, first_utc, last_utc "
        f"FROM raw.ledger JOIN ({_spans(db, 'added_rows')}) USING (source_id)"
    )
    if any(db.execute(f"SELECT 1 {bound} LIMIT 1").fetchall() for bound in _BOUND.values()):
        return False
    db.execute("BEGIN; DROP TABLE meta.build")
    for schema, table in _tables(db, "added_rows"):
        db.execute(f"INSERT INTO {schema}.{table} BY NAME FROM added_rows.{schema}.{table}")
    db.execute("COMMIT; DETACH added_rows")
    return True


def _spans(db: duckdb.DuckDBPyConnection, database: str) -> str:
    """SQL of the first and the last moment that the built rows of each load tell of."""
    columns = db.execute(
        "SELECT schema_name, table_name, list(column_name) AS names FROM duckdb_columns() "
        "WHERE database_name = $1 AND schema_name IN ('intermediate', 'marts') "
        "GROUP BY ALL HAVING list_contains(names, 'source_id')",
        [database],
    ).fetchall()
    parts = [
        f"SELECT source_id, least({', '.join(times)}) AS first_utc, "
        f'greatest({", ".join(times)}) AS last_utc FROM "{database}".{schema}.{table}'
        for schema, table, names in columns
        if (times := sorted(_TIMES.intersection(names)))
    ]
    return (
        "SELECT source_id, min(first_utc) AS first_utc, max(last_utc) AS last_utc "
        f"FROM ({' UNION ALL '.join(parts)}) GROUP BY source_id"
    )


def _tables(db: duckdb.DuckDBPyConnection, database: str) -> list[tuple[str, str]]:
    return db.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() "
        "WHERE database_name = $1 AND schema_name IN ('intermediate', 'marts')",
        [database],
    ).fetchall()


def _own(db: duckdb.DuckDBPyConnection) -> str:
    return str(db.execute("SELECT current_database()").fetchall()[0][0])


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
