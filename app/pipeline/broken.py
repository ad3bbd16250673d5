"""Facts of models that do not hold, and what a build does about them.

dbt's data tests say what holds in each model whatever the data are. If a fact does not hold, the
build sets the loads aside whose rows break it, and builds once more without them. They stay aside
until they are forgotten, loaded again, or built by other code. If a fact still does not hold, the
models that it is about, and all that reads them, stay as last published.

meta.set_aside    one row per load that the build does without, and fact that its rows break
meta.broken_fact  one row per fact that does not hold in the build, with the tables that are older
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

import duckdb

from app.pipeline.dbt import FailedTest
from ingest.lake.meta_columns import comment_on_meta
from ingest.lake.rolled import HOURS
from ingest.lake.warehouse import Loads, Warehouse

__all__ = [
    "Aside",
    "Broken",
    "blame",
    "find_broken",
    "keep_published",
    "read_aside",
    "write_aside",
]

log = logging.getLogger(__name__)

#: How the columns of a row name loads.
_LOADS = {
    "source_id": "[source_id]",
    "source_ids": "source_ids",
    "source_records": "list_transform(source_records, lambda record: record.source_id)",
}
_READERS = """
    WITH RECURSIVE reader AS (
        SELECT name, path, kind FROM meta.lineage WHERE list_contains($1, name)
        UNION
        SELECT child.name, child.path, child.kind
        FROM meta.lineage AS child JOIN reader ON list_contains(child.parents, reader.name)
        WHERE coalesce(child.path, '') NOT LIKE $2
    )
    SELECT name FROM reader WHERE kind IN ('incremental', 'table') ORDER BY name
"""


class Broken(NamedTuple):
    """A fact that does not hold: the models that it is about, and the loads of rows that break it.

    loads: source_id -> path; none if the rows do not name any that a build can do without.
    """

    test: str
    models: list[str]  # with their schema
    fact: str
    rows: int
    loads: dict[str, str]


class Aside(NamedTuple):
    """A row of meta.set_aside. code: digest of the code that built it."""

    source_id: str
    loaded_at: datetime
    path: str
    model: str
    fact: str
    test: str
    rows_failed: int
    code: str


def find_broken(db: duckdb.DuckDBPyConnection, failed: Sequence[FailedTest]) -> list[Broken]:
    """Return what does not hold in the working database, from the tests that failed there."""
    result = []
    for test in failed:
        rows = db.sql(test.query)
        if "rows_query" in rows.columns:
            facts = [({name}, *others) for name, *others in rows.fetchall()]
        else:  # none if it failed while a part of the models was older
            about = (
                {name for (name,) in rows.select("model").fetchall()}
                if "model" in rows.columns
                else set()
            )
            facts = [(about, test.name.replace("_", " "), len(rows), test.query)][: len(rows)]
        for names, fact, number, query in facts:
            models = [
                model for model in test.models if not names or model.partition(".")[2] in names
            ]
            result.append(Broken(test.name, models, fact, number, _loads(db, query)))
    return result


def _loads(db: duckdb.DuckDBPyConnection, query: str) -> dict[str, str]:
    """Return the loads that rows name and that views can leave out: source_id -> path."""
    with suppress(duckdb.Error):  # an ephemeral model is there only within the test
        columns = [loads for name, loads in _LOADS.items() if name in db.sql(query).columns]
        lists = " UNION ALL ".join(
            f"SELECT {column} AS loads FROM (\n{query}\n)" for column in columns
        )
        if lists:
            return dict(
                db.execute(
                    "SELECT source_id, path FROM raw.ledger "
                    f"WHERE source_id IN (SELECT unnest(loads) FROM ({lists})) "
                    f"AND kind <> '{HOURS}' AND kind NOT LIKE 'published%'"
                ).fetchall()
            )
    return {}


def blame(
    broken: Sequence[Broken], suspects: Collection[str], loads: Loads, code: str
) -> list[Aside]:
    """Return rows of meta.set_aside for the loads of rows that break facts.

    suspects: those that no build has held before. If none of them is named, it may be the fault of
    the code: then for not more than half of all.
    """
    named = {source_id for model in broken for source_id in model.loads if source_id in loads}
    blamed = named.intersection(suspects) or (named if 2 * len(named) <= len(loads) else set())
    rows = [
        Aside(
            source_id,
            loads[source_id],
            model.loads[source_id],
            ", ".join(model.models),
            model.fact,
            model.test,
            model.rows,
            code,
        )
        for model in broken
        for source_id in sorted(blamed.intersection(model.loads))
    ]
    for row in rows:
        log.warning(
            "%s: set aside: its rows in %s break a fact that all data must hold: %s",
            *(row.path, row.model, row.fact),
        )
    return rows


def read_aside(db: duckdb.DuckDBPyConnection, loads: Loads) -> list[Aside]:
    """Return the rows of meta.set_aside about loads that are still there as they were."""
    try:
        rows = [Aside(*row) for row in db.execute("FROM meta.set_aside").fetchall()]
    except duckdb.CatalogException:
        return []
    return [row for row in rows if loads.get(row.source_id) == row.loaded_at]


def write_aside(db: duckdb.DuckDBPyConnection, rows: Sequence[Aside]) -> None:
    """Make meta.set_aside of these rows."""
    _write(
        db,
        "set_aside",
        "source_id VARCHAR, loaded_at TIMESTAMP, path VARCHAR, model VARCHAR, fact VARCHAR, "
        "test VARCHAR, rows_failed BIGINT, code VARCHAR",
        "One row per load that the build does without, and fact that its rows break",
        rows,
    )


def keep_published(
    warehouse: Warehouse, db: duckdb.DuckDBPyConnection, broken: Sequence[Broken], about: str
) -> None:
    """Let what a broken fact concerns be as last published, and note it in meta.broken_fact.

    about: pattern of the models that list what is there: only a fact about themselves concerns
    them.
    """
    rows = [
        (*model[:4], [name for (name,) in db.execute(_READERS, [model.models, about]).fetchall()])
        for model in broken
    ]
    if rows:
        kept = {name for *_, names in rows for name in names}
        warehouse.store.keep_published(db, warehouse.file, kept)
    _write(
        db,
        "broken_fact",
        "test VARCHAR, models VARCHAR[], fact VARCHAR, rows_failed BIGINT, kept VARCHAR[]",
        "One row per fact that does not hold in the build",
        rows,
    )


def _write(
    db: duckdb.DuckDBPyConnection, name: str, columns: str, comment: str, rows: Sequence[Any]
) -> None:
    """Make a table of meta."""
    db.execute(f"CREATE SCHEMA IF NOT EXISTS meta; CREATE OR REPLACE TABLE meta.{name} ({columns})")
    db.execute(f"COMMENT ON TABLE meta.{name} IS '{comment}'")
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        db.executemany(f"INSERT INTO meta.{name} VALUES ({marks})", rows)
    comment_on_meta(db, [name])
