"""Sets damaged files of the lake aside, so that everything else can continue.

A load with a damaged or missing file is moved to LAKE/damaged/ as a whole, because its other rows
alone would be wrong. The next build loads its source files again, if they are still where they
were.
"""

from __future__ import annotations

import logging
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from ingest.lake.commits import commits
from ingest.lake.damage import damage_of_log, damaged_parquet
from ingest.lake.generations import SCHEMA_FOLDER
from ingest.lake.log_fields import FOLDER
from ingest.lake.rolled import HOURS
from ingest.lake.seal import (
    HowLoaded,
    damage_of_folder,
    loads_in,
    read_seal,
    rows_of,
    seal_what_is_there,
)
from ingest.lake.warehouse import Warehouse

__all__ = ["Damaged", "find_damaged", "set_aside"]

log = logging.getLogger(__name__)

Damaged = tuple[Path, str]  # a folder of raw/ or a file, and what is wrong


def find_damaged(warehouse: Warehouse, *, deep: bool = False) -> Iterator[Damaged]:
    """Yield each folder of raw/, and each file of verdicts, events or the log, that is damaged.

    deep: read every byte of the rows, and compare it with what was written. Lakes of earlier
    formats have no seals: in them only damaged files are found.
    """
    is_sealed = warehouse.is_sealed()
    raw = warehouse.raw.resolve()
    if raw.is_dir() and not (raw / SCHEMA_FOLDER).is_dir():
        yield raw / SCHEMA_FOLDER, "it is missing"
    for folder in sorted(raw.iterdir()) if raw.is_dir() else ():
        damaged = damage_of_folder(folder, deep=deep) if is_sealed else damaged_parquet(folder)
        for file, reason in damaged:
            yield folder, f"{file.name}: {reason}"
            break
    for folder in (warehouse.audit, warehouse.regressions):
        yield from damaged_parquet(folder)
    for file in sorted((warehouse.lake / FOLDER).glob("*.jsonl")):
        if reason := damage_of_log(file):
            yield file, reason


def set_aside(warehouse: Warehouse, *, deep: bool = False) -> list[str]:
    """Move what is damaged to LAKE/damaged/; return a line on each, which is logged too."""
    lines = []
    for path, reason in list(find_damaged(warehouse, deep=deep)):
        if path.name in {SCHEMA_FOLDER, "_schema.parquet"}:  # empty tables, made again from code
            for file, _ in damage_of_folder(path) if path.is_dir() else [(path, "")]:
                file.unlink(missing_ok=True)
            if path.name == SCHEMA_FOLDER:
                (warehouse.raw / SCHEMA_FOLDER / "version").unlink(missing_ok=True)
                warehouse.store.create()
            continue
        if path.is_dir() and _has_only_lost_its_seal(warehouse, path):
            log.warning("%s: its list of files is rebuilt (%s)", path, reason)
            seal_what_is_there(path)
            continue
        loads = loads_in(path) if path.is_dir() else []
        target = warehouse.lake / "damaged" / path.name
        target.parent.mkdir(exist_ok=True)
        try:
            with warehouse.store.changing():
                path.rename(target.with_name(_free(target)))
        except FileNotFoundError:  # another process moved it
            continue
        moved = f"{path}: damaged ({reason}), and moved to {target.parent}"
        lines.append(moved + _advice(warehouse, path, loads))
        log.warning("%s", lines[-1])
    return lines


def _has_only_lost_its_seal(warehouse: Warehouse, folder: Path) -> bool:
    """Return whether a folder without a seal has all rows of its loads, as their commits say."""
    if read_seal(folder) or any(damaged_parquet(folder)):
        return False
    loads = {load.source_id for load in loads_in(folder)}
    rows = sum(
        commit.rows
        for commit in commits(warehouse.lake)
        if {load.source_id for load in commit.loads} <= loads
    )
    return bool(loads) and rows == sum(rows_of(file) for file in folder.glob("*.parquet"))


def _free(kept: Path) -> str:
    taken = {file.name for file in kept.parent.iterdir()}
    names = (kept.name, *(f"{kept.name}.{number}" for number in range(1, len(taken) + 2)))
    return next(name for name in names if name not in taken)


def _advice(warehouse: Warehouse, place: Path, loads: Sequence[HowLoaded]) -> str:
    if place.parent.name == FOLDER:
        return "; the figures of its day are no longer known"
    if place.parent == warehouse.audit:
        return "; run the check again"
    if place.parent == warehouse.regressions:
        return "; its events are no longer known: restore the file from a backup if there is one"
    if place.name.startswith(f"{HOURS}-"):
        return "; these hours exist nowhere else: restore them from a backup"
    quoted = " ".join(shlex.quote(load.path) for load in loads)
    return f"; the next build loads its source files again: {quoted}".rstrip(": ")
