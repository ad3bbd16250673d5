"""Files and folders that other processes see whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path

__all__ = ["LAKE_OF_DUCKDB", "LAKE_OF_OTHER", "name_of", "replacing", "sweep", "sync"]

#: The lake of NAME.duckdb is NAME + the first, that of any other NAME is NAME + the second.
LAKE_OF_DUCKDB, LAKE_OF_OTHER = ".lake", "_lake"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a name beside `path` to write to; at the end one rename puts that file in its place.

    If the block raises, `path` stays as it was. Drafts of processes that were killed are removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    sweep(path.parent, f".{escape(path.name)}.*")
    try:
        yield draft
        sync(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def name_of(path: Path | str) -> str:
    """Return a path as text, in which bytes that are not UTF-8 are written as hexadecimal codes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def sweep(folder: Path, pattern: str) -> None:
    """Remove the drafts that a glob pattern matches if the processes that end their names ended."""
    for left in folder.glob(pattern):
        owner = left.name.rpartition(".")[2]
        if not owner.isdecimal() or _is_running(int(owner)):
            continue
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # of another user
        return True
    return True


def sync(path: Path) -> None:
    """Wait until a file's content, or a folder's list of names, is on disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
