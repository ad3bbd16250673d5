"""What is wrong with an installation and a warehouse, and how to fix it. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

import duckdb

from app.pipeline.broken import read_aside
from app.pipeline.build import is_current
from app.pipeline.doctor_installation import (
    FAULT,
    NOTE,
    OK,
    Finding,
    check_clock,
    check_disk,
    check_installation,
    check_locks,
    check_memory,
    check_places,
    check_plugins,
    check_settings,
)
from app.pipeline.publication import TO_READERS
from app.pipeline.team import SETTING as TEAMS
from app.pipeline.team import teams
from ingest.base.errors import WarehouseError
from ingest.lake.cache import version as version_of_views
from ingest.lake.damage import damage_of_database, damage_of_tables
from ingest.lake.locked import MISREAD_OR_LOST, is_ambiguous, misread, open_database
from ingest.lake.log_fields import FOLDER
from ingest.lake.lost import lost_loads
from ingest.lake.merged import ids_in
from ingest.lake.restored import is_cut, replaced_warehouses
from ingest.lake.sql import literal
from ingest.lake.views import definition_of
from ingest.lake.warehouse import Warehouse
from ingest.repair.damaged import find_damaged
from ingest.repair.lake import find_damaged_files
from ingest.repair.missing import missing_loads

__all__ = ["examine"]

_OFTEN = 2  # failures of a step in a row that are a fault


def examine(warehouse: Warehouse, *, deep: bool = False) -> Iterator[Finding]:
    """Yield a finding for each check; a check that is fine says so.

    deep: read all rows, and compare them with what was written.
    """
    yield from _guard("packages", check_installation())
    yield from check_plugins()
    yield from _guard("permissions", check_places(warehouse))
    yield from _guard("restore", _set_aside_by_restores(warehouse))
    unusable = list(_guard("lake", _unusable(warehouse)))
    yield from unusable
    if unusable:
        return
    if not warehouse.lake.is_dir():
        fix = warehouse.command("run PATH")
        yield Finding(NOTE, "warehouse", f"{warehouse.file}: there is none yet", fix)
        return
    yield check_disk(warehouse)
    yield check_locks(warehouse)
    yield check_memory()
    if is_ambiguous(warehouse.file):
        finding = f"{warehouse.file.name}: other programs cannot tell its name from a schema's"
        fix = f"in them: ATTACH {literal(str(warehouse.file))} AS w (READ_ONLY); USE w"
        yield Finding(NOTE, "name", finding, fix)
    databases = list(_guard("databases", _databases(warehouse, deep=deep)))
    damaged = list(_guard("damage", _damage(warehouse, deep=deep)))
    yield from databases
    read = "no row of the lake has changed since it was written"
    if warehouse.store.profile:
        read = "all rows of the lake can be read"
    whole = "all files of the lake are there, and complete by size and frame"
    yield from damaged or [Finding(OK, "damage", read if deep else whole)]
    yield from _guard("lake", _unused_generations(warehouse))
    yield from check_settings(warehouse)
    if not damaged and all(database.state != FAULT for database in databases):
        fix = warehouse.command(*TO_READERS)
        yield from _guard("published file", _published_state(warehouse), fix)
    yield from _guard("lake", _left_over(warehouse))
    yield from _guard("clock", check_clock(warehouse))


def _guard(about: str, findings: Iterator[Finding], fix: str = "") -> Iterator[Finding]:
    """Yield findings; an error that ends a check is one, too."""
    try:
        yield from findings
    except Exception as error:  # whatever it is, the other checks go on
        reason = str(error)
        if isinstance(error, OSError) and error.errno is None:  # of a lake
            reason = error.strerror or reason
        first = (reason.splitlines() or [type(error).__name__])[0]
        yield Finding(FAULT, about, f"this check could not be finished: {first}", fix)


def _set_aside_by_restores(warehouse: Warehouse) -> Iterator[Finding]:
    if is_cut(warehouse.file):  # it may be what is put back
        return
    for path in replaced_warehouses(warehouse.file):
        finding = f"{path}: the warehouse that a restore replaced; publishing removes it"
        yield Finding(NOTE, "restore", finding, f"rm -r {quote(str(path))} if it is not needed")


def _unusable(warehouse: Warehouse) -> Iterator[Finding]:
    """Yield why the warehouse cannot be examined; nothing if it can."""
    build = warehouse.command("build")
    if is_cut(warehouse.file):
        finding = f"{warehouse.file}: a restore was interrupted; the next command finishes it"
        yield Finding(FAULT, "restore", finding, build)
        return
    try:
        later = warehouse.is_of_later_release()
    except WarehouseError as error:
        yield Finding(FAULT, "format", str(error))
        return
    if later:
        yield Finding(FAULT, "format", later, "install that release or a later one")
    elif trouble := warehouse.store.trouble():
        fix = build if trouble.is_mended else ""
        remedy = "; the next command repairs it" if trouble.is_mended else ""
        yield Finding(FAULT, "lake", f"{trouble.what}{remedy}", fix)
    elif lost := warehouse.has_lost_loads():
        yield Finding(FAULT, "lake", lost)


def _damage(warehouse: Warehouse, *, deep: bool) -> Iterator[Finding]:
    build = warehouse.command("build")
    fix = warehouse.command("reload") if deep else build
    named = set()
    for path, reason in find_damaged(warehouse, deep=deep):
        yield Finding(FAULT, "damage", f"{path}: {reason}", fix)
        named |= ids_in(path) if path.is_dir() else set()
    for file in find_damaged_files(warehouse, deep=deep):
        put_back = f"put it back from a backup; or load and build again: {fix}"
        yield Finding(FAULT, "damage", f"{file.path} ({file.table}): {file.damage}", put_back)
    for load in missing_loads(warehouse):
        if load.source_id not in named:
            yield Finding(FAULT, "damage", f"{load.path}: its load is gone from the lake", build)
    for load in lost_loads(warehouse):
        forget = warehouse.command(f"forget {load.source_id}")
        yield Finding(
            FAULT, "lost", f"{load.path}: its rows are lost, and so is its file",
            f"put the file back and run: {build}; or give it up: {forget}",
        )  # fmt: skip
    for folder, twice in warehouse.store.doubles().items():
        are = "load in it is" if len(twice) == 1 else "loads in it are"
        finding = f"{folder}: {len(twice)} {are} in another folder too"
        yield Finding(FAULT, "damage", finding, build)


def _unused_generations(warehouse: Warehouse) -> Iterator[Finding]:
    """Yield the generations of raw/ that nothing uses."""
    present = set(warehouse.loads())
    for generation, loads in warehouse.store.unused().items():
        remove = f"rm -r {quote(str(generation))}"
        missing = loads - present
        if missing:
            are = "load that is" if len(missing) == 1 else "loads that are"
            finding = f"{generation}: not in use, and has {len(missing)} {are} not in raw/"
            yield Finding(
                FAULT, "damage", finding, f"load the files again if need be; then {remove}"
            )
        else:
            finding = f"{generation}: not in use; all its loads are in raw/"
            yield Finding(NOTE, "space", finding, remove)


def _databases(warehouse: Warehouse, *, deep: bool) -> Iterator[Finding]:
    for file, about, commands, reads_all in (
        (warehouse.file, "published file", TO_READERS, TO_READERS),
        (warehouse.work, "working database", ("build",), ("reload", "build")),
    ):
        if not file.exists():
            yield Finding(NOTE, about, "there is none yet", warehouse.command(*commands))
        elif damage := damage_of_database(file):
            yield Finding(FAULT, about, f"{file}: {damage}", warehouse.command(*commands))
        elif deep and (damage := damage_of_tables(file)):
            yield Finding(FAULT, about, f"{file}: {damage}", warehouse.command(*reads_all))
        else:
            yield Finding(OK, about, f"{file}: {file.stat().st_size / 1e6:,.0f} MB")


def _published_state(warehouse: Warehouse) -> Iterator[Finding]:
    """Compare what readers see with what is loaded and with this version of perfhouse."""
    fix = warehouse.command(*TO_READERS)
    if not warehouse.file.exists():
        return
    with open_database(warehouse.file, read_only=True) as db:
        if not (defined := definition_of(db)):
            finding = "perfhouse did not make it, or its first release did"
            yield Finding(FAULT, "published file", finding, fix)
            return
        if defined.get("version") != version_of_views():
            yield Finding(NOTE, "published file", "its views are of another version", fix)
            return
        if warehouse.is_away(db):
            finding = "it was moved or copied; the next query lets it read the lake beside it"
            yield Finding(
                NOTE, "published file", finding, warehouse.command("sql 'FROM raw.ledger'")
            )
            return
        yield from _steps(warehouse, db)
        if lost := _lost_in_lake(db):
            yield Finding(FAULT, "published file", lost, fix)
            return
        yield from _set_aside(warehouse, db)
        yield from _projects(db)
        if is_current(db, warehouse.loads()):
            yield Finding(OK, "published file", "shows all loads")
        else:
            yield Finding(
                NOTE, "published file", "does not show all loads, or another version built it", fix
            )


def _set_aside(warehouse: Warehouse, db: duckdb.DuckDBPyConnection) -> Iterator[Finding]:
    """Yield the loads that builds do without."""
    for aside in read_aside(db, warehouse.loads()):
        finding = (
            f"{aside.path}: builds do without it, as its rows in {aside.model} break a fact that "
            f"all data must hold: {aside.fact}"
        )
        fix = warehouse.command(f"forget {aside.source_id}")
        yield Finding(FAULT, "set aside", finding, f"report it; or give the load up: {fix}")


def _projects(db: duckdb.DuckDBPyConnection) -> Iterator[Finding]:
    """Say how a team's own models went, and if this command does not know their project."""
    try:
        rows = db.execute("SELECT file, status FROM meta.team_result").fetchall()
    except duckdb.CatalogException:
        return
    if rows and not teams():
        fix = f"set {TEAMS} as builds have it: without it, they and what is published differ"
        yield Finding(NOTE, "own models", f"{rows[0][0]} is of a project not known here", fix)
    wrong = sum(status != "passed" for _, status in rows)
    finding = f"{len(rows):,} models and tests of your own, of which {wrong:,} did not pass"
    yield Finding(NOTE if wrong else OK, "own models", finding, "perfhouse check" if wrong else "")


