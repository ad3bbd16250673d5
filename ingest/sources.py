"""Files as they arrive: found by path, folder or pattern, unpacked, and known by their content."""

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
    "IdentifyingStream",
    "Identity",
    "Source",
    "expand",
    "identify",
    "inspect",
    "open_source",
    "origin_of",
]

ORIGINS = ("measured", "simulated")
ORIGIN_FILE = "ORIGIN"  # in a folder: says where all that is below it comes from
HEAD = 4 * 1024 * 1024  # bytes that are looked at to tell what a file is
_BLOCK = 4 * 1024 * 1024
_PACKED = 4096  # bytes unpacked at a time: what they can swell to stays small
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

    Where the packed stream is damaged or cut the bytes end, after all that can be had, and
    `fault` says why.
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
        view = memoryview(buffer)  # of a bytearray, when it is read() that asks
        count = min(len(view), len(self.ready))
        view[:count] = self.ready[:count]
        self.ready = self.ready[count:]
        return count

    def _unpack(self) -> bool:
        """Unpack a little more; False at the end."""
        assert self.new_unpacker is not None
        self.packed = self.packed or self.raw.read(_PACKED)
        if self.unpacker is None:
            self.packed = self.packed.lstrip(b"\0")  # padding between or behind members
        if not self.packed:
            if self.unpacker is not None:
                self.fault = "the compressed stream is damaged: it is cut short"
            return self.unpacker is None and self.raw.tell() < self.size
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
    def size(self) -> int:
        """Bytes of the file as it is on disk."""
        return os.fstat(self.raw.fileno()).st_size

    @property
    def position(self) -> int:
        """Bytes of the file as it is on disk that have been read."""
        return self.raw.tell()

    def close(self) -> None:
        self.raw.close()
        super().close()


@dataclass(frozen=True, slots=True)
class Source:
    """A source file at first sight: its size on disk, and the first of its unpacked bytes.

    `whole` says that `head` is all of it.
    """

    path: Path
    stored_bytes: int
    compression: str
    head: bytes
    whole: bool


@dataclass(frozen=True, slots=True)
class Identity:
    """What a file is known by, once all of it was read.

    `source_id` is the SHA-256 of the unpacked content, in hexadecimal, `size` the number of
    unpacked bytes, `fault` what is wrong with the compression.
    """

    source_id: str
    size: int
    fault: str


class IdentifyingStream(io.RawIOBase):
    """A stream that hashes what is read from it, in a thread beside the reader.

    `progress` is told the bytes that were read from disk.
    """

    _BEHIND = 2  # blocks that may wait to be hashed

    def __init__(self, stream: _Stream, progress: Callable[[int], None] | None) -> None:
        self.stream, self.progress, self.told = stream, progress, 0
        self.digest, self.size = hashlib.sha256(), 0
        self.pool = ThreadPoolExecutor(1)
        self.waiting: deque[Future[None]] = deque()

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Read some bytes; 0 at the end."""
        count = self.stream.readinto(memoryview(buffer)[:_BLOCK])
        if count:
            if len(self.waiting) > self._BEHIND:
                self.waiting.popleft().result()
            # A copy: the reader may move what it was given.
            block = bytes(memoryview(buffer)[:count])
            self.waiting.append(self.pool.submit(self.digest.update, block))
            self.size += count
        if self.progress:
            position = self.stream.position
            self.progress(position - self.told)
            self.told = position
        return count

    def identity(self) -> Identity:
        """Of the whole file: what was not read yet is read now."""
        buffer = memoryview(bytearray(_BLOCK))
        while self.readinto(buffer):
            pass
        self.pool.shutdown()
        return Identity(self.digest.hexdigest(), self.size, self.stream.fault)

    def close(self) -> None:
        """End the thread and close the file."""
        self.pool.shutdown()
        self.stream.close()
        super().close()


def expand(paths: Iterable[Path | str]) -> list[Path]:
    """The files that paths, folders (with all below them) and patterns name, each once.

    Hidden files are passed over in folders, and files named ORIGIN (see `origin_of`). Raises
    SourceError for a path that names nothing.
    """
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            below = sorted(p for p in path.rglob("*") if p.is_file())
            files = [p for p in below if not _is_hidden(p.relative_to(path)) and not _tells(p)]
        elif path.is_file():
            files = [path]
        else:
            named = sorted(glob.glob(str(given), recursive=True))  # noqa: PTH207 (absolute too)
            files = [p for p in map(Path, named) if p.is_file() and not _tells(p)]
            if not files:
                raise SourceError(f"{given}: no such file or folder")
        found.update(dict.fromkeys(files))
    return list(found)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _tells(path: Path) -> bool:
    """Whether a file says where others come from, and is no input itself."""
    return path.name == ORIGIN_FILE


def origin_of(path: Path) -> str | None:
    """Where a file's records come from, as the nearest file named ORIGIN says.

    That file stands in the folder of `path` or above it, and holds one word. None where there is
    none. Raises SourceError where it says anything but a known origin.
    """
    for folder in path.absolute().parents:
        told = folder / ORIGIN_FILE
        if told.is_file():
            word = told.read_text(encoding="utf-8", errors="replace").strip()
            if word not in ORIGINS:
                raise SourceError(f"{told}: {word[:40]!r} is not one of {', '.join(ORIGINS)}")
            return word
    return None


def inspect(path: Path) -> Source:
    """A first look at a file."""
    with open_source(path) as opened:
        head = bytearray(HEAD + 1)
        view, end = memoryview(head), 0
        while count := opened.stream.readinto(view[end:]):
            end += count
        stored = opened.stream.size
    with path.open("rb", buffering=0) as raw:
        compression = _compression(raw)
    return Source(path, stored, compression, bytes(head[: min(end, HEAD)]), end <= HEAD)


def identify(path: Path) -> Identity:
    """Read a file for its identity only."""
    with open_source(path) as stream:
        return stream.identity()


def open_source(path: Path, progress: Callable[[int], None] | None = None) -> IdentifyingStream:
    """The unpacked bytes of a plain, gzip or Zstandard file."""
    raw = path.open("rb", buffering=0)
    return IdentifyingStream(_Stream(raw, _UNPACKERS[_compression(raw)]), progress)


def _compression(raw: io.FileIO) -> str:
    magic = raw.read(4)
    raw.seek(0)
    return "gzip" if magic.startswith(_GZIP) else "zstd" if magic == _ZSTD else "none"


_UNPACKERS: dict[str, Callable[[], _Unpacker] | None] = {
    "none": None,
    "gzip": lambda: zlib.decompressobj(wbits=31),
    "zstd": lambda: zstandard.ZstdDecompressor().decompressobj(),
}
