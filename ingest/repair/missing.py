"""Loads that are gone from the lake: their source files are loaded again.

A load is gone if the last build had it and nothing has removed it, or if it was set aside. One that
cannot be loaded again is noted as lost: an error in the data until it is loaded or forgotten
(ingest.lake.lost).
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import duckdb

from ingest.base.errors import SourceError
from ingest.base.files import name_of, replacing
from ingest.formats.sources import open_source
from ingest.lake.lost import LOST, note_lost, original_id
from ingest.lake.rolled import HOURS
from ingest.lake.spare import HowLoaded
from ingest.lake.warehouse import Warehouse
from ingest.load import is_forgotten
from ingest.loading import How, file_loaded, load_one
from ingest.partial import partial_loads, replacement_of

__all__ = [
    "digest_on_disk",
    "load_missing",
    "missing_loads",
    "note_to_load",
    "source_of",
    "to_load_again",
]

_LIST = "load_again.json"  # in LAKE/damaged/<load>: the loads whose files have to be loaded again

log = logging.getLogger(__name__)


def load_missing(warehouse: Warehouse) -> None:
    """Load what is gone again, or note that it is lost. What becomes of each is logged."""
    for load in missing_loads(warehouse):
        log.warning("%s: its rows are gone from the lake, and it was not forgotten", load.path)
        _note_missing(warehouse, load)
    for load in to_load_again(warehouse):
        _load_again(warehouse, load)


def missing_loads(warehouse: Warehouse) -> list[HowLoaded]:
    """Return the loads of the last build that are gone, though nothing has removed them."""
    if not warehouse.work.exists():
        return []
    try:
        with duckdb.connect(str(warehouse.work), read_only=True) as db:
            rows = db.execute(
                "SELECT DISTINCT source_id, path, origin, code_page, ams_type, coalesce(about, '') "
                # builds of earlier releases do not have the column
                "FROM (FROM meta.build_load UNION ALL BY NAME SELECT ''::VARCHAR about WHERE false)"
                f" WHERE kind NOT IN ('{HOURS}', '{LOST}') ORDER BY ALL"
            ).fetchall()
    except duckdb.Error:  # no build, one of another release, or a damaged database
        return []
    known = partial_loads(warehouse)
    present = {*warehouse.loads(), *(load.source_id for load in to_load_again(warehouse))}
    return [
        load
        for load in (HowLoaded(*row) for row in rows)
        if load.source_id not in present
        and not is_forgotten(warehouse, load.source_id)
        and not warehouse.store.is_removed(load.source_id)
        and not replacement_of(warehouse, load.source_id, known)
    ]


def source_of(warehouse: Warehouse, load: HowLoaded) -> Path:
    """Return where the file of a load is: its path, if need be with bytes that are not UTF-8."""
    path = Path(load.path)
    if path.parent.name == "declared" and not path.exists():  # the warehouse was moved
        return warehouse.lake / "declared" / path.name
    if not path.exists() and path.parent.is_dir():
        return next((p for p in path.parent.iterdir() if name_of(p) == load.path), path)
    return path


def digest_on_disk(file: Path) -> str:
    """Return the identity of a file that could not be unpacked completely when it was loaded."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _load_again(warehouse: Warehouse, load: HowLoaded) -> None:
    """Load the file of a load once more, or note that the load is lost.

    It has to be the file that was loaded. What was forgotten since stays so.
    """
    if is_forgotten(warehouse, load.source_id) or load.source_id != original_id(load.source_id):
        return _note_loaded_again(warehouse, load)
    file = source_of(warehouse, load)
    reason = _is_another(file, load)
    if not reason:
        how = How(load.origin, load.code_page, load.ams_type, load.about, unless_forgotten=True)
        again = load_one(warehouse, file, how)
        file_loaded(warehouse, again)
        reason = again.reasons[0] if again.status == "failed" else ""
    if reason:
        log.warning("%s: its rows are lost, and it cannot be loaded again: %s", load.path, reason)
        note_lost(
            warehouse, load, f"its rows are lost, and its file cannot be loaded again: {reason}"
        )
    else:
        log.warning("%s: its rows were lost, and are loaded again: %s", load.path, again.status)
        _note_loaded_again(warehouse, load)
    return None


def _is_another(file: Path, load: HowLoaded) -> str:
    """Return why a file is not the one that was loaded, or cannot be read; '' if it is."""
    try:
        with open_source(file) as source:
            if load.source_id == source.identity().source_id:
                return ""
            if load.source_id == digest_on_disk(file):
                return ""
    except OSError as error:
        return error.strerror or str(error)
    except SourceError as error:
        return str(error)
    return "the file is not the one that was loaded"


# --- what has to be loaded again


def note_to_load(folder: Path, loads: Sequence[HowLoaded]) -> None:
    """Let loads be loaded again whose folder was set aside as `folder`."""
    with replacing(folder / _LIST) as draft:
        draft.write_text(json.dumps(loads, indent=0))


def _note_missing(warehouse: Warehouse, load: HowLoaded) -> None:
    """Let a load be loaded again whose folder is gone."""
    folder = warehouse.lake / "damaged" / load.source_id
    folder.mkdir(parents=True, exist_ok=True)
    note_to_load(folder, [load])


def to_load_again(warehouse: Warehouse) -> list[HowLoaded]:
    """Return the loads that were set aside and not loaded again."""
    loads = (load for file in _lists(warehouse) for load in _read_list(file))
    return [load for load in dict.fromkeys(loads) if not warehouse.store.holds(load.source_id)]


def _note_loaded_again(warehouse: Warehouse, done: HowLoaded) -> None:
    """Take a load from those to load again."""
    for file in _lists(warehouse):
        left = [load for load in _read_list(file) if load != done]
        if left:
            note_to_load(file.parent, left)
        else:
            file.unlink()
            with suppress(OSError):  # what was set aside is kept
                file.parent.rmdir()


def _lists(warehouse: Warehouse) -> list[Path]:
    return sorted((warehouse.lake / "damaged").glob(f"*/{_LIST}"))


def _read_list(file: Path) -> list[HowLoaded]:
    try:
        return [HowLoaded(*load) for load in json.loads(file.read_bytes())]
    except (OSError, ValueError, TypeError):
        return []
