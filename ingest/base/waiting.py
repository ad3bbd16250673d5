"""File locks between processes: wait for one, and say who holds it.

The system releases a lock however its holder ends. An exclusive holder writes its name into the
file.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from ingest.base.errors import WarehouseError

__all__ = ["ONE_HOST", "HeldError", "locked", "trouble_with_locks", "try_lock"]

_SILENT = 2.0  # seconds to wait without a message
_SHORTEST, _LONGEST = 0.05, 0.5  # seconds between two attempts

#: Types of mounts, and options that keep their locks from other hosts; None: they have no others.
_LOCAL = {
    "nfs": r"local_lock=(all|flock)|\bnolock\b", "nfs4": r"local_lock=(all|flock)",
    "cifs": r"\bnobrl\b", "smb3": r"\bnobrl\b", "fuse.sshfs": None, "9p": None,
}  # fmt: skip
#: Set to 1 where only one host has the folder, whatever its mount says.
ONE_HOST = "PERFHOUSE_ONE_HOST"

log = logging.getLogger(__name__)


class HeldError(WarehouseError):
    """Another process holds a lock for too long."""


@contextmanager
def locked(
    file: Path,
    *,
    wait: float,
    shared: bool = False,
    name: str = "",
    command: str = "",
    silent: float | None = None,
) -> Iterator[None]:
    """Hold a lock on a file, which is created if necessary.

    wait: seconds, after which HeldError is raised; 0: do not wait. Raises OSError, too. name:
    what messages call the lock, by default its file. command: what those who wait are told that
    this process does. silent: seconds of waiting that are not worth a message, by default 2.
    """
    begun, is_told, name = time.monotonic(), False, name or str(file)
    while (opened := try_lock(file, shared=shared)) is None:
        waited = time.monotonic() - begun
        if not wait:
            raise HeldError(f"{name}: in use by {_holder(file)}")
        if waited >= wait:
            raise HeldError(
                f"{name}: waited {_seconds(wait)} for {_holder(file)}; end it if it is no longer "
                "needed"
            )
        if waited >= (_SILENT if silent is None else silent) and not is_told:
            log.warning("%s: waiting for %s, up to %s", name, _holder(file), _seconds(wait))
            is_told = True
        time.sleep(min(max(waited / 10, _SHORTEST), _LONGEST, wait - waited))
    try:
        if not shared:
            _note(opened, command)
        yield
    finally:
        if not shared:
            _note(opened, None)
        os.close(opened)


def try_lock(file: Path, *, shared: bool = False) -> int | None:
    """Return the locked file, to be closed; None if another process holds it. Raises OSError."""
    opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(opened, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        # A lake may be replaced by another one, whose lock is not this one.
        if os.path.samestat(os.stat(file), os.fstat(opened)):  # noqa: PTH116
            return opened
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(opened)
        raise
    os.close(opened)
    return None


def _note(opened: int, command: str | None) -> None:
    """Write into a locked file who holds it, or nothing; only for messages."""
    with suppress(OSError):
        if os.fstat(opened).st_size:
            os.ftruncate(opened, 0)
        if command:
            now = datetime.now(UTC)
            noted = [os.getpid(), os.uname().nodename, command, f"{now:%Y-%m-%d %H:%M:%S} UTC"]
            os.pwrite(opened, json.dumps(noted).encode(), 0)


def _holder(file: Path) -> str:
    """Return who holds a lock, if known."""
    command_line = _process(file)
    with suppress(OSError, ValueError, TypeError):
        process, host, command, since = json.loads(file.read_bytes())
        if command_line in (None, process):  # the system knows no locks of other hosts
            elsewhere = "" if host == os.uname().nodename else f" on {host}"
            return f"process {process}{elsewhere} ({command}, since {since})"
    return "another process" if command_line is None else f"process {command_line}"


def _process(file: Path) -> int | None:
    """Return the process that holds a lock, if it is on this machine."""
    with suppress(OSError):
        inode = f":{file.stat().st_ino}"
        for fields in map(str.split, Path("/proc/locks").read_text().splitlines()):
            if len(fields) > 5 and fields[1] == "FLOCK" and fields[5].endswith(inode):
                return int(fields[4]) or None  # 0: of another container
    return None


def _seconds(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds >= 120 else f"{seconds:g} seconds"


def trouble_with_locks(file: Path) -> str:
    """Return in a sentence why the lock of a file does not keep others out; '' if it does."""
    kind, options = _mount(file.parent)
    local = kind in _LOCAL and ((pattern := _LOCAL[kind]) is None or re.search(pattern, options))
    if local and os.environ.get(ONE_HOST) != "1":
        return (
            f"{file.parent}: other hosts do not see the locks of this one ({kind}, mounted with "
            f"{options}): mount it otherwise, or set {ONE_HOST}=1 if no other host uses it"
        )
    held = []
    try:
        if (first := try_lock(file)) is None:  # another process holds it
            return ""
        held = [first, try_lock(file)]
    except OSError as error:
        return f"{file.parent}: its disk has no locks ({error.strerror})"
    finally:
        for opened in held:
            if opened is not None:
                os.close(opened)
    return f"{file.parent}: its disk gives one lock to two holders" if held[1] is not None else ""


def _mount(folder: Path) -> tuple[str, str]:
    """Return the type and the options of the mount that a folder is in; '' if that is not known."""
    mount, best = os.fsencode(folder.resolve()), (-1, "", "")
    with suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_bytes().splitlines():
            fields, _, more = line.partition(b" - ")
            at = re.sub(rb"\\(\d{3})", lambda code: bytes([int(code[1], 8)]), fields.split()[4])
            if mount == at or mount.startswith(at.rstrip(b"/") + b"/"):
                kind, _, options = more.decode(errors="replace").split(" ", 2)
                best = max(best, (len(at), kind, options))
    return best[1:]
