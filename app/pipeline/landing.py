"""The landing folder: files in it are ingested once they are complete.

LANDING/...               origin as the nearest file named ORIGIN says, otherwise measured
LANDING/simulated/...     origin simulated

The lake keeps a note of the files that were read, with their size, times and inode. A file that
differs from its note in any of these is read again, whatever the clock says; so a copy is read only
once, and a load that was forgotten stays so until its file changes or is ingested by name.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

from app.pipeline.steps import ingest_file, is_current, prepare
from ingest.files import name_of, replacing
from ingest.load import Load
from ingest.sources import expand
from ingest.warehouse import Warehouse

__all__ = ["arrivals", "ingest_arrivals", "is_behind"]

SETTLED = float(os.environ.get("PERFHOUSE_SETTLED", "60"))  # seconds
_UNDER_WAY = {".filepart", ".part", ".partial", ".tmp"}  # suffixes of unfinished transfers
_NOTES = "landing.json"  # in the lake
_OFTEN = 100  # files after which notes are written

log = logging.getLogger(__name__)

Notes = dict[str, list[int]]  # path -> size, mtime and ctime in ns, inode


def arrivals(warehouse: Warehouse, folder: Path, settled: float = SETTLED) -> list[Path]:
    """Return the files in or below `folder` that are complete and have not been read as they are.

    A file is complete if it has not changed for `settled` seconds, or seems to have changed in the
    future.
    """
    notes = _read_notes(warehouse)
    return [path for path, _ in _arrived(warehouse, folder, settled, notes, {})]


def ingest_arrivals(warehouse: Warehouse, folder: Path, settled: float = SETTLED) -> list[Load]:
    """Load what has arrived, and return how each file fared.

    Files that could not be read have the status `failed`; they are logged, and tried again next
    time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    prepare(warehouse)
    notes = _read_notes(warehouse)
    unread: dict[Path, str] = {}
    loads = []
    for path, state in _arrived(warehouse, folder, settled, notes, unread):
        simulated = path.is_relative_to(folder / "simulated")
        load = ingest_file(
            warehouse, path, "simulated" if simulated else None, unless_forgotten=True
        )
        loads.append(load)
        if load.status == "failed":
            continue
        log.info("%s: %s, %d records", name_of(path), load.status, load.records)
        notes[str(path)] = state
        if len(loads) % _OFTEN == 0:
            _write_notes(warehouse, notes)
    loads += [Load("", path, "failed", reasons=[reason]) for path, reason in unread.items()]
    for load in loads:
        if load.status == "failed":
            log.error("%s: %s", name_of(load.path), load.reasons[0])
    _write_notes(warehouse, {path: state for path, state in notes.items() if os.path.lexists(path)})
    return loads


def is_behind(warehouse: Warehouse) -> bool:
    """Return whether something is loaded that the published marts do not show."""
    with warehouse.connect() as db:
        anything = db.execute("SELECT 1 FROM raw.ledger LIMIT 1").fetchall()
    return bool(anything) and not is_current(warehouse)


def _arrived(
    warehouse: Warehouse, folder: Path, settled: float, notes: Notes, unread: dict[Path, str]
) -> Iterator[tuple[Path, list[int]]]:
    """Yield each file that has arrived with its state; note what cannot be read.

    The time of a change is ctime, because a copy may keep the mtime of the original.
    """
    if not folder.is_dir():
        return
    lake = {warehouse.file.resolve(), warehouse.lake.resolve()}
    found = expand([folder], without=lake)
    unread |= found.unread
    now = time.time()
    for path in found.files:
        if path.suffix.lower() in _UNDER_WAY:
            continue
        try:
            status = path.stat()
        except OSError as error:
            unread[path] = error.strerror or str(error)
            continue
        state = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
        is_settled = not 0 <= now - status.st_ctime < settled
        if is_settled and notes.get(str(path)) != state:
            yield path, state


def _read_notes(warehouse: Warehouse) -> Notes:
    """Return what is noted; nothing if the notes are missing or damaged: files are read again."""
    try:
        notes = json.loads((warehouse.lake / _NOTES).read_bytes())
    except (OSError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}


def _write_notes(warehouse: Warehouse, notes: Notes) -> None:
    with replacing(warehouse.lake / _NOTES) as draft:
        draft.write_text(json.dumps(notes, indent=0))
