"""Files as they arrive: found by path, folder or pattern, unpacked, and identified by content."""

from __future__ import annotations

import errno
import glob
import hashlib
import io
import os
import stat
import zlib
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple, Protocol

import zstandard

from ingest.base.errors import SourceError
from ingest.base.files import LAKE_OF_DUCKDB, LAKE_OF_OTHER, name_of
from ingest.formats.limits import limit, setting
from ingest.formats.zeros import PAGE, Zeros, leading_zeros

__all__ = [
    "HEAD",
    "ORIGINS",
    "ORIGIN_FILE",
    "Found",
    "Identity",
    "Source",
    "expand",
    "is_compressed",
    "open_source",
    "origin_of",
]

ORIGINS = ("measured", "simulated")
ORIGIN_FILE = "ORIGIN"  # in a folder: states the origin of everything below it
#: Files of a folder that are about its files and are not loaded; TRUTH.json lists what the
#: simulator put into a campaign.
_ABOUT = (ORIGIN_FILE, "TRUTH.json", "perfhouse-results.toml")
_BESIDE = ".results.toml"  # ends the name of a file with settings for the one beside it
HEAD = 4 * 1024 * 1024  # bytes used to recognise a file
_BLOCK = 4 * 1024 * 1024
_READ = 1 << 16  # packed bytes read at a time
_PIECE = 512  # packed bytes unpacked at a time: they unpack to 16 MB at most
_MB = 1 << 20
_NOT_REGULAR = "not a regular file"
_HARMLESS = 16 * _MB  # bytes that any file may unpack to


