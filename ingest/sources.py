"""Files as they arrive: found by path, folder or pattern, unpacked, and identified by content."""

from __future__ import annotations

import glob
import hashlib
import io
import os
import zlib
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import zstandard

from ingest.errors import SourceError

__all__ = [
    "HEAD",
    "ORIGINS",
    "ORIGIN_FILE",
    "Identity",
    "Source",
    "expand",
    "open_source",
    "origin_of",
]

ORIGINS = ("measured", "simulated")
ORIGIN_FILE = "ORIGIN"  # in a folder: states the origin of everything below it
HEAD = 4 * 1024 * 1024  # bytes used to recognise a file
_BLOCK = 4 * 1024 * 1024
_PACKED = 4096  # bytes unpacked at a time, so that the result stays small
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class _Unpacker(Protocol):
    """Decompresses one gzip member or Zstandard frame."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Stream(io.RawIOBase):
    """The unpacked bytes of a file.

    If the compressed stream is damaged or cut short, the bytes end with the last that can be
    unpacked, and `fault` says why.
    """

    def __init__(self, raw: io.FileIO, unpacker: Callable[[], _Unpacker] | None) -> None:
        self.raw, self.new_unpacker = raw, unpacker
        self.unpacker: _Unpacker | None = None  # inside a member or frame
        self.packed = b""  # read but not yet unpacked
        self.ready = memoryview(b"")
        self.fault = ""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        if self.new_unpacker is None:
            return self.raw.readinto(buffer) or 0
        while not self.ready and not self.fault and self._unpack():
            pass
        view = memoryview(buffer)  # read() passes a bytearray
        count = min(len(view), len(self.ready))
        view[:count] = self.ready[:count]
        self.ready = self.ready[count:]
        return count

    def _unpack(self) -> bool:
        """Unpack a little more; return False at the end."""
        assert self.new_unpacker is not None
        self.packed = self.packed or self.raw.read(_PACKED)
        if self.unpacker is None:
            self.packed = self.packed.lstrip(b"\0")  # padding between or after members
        if not self.packed:
            if self.unpacker is not None:
                self.fault = "the compressed stream is damaged: it is cut short"
            return self.unpacker is None and self.raw.tell() < os.fstat(self.raw.fileno()).st_size
        self.unpacker = self.unpacker or self.new_unpacker()
        try:
            self.ready = memoryview(self.unpacker.decompress(self.packed))
        except (zlib.error, zstandard.ZstdError) as error:
            self.fault = f"the compressed stream is damaged: {error}"
            return False
        self.packed = b""
        if self.unpacker.eof:
            self.packed, self.unpacker = self.unpacker.unused_data, None
        return True

    @property
    def position(self) -> int:
        """Bytes of the file on disk that have been read."""
        return self.raw.tell()


@dataclass(frozen=True, slots=True)
class Identity:
    """What identifies a file, known only after all of it was read.

    `source_id` is the SHA-256 of the unpacked content in hexadecimal and `size` its number of
    bytes; `fault` says what is wrong with the compression, or is empty.
    """

    source_id: str
    size: int
    fault: str


class Source(io.RawIOBase):
    """The unpacked bytes of an open file, hashed in another thread as they are read.

    `head` has the first of them, and `whole` is true if that is all; `stored_bytes` is the file's
    size on disk. `progress` is called with the number of bytes that were read from disk.
    """

    _BEHIND = 2  # blocks that may wait to be hashed

    def __init__(self, path: Path, progress: Callable[[int], None] | None) -> None:
        self.path, self.progress, self.told = path, progress, 0
        self.raw = path.open("rb", buffering=0)
        self.stored_bytes = os.fstat(self.raw.fileno()).st_size
        self.compression = _compression(self.raw)
        self.stream = self._unpacked()
        first = bytearray(HEAD + 1)
        view, end = memoryview(first), 0
        while count := self.stream.readinto(view[end:]):
            end += count
        self.again = memoryview(bytes(view[:end]))  # already read from disk, but not yet returned
        self.whole = end <= HEAD
        self.head = bytes(self.again[:HEAD])
        self.digest, self.size = hashlib.sha256(), 0
        self.pool = ThreadPoolExecutor(1)
        self.waiting: deque[Future[None]] = deque()
        self.known: Identity | None = None

    def _unpacked(self) -> _Stream:
        self.raw.seek(0)
        return _Stream(self.raw, _UNPACKERS[self.compression])

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Read some bytes; return 0 at the end."""
        view = memoryview(buffer)[:_BLOCK]
        if self.again:
            count = min(len(view), len(self.again))
            view[:count] = self.again[:count]
            self.again = self.again[count:]
        else:
            count = self.stream.readinto(view)
        if count and not self.known:
            if len(self.waiting) > self._BEHIND:
                self.waiting.popleft().result()
            # A copy, because the reader may move what it was given.
            self.waiting.append(self.pool.submit(self.digest.update, bytes(view[:count])))
            self.size += count
        if self.progress and self.stream.position > self.told:
            self.progress(self.stream.position - self.told)
            self.told = self.stream.position
        return count

    def identity(self) -> Identity:
        """Return the identity of the whole file, after reading the rest of it."""
        if not self.known:
            buffer = memoryview(bytearray(_BLOCK))
            while self.readinto(buffer):
                pass
            self.pool.shutdown()
            self.known = Identity(self.digest.hexdigest(), self.size, self.stream.fault)
        return self.known

    def rewind(self) -> None:
        """Start again at the beginning, once the identity is known."""
        assert self.known
        if self.whole:
            self.again = memoryview(self.head)
        else:
            self.stream = self._unpacked()

    def close(self) -> None:
        """End the thread and close the file."""
        self.pool.shutdown()
        self.raw.close()
        super().close()


