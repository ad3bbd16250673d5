"""Files and folders that other processes see whole or not at all.

What is being written has a random name, .NAME.draft-<random>, and its writer holds the lock of the
file of that name + .lock, taken before anything has the name. A draft whose lock is free was left
by a writer that was killed, on whatever host, and is removed by the next writer in its folder.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from glob import escape
from itertools import takewhile
from pathlib import Path

from ingest.base.waiting import try_lock

__all__ = [
    "LAKE_OF_DUCKDB",
    "LAKE_OF_OTHER",
    "OS_ERROR",
    "draft",
    "draft_folder",
    "name_of",
    "refusal_of",
    "replacing",
    "sweep",
    "sync",
    "sync_folder",
]

#: The lake of NAME.duckdb is NAME + the first, that of any other NAME is NAME + the second.
LAKE_OF_DUCKDB, LAKE_OF_OTHER = ".lake", "_lake"
#: How Polars says the number of a system's error.
OS_ERROR = re.compile(r"\(os error (\d+)\)")
_LOCK = ".lock"
_NAMED = re.compile(r"\..*\.draft-[0-9a-f]{16}", re.DOTALL)
_WAITS = 16  # at once
_LONGEST = 200  # bytes of a name that are in that of its draft: most disks allow 255


@contextmanager
def draft(folder: Path, name: str) -> Iterator[Path]:
    """Yield a path in a folder, for a file or a folder that no other process removes meanwhile.

    What is there at the end is removed. Raises OSError, also where the disk has no locks; without
    the name of another file, it names the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sweep(folder)
    held, name = None, os.fsdecode(os.fsencode(name)[:_LONGEST])
    while held is None:  # a sweep may have taken the new lock for one that was left behind
        path = folder / f".{name}.draft-{secrets.token_hex(8)}"
        held = try_lock(lock := path.with_name(path.name + _LOCK))
    try:
        yield path
    except OSError as error:
        if error.errno and error.filename is None:  # of a write
            error.filename = str(folder)
        raise
    except Exception as error:
        if match := OS_ERROR.search(str(error)):  # Polars has an error of its own for a full disk
            raise OSError(int(match[1]), os.strerror(int(match[1])), str(folder)) from error
        raise
    finally:
        _remove(path)
        lock.unlink(missing_ok=True)
        os.close(held)


@contextmanager
def draft_folder(folder: Path, name: str) -> Iterator[Path]:
    """Yield an empty folder, as `draft`."""
    with draft(folder, name) as path:
        path.mkdir()
        yield path


@contextmanager
def replacing(path: Path, *, existing: bool = True) -> Iterator[Path]:
    """Yield a name beside `path` to write to; at the end one rename puts that file in its place.

    existing: replace a file that is there; if False, one that another process wrote meanwhile
    stays. If the block raises, `path` stays as it was.
    """
    with draft(path.parent, path.name) as draft_path:
        yield draft_path
        sync(draft_path)
        if existing:
            draft_path.replace(path)
        else:
            with suppress(FileExistsError):
                path.hardlink_to(draft_path)


def sweep(folder: Path) -> None:
    """Remove the drafts of writers that were killed, with what DuckDB left beside them."""
    matches = map(_NAMED.match, os.listdir(folder))  # noqa: PTH208 - pathlib takes ten times as long
    for name in {match[0] for match in matches if match}:
        with suppress(OSError):  # it is forbidden, or another process was faster
            if (held := try_lock(lock := folder / (name + _LOCK))) is not None:
                try:
                    for path in folder.glob(f"{escape(name)}*"):
                        if path != lock:
                            _remove(path)
                    lock.unlink(missing_ok=True)
                finally:
                    os.close(held)


def _remove(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


def name_of(path: Path | str) -> str:
    """Return a path as text, in which bytes that are not UTF-8 are written as hexadecimal codes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def refusal_of(error: OSError) -> str:
    """Return what the system refused, and where: a draft is known by its folder."""
    reason, path = error.strerror or str(error), error.filename2 or error.filename
    if not isinstance(path, str | bytes | os.PathLike):
        return reason
    parts = takewhile(lambda part: not _NAMED.match(part), Path(os.fsdecode(path)).parts)
    return f"{name_of(Path(*parts))}: {reason}"


def sync(path: Path) -> None:
    """Wait until a file's content, or a folder's list of names, is on disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def sync_folder(folder: Path) -> None:
    """Wait until a folder is on disk: the files in it, and their names."""
    # A disk takes many waits at once about as long as one.
    with ThreadPoolExecutor(_WAITS) as pool:
        list(pool.map(sync, folder.iterdir()))
    sync(folder)
