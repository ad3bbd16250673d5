"""What is wrong with an installation and a warehouse, and how to put it right. Changes nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from typing import NamedTuple

import duckdb

from app.pipeline.build import is_current
from app.pipeline.heal import find_damaged, to_load_again
from app.pipeline.places import home
from app.pipeline.publication import TO_READERS
from expectations.store import ids
from ingest.damage import damage_of_database
from ingest.kept import version as version_of_views
from ingest.locked import is_ambiguous
from ingest.log import FOLDER
from ingest.sql import literal
from ingest.warehouse import Warehouse

__all__ = ["FAULT", "NOTE", "OK", "Finding", "examine"]

OK, NOTE, FAULT = "ok", "note", "fault"
_PINNED = re.compile(r"^([\w.-]+)(?:\[[^]]*\])?==([\w.]+)(?!.*extra ==)")
_OFTEN = 2  # failures of a step in a row that are a fault
_SPARE = 1 << 30  # bytes that a disk should have free beside the copies that a build needs


class Finding(NamedTuple):
    """The result of one check. fix: a command or an advice, '' if nothing is to be done."""

    state: str  # OK, NOTE (something to know) or FAULT (something does not work)
    about: str
    found: str
    fix: str = ""


def examine(warehouse: Warehouse) -> Iterator[Finding]:
    """Yield a finding for each check; a check that is fine says so."""
    yield from _installation()
    yield from _places(warehouse)
    if not warehouse.lake.is_dir():
        fix = warehouse.command("run PATH")
        yield Finding(NOTE, "warehouse", f"{warehouse.file}: there is none yet", fix)
        return
    yield _disk(warehouse)
    if is_ambiguous(warehouse.file):
        found = f"{warehouse.file.name}: other programs cannot tell its name from a schema's"
        fix = f"in them: ATTACH {literal(str(warehouse.file))} AS w (READ_ONLY); USE w"
        yield Finding(NOTE, "name", found, fix)
    databases = list(_databases(warehouse))
    damaged = [
        Finding(FAULT, "damage", f"{place}: {reason}", warehouse.command("build"))
        for place, reason in find_damaged(warehouse)
    ]
    yield from databases
    yield from damaged or [Finding(OK, "damage", "all files of the lake can be read")]
    if not damaged and all(one.state != FAULT for one in databases):
        yield from _published(warehouse)
    yield from _left_over(warehouse)
    yield from _clock(warehouse)


def _installation() -> Iterator[Finding]:
    here = ".".join(map(str, sys.version_info[:3]))
    wrong = []
    for wanted in requires("perfhouse") or ():
        if pinned := _PINNED.match(wanted):
            found = _version(pinned[1])
            if found != pinned[2]:
                wrong.append(f"{pinned[1]} is {found or 'missing'}, not {pinned[2]}")
    what = f"perfhouse {version('perfhouse')}, Python {here}, DuckDB {duckdb.__version__}"
    if wrong:
        fix = "make setup in a checkout, or install requirements.txt first"
        yield Finding(FAULT, "packages", f"{what}: {'; '.join(wrong)}", fix)
    else:
        yield Finding(OK, "packages", what)
    for name, extra in (("streamlit", "dashboard"), ("apache-airflow", "airflow")):
        if _version(name) is None:
            fix = f"pip install 'perfhouse[{extra}]' if you need it"
            yield Finding(NOTE, "packages", f"{extra} is not installed", fix)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _places(warehouse: Warehouse) -> Iterator[Finding]:
    places = {home() / "cache": "without it, every build parses dbt's project again"}
    places |= dict.fromkeys((warehouse.file.parent, warehouse.lake), "builds cannot write there")
    for place, otherwise in places.items():
        nearest = next(folder for folder in (place, *place.parents) if folder.exists())
        if not os.access(nearest, os.W_OK | os.X_OK):
            fix = f"let {_user()} write to {nearest}"
            yield Finding(FAULT, "permissions", f"{place}: {otherwise}", fix)
    secrets = (home() / "secrets", home() / "airflow", *(home() / "secrets").glob("*"))
    for secret in (one for one in secrets if one.exists()):
        if stat.S_IMODE(secret.stat().st_mode) & 0o077:
            mode = "700" if secret.is_dir() else "600"
            found = f"{secret}: others may read the secrets in it"
            yield Finding(FAULT, "permissions", found, f"chmod {mode} {secret}")


def _user() -> str:
    return f"user {os.geteuid()}"


def _disk(warehouse: Warehouse) -> Finding:
    free = shutil.disk_usage(warehouse.lake).free
    present = [file.stat().st_size for file in (warehouse.file, warehouse.work) if file.exists()]
    needed = 2 * max(present, default=0) + _SPARE
    found = f"{free / 1e9:,.1f} GB free; a build needs up to {needed / 1e9:,.1f} GB"
    if free >= needed:
        return Finding(OK, "disk", found)
    return Finding(FAULT, "disk", found, f"free some space on the disk of {warehouse.lake}")


def _databases(warehouse: Warehouse) -> Iterator[Finding]:
    for file, about, fix in (
        (warehouse.file, "published file", warehouse.command(*TO_READERS)),
        (warehouse.work, "working database", warehouse.command("build")),
    ):
        if not file.exists():
            yield Finding(NOTE, about, "there is none yet", fix)
        elif damage := damage_of_database(file):
            yield Finding(FAULT, about, f"{file}: {damage}", fix)
        else:
            yield Finding(OK, about, f"{file}: {file.stat().st_size / 1e6:,.0f} MB")


def _published(warehouse: Warehouse) -> Iterator[Finding]:
    """Compare what readers see with what is loaded and with this version of perfhouse."""
    fix = warehouse.command(*TO_READERS)
    if not warehouse.file.exists():
        return
    with warehouse.connect() as db:
        try:
            ((noted,),) = db.execute("SELECT raw_files.definition()").fetchall()
            defined = json.loads(noted)
        except (duckdb.Error, ValueError):
            yield Finding(FAULT, "published file", "it is not a warehouse of perfhouse", fix)
            return
        if defined.get("version") != version_of_views():
            yield Finding(NOTE, "published file", "its views are of another version", fix)
            return
        yield from _steps(warehouse, db)
        if is_current(db, warehouse.loads()):
            yield Finding(OK, "published file", "shows all loads")
        else:
            yield Finding(
                NOTE, "published file", "does not show all loads, or is of other code", fix
            )


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
        found = f"{step} failed or was interrupted {often} {since}"
        files = warehouse.lake / FOLDER
        fix = f"run it again; the log in {files} has the details"
        yield Finding(FAULT if failed >= _OFTEN else NOTE, "steps", _with(found, reason), fix)


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
        yield Finding(NOTE, "notices", f"{len(waiting)} are not accepted yet", fix)
    kept = warehouse.lake / "damaged"
    if kept.is_dir() and (number := len(list(kept.iterdir()))):
        found = f"{number} damaged loads or files were set aside"
        if left := [load.path for load in to_load_again(warehouse)]:
            found += f"; not loaded again yet: {', '.join(left)}"
        again = warehouse.command("build")
        fix = f"load their source files again: '{again}' does where it finds them; remove {kept}"
        yield Finding(NOTE, "damage", found, fix)


def _clock(warehouse: Warehouse) -> Iterator[Finding]:
    last = max([*ids(warehouse.audit), *ids(warehouse.regressions)], default="")
    if last > (now := f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}"):
        found = f"the last check was at {last[:15]}, and now it is {now[:15]} (UTC)"
        yield Finding(
            NOTE, "clock", found, "set the clock; the order of checks does not depend on it"
        )
