"""The build of the marts in the working database: of everything, or of the days that changed.

A first build begins with the tables of an empty warehouse, if the cache has them (see
app.pipeline.empty). Any build makes only tables that read records, directly or through others.

meta.build        one row: the build that the database holds; missing while one is under way
meta.build_load   the loads in it, and the days that their records belong to
meta.build_day    the days that dbt builds again (see app.pipeline.days); empty otherwise
meta.price        the site's own prices (see app.pipeline.prices)
meta.lineage      which table is made of which (see app.pipeline.lineage)
meta.set_aside, meta.broken_fact  (see app.pipeline.broken)
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import NamedTuple

import duckdb

from app.pipeline import broken as facts
from app.pipeline import empty
from app.pipeline.broken import Aside, Broken
from app.pipeline.days import Changes, Days, changed_loads, note_loads, plan_days
from app.pipeline.dbt import Progress, Ran, run_dbt
from app.pipeline.dbt_parse import DBT_PROJECT
from app.pipeline.digest import digest_of
from app.pipeline.lineage import note_lineage
from app.pipeline.places import ROOT
from app.pipeline.prices import Price, prices_file, read_prices, unmatched_machines, write_prices
from app.pipeline.team import note_results, teams
from ingest.lake.log import note
from ingest.lake.meta_columns import comment_on_meta
from ingest.lake.store import WHOLE, Ranges
from ingest.lake.warehouse import Loads, Warehouse

__all__ = ["build_id", "build_marts", "is_current", "pending_changes"]

log = logging.getLogger(__name__)

#: What of models_sim predicts, and so changes a mart.
_PREDICTING = ("models_sim/base", "models_sim/models", "models_sim/predict.py")
_AFTER_PREDICTING = ("int_runs__rebuilt", "int_runs__predicted+")
#: Seeds and published figures are as they were when only loads of runs changed.
_UNCHANGED = ("resource_type:seed", "tag:published")
#: These list the loads, whatever is in them. All others only look up a load's origin and path.
_ABOUT_LOADS = "models/%/lake/%"
_READERS = """
    WITH RECURSIVE reader AS (
        SELECT name FROM meta.lineage WHERE list_has_any(parents, $1)
        UNION
        SELECT child.name
        FROM meta.lineage AS child JOIN reader ON list_contains(child.parents, reader.name)
        WHERE reader.name NOT IN (SELECT name FROM meta.lineage WHERE path LIKE $2)
    )
    SELECT name
    FROM meta.lineage
    WHERE kind IN ('incremental', 'table') AND layer <> 'team'
        AND (name IN (FROM reader) OR path LIKE $2)
