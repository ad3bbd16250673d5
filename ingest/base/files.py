"""Files and folders that other processes see whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

__all__ = [
    "LAKE_OF_DUCKDB",
    "LAKE_OF_OTHER",
    "name_of",
    "replacing",
    "sweep",
    "sync",
    "sync_folder",
]

#: The lake of NAME.duckdb is NAME + the first, that of any other NAME is NAME + the second.
LAKE_OF_DUCKDB, LAKE_OF_OTHER = ".lake", "_lake"
_ROUNDED = 1.0  # seconds: the time of the boot is known in whole seconds


@contextmanager
def replacing(path: Path, *, existing: bool = True) -> Iterator[Path]:
    """Yield a name beside `path` to write to; at the end one rename puts that file in its place.

    existing: replace a file that is there; if False, one that another process wrote meanwhile
    stays. If the block raises, `path` stays as it was. Drafts of processes that were killed are
    removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    sweep(path.parent, f".{escape(path.name)}.*")
    try:
        yield draft
        sync(draft)
        if existing:
            draft.replace(path)
        else:
            with suppress(FileExistsError):
                path.hardlink_to(draft)
    finally:
        draft.unlink(missing_ok=True)


def name_of(path: Path | str) -> str:
    """Return a path as text, in which bytes that are not UTF-8 are written as hexadecimal codes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def sweep(folder: Path, pattern: str) -> None:
    """Remove the drafts matching a glob pattern whose processes (the suffix) have ended."""
    for left in folder.glob(pattern):
        owner = left.name.rpartition(".")[2]
        if not owner.isdecimal() or _is_written_by(int(owner), left):
            continue
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def _is_written_by(process: int, draft: Path) -> bool:
    """Return whether this process is running and is at least as old as the draft."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # of another user
        pass
    try:
        written = draft.lstat().st_mtime
    except FileNotFoundError:
        return False
    # Systems soon give a number to another process.
    return _started(process) <= written + _ROUNDED


def _started(process: int) -> float:
    """Return when a process started, in seconds since 1970; 0 if that is unknown."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        booted = re.search(r"^btime (\d+)$", Path("/proc/stat").read_text(), re.MULTILINE)
    except OSError:
        return 0.0
    ticks = int(fields[19])  # field 22 of proc(5), of which two stand before the bracket
    return int(booted[1]) + ticks / os.sysconf("SC_CLK_TCK") if booted else 0.0


def sync(path: Path) -> None:
    """Wait until a file's content, or a folder's list of names, is on disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def sync_folder(folder: Path) -> None:
    """Wait until a folder is on disk: the files in it, and their names."""
    for file in folder.iterdir():
        sync(file)
    sync(folder)
