"""Put a restored warehouse in place, and set the existing one aside: completely or not at all.

    .FILE.restore/             a whole restored warehouse, which is moved to its place
    .FILE.replaced.<moment>/   the warehouse that was there; the restore removes it at its end

Renaming the draft to .FILE.restore is the commit. After that, the next command finishes a killed
restore before it does anything else. The lake moves last, so until then everything in place belongs
to the previous warehouse.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from glob import escape
from pathlib import Path

from ingest.base.files import sync

__all__ = ["finish", "is_cut", "replaced_warehouses", "take_place"]

_BEFORE = ".before"  # in .FILE.restore: what was in place


def take_place(draft: Path, lake: Path, file: Path) -> Path | None:
    """Move the lake and file in `draft` into place; return where the previous ones are now."""
    draft.rename(_restore(file))
    sync(file.parent)
    return finish(lake, file)


def is_cut(file: Path) -> bool:
    """Return whether a restore was killed before its warehouse was in place."""
    return os.path.lexists(_restore(file))


def finish(lake: Path, file: Path) -> Path | None:
    """Finish a restore that was killed; return where the previous warehouse is, if there was one.

    Raises OSError.
    """
    kept = None
    with _alone_in(_restore(file)) as restore:
        if restore:
            if (restore / lake.name).exists():
                for path in (file, lake):
                    if os.path.lexists(path):
                        (restore / _BEFORE).mkdir(exist_ok=True)
                        path.rename(restore / _BEFORE / path.name)
                (restore / lake.name).rename(lake)
            if (restore / file.name).exists():
                (restore / file.name).rename(file)
            if (restore / _BEFORE).exists():
                kept = file.with_name(f".{file.name}.replaced.{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
                (restore / _BEFORE).rename(kept)
            sync(file.parent)
            restore.rmdir()
    return kept


def replaced_warehouses(file: Path) -> list[Path]:
    """Return the warehouses that restores set aside and did not remove."""
    return sorted(file.parent.glob(f".{escape(file.name)}.replaced*"))


def _restore(file: Path) -> Path:
    return file.with_name(f".{file.name}.restore")


@contextmanager
def _alone_in(folder: Path) -> Iterator[Path | None]:
    """Yield a folder that no other process holds; None if it is gone."""
    try:
        opened = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        yield None
        return
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield folder if os.fstat(opened).st_nlink else None  # 0: removed by who held it
    finally:
        os.close(opened)
