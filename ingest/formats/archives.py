"""Archives: zip, and tar, also packed. A member is a file of its own, named ARCHIVE!/MEMBER.

An archive reads as a folder of that name would: ORIGIN and settings in it count, and paths of
members work like paths of files (`on_disk`, `state_of`, `open_file`). Nothing is unpacked to disk.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from ingest.formats.limits import limit, setting
from ingest.formats.unpacking import (
    HARMLESS,
    NOT_REGULAR,
    DiskFile,
    Packing,
    Raw,
    Stream,
    packing_of,
)

__all__ = [
    "Contents", "State", "contents", "is_archive", "is_file", "member_path", "on_disk", "open_file",
    "state_of",
]  # fmt: skip

_MARK = "!"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_TAR, _TAR_AT = b"ustar", 257
#: Members that make a zip a document or a program.
_DOCUMENT = {"[Content_Types].xml", "META-INF/MANIFEST.MF", "mimetype"}
_ENTRY = 1024  # bytes of a zip's directory that a member may take, on average
_HEADER = 64 << 20  # bytes that are read of a tar in one piece
_FAULTS = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError,
           RuntimeError, ValueError, LookupError, MemoryError, OverflowError, OSError)  # fmt: skip


class State(NamedTuple):
    """Bytes of a file, and when it was changed, in seconds since 1970."""

    size: int
    modified: float


class _Listed(NamedTuple):
    name: str
    state: State
    fault: str
    open: Callable[[], IO[bytes] | None]


class Contents(NamedTuple):
    """The members of an archive, by name, and why others cannot be read: '' is the archive."""

    members: dict[str, _Listed]
    faults: dict[str, str]


class _Member(Raw):
    """The bytes of a member; damage ends them, and `fault` says why."""

    def __init__(self, member: _Listed) -> None:
        self.member, self.size, self.fault = member, member.state.size, ""
        try:
            opened = member.open()
        except _FAULTS as error:
            _raise_if_of_disk(error)
            opened, self.fault = None, f"the member is damaged: {_fault_text(error)}"
        self.opened = opened or io.BytesIO()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        try:
            content = self.opened.read(len(buffer))
        except _FAULTS as error:
            _raise_if_of_disk(error)
            self.fault = f"the member is damaged: {_fault_text(error)}"
            return 0
        buffer[: len(content)] = content
        return len(content)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self.opened.seek(offset, whence)

    def tell(self) -> int:
        return self.opened.tell()

    def digest(self) -> str:
        """Return the SHA-256 of all bytes, or of what is known of a damaged member."""
        digest = super().digest()
        if not self.fault:
            return digest
        return hashlib.sha256(f"{digest} {self.member.name} {self.size}".encode()).hexdigest()


class _Kept(DiskFile):
    """An archive that stays open as long as anyone reads of it."""

    def __del__(self) -> None:
        self.close()


class _Tape(io.RawIOBase):
    """The unpacked bytes of a tar, as tarfile reads them: no header may fill the memory.

    An earlier place is reached by unpacking again.
    """

    def __init__(self, raw: DiskFile, packing: Packing | None) -> None:
        self.raw, self.packing = raw, packing
        self.stream, self.at = Stream(raw, packing), 0

    def read(self, size: int = -1, /) -> bytes:
        if not 0 <= size <= _HEADER:
            raise tarfile.ReadError(f"a header of {size} bytes")
        if self.packing is None:
            return self.raw.read(size) or b""
        parts = []
        while size and (part := self.stream.read(min(size, 1 << 20))):
            parts.append(part)
            size -= len(part)
            self.at += len(part)
        return b"".join(parts)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        if self.packing is None:
            return self.raw.seek(offset, whence)
        if offset < self.at:
            self.raw.seek(0)
            self.stream, self.at = Stream(self.raw, self.packing), 0
        while self.at < offset and self.read(min(offset - self.at, 1 << 20)):
            pass
        return self.at

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.raw.tell() if self.packing is None else self.at


def is_archive(head: bytes) -> bool:
    """Return whether a file that begins so, unpacked, is an archive."""
    return head.startswith(_ZIP) or head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR


def member_path(archive: Path, name: str) -> Path:
    """Return the path of a member, or of the archive if it has no name."""
    return Path(f"{archive}{_MARK}/{name}") if name else archive


def _split(path: Path) -> tuple[Path, str] | None:
    """Return the archive that a path leads into, and the member; None for any other path."""
    for at, part in enumerate(path.parts[:-1], 1):
        if part.endswith(_MARK) and not (folder := Path(*path.parts[:at])).exists():
            archive = Path(str(folder).removesuffix(_MARK))
            return (archive, "/".join(path.parts[at:])) if archive.is_file() else None
    return None


def on_disk(path: Path) -> Path:
    """Return the file on disk that a path names: for a member, its archive."""
    split = _split(path)
    return split[0] if split else path


def state_of(path: Path) -> State:
    """Return size and time of a file or a member. Raises OSError."""
    if split := _split(path):
        return _list_archive(*split).state
    status = path.stat()
    return State(status.st_size, status.st_mtime)


def open_file(path: Path) -> Raw:
    """Open a file or a member as it is stored. Raises OSError."""
    split = _split(path)
    return _Member(_list_archive(*split)) if split else DiskFile(path)


def is_file(path: Path) -> bool:
    """Return whether a path is that of a file or a member."""
    split = _split(path)
    members = contents(split[0]) if split else None
    return split[1] in members.members if split and members else path.is_file()


def _list_archive(archive: Path, name: str) -> _Listed:
    members = contents(archive)
    if members is None or name not in members.members:
        raise FileNotFoundError(
            errno.ENOENT, os.strerror(errno.ENOENT), str(member_path(archive, name))
        )
    return members.members[name]


def contents(file: Path) -> Contents | None:
    """Return what is in an archive; None if the file is none. Raises OSError."""
    status = file.stat()
    state = (status.st_size, status.st_mtime_ns, status.st_ino, os.getpid())
    return _contents(file.absolute(), state)


@lru_cache(maxsize=2)
def _contents(file: Path, _state: tuple[int, ...]) -> Contents | None:
    raw = _Kept(file)
    packing = packing_of(raw)
    head = io.BufferedReader(Stream(raw, packing)).read(512)
    raw.seek(0)
    is_zip = head.startswith(_ZIP)
    if not is_archive(head) or (is_zip and packing):
        return None
    members = Contents({}, {})
    tape = _Tape(raw, packing)
    most, largest = limit("members"), max(HARMLESS, limit("ratio") * raw.size)
    largest, bound = min((largest, "ratio"), (limit("unpacked_mb") << 20, "unpacked_mb"))
    total, last = 0, ""
    try:
        for member in _of_zip(raw) if is_zip else _of_tar(tape):
            name, total = member.name, total + member.state.size
            if total > largest or len(members.members) + len(members.faults) >= most:
                why = f"{most:,} files, the limit {setting('members')}"
                if total > largest:
                    why = f"{largest} unpacked bytes, the limit {setting(bound)}"
                members.faults[""] = f"it has more than {why}: from {name} on, nothing was read"
                break
            path = PurePosixPath(name.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts or re.match("[A-Za-z]:", name):
                members.faults[name] = "its path leads out of the archive"
            elif member.fault:
                members.faults[name] = member.fault
            else:
                members.members[str(path)] = member
            last = name
    except _FAULTS as error:
        _raise_if_of_disk(error)
        behind = f" behind {last}" if last else ""
        members.faults[""] = (
            f"the archive is damaged{behind}: {tape.stream.fault or _fault_text(error)}"
        )
    if is_zip and members.members.keys() & _DOCUMENT:
        return None
    if not members.members and not members.faults:
        members.faults[""] = "the archive is empty"
    return members


def _of_zip(raw: DiskFile) -> Iterator[_Listed]:
    raw.seek(max(0, raw.size - (1 << 16) - 22))
    tail = raw.read()
    at, large = tail.rfind(b"PK\x05\x06"), tail.rfind(b"PK\x06\x06")
    size = tail[large + 40 : large + 48] if large >= 0 else tail[at + 12 : at + 16]
    if at >= 0 and int.from_bytes(size, "little") > _ENTRY * limit("members"):
        raise zipfile.BadZipFile(f"its directory is too long ({setting('members')})")
    archive = zipfile.ZipFile(raw)
    for info in archive.infolist():
        when = time.mktime((*info.date_time, 0, 0, -1)) if info.date_time[0] > 1980 else 0.0
        if not info.is_dir():
            yield _Listed(
                info.filename, State(info.file_size, when or os.fstat(raw.fileno()).st_mtime),
                "it is encrypted" if info.flag_bits & 1 else "", partial(archive.open, info),
            )  # fmt: skip


def _of_tar(tape: _Tape) -> Iterator[_Listed]:
    archive = tarfile.TarFile(fileobj=tape)
    for info in archive:
        if not info.isdir():
            when = info.mtime if 0 < info.mtime < 1 << 32 else os.fstat(tape.raw.fileno()).st_mtime
            yield _Listed(
                info.name, State(info.size, float(when)), "" if info.isfile() else NOT_REGULAR,
                partial(archive.extractfile, info),
            )  # fmt: skip
    # tarfile takes a damaged header for the end.
    tape.seek(archive.offset)
    if (end := tape.read(512)).strip(b"\0") or not end:
        raise tarfile.ReadError("a header is damaged" if end else "it is cut short")


def _raise_if_of_disk(error: BaseException) -> None:
    """Raise what the system says of the disk, which is no fault of the archive."""
    if isinstance(error, OSError) and error.errno:
        raise error


def _fault_text(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200] or type(error).__name__
