"""Sets damaged files of the lake aside, so that they stop nothing else.

A load with a damaged file is moved to LAKE/damaged/ whole, as its other rows alone would be wrong.
The next build loads its source files again, if they are still where they were. Until then
LAKE/damaged/<load>/load_again.json names them.
"""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from ingest.damage import damage_of_log, damaged_parquet
from ingest.files import replacing
from ingest.folders import SCHEMA_FOLDER, Folders
from ingest.log import FOLDER
from ingest.rolled import HOURS
from ingest.spare import HowLoaded, read_spare
from ingest.warehouse import Warehouse

__all__ = ["Damaged", "find_damaged", "note_loaded_again", "set_aside", "to_load_again"]

_LIST = "load_again.json"

log = logging.getLogger(__name__)

Damaged = tuple[Path, str]  # a folder of raw/ or a file, and what is wrong


def find_damaged(warehouse: Warehouse) -> Iterator[Damaged]:
    """Yield each folder of raw/, and each file of verdicts, events or the log, that is damaged."""
    raw = warehouse.raw.resolve()
    for folder in sorted(raw.iterdir()) if raw.is_dir() else ():
        for file, reason in damaged_parquet(folder):
            yield folder, f"{file.name}: {reason}"
            break
    for folder in (warehouse.audit, warehouse.regressions):
        yield from damaged_parquet(folder)
    for file in sorted((warehouse.lake / FOLDER).glob("*.jsonl")):
        if reason := damage_of_log(file):
            yield file, reason


def set_aside(warehouse: Warehouse) -> list[str]:
    """Move what is damaged to LAKE/damaged/; return a line on each, which is logged too."""
    lines = []
    for place, reason in list(find_damaged(warehouse)):
        if place.name in {SCHEMA_FOLDER, "_schema.parquet"}:  # empty tables, made again from code
            for file, _ in damaged_parquet(place) if place.is_dir() else [(place, "")]:
                file.unlink()
            (warehouse.raw / SCHEMA_FOLDER / "version").unlink(missing_ok=True)
            continue
        loads = read_spare(place) if place.is_dir() else []
        if loads:
            _write_list(place, loads)
        kept = warehouse.lake / "damaged" / place.name
        kept.parent.mkdir(exist_ok=True)
        try:
            with _locked(warehouse):
                place.rename(kept.with_name(_free(kept)))
        except FileNotFoundError:  # another process moved it
            continue
        moved = f"{place}: damaged ({reason}), and moved to {kept.parent}"
        lines.append(moved + _advice(warehouse, place, loads))
        log.warning("%s", lines[-1])
    return lines


def _locked(warehouse: Warehouse) -> AbstractContextManager[None]:
    store = warehouse.store
    return store.lock(exclusive=True) if isinstance(store, Folders) else nullcontext()


def _free(kept: Path) -> str:
    taken = {file.name for file in kept.parent.iterdir()}
    names = (kept.name, *(f"{kept.name}.{number}" for number in range(1, len(taken) + 2)))
    return next(name for name in names if name not in taken)


def to_load_again(warehouse: Warehouse) -> list[HowLoaded]:
    """Return the loads that were set aside and not loaded again."""
    loads = (load for file in _lists(warehouse) for load in _read_list(file))
    return [load for load in dict.fromkeys(loads) if not warehouse.store.holds(load.source_id)]


def note_loaded_again(warehouse: Warehouse, done: HowLoaded) -> None:
    """Take a load from those to load again."""
    for file in _lists(warehouse):
        left = [load for load in _read_list(file) if load != done]
        if left:
            _write_list(file.parent, left)
        else:
            file.unlink()


def _lists(warehouse: Warehouse) -> list[Path]:
    return sorted((warehouse.lake / "damaged").glob(f"*/{_LIST}"))


def _read_list(file: Path) -> list[HowLoaded]:
    try:
        return [HowLoaded(*load) for load in json.loads(file.read_bytes())]
    except (OSError, ValueError, TypeError):
        return []


def _write_list(folder: Path, loads: list[HowLoaded]) -> None:
    with replacing(folder / _LIST) as draft:
        draft.write_text(json.dumps(loads, indent=0))


def _advice(warehouse: Warehouse, place: Path, loads: list[HowLoaded]) -> str:
    if place.parent.name == FOLDER:
        return "; the figures of its day are no longer known"
    if place.parent == warehouse.audit:
        return "; run the check again"
    if place.parent == warehouse.regressions:
        return "; its events are no longer known: restore the file from a backup if there is one"
    if place.name.startswith(f"{HOURS}-"):
        return "; the hours of removed records are in no file: restore them from a backup"
    if not loads:
        return "; load its source file again: its ledger, which names it, is damaged too"
    quoted = " ".join(shlex.quote(load.path) for load in loads)
    return f"; the next build loads its source files again: {quoted}"
