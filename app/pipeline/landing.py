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
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from app.pipeline.notices import send_unread
from app.pipeline.steps import is_current, prepare
from ingest.base.files import name_of, replacing
from ingest.base.waiting import locked
from ingest.formats.archives import on_disk
from ingest.formats.sources import Found, expand
from ingest.lake.log import SHOWN, step
from ingest.lake.warehouse import Warehouse
from ingest.loading import How, count_file, load_files
from ingest.writer import Load

__all__ = ["arrivals", "ingest_files", "is_behind", "is_read"]

SETTLED = float(os.environ.get("PERFHOUSE_SETTLED", "60"))  # seconds
_UNDER_WAY = {".filepart", ".part", ".partial", ".tmp"}  # suffixes of unfinished transfers
_NOTES = "landing.json"  # in the lake
_OFTEN = 100  # files after which notes are written
_CTIME = 2  # place in a note

log = logging.getLogger(__name__)

Notes = dict[str, list[int]]  # path -> size, mtime and ctime in ns, inode


def arrivals(warehouse: Warehouse, folder: Path, settled: float = SETTLED) -> list[Path]:
    """Return the files in or below `folder` that are complete and have not been read as they are.

    A file is complete if it has not changed for `settled` seconds, or seems to have changed in the
    future. What cannot be read is logged each time, and sent to the webhook once.
    """
    if not folder.is_dir():
        return []
    lake = {warehouse.file.resolve(), warehouse.lake.resolve()}
    sources = expand([folder], without=lake)
    for path, reason in sources.unread.items():
        log.error("%s: %s", name_of(path), reason)
    _log_unsent(send_unread(warehouse, "found", sources.unread))
    now = time.time()
    # The time of a change is ctime, because a copy may keep the mtime of the original.
    return [
        path
        for path, state in _not_read(warehouse, sources.files)
        if not 0 <= now - state[_CTIME] / 1e9 < settled
    ]


def is_read(warehouse: Warehouse, folder: Path) -> bool:
    """Return whether all that can be read in a part of the landing folder has been read."""
    return not any(_not_read(warehouse, expand([folder]).files))


def _not_read(warehouse: Warehouse, files: Iterable[Path]) -> Iterator[tuple[Path, list[int]]]:
    """Yield the files that have not been read as they are, and their states."""
    notes = _read_notes(warehouse)
    for path in files:
        state = _state_of(path)
        if path.suffix.lower() in _UNDER_WAY or state is None:  # under way, or gone by now
            continue
        if notes.get(str(path)) != state:
            yield path, state


def ingest_files(warehouse: Warehouse, folder: Path, files: Iterable[Path]) -> list[Load]:
    """Load files of the landing folder, and return how each file fared.

    Files that could not be read have the status `failed`; they are logged, sent to the webhook
    once, and retried next time. Several processes may do this at a time.
    """
    prepare(warehouse)
    states = {path: _state_of(path) for path in files}
    loads: list[Load] = []
    notes: Notes = {}
    inputs = Found(list(states), {}).with_members()
    for path, reason in inputs.unread.items():
        log.error("%s: %s", name_of(path), reason, extra=SHOWN)
    left = Counter(map(on_disk, inputs.files))
    with step(warehouse, "ingest"):
        for load in _load(warehouse, folder, inputs):
            count_file(warehouse, load)
            loads.append(load)
            path = on_disk(load.path)
            if load.status == "failed":
                log.error("%s: %s", name_of(load.path), load.reasons[0], extra=SHOWN)
                continue
            log.info("%s: %s, %d records", name_of(load.path), load.status, load.records)
            left[path] -= 1  # an archive was read if all that is in it was
            if not left[path] and (state := states[path]):
                notes[str(path)] = state
            if len(notes) == _OFTEN:
                _add_notes(warehouse, notes)
                notes = {}
        notes |= {str(path): state for path, state in states.items() if state and path not in left}
        _add_notes(warehouse, notes)
    failed = inputs.unread | {
        load.path: load.reasons[0]
        for load in loads
        if load.status == "failed" and os.path.lexists(on_disk(load.path))
    }
    _log_unsent(send_unread(warehouse, "read", failed, [load.path for load in loads]))
    return loads


def _load(warehouse: Warehouse, folder: Path, found: Found) -> Iterator[Load]:
    """Load files in this process, and yield each load as it ends."""
    for origin in (None, "simulated"):
        sizes = {
            path: size
            for path, size in found.sizes().items()
            if path.is_relative_to(folder / "simulated") == (origin is not None)
        }
        how = How(origin, unless_forgotten=True)
        yield from load_files(warehouse, sizes, how, lambda *_: None, jobs=1)


def is_behind(warehouse: Warehouse) -> bool:
    """Return whether something is loaded that the published marts do not show."""
    prepare(warehouse)
    with warehouse.connect() as db:
        anything = db.execute("SELECT 1 FROM raw.ledger LIMIT 1").fetchall()
    return bool(anything) and not is_current(warehouse)


def _log_unsent(reason: str) -> None:
    if reason:
        log.error("%s", reason)


def _state_of(path: Path) -> list[int] | None:
    """Return size, mtime, ctime and inode of a file; None if they are not available."""
    try:
        status = path.stat()
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _read_notes(warehouse: Warehouse) -> Notes:
    """Return the notes; none if they are missing or damaged, so that files are read again."""
    try:
        notes = json.loads((warehouse.lake / _NOTES).read_bytes())
    except (OSError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}


def _add_notes(warehouse: Warehouse, new: Notes) -> None:
    """Add notes, and remove those of files that are gone."""
    with locked(warehouse.lake / "landing.lock", wait=60):
        notes = _read_notes(warehouse) | new
        with replacing(warehouse.lake / _NOTES) as draft:
            kept = {path: state for path, state in notes.items() if os.path.lexists(path)}
            draft.write_text(json.dumps(kept, indent=0))