def _lost_in_lake(db: duckdb.DuckDBPyConnection) -> str:
    """Return in a phrase that a lake does not have what a published file shows; else ''."""
    try:
        db.execute("FROM marts.dim_load LIMIT 0")
    except MISREAD_OR_LOST as error:
        return misread(db, error)
    return ""


def _steps(warehouse: Warehouse, db: duckdb.DuckDBPyConnection) -> Iterator[Finding]:
    """Say when each step last worked, and which keep failing."""
    done = db.execute(
        "SELECT step, last_ok_at, failed, reason FROM meta.pipeline_state "
        "WHERE status IS NOT NULL OR last_ok_at IS NOT NULL ORDER BY last_ok_at, step"
    ).fetchall()
    worked = [f"{step} {last:%Y-%m-%d %H:%M}" for step, last, *_ in done if last]
    if worked:
        yield Finding(OK, "steps", f"last success (UTC): {', '.join(worked)}")
    for step, last, failed, reason in done:
        if not failed:
            continue
        often = "once" if failed == 1 else f"{failed} times"
        since = f"since {last:%Y-%m-%d %H:%M}" if last else "and never worked"
        finding = f"{step} failed or was interrupted {often} {since}"
        files = warehouse.lake / FOLDER
        fix = f"run it again; the log in {files} has the details"
        yield Finding(FAULT if failed >= _OFTEN else NOTE, "steps", _with(finding, reason), fix)


def _with(found: str, reason: str | None) -> str:
    lines = (reason or "").strip().splitlines()
    return f"{found}: {lines[0]}" if lines else found


def _left_over(warehouse: Warehouse) -> Iterator[Finding]:
    waiting = list((warehouse.lake / "outbox").rglob("*-*.json"))
    if waiting:
        fix = (
            "check the servers (PERFHOUSE_NOTIFY, PERFHOUSE_SLACK, PERFHOUSE_MAIL_SERVER) and "
            "quiet hours; the next check sends them again"
        )
        are = "is" if len(waiting) == 1 else "are"
        yield Finding(NOTE, "notices", f"{len(waiting)} {are} not accepted yet", fix)
    kept = warehouse.lake / "damaged"
    if kept.is_dir() and (number := len(list(kept.iterdir()))):
        were = "load or file was" if number == 1 else "loads or files were"
        finding = f"{number} damaged {were} set aside"
        again = warehouse.command("build")
        fix = f"load their source files again: '{again}' does where it finds them; remove {kept}"
        yield Finding(NOTE, "damage", finding, fix)
