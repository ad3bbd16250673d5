"""Files on disk, read without waiting, and unpacked on the way: gzip and Zstandard."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

import zstandard

from ingest.formats.limits import limit, setting
from ingest.formats.zeros import Zeros

__all__ = ["HARMLESS", "NOT_REGULAR", "DiskFile", "Packing", "Raw", "Stream", "packing_of"]

NOT_REGULAR = "not a regular file"
_READ = 1 << 16  # packed bytes read at a time
_PIECE = 512  # packed bytes unpacked at a time: they unpack to 16 MB at most
_MB = 1 << 20
HARMLESS = 16 * _MB  # bytes that any file may unpack to


class Raw(io.RawIOBase):
    """The bytes of a file as they are stored; `fault` says why they end too early."""

    fault = ""
    size = 0

    def digest(self) -> str:
        """Return the SHA-256 of all bytes."""
        self.seek(0)
        return hashlib.file_digest(self, "sha256").hexdigest()


class DiskFile(io.FileIO, Raw):
    """A regular file on disk, opened without waiting for a writer, as a pipe would."""

    def __init__(self, path: Path) -> None:
        """Open the file. Raises OSError."""
        super().__init__(str(path), opener=lambda name, how: os.open(name, how | os.O_NONBLOCK))
        if not stat.S_ISREG(os.fstat(self.fileno()).st_mode):
            self.close()
            raise OSError(errno.EINVAL, NOT_REGULAR, str(path))
        self.size = os.fstat(self.fileno()).st_size


class _Unpacker(Protocol):
    """Decompresses one gzip member or Zstandard frame."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class Packing(NamedTuple):
    """A format of compressed files: how one begins, and what unpacks a member or frame of it."""

    name: str
    magic: bytes
    new_unpacker: Callable[[], _Unpacker]


class Stream(io.RawIOBase):
    """The unpacked bytes of a file.

    If the compressed stream is damaged or cut short, or unpacks to more than the limits allow, the
    bytes end with the last that can be unpacked, and `fault` says why. If there are too many zeros
    in a row, the bytes end within them, `fault` says so, and `is_cut` is true.
    """

    def __init__(self, raw: Raw, packing: Packing | None) -> None:
        self.raw, self.packing = raw, packing
        self.unpacker: _Unpacker | None = None  # inside a member or frame
        self.packed = memoryview(b"")  # read but not yet unpacked
        self.ready = memoryview(b"")
        self.begin = 0  # where the member or frame begins in the file
        self.count = 0  # bytes unpacked
        self.fault = ""
        self.zeros, self.returned, self.is_cut = Zeros(limit("zeros_mb") * _MB), 0, False
        stored = raw.size
        by_ratio = max(HARMLESS, limit("ratio") * stored)
        of_all = limit("unpacked_mb") * _MB
        self.limit, self.bound = min((by_ratio, "ratio"), (of_all, "unpacked_mb"))

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Read some bytes; return 0 at the end."""
        if self.is_cut:
            return 0
        count = self._read(buffer)
        allowed = self.zeros.allowed(memoryview(buffer)[:count])
        self.returned += allowed
        if allowed < count:
            self.is_cut = True
            self.fault = (
                f"nothing but zeros from offset {self.returned - self.zeros.limit} on: after "
                f"{self.zeros.limit} of them, the limit {setting('zeros_mb')}, the rest was not "
                "read"
            )
        return allowed

    def _read(self, buffer: memoryview) -> int:
        """Read some bytes, whatever they are; return 0 at the end."""
        if self.packing is None:
            count = self.raw.readinto(buffer) or 0
            self.fault = self.fault if count else self.raw.fault
            return count
        while not self.ready and not self.fault and self._unpack(self.packing):
            pass
        view = memoryview(buffer)  # read() passes a bytearray
        count = min(len(view), len(self.ready))
        view[:count] = self.ready[:count]
        self.ready = self.ready[count:]
        return count

    def _unpack(self, packing: Packing) -> bool:
        """Unpack a little more; return False at the end."""
        is_end = False
        if not self.packed:
            self.packed = memoryview(self.raw.read(_READ) or b"")
            is_end = not self.packed
        if self.unpacker is None and self.packed and self.packed[0] == 0:  # padding of members
            self.packed = memoryview(bytes(self.packed).lstrip(b"\0"))
        if not self.packed:
            if self.unpacker is not None:
                reason = self.raw.fault or "the compressed stream is damaged: it is cut short"
                self.fault = reason
            return self.unpacker is None and not is_end
        if self.unpacker is None:
            self.begin, self.unpacker = self._at(), packing.new_unpacker()
        piece = bytes(self.packed[:_PIECE])
        try:
            unpacked = self.unpacker.decompress(piece)
        except (zlib.error, zstandard.ZstdError) as error:
            self.fault = f"the compressed stream is damaged: {error}"
            if 0 < self.begin == self._at() and not piece.startswith(packing.magic):
                left = self.raw.size - self.begin
                self.fault = f"the last {left} bytes of the file are not {packing.name}"
            unpacked = self._before_fault(packing.new_unpacker())
        unused = len(self.unpacker.unused_data)
        self.packed = self.packed[len(piece) - unused :]
        if self.unpacker.eof and not self.fault:
            self.unpacker = None
        if self.count + len(unpacked) > self.limit:
            unpacked = unpacked[: self.limit - self.count]
            self.fault = (
                f"it unpacks to more than {self.limit} bytes, the limit {setting(self.bound)}: "
                "the rest was not read"
            )
        self.count += len(unpacked)
        self.ready = memoryview(unpacked)
        return True

    def _at(self) -> int:
        """Return how many bytes of the file have been given to the unpacker."""
        return self.raw.tell() - len(self.packed)

    def _before_fault(self, unpacker: _Unpacker) -> bytes:
        """Return what the faulty piece still unpacks to: an unpacker that fails gives nothing.

        The member or frame is unpacked once more, and its last piece byte by byte.
        """
        faulty_at = self._at()
        self.raw.seek(self.begin)
        blocks = []
        try:
            while piece := self.raw.read(min(_PIECE, faulty_at - self.raw.tell())):
                unpacker.decompress(piece)
            while byte := self.raw.read(1):
                blocks.append(unpacker.decompress(byte))
        except (zlib.error, zstandard.ZstdError):
            pass
        return b"".join(blocks)

    @property
    def position(self) -> int:
        """Bytes of the file on disk that have been read."""
        return self.raw.tell()


def packing_of(raw: Raw) -> Packing | None:
    """Return how a file is packed, by its first bytes."""
    magic = raw.read(4) or b""
    raw.seek(0)
    return next((p for p in PACKINGS if magic.startswith(p.magic)), None)


PACKINGS = (
    Packing("gzip", b"\x1f\x8b", lambda: zlib.decompressobj(wbits=31)),
    Packing("zstd", b"\x28\xb5\x2f\xfd", lambda: zstandard.ZstdDecompressor().decompressobj()),
)
