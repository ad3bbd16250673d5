"""What is wrong with an installation and a warehouse, and how to fix it. Changes nothing."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from shlex import quote
from typing import NamedTuple

import duckdb
from packaging.requirements import Requirement

from app.pipeline.broken import read_aside
from app.pipeline.build import is_current
from app.pipeline.places import home
from app.pipeline.prices import prices_file, read_prices
from app.pipeline.publication import TO_READERS
from app.pipeline.retention import read_policy
from app.pipeline.team import SETTING as TEAMS
from app.pipeline.team import teams
from expectations.baselines import baselines_file, read_baselines
from expectations.limits import read_limits
from expectations.store import ids
from expectations.thresholds import read_thresholds
from ingest.base.errors import SettingsError, WarehouseError
from ingest.base.extras import is_installed
from ingest.base.waiting import trouble_with_locks
from ingest.formats.plugin import SETTING as PLUGINS
from ingest.formats.plugin import plugins, problems
from ingest.lake.cache import version as version_of_views
from ingest.lake.catalogue import raw_schemas
from ingest.lake.commits import lock_of
from ingest.lake.damage import damage_of_database, damage_of_tables
from ingest.lake.folders import ids_in
from ingest.lake.locked import MISREAD_OR_LOST, is_ambiguous, misread, open_database
from ingest.lake.log_fields import FOLDER
from ingest.lake.lost import lost_loads
from ingest.lake.memory import SETTING, build_memory, machine_memory
from ingest.lake.restored import is_cut, replaced_warehouses
from ingest.lake.sql import literal
from ingest.lake.views import definition_of
from ingest.lake.warehouse import Warehouse
from ingest.repair.damaged import find_damaged
from ingest.repair.lake import find_damaged_files
from ingest.repair.missing import missing_loads

__all__ = ["FAULT", "NOTE", "OK", "Finding", "examine"]

OK, NOTE, FAULT = "ok", "note", "fault"
_EXTRA = re.compile(r"extra == [\"']([^\"']+)")
_OFTEN = 2  # failures of a step in a row that are a fault
_SPARE = 1 << 30  # bytes that a disk should have free beside the copies that a build needs


class Finding(NamedTuple):
    """The result of one check. fix: a command or an advice, '' if nothing is to be done."""

    state: str  # OK, NOTE (something to know) or FAULT (something does not work)
    about: str
    found: str
    fix: str = ""


def examine(warehouse: Warehouse, *, deep: bool = False) -> Iterator[Finding]:
    """Yield a finding for each check; a check that is fine says so.

    deep: read all rows, and compare them with what was written.
    """
    yield from _guard("packages", _installation())
    yield from _plugins()
    yield from _guard("permissions", _places(warehouse))
    yield from _guard("restore", _set_aside_by_restores(warehouse))
    unusable = list(_guard("lake", _unusable(warehouse)))
    yield from unusable
    if unusable:
        return
    if not warehouse.lake.is_dir():
        fix = warehouse.command("run PATH")
        yield Finding(NOTE, "warehouse", f"{warehouse.file}: there is none yet", fix)
        return
    yield _disk(warehouse)
    yield _locks(warehouse)
    yield _memory()
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
    yield from _settings(warehouse)
    if not damaged and all(database.state != FAULT for database in databases):
        fix = warehouse.command(*TO_READERS)
        yield from _guard("published file", _published_state(warehouse), fix)
    yield from _guard("lake", _left_over(warehouse))
    yield from _guard("clock", _clock(warehouse))


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


def _installation() -> Iterator[Finding]:
    python = ".".join(map(str, sys.version_info[:3]))
    by_extra: dict[str, list[Requirement]] = {}
    for wanted in map(Requirement, requires("perfhouse") or ()):
        named = _EXTRA.search(str(wanted.marker))
        by_extra.setdefault(named[1] if named else "", []).append(wanted)
    wrong: dict[str, None] = {}  # in order, once each
    for extra, all_wanted in by_extra.items():
        versions = [_version(wanted.name) for wanted in all_wanted]
        if extra and None in versions:  # it is not installed
            continue
        for wanted, installed in zip(all_wanted, versions, strict=True):
            if installed is None or not wanted.specifier.contains(installed, prereleases=True):
                wrong[f"{wanted.name} is {installed or 'missing'}, not {wanted.specifier}"] = None
    installed_versions = (
        f"perfhouse {version('perfhouse')}, Python {python}, DuckDB {duckdb.__version__}"
    )
    if wrong:
        fix = "make setup in a checkout, or install requirements.txt first"
        yield Finding(FAULT, "packages", f"{installed_versions}: {'; '.join(wrong)}", fix)
    else:
        yield Finding(OK, "packages", installed_versions)
    missing = [extra for extra in ("build", "dashboard") if not is_installed(extra)]
    for extra in [*missing, *([] if _version("apache-airflow") else ["airflow"])]:
        fix = f"pip install 'perfhouse[{extra}]' if you need it"
        yield Finding(NOTE, "packages", f"{extra} is not installed", fix)


def _plugins() -> Iterator[Finding]:
    """Name the plug-ins, and what is wrong with them."""
    names = [plugin.name for plugin in plugins()]
    raw_schemas()  # registers what they add
    for problem in problems():
        fix = f"correct or uninstall it, or take it out of {PLUGINS}"
        yield Finding(FAULT, "plug-ins", problem, fix)
    if names:
        yield Finding(OK, "plug-ins", ", ".join(names))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _places(warehouse: Warehouse) -> Iterator[Finding]:
    places = {home() / "cache": "without it, every build parses dbt's project again"}
    places |= dict.fromkeys((warehouse.file.parent, warehouse.lake), "builds cannot write there")
    for variable, otherwise in places.items():
        nearest = next(folder for folder in (variable, *variable.parents) if folder.exists())
        if not os.access(nearest, os.W_OK | os.X_OK):
            fix = f"let {_user()} write to {nearest}"
            yield Finding(FAULT, "permissions", f"{variable}: {otherwise}", fix)
    secrets = (home() / "secrets", home() / "airflow", *(home() / "secrets").glob("*"))
    for secret in (file for file in secrets if file.exists()):
        if stat.S_IMODE(secret.stat().st_mode) & 0o077:
            mode = "700" if secret.is_dir() else "600"
            finding = f"{secret}: others may read the secrets in it"
            yield Finding(FAULT, "permissions", finding, f"chmod {mode} {secret}")


def _user() -> str:
    return f"user {os.geteuid()}"


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


def _settings(warehouse: Warehouse) -> Iterator[Finding]:
    """Name the settings that a command would refuse."""
    reading = (
        lambda: read_policy(warehouse),
        lambda: read_baselines(baselines_file()),
        lambda: (file := prices_file()) and read_prices(file),
        lambda: read_thresholds(read_limits().least_percent),
        teams,
    )
    for read in reading:
        try:
            read()
        except SettingsError as error:
            yield Finding(FAULT, "settings", str(error), "correct the file or the variable")


def _disk(warehouse: Warehouse) -> Finding:
    free = shutil.disk_usage(warehouse.lake).free
    present = [file.stat().st_size for file in (warehouse.file, warehouse.work) if file.exists()]
    needed = 2 * max(present, default=0) + _SPARE
    finding = f"{free / 1e9:,.1f} GB free; a build needs up to {needed / 1e9:,.1f} GB"
    if free >= needed:
        return Finding(OK, "disk", finding)
    return Finding(FAULT, "disk", finding, f"free some space on the disk of {warehouse.lake}")


def _locks(warehouse: Warehouse) -> Finding:
    lock = lock_of(warehouse.lake)
    if lock.exists() and (reason := trouble_with_locks(lock)):
        return Finding(FAULT, "locks", reason, "see docs/operations.md")
    return Finding(OK, "locks", "one process at a time can hold a lock")


def _memory() -> Finding:
    try:
        most, all_of_it = build_memory(), machine_memory()
    except SettingsError as error:
        return Finding(FAULT, "memory", str(error), f"correct {SETTING}")
    finding = f"a build takes up to {most / 1e9:,.1f} GB of {all_of_it / 1e9:,.1f} GB ({SETTING})"
    if most <= all_of_it:
        return Finding(OK, "memory", finding)
    return Finding(FAULT, "memory", finding, f"set {SETTING} to less than the machine has")


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


def _clock(warehouse: Warehouse) -> Iterator[Finding]:
    last = max([*ids(warehouse.audit), *ids(warehouse.regressions)], default="")
    if last > (now := f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}"):
        finding = f"the last check was at {last[:15]}, and now it is {now[:15]} (UTC)"
        yield Finding(
            NOTE, "clock", finding, "set the clock; the order of checks does not depend on it"
        )
