"""Files as they arrive: found by path, folder or pattern, unpacked, and known by their content."""

from __future__ import annotations

import glob
import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import zstandard

__all__ = ["Source", "SourceError", "expand", "identify", "open_source"]

HEAD = 4 * 1024 * 1024  # bytes that are looked at to tell what a file is
_BLOCK = 4 * 1024 * 1024
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class SourceError(ValueError):
    """A path that leads to nothing that can be read."""


class _Unpacked(io.RawIOBase):
    """A decompressed stream that ends where the compressed one is damaged, and says why."""

    def __init__(self, stream: BinaryIO, raw: BinaryIO | None = None) -> None:
        self.stream, self.raw, self.fault = stream, raw or stream, ""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        if self.fault:
            return 0
        try:
            return self.stream.readinto(buffer)  # type: ignore[attr-defined]
        except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
            self.fault = f"the compressed stream is damaged: {error}"
            return 0

    @property
    def position(self) -> int:
        """Bytes of the file as it is on disk that have been read."""
        return self.raw.tell()

    def close(self) -> None:
        self.stream.close()
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
            files = [p for p in below if not p.relative_to(path).as_posix().startswith(".")]
            files = [p for p in files if not any(part.startswith(".") for part in p.parts[-2:])]
        elif path.is_file():
            files = [path]
        else:
            named = sorted(glob.glob(str(given), recursive=True))  # noqa: PTH207 (absolute too)
            files = [p for p in map(Path, named) if p.is_file()]
            if not files:
                raise SourceError(f"{given}: no such file or folder")
        found.update(dict.fromkeys(files))
    return list(found)


def open_source(path: Path) -> _Unpacked:
    """The unpacked bytes of a plain, gzip or Zstandard file."""
    raw = path.open("rb", buffering=0)
    magic = raw.read(4)
    raw.seek(0)
    if magic.startswith(_GZIP):
        return _Unpacked(gzip.GzipFile(fileobj=raw), raw)  # type: ignore[arg-type]
    if magic == _ZSTD:
        reader = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
        return _Unpacked(reader, raw)
    return _Unpacked(raw)


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
    with path.open("rb") as raw:
        magic = raw.read(4)
    compression = "gzip" if magic.startswith(_GZIP) else "zstd" if magic == _ZSTD else "none"
    return Source(path, digest.hexdigest(), size, compression, bytes(head), fault)