"""


class _Build(NamedTuple):
    """The row of meta.build."""

    build_id: str
    built_at: datetime
    code_version: str
    loads: int
    models: str  # digest of what makes marts of loads
    predictions: str  # digest of what predicts


def build_marts(warehouse: Warehouse, progress: Progress | None = None) -> str:
    """Bring the working database up to date; return the identity of the build that it holds.

    If neither loads nor code changed, that is the last build. New and forgotten loads rebuild the
    days that they touch, a change of what predicts rebuilds what depends on predictions, and any
    other change, also of the site's prices, rebuilds everything. Raises DbtError, SettingsError.
    """
    prices = read_prices(file) if (file := prices_file()) else []
    loads, models, predictions = warehouse.loads(), _models(), _predictions()
    with warehouse.open_work() as db:
        last = _last_build(db)
        since = changed_loads(db, loads)
        changes = since if last and last.models == models else None
        was_aside = facts.read_aside(db, loads)
        aside = [load for load in was_aside if load.code == models]
        predicts = last is not None and last.predictions != predictions
        if last and changes is not None and not changes and not predicts:
            note(nodes=0)
            return last.build_id
        days, select = plan_days(warehouse, db, changes) if changes else None, list[str]()
        whole = changes is None or (bool(changes) and days is None)
        if not whole:
            db.execute("DROP TABLE meta.build")
        if days is not None:
            select = _begin_with_days(warehouse, db, days, aside)
    make = partial(_make, warehouse, loads, predicts=predicts, progress=progress)
    if whole:
        select = _begin_with_empty(warehouse, prices, loads, aside)
    nodes, broken = make(aside, days, select, whole=whole)
    suspects = {*(loads if since is None else since.new), *(load.source_id for load in was_aside)}
    if new := facts.blame(broken, suspects, loads, models):
        aside += new
        if days and changes and not whole and _ids(new) <= {*changes.new}:
            with warehouse.open_work() as db:
                select = _begin_with_days(warehouse, db, days, aside)
        else:
            whole, select = True, _begin_with_empty(warehouse, prices, loads, aside)
        again, broken = make(aside, days, select, whole=whole)
        nodes += again
    note(nodes=nodes, is_whole=whole, days=days.number if days else None)
    with warehouse.open_work() as db:
        if whole and warehouse.loads() != loads:
            models = ""  # some models may have seen the late loads: the next build is of everything
        if not note_results(db, warehouse.dbt):
            models = ""  # rows of a team's models are missing: as above
        note_lineage(db, warehouse.dbt)
        facts.keep_published(warehouse, db, broken, _ABOUT_LOADS)
        if broken:
            models = ""  # some tables are older than others: as above
        build = _Build(*_new_identity(), version("perfhouse"), len(loads), models, predictions)
        db.execute("BEGIN; TRUNCATE meta.build_day")
        note_loads(db, loads)
        db.execute(
            "CREATE TABLE meta.build AS SELECT $1 AS build_id, $2::TIMESTAMP AS built_at, "
            "$3 AS code_version, $4::BIGINT AS loads, $5 AS models, $6 AS predictions",
            list(build),
        )
        db.execute("COMMENT ON TABLE meta.build IS 'One row: the build that this file holds'")
        comment_on_meta(db, ("build", "build_load", "build_day", "price"))
        db.execute("COMMIT")
        warehouse.store.show_build(db, whole=whole)
        for line in unmatched_machines(db, prices):
            log.warning("%s: %s", prices_file(), line)
    return build.build_id


def _make(
    warehouse: Warehouse,
    loads: Loads,
    aside: Sequence[Aside],
    days: Days | None,
    select: Sequence[str],
    *,
    whole: bool,
    predicts: bool,
    progress: Progress | None,
) -> tuple[int, list[Broken]]:
    """Let dbt make what was begun; return its number of nodes, and the facts that do not hold."""
    runs = []
    if whole:
        runs.append(_run_dbt(warehouse, select=select, progress=progress))
    elif days is not None:
        runs.append(_run_dbt(warehouse, select=select, exclude=_UNCHANGED, progress=progress))
    if predicts and not whole:
        with warehouse.open_work() as db:
            db.execute("TRUNCATE meta.build_day")
            warehouse.refresh(db, _visible_loads(loads, aside))
        runs.append(_run_dbt(warehouse, select=_AFTER_PREDICTING, progress=progress))
    nodes, failed = sum(run.nodes for run in runs), [test for run in runs for test in run.failed]
    if not failed:
        return nodes, []
    with warehouse.open_work() as db:
        return nodes, facts.find_broken(db, failed)


def _visible_loads(loads: Loads, aside: Sequence[Aside]) -> dict[str, Ranges] | None:
    """Return what views show without the loads that are set aside; None for all rows."""
    gone = _ids(aside)
    return {load: [WHOLE] for load in loads if load not in gone} if gone else None


def _ids(aside: Sequence[Aside]) -> set[str]:
    return {load.source_id for load in aside}


def _run_dbt(
    warehouse: Warehouse,
    *,
    select: Sequence[str] = (),
    exclude: Sequence[str] = (),
    progress: Progress | None,
) -> Ran:
    return run_dbt(
        warehouse.work,
        warehouse.dbt,
        target=warehouse.store.dbt_target,
        threads=warehouse.store.dbt_threads,
        select=select,
        exclude=exclude,
        progress=progress,
    )


def is_current(db: duckdb.DuckDBPyConnection, loads: Loads) -> bool:
    """Return whether a database holds a build of exactly these loads by this code."""
    last = _last_build(db)
    return (
        last is not None
        and (last.models, last.predictions) == (_models(), _predictions())
        and changed_loads(db, loads) == ([], [])
    )


def pending_changes(db: duckdb.DuckDBPyConnection, loads: Loads) -> Changes | None:
    """Return what changed since the build in a database; None if this code made none."""
    last = _last_build(db)
    return changed_loads(db, loads) if last and last.models == _models() else None


def build_id(db: duckdb.DuckDBPyConnection) -> str | None:
    """Return the identity of the build in a database; None if none was finished."""
    last = _last_build(db)
    return last.build_id if last else None


def _last_build(db: duckdb.DuckDBPyConnection) -> _Build | None:
    names = ", ".join(_Build._fields)
    try:
        row = db.execute(f"SELECT {names} FROM meta.build").fetchone()
    except (duckdb.CatalogException, duckdb.BinderException):
        return None  # none, an unfinished one, or one of an earlier version
    return _Build(*row) if row else None


def _begin_with_days(
    warehouse: Warehouse, db: duckdb.DuckDBPyConnection, days: Days, aside: Sequence[Aside]
) -> list[str]:
    """Begin a build of the days that changed; return the models to build, or nothing for all."""
    days.write(warehouse, db, _ids(aside))
    facts.write_aside(db, aside)
    return [] if days.sources is None else _selection(_readers(db, days.sources))


def _begin_with_empty(
    warehouse: Warehouse, prices: list[Price], loads: Loads, aside: Sequence[Aside]
) -> list[str]:
    """Begin a build of everything; return the models to build, or nothing for all of them."""
    warehouse.discard_work()
    # A team's models may give rows to ours.
    kept = None if teams() else empty.kept_build()
    if kept:
        warehouse.begin_work(kept)
    with warehouse.open_work() as db:
        warehouse.refresh(db, _visible_loads(loads, aside))
        write_prices(db, prices)
        facts.write_aside(db, aside)
        if not kept:
            return []
        read = warehouse.sources_with_rows(db, of_all=True) + ["meta.price"] * bool(prices)
        models = _readers(db, read)
        warehouse.store.begin_build(db, kept, models)
    return _selection(models)


def _readers(db: duckdb.DuckDBPyConnection, sources: Sequence[str]) -> list[str]:
    """Return the models that read raw tables or their views, directly or through others."""
    return [name for (name,) in db.execute(_READERS, [sources, _ABOUT_LOADS]).fetchall()]


def _selection(models: Sequence[str]) -> list[str]:
    """Return what selects models in dbt, views (which a lake begins without), and the ledger."""
    named = (model.partition(".")[2] for model in models)
    return [*named, "config.materialized:view", "source:staging.lake__*"]


def _new_identity() -> tuple[str, datetime]:
    built_at = datetime.now(UTC).replace(tzinfo=None)
    return f"{built_at:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}", built_at


def _models() -> str:
    """Return a digest of what makes marts of loads: views, dbt's project, a team's, prices."""
    projects, prices = teams(), prices_file()
    places = [*empty.views(), DBT_PROJECT, *(project.folder for project in projects)]
    return digest_of(
        places, version("perfhouse"), prices.read_text("utf-8", "replace") if prices else ""
    )


def _predictions() -> str:
    return digest_of(ROOT / path for path in _PREDICTING)
