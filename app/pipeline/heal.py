"""Sets damaged files of the lake aside, so that they stop nothing else.

A load with a damaged file is moved to LAKE/damaged/ whole, as its other rows alone would be wrong.
It is then as if it had been forgotten: its source files can be loaded again, and what the DAGs find
in the landing folder is.
"""

from __future__ import annotations

import logging
import shlex
from collections.abc import Iterator
from pathlib import Path

import duckdb

from ingest.damage import damaged_parquet
from ingest.rolled import HOURS
from ingest.sql import pattern
from ingest.warehouse import SCHEMA_FOLDER, Warehouse

__all__ = ["Damaged", "find_damaged", "set_aside"]

log = logging.getLogger(__name__)

Damaged = tuple[Path, str]  # a folder of raw/ or a file, and what is wrong


def find_damaged(warehouse: Warehouse) -> Iterator[Damaged]:
    """Yield each folder of raw/, and each file of verdicts or events, that cannot be read."""
    raw = warehouse.raw.resolve()
    for folder in sorted(raw.iterdir()) if raw.is_dir() else ():
        for file, reason in damaged_parquet(folder):
            yield folder, f"{file.name}: {reason}"
            break
    for folder in (warehouse.audit, warehouse.regressions):
        yield from damaged_parquet(folder)


def set_aside(warehouse: Warehouse) -> list[str]:
    """Move what is damaged to LAKE/damaged/; return a line on each, which is logged too."""
    lines = []
    for place, reason in list(find_damaged(warehouse)):
        if place.name in {SCHEMA_FOLDER, "_schema.parquet"}:  # empty tables, made again from code
            for file, _ in damaged_parquet(place) if place.is_dir() else [(place, "")]:
                file.unlink()
            (warehouse.raw / SCHEMA_FOLDER / "version").unlink(missing_ok=True)
            continue
        paths = _sources(place) if place.is_dir() else []
        kept = warehouse.lake / "damaged" / place.name
        kept.parent.mkdir(exist_ok=True)
        try:
            with warehouse.raw_lock(exclusive=True):
                place.rename(kept.with_name(_free(kept)))
        except FileNotFoundError:  # another process moved it
            continue
        moved = f"{place}: damaged ({reason}), and moved to {kept.parent}"
        lines.append(moved + _advice(warehouse, place, paths))
        log.warning("%s", lines[-1])
    return lines


def _free(kept: Path) -> str:
    taken = {file.name for file in kept.parent.iterdir()}
    names = (kept.name, *(f"{kept.name}.{number}" for number in range(1, len(taken) + 2)))
    return next(name for name in names if name not in taken)


def _sources(folder: Path) -> list[str]:
    """Return the source files whose loads are in a folder, as far as its ledger can be read."""
    try:
        with duckdb.connect() as db:
            files = [pattern(str(file)) for file in folder.glob("ledger.*.parquet")]
            rows = db.execute("SELECT path FROM read_parquet($1)", [files]).fetchall()
    except duckdb.Error:  # it is damaged too
        return []
    return [path for (path,) in rows]


def _advice(warehouse: Warehouse, place: Path, paths: list[str]) -> str:
    if place.parent == warehouse.audit:
        return "; run the check again"
    if place.parent == warehouse.regressions:
        return "; its events are no longer known: restore the file from a backup if there is one"
    if place.name.startswith(f"{HOURS}-"):
        return "; the hours of removed records are in no file: restore them from a backup"
    if not paths:
        return "; load its source file again: its ledger, which names it, is damaged too"
    quoted = " ".join(map(shlex.quote, paths))
    return f"; load its source files again: {warehouse.command(f'run {quoted}')}"