class _Unpacker(Protocol):
    """Decompresses one gzip member or Zstandard frame."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Packing(NamedTuple):
    """A format of compressed files: how one begins, and what unpacks a member or frame of it."""

    name: str
    magic: bytes
    new_unpacker: Callable[[], _Unpacker]


class _Stream(io.RawIOBase):
    """The unpacked bytes of a file.

    If the compressed stream is damaged or cut short, or unpacks to more than the limits allow, the
    bytes end with the last that can be unpacked, and `fault` says why. If there are too many zeros
    in a row, the bytes end within them, `fault` says so, and `is_cut` is true.
    """

    def __init__(self, raw: io.FileIO, packing: _Packing | None) -> None:
        self.raw, self.packing = raw, packing
        self.unpacker: _Unpacker | None = None  # inside a member or frame
        self.packed = memoryview(b"")  # read but not yet unpacked
        self.ready = memoryview(b"")
        self.begin = 0  # where the member or frame begins in the file
        self.count = 0  # bytes unpacked
        self.fault = ""
        self.zeros, self.returned, self.is_cut = Zeros(limit("zeros_mb") * _MB), 0, False
        stored = os.fstat(raw.fileno()).st_size
        by_ratio = max(_HARMLESS, limit("ratio") * stored)
        of_all = limit("unpacked_mb") * _MB
        self.limit, self.bound = min((by_ratio, "ratio"), (of_all, "unpacked_mb"))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
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
            return self.raw.readinto(buffer) or 0
        while not self.ready and not self.fault and self._unpack(self.packing):
            pass
        view = memoryview(buffer)  # read() passes a bytearray
        count = min(len(view), len(self.ready))
        view[:count] = self.ready[:count]
        self.ready = self.ready[count:]
        return count

    def _unpack(self, packing: _Packing) -> bool:
        """Unpack a little more; return False at the end."""
        if not self.packed:
            self.packed = memoryview(self.raw.read(_READ) or b"")
        if self.unpacker is None and self.packed and self.packed[0] == 0:  # padding of members
            self.packed = memoryview(bytes(self.packed).lstrip(b"\0"))
        if not self.packed:
            if self.unpacker is not None:
                self.fault = "the compressed stream is damaged: it is cut short"
            return self.unpacker is None and self.position < os.fstat(self.raw.fileno()).st_size
        if self.unpacker is None:
            self.begin, self.unpacker = self._at(), packing.new_unpacker()
        piece = bytes(self.packed[:_PIECE])
        try:
            unpacked = self.unpacker.decompress(piece)
        except (zlib.error, zstandard.ZstdError) as error:
            self.fault = f"the compressed stream is damaged: {error}"
            if 0 < self.begin == self._at() and not piece.startswith(packing.magic):
                left = os.fstat(self.raw.fileno()).st_size - self.begin
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
        found = []
        try:
            while piece := self.raw.read(min(_PIECE, faulty_at - self.raw.tell())):
                unpacker.decompress(piece)
            while byte := self.raw.read(1):
                found.append(unpacker.decompress(byte))
        except (zlib.error, zstandard.ZstdError):
            pass
        return b"".join(found)

    @property
    def position(self) -> int:
        """Bytes of the file on disk that have been read."""
        return self.raw.tell()


@dataclass(frozen=True, slots=True)
class Identity:
    """What identifies a file, known only after all of it was read.

    `source_id` is the SHA-256 of the unpacked content in hexadecimal, or of the file on disk if not
    all of it can be unpacked. If it ends in too many zeros, it is that of what was read. `size` is
    the number of unpacked bytes and `digest` their SHA-256; `fault` says why that is not all of it,
    or is empty. `digests` has the SHA-256 of the first bytes, by their number, for those numbers
    that were asked for.
    """

    source_id: str
    size: int
    fault: str
    digest: str
    digests: Mapping[int, str] = field(hash=False)


class Source(io.RawIOBase):
    """The unpacked bytes of an open file, hashed in another thread as they are read.

    `head` has the first of them, and `whole` is true if that is all. `start` has the first behind
    the pages of zeros that they may begin with, and `start_is_all` is true if that is all.
    `stored_bytes` is the file's size on disk. `progress` is called with the number of bytes that
    were read from disk.
    """

    _BEHIND = 12  # blocks that may wait to be hashed

    def __init__(
        self, path: Path, progress: Callable[[int], None] | None, sizes: Iterable[int]
    ) -> None:
        self.path, self.progress, self.told = path, progress, 0
        self.raw = _open(path)
        self.stored_bytes = os.fstat(self.raw.fileno()).st_size
        self.packing = _packing(self.raw)
        self.compression = self.packing.name if self.packing else "none"
        self.stream = self._unpacked()
        first, zeros, piece = bytearray(), 0, memoryview(bytearray(HEAD + 1))
        # Until there is a whole head behind the zeros, of which few are read.
        while count := self.stream.readinto(piece[: HEAD + 1 + zeros - len(first)]):
            if zeros == len(first):
                zeros += leading_zeros(piece[:count])
            first += piece[:count]
        self.again = memoryview(bytes(first))  # already read from disk, but not yet returned
        self.whole = len(first) <= HEAD
        self.head = bytes(self.again[:HEAD])
        skipped = zeros // PAGE * PAGE  # a record's length may begin with a zero
        self.start = bytes(self.again[skipped : skipped + HEAD]) if skipped else self.head
        self.start_is_all = len(first) - skipped <= HEAD
        self.digest, self.size, self.hashed = hashlib.sha256(), 0, 0
        self.sizes, self.digests = frozenset(sizes), dict[int, str]()
        self.pool = ThreadPoolExecutor(1)
        self.waiting: deque[Future[None]] = deque()
        self.known: Identity | None = None

    def _unpacked(self) -> _Stream:
        self.raw.seek(0)
        return _Stream(self.raw, self.packing)

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
            self.waiting.append(self.pool.submit(self._hash, bytes(view[:count])))
            self.size += count
        self._tell()
        return count

    def _hash(self, content: bytes) -> None:
        """Add content to the digest; keep the digests at sizes that it reaches."""
        end = self.hashed + len(content)
        for size in self.sizes:
            if self.hashed < size <= end:
                here = self.digest.copy()
                here.update(content[: size - self.hashed])
                self.digests[size] = here.hexdigest()
        self.digest.update(content)
        self.hashed = end

    def identity(self) -> Identity:
        """Return the identity of the whole file, after reading the rest of it."""
        if not self.known and self.whole and len(self.again) == len(self.head):
            self._hash(self.head)  # without a thread, which a small file is not worth
            self.size = len(self.head)
            self._tell()
            self.known = self._identity()
        if not self.known:
            buffer = memoryview(bytearray(_BLOCK))
            while self.readinto(buffer):
                pass
            self.pool.shutdown()
            self.known = self._identity()
        return self.known

    def _identity(self) -> Identity:
        """Return the identity, after all was read that can be read."""
        digest = self.digest.hexdigest()
        if not self.stream.fault or self.stream.is_cut:
            return Identity(digest, self.size, self.stream.fault, digest, self.digests)
        self.raw.seek(0)
        on_disk = hashlib.file_digest(self.raw, "sha256").hexdigest()
        self._tell()
        return Identity(on_disk, self.size, self.stream.fault, digest, self.digests)

    def _tell(self) -> None:
        """Tell the progress since the last time."""
        if self.progress and self.stream.position > self.told:
            self.progress(self.stream.position - self.told)
            self.told = self.stream.position

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


class Found(NamedTuple):
    """The files that paths name, each once, and why others cannot be read."""

    files: list[Path]
    unread: dict[Path, str]


def expand(paths: Iterable[Path | str], without: Container[Path] = ()) -> Found:
    """Return the files that paths, folders (with everything below) and patterns name.

    In folders, hidden files, files named ORIGIN (see `origin_of`), TRUTH.json or as settings of
    results (see ingest.formats.about) and lakes of warehouses are skipped, and so are the files and
    folders `without` (absolute, with no link in them). Links are followed only within the folder,
    or the fixed part of the pattern. Raises SourceError for a path that names nothing.
    """
    files: dict[Path, None] = {}
    unread: dict[Path, str] = {}
    for given in paths:
        if not str(given).strip():
            raise SourceError("an empty path names no file or folder")
        path = Path(given)
        if os.path.isdir(path):  # noqa: PTH112 (Path.is_dir raises if it may not look)
            named = _below(path, without, unread)
        elif os.path.lexists(path):
            named = [path]
        else:
            named = _matching(str(given), without, unread)
        for file in named:
            if reason := _unreadable(file):
                unread[file] = reason
            else:
                files[file] = None
    return Found(list(files), unread)


def _is_about(name: str) -> bool:
    """Return whether a file says something of others, by its name."""
    return name in _ABOUT or name.endswith(_BESIDE)


def _below(folder: Path, without: Container[Path], unread: dict[Path, str]) -> list[Path]:
    """Return what is in a folder and those below it, in order; note what cannot be read.

    without: absolute paths without links.
    """

    def note(error: OSError) -> None:
        unread[Path(error.filename)] = f"cannot be listed: {error.strerror}"

    found = []
    root = folder.resolve()
    for place, folders, names in os.walk(folder, onerror=note):
        here, there = Path(place), Path(place).resolve()
        shown = {
            name
            for name in (*folders, *names)
            if not name.startswith(".") and not _is_about(name) and there / name not in without
        }
        linked = {name for name in folders if (here / name).is_symlink()}
        for name in shown & {*names, *linked}:
            if _leads_out(here / name, root):
                unread[here / name] = f"a link that leads out of {name_of(folder)}"
            elif name not in linked:
                found.append(here / name)
        folders[:] = sorted(name for name in shown & {*folders} if not _is_lake(here / name))
    return sorted(found)


def _matching(pattern: str, without: Container[Path], unread: dict[Path, str]) -> list[Path]:
    """Return the files that match a pattern, in order; note what cannot be read."""
    matches = map(Path, glob.glob(pattern, recursive=True))  # noqa: PTH207 (absolute too)
    files = sorted(match for match in matches if not match.is_dir())
    if not files:
        raise SourceError(f"{name_of(pattern)}: no such file or folder")
    fixed = takewhile(lambda part: not glob.has_magic(part), Path(pattern).parts)
    root = Path(*fixed).resolve()
    found = []
    for file in files:
        there = file.parent.resolve() / file.name
        is_without = any(place in without or _is_lake(place) for place in (there, *there.parents))
        if _leads_out(file, root):
            unread[file] = f"a link that leads out of {name_of(root)}"
        elif not _is_about(file.name) and not is_without:
            found.append(file)
    return found


def _leads_out(path: Path, root: Path) -> bool:
    """Return whether the links in a path lead out of a folder."""
    try:
        return not path.resolve().is_relative_to(root)
    except (OSError, RuntimeError):  # a link to itself, which cannot be read either
        return False


def _unreadable(file: Path) -> str:
    """Return why something that is no folder cannot be read as a file, or nothing."""
    try:
        mode = file.stat().st_mode
    except (OSError, RuntimeError) as error:  # a link to itself
        return getattr(error, "strerror", None) or str(error)
    return "" if stat.S_ISREG(mode) else _NOT_REGULAR


def _is_lake(folder: Path) -> bool:
    """Return whether a folder is the lake of a warehouse: its files were loaded before."""
    is_called_so = folder.name.endswith((LAKE_OF_DUCKDB, LAKE_OF_OTHER))
    return is_called_so and (folder / "generations").is_dir()


def origin_of(path: Path) -> str | None:
    """Return the origin stated by the nearest file named ORIGIN, or None.

    That file is in the folder of `path` or above it, and contains one word. Raises SourceError if
    it contains anything but a known origin.
    """
    for folder in path.absolute().parents:
        marker = folder / ORIGIN_FILE
        if marker.is_file():
            with marker.open(encoding="utf-8", errors="replace") as opened:
                word = opened.read(100).strip()
            if word not in ORIGINS:
                raise SourceError(f"{marker}: {word[:40]!r} is not one of {', '.join(ORIGINS)}")
            return word
    return None


def open_source(
    path: Path, progress: Callable[[int], None] | None = None, sizes: Iterable[int] = ()
) -> Source:
    """Open a plain, gzip or Zstandard file; see `Identity` for `sizes`. Raises OSError."""
    return Source(path, progress, sizes)


def _open(path: Path) -> io.FileIO:
    """Open a file without waiting for a writer, as a pipe would. Raises OSError."""
    opened = io.FileIO(str(path), opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))
    if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
        opened.close()
        raise OSError(errno.EINVAL, _NOT_REGULAR, str(path))
    return opened


def is_compressed(head: bytes) -> bool:
    """Return whether a file that begins so is unpacked when it is read."""
    return head.startswith(tuple(packing.magic for packing in _PACKINGS))


def _packing(raw: io.FileIO) -> _Packing | None:
    magic = raw.read(4)
    raw.seek(0)
    return next((p for p in _PACKINGS if magic.startswith(p.magic)), None)


_PACKINGS = (
    _Packing("gzip", b"\x1f\x8b", lambda: zlib.decompressobj(wbits=31)),
    _Packing("zstd", b"\x28\xb5\x2f\xfd", lambda: zstandard.ZstdDecompressor().decompressobj()),
)
