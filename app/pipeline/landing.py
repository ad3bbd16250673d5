"""The landing folder: files that arrive in it are ingested when they are complete.

LANDING/...               what the nearest file named ORIGIN says, or else measured
LANDING/simulated/...     simulated
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

from app.pipeline.steps import StepError, ingest_paths, is_current, prepare
from ingest.errors import SourceError
from ingest.sources import ORIGIN_FILE
from ingest.warehouse import Warehouse

__all__ = ["arrivals", "ingest_arrivals", "is_behind"]

SETTLED = float(os.environ.get("PERFHOUSE_SETTLED", "60"))  # seconds
_UNDER_WAY = {".filepart", ".part", ".partial", ".tmp"}  # names that senders give until the end

log = logging.getLogger(__name__)


def arrivals(warehouse: Warehouse, folder: Path, settled: float = SETTLED) -> list[Path]:
    """The files in `folder`, or below it, that are complete and not in the ledger as they are now.

    Complete is what has not changed for `settled` seconds. A file that changed after it was loaded
    is new again. A copy of a loaded file is new until it is read: only its content tells.
    """
    with warehouse.connect() as db:
        ledger = db.execute("SELECT path, max(loaded_at) FROM raw.ledger GROUP BY path").fetchall()
    loaded = {path: at.replace(tzinfo=UTC).timestamp() for path, at in ledger}
    latest = time.time() - settled
    return [
        path
        for path, changed in _files(folder)
        if changed <= latest and changed >= loaded.get(str(path), 0.0)
    ]


def ingest_arrivals(warehouse: Warehouse, folder: Path, settled: float = SETTLED) -> None:
    """Load what has arrived. A file that cannot be read is logged, and tried again next time."""
    folder.mkdir(parents=True, exist_ok=True)
    prepare(warehouse)
    for path in arrivals(warehouse, folder, settled):
        simulated = path.is_relative_to(folder / "simulated")
        try:
            (load,) = ingest_paths(warehouse, [path], "simulated" if simulated else None)
        except (SourceError, StepError) as error:
            log.error("%s", error)
        else:
            log.info("%s: %s, %d records", path, load.status, load.records)


def is_behind(warehouse: Warehouse) -> bool:
    """Whether something is loaded, and readers see other marts than a build would make of it."""
    with warehouse.connect() as db:
        anything = db.execute("SELECT 1 FROM raw.ledger LIMIT 1").fetchall()
    return bool(anything) and not is_current(warehouse)


def _files(folder: Path) -> Iterator[tuple[Path, float]]:
    """Each file and when it last changed.

    The inode's time, not the content's: a copy may keep the time of what it was copied from.
    """
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        passed = hidden or path.name == ORIGIN_FILE or path.suffix.lower() in _UNDER_WAY
        if not passed and path.is_file():
            yield path, path.stat().st_ctime
