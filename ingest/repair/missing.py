"""Loads that are gone from the lake: their source files are loaded again.

A load is gone if it was committed (ingest.lake.commits) and is not there, though nobody removed it.
One that cannot be loaded again is noted as lost: an error in the data until it is loaded or
forgotten (ingest.lake.lost).
"""

from __future__ import annotations

import logging
from contextlib import closing
from pathlib import Path

from ingest.base.errors import SourceError
from ingest.base.files import name_of
from ingest.formats.archives import open_file
from ingest.formats.sources import open_source
from ingest.lake.alone import StepError
from ingest.lake.commits import commits, committing, expected_loads, note_removal
from ingest.lake.lost import lost_id, note_lost, original_id
from ingest.lake.seal import HowLoaded
from ingest.lake.warehouse import Warehouse
from ingest.load import is_forgotten
from ingest.loading import How, count_file, load_one
from ingest.partial import partial_loads, replacement_of

__all__ = ["digest_on_disk", "load_missing", "missing_loads", "removed_loads", "source_of"]

log = logging.getLogger(__name__)


def load_missing(warehouse: Warehouse) -> None:
    """Load what is gone again, or note that it is lost. What becomes of each is logged."""
    for load in _gone(warehouse):
        if load.source_id == original_id(load.source_id):
            _load_again(warehouse, load)
        else:  # it stood for a load that is lost
            note_removal(warehouse.lake, [load.source_id])


def missing_loads(warehouse: Warehouse) -> list[HowLoaded]:
    """Return the loads that were committed and are gone, though nothing has removed them.

    Those that are noted as lost are not among them.
    """
    return [load for load in _gone(warehouse) if not warehouse.store.holds(lost_id(load.source_id))]


def _gone(warehouse: Warehouse) -> list[HowLoaded]:
    if not _not_present(warehouse):
        return []
    with committing(warehouse.lake, nobody=True):  # or it is about to appear
        return _not_present(warehouse)


def _not_present(warehouse: Warehouse) -> list[HowLoaded]:
    partial, present = partial_loads(warehouse), warehouse.loads()
    return [
        load
        for source_id, load in sorted(expected_loads(warehouse.lake).items())
        if source_id not in present
        and not is_forgotten(warehouse, source_id)
        and not warehouse.store.is_removed(source_id)
        and not replacement_of(warehouse, source_id, partial)
    ]


def removed_loads(warehouse: Warehouse, roll_up: str) -> list[HowLoaded]:
    """Return the loads that retention removed for a roll-up, the last of its origin.

    Raises StepError if there is a later one, or a file cannot be loaded again.
    """
    if later := [source for source in warehouse.loads() if roll_up < source < roll_up[:-6] + ":"]:
        raise StepError(f"{roll_up}: {max(later)} counts on it: forget that first")
    rolled = warehouse.store.ledger("ledger_rolled").filter(rolled_into=roll_up)
    removed = set(rolled.drop_nulls("removed_at").select("source_id").collect()["source_id"])
    committed = {
        load.source_id: load for commit in commits(warehouse.lake) for load in commit.loads
    }
    loads = [committed[source_id] for source_id in sorted(removed) if source_id in committed]
    wrong = [
        f"{load.path} ({reason})"
        for load in loads
        if (reason := _is_another(source_of(warehouse, load), load))
    ] + sorted(removed - committed.keys())
    if wrong:
        more = f" and {len(wrong) - 3:,} more" if len(wrong) > 3 else ""
        raise StepError(
            f"{roll_up}: its hours exist nowhere else; put back first: {', '.join(wrong[:3])}{more}"
        )
    return loads


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
    with closing(open_file(file)) as opened:
        return opened.digest()


def _load_again(warehouse: Warehouse, load: HowLoaded) -> None:
    """Load the file of a load once more, or note that the load is lost.

    It has to be the file that was loaded.
    """
    file = source_of(warehouse, load)
    reason = _is_another(file, load)
    if not reason:
        how = How(load.origin, load.code_page, load.ams_type, load.about, unless_forgotten=True)
        again = load_one(warehouse, file, how)
        count_file(warehouse, again)
        reason = again.reasons[0] if again.status == "failed" else ""
    if not reason:
        log.warning("%s: its rows were lost, and are loaded again: %s", load.path, again.status)
        if again.source_id != load.source_id:  # it can be unpacked completely now
            note_removal(warehouse.lake, [load.source_id])
    elif not warehouse.store.holds(lost_id(load.source_id)):
        why = f"its rows are lost, and its file cannot be loaded again: {reason}"
        log.warning("%s: %s", load.path or load.source_id, why)
        note_lost(warehouse, load, why)


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