def expand(paths: Iterable[Path | str]) -> list[Path]:
    """Return the files that paths, folders (with everything below) and patterns name, each once.

    In folders, hidden files and files named ORIGIN (see `origin_of`) are skipped. Raises
    SourceError for a path that names nothing.
    """
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            below = sorted(p for p in path.rglob("*") if p.is_file())
            files = [p for p in below if not _is_hidden(p.relative_to(path)) and not _is_marker(p)]
        elif path.is_file():
            files = [path]
        else:
            named = sorted(glob.glob(str(given), recursive=True))  # noqa: PTH207 (absolute too)
            files = [p for p in map(Path, named) if p.is_file() and not _is_marker(p)]
            if not files:
                raise SourceError(f"{given}: no such file or folder")
        found.update(dict.fromkeys(files))
    return list(found)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _is_marker(path: Path) -> bool:
    """Return whether a file states the origin of others, and is not an input itself."""
    return path.name == ORIGIN_FILE


def origin_of(path: Path) -> str | None:
    """Return the origin stated by the nearest file named ORIGIN, or None.

    That file is in the folder of `path` or above it, and contains one word. Raises SourceError if
    it contains anything but a known origin.
    """
    for folder in path.absolute().parents:
        marker = folder / ORIGIN_FILE
        if marker.is_file():
            word = marker.read_text(encoding="utf-8", errors="replace").strip()
            if word not in ORIGINS:
                raise SourceError(f"{marker}: {word[:40]!r} is not one of {', '.join(ORIGINS)}")
            return word
    return None


def open_source(path: Path, progress: Callable[[int], None] | None = None) -> Source:
    """Open a plain, gzip or Zstandard file. Raises OSError."""
    return Source(path, progress)


def _compression(raw: io.FileIO) -> str:
    magic = raw.read(4)
    raw.seek(0)
    return "gzip" if magic.startswith(_GZIP) else "zstd" if magic == _ZSTD else "none"


_UNPACKERS: dict[str, Callable[[], _Unpacker] | None] = {
    "none": None,
    "gzip": lambda: zlib.decompressobj(wbits=31),
    "zstd": lambda: zstandard.ZstdDecompressor().decompressobj(),
}
