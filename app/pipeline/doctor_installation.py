"""Checks of the installation and the machine, whatever the warehouse."""

from __future__ import annotations

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
from packaging.requirements import Requirement

from app.pipeline.places import home
from app.pipeline.prices import prices_file, read_prices
from app.pipeline.retention import read_policy
from app.pipeline.team import teams
from expectations.baselines import baselines_file, read_baselines
from expectations.limits import read_limits
from expectations.store import ids
from expectations.thresholds import read_thresholds
from ingest.base.errors import SettingsError
from ingest.base.extras import is_installed
from ingest.base.waiting import trouble_with_locks
from ingest.formats.plugin import SETTING as PLUGINS
from ingest.formats.plugin import plugins, problems
from ingest.lake.catalogue import raw_schemas
from ingest.lake.commits import lock_of
from ingest.lake.memory import SETTING, build_memory, machine_memory
from ingest.lake.warehouse import Warehouse

__all__ = [
    "FAULT",
    "NOTE",
    "OK",
    "Finding",
    "check_clock",
    "check_disk",
    "check_installation",
    "check_locks",
    "check_memory",
    "check_places",
    "check_plugins",
    "check_settings",
]

OK, NOTE, FAULT = "ok", "note", "fault"
_EXTRA = re.compile(r"extra == [\"']([^\"']+)")
_SPARE = 1 << 30  # bytes that a disk should have free beside the copies that a build needs


class Finding(NamedTuple):
    """The result of one check. fix: a command or an advice, '' if nothing is to be done."""

    state: str  # OK, NOTE (something to know) or FAULT (something does not work)
    about: str
    found: str
    fix: str = ""


def check_installation() -> Iterator[Finding]:
    """Compare the packages with those that this version is tested with."""
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


def check_plugins() -> Iterator[Finding]:
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


def check_places(warehouse: Warehouse) -> Iterator[Finding]:
    """Look whether the folders can be written, and secrets are private."""
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


def check_settings(warehouse: Warehouse) -> Iterator[Finding]:
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


def check_disk(warehouse: Warehouse) -> Finding:
    """Compare the free space with what a build needs."""
    free = shutil.disk_usage(warehouse.lake).free
    present = [file.stat().st_size for file in (warehouse.file, warehouse.work) if file.exists()]
    needed = 2 * max(present, default=0) + _SPARE
    finding = f"{free / 1e9:,.1f} GB free; a build needs up to {needed / 1e9:,.1f} GB"
    if free >= needed:
        return Finding(OK, "disk", finding)
    return Finding(FAULT, "disk", finding, f"free some space on the disk of {warehouse.lake}")


def check_locks(warehouse: Warehouse) -> Finding:
    """Look whether locks hold on the file system of the lake."""
    lock = lock_of(warehouse.lake)
    if lock.exists() and (reason := trouble_with_locks(lock)):
        return Finding(FAULT, "locks", reason, "see docs/operations.md")
    return Finding(OK, "locks", "one process at a time can hold a lock")


def check_memory() -> Finding:
    """Compare the memory of a build with that of the machine."""
    try:
        most, all_of_it = build_memory(), machine_memory()
    except SettingsError as error:
        return Finding(FAULT, "memory", str(error), f"correct {SETTING}")
    finding = f"a build takes up to {most / 1e9:,.1f} GB of {all_of_it / 1e9:,.1f} GB ({SETTING})"
    if most <= all_of_it:
        return Finding(OK, "memory", finding)
    return Finding(FAULT, "memory", finding, f"set {SETTING} to less than the machine has")


def check_clock(warehouse: Warehouse) -> Iterator[Finding]:
    """Yield a fault if the clock is before that of the last check."""
    last = max([*ids(warehouse.audit), *ids(warehouse.regressions)], default="")
    if last > (now := f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}"):
        finding = f"the last check was at {last[:15]}, and now it is {now[:15]} (UTC)"
        yield Finding(
            NOTE, "clock", finding, "set the clock; the order of checks does not depend on it"
        )
