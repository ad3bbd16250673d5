"""The landing folder: files in it are ingested once they are complete.

LANDING/...               origin as the nearest file named ORIGIN says, otherwise measured
LANDING/simulated/...     origin simulated
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
_UNDER_WAY = {".filepart", ".part", ".partial", ".tmp"}  # suffixes of unfinished transfers

log = logging.getLogger(__name__)


def arrivals(warehouse: Warehouse, folder: Path, settled: float = SETTLED) -> list[Path]:
    """Return the files in or below `folder` that are complete and not loaded.

    A file is complete if it has not changed for `settled` seconds. A file that changed after it was
    loaded counts as new, and so does a copy of a loaded file, until it is read.
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
    """Load what has arrived. Files that cannot be read are logged and tried again next time."""
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
    """Return whether something is loaded that the published marts do not show."""
    with warehouse.connect() as db:
        anything = db.execute("SELECT 1 FROM raw.ledger LIMIT 1").fetchall()
    return bool(anything) and not is_current(warehouse)


def _files(folder: Path) -> Iterator[tuple[Path, float]]:
    """Yield each file with the time of its last change.

    That is ctime, because a copy may keep the mtime of the original.
    """
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        skipped = hidden or path.name == ORIGIN_FILE or path.suffix.lower() in _UNDER_WAY
        if not skipped and path.is_file():
            yield path, path.stat().st_ctime
