"""Files as they arrive: found by path, folder or pattern, unpacked, and known by their content."""

from __future__ import annotations

import glob
import hashlib
import io
import os
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import zstandard

__all__ = ["Source", "SourceError", "expand", "identify", "open_source"]

HEAD = 4 * 1024 * 1024  # bytes that are looked at to tell what a file is
_BLOCK = 4 * 1024 * 1024
_PACKED = 4096  # bytes unpacked at a time: what they can swell to stays small
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class SourceError(ValueError):
    """A path that leads to nothing that can be read."""


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
    """A source file: `source_id` is the SHA-256 of its unpacked content, in hexadecimal.

    `size` is the number of unpacked bytes, `head` the first of them, `fault` what is wrong with
    the compression.
    """

    path: Path
    source_id: str
    size: int
    compression: str
    head: bytes
    fault: str


def expand(paths: Iterable[Path | str]) -> list[Path]:
    """The files that paths, folders (with all below them) and patterns name, each once.

    Hidden files are passed over in folders. Raises SourceError for a path that names nothing.
    """
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            below = sorted(p for p in path.rglob("*") if p.is_file())
            files = [p for p in below if not _is_hidden(p.relative_to(path))]
        elif path.is_file():
            files = [path]
        else:
            named = sorted(glob.glob(str(given), recursive=True))  # noqa: PTH207 (absolute too)
            files = [p for p in map(Path, named) if p.is_file()]
            if not files:
                raise SourceError(f"{given}: no such file or folder")
        found.update(dict.fromkeys(files))
    return list(found)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def open_source(path: Path) -> _Stream:
    """The unpacked bytes of a plain, gzip or Zstandard file."""
    raw = path.open("rb", buffering=0)
    return _Stream(raw, _UNPACKERS[_compression(raw)])


def _compression(raw: io.FileIO) -> str:
    magic = raw.read(4)
    raw.seek(0)
    return "gzip" if magic.startswith(_GZIP) else "zstd" if magic == _ZSTD else "none"


_UNPACKERS: dict[str, Callable[[], _Unpacker] | None] = {
    "none": None,
    "gzip": lambda: zlib.decompressobj(wbits=31),
    "zstd": lambda: zstandard.ZstdDecompressor().decompressobj(),
}


def identify(path: Path, progress: Callable[[int], None] | None = None) -> Source:
    """Read a file once for its identity; `progress` is told the bytes read from disk."""
    digest, size, head, told = hashlib.sha256(), 0, bytearray(), 0
    buffer = bytearray(_BLOCK)
    view = memoryview(buffer)
    with open_source(path) as stream:
        while count := stream.readinto(view):
            digest.update(view[:count])
            if len(head) < HEAD:
                head += view[: min(count, HEAD - len(head))]
            size += count
            if progress:
                position = stream.position
                progress(position - told)
                told = position
        fault = stream.fault
    with path.open("rb", buffering=0) as raw:
        compression = _compression(raw)
    return Source(path, digest.hexdigest(), size, compression, bytes(head), fault)
