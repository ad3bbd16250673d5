"""Files as they arrive: found by path, folder or pattern, unpacked, and identified by content.

What unpacks them is in ingest.formats.unpacking, and archives are in ingest.formats.archives.
"""

from __future__ import annotations

import glob
import hashlib
import io
import os
import stat
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from ingest.base.errors import SourceError
from ingest.base.files import LAKE_OF_DUCKDB, LAKE_OF_OTHER, name_of
from ingest.formats.archives import contents, is_file, member_path, on_disk, open_file, state_of
from ingest.formats.unpacking import NOT_REGULAR, PACKINGS, Stream, packing_of
from ingest.formats.zeros import PAGE, leading_zeros

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
_HIDDEN = (".", "__MACOSX")
_BESIDE = ".results.toml"  # ends the name of a file with settings for the one beside it
HEAD = 4 * 1024 * 1024  # bytes used to recognise a file
_BLOCK = 4 * 1024 * 1024


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
        self.pool = ThreadPoolExecutor(1)
        self.raw = open_file(path)
        self.stored_bytes = self.raw.size
        self.packing = packing_of(self.raw)
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
        self.waiting: deque[Future[None]] = deque()
        self.known: Identity | None = None

    def _unpacked(self) -> Stream:
        self.raw.seek(0)
        return Stream(self.raw, self.packing)

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
                digest = self.digest.copy()
                digest.update(content[: size - self.hashed])
                self.digests[size] = digest.hexdigest()
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
        on_disk = self.raw.digest()
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
        with suppress(AttributeError):  # it could not be opened
            self.raw.close()
        super().close()


class Found(NamedTuple):
    """The files that paths name, each once, and why others cannot be read."""

    files: list[Path]
    unread: dict[Path, str]

    def with_members(self) -> Found:
        """Return the same with the members of archives, as of folders, in place of archives."""
        files: dict[Path, None] = {}
        unread = dict(self.unread)
        for file in self.files:
            try:
                members = contents(file)
            except OSError:
                members = None  # loading says why
            if members is None:
                files[file] = None
                continue
            unread |= {member_path(file, name): why for name, why in members.faults.items()}
            for name in members.members:
                if not any(part.startswith(_HIDDEN) or _is_about(part) for part in name.split("/")):
                    files[member_path(file, name)] = None
        return Found(list(files), unread)

    def sizes(self) -> dict[Path, int]:
        """Return the bytes of each file; 0 of one that is gone, which loading will report."""
        sizes = dict.fromkeys(self.files, 0)
        for file in sizes:
            with suppress(OSError):
                sizes[file] = state_of(file).size
        return sizes


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
            named = _files_below(path, without, unread)
        elif os.path.lexists(path) or is_file(path):  # or a member of an archive
            named = [path]
        else:
            named = _matches(str(given), without, unread)
        for file in named:
            if reason := _unreadable(on_disk(file)):
                unread[file] = reason
            else:
                files[file] = None
    return Found(list(files), unread)


def _is_about(name: str) -> bool:
    """Return whether a file says something of others, by its name."""
    return name in _ABOUT or name.endswith(_BESIDE)


def _files_below(folder: Path, without: Container[Path], unread: dict[Path, str]) -> list[Path]:
    """Return what is in a folder and those below it, in order; note what cannot be read.

    without: absolute paths without links.
    """

    def note(error: OSError) -> None:
        unread[Path(error.filename)] = f"cannot be listed: {error.strerror}"

    files = []
    root = folder.resolve()
    for directory, folders, names in os.walk(folder, onerror=note):
        path, there = Path(directory), Path(directory).resolve()
        shown = {
            name
            for name in (*folders, *names)
            if not name.startswith(".") and not _is_about(name) and there / name not in without
        }
        linked = {name for name in folders if (path / name).is_symlink()}
        for name in shown & {*names, *linked}:
            if _leads_out(path / name, root):
                unread[path / name] = f"a link that leads out of {name_of(folder)}"
            elif name not in linked:
                files.append(path / name)
        folders[:] = sorted(name for name in shown & {*folders} if not _is_lake(path / name))
    return sorted(files)


def _matches(pattern: str, without: Container[Path], unread: dict[Path, str]) -> list[Path]:
    """Return the files that match a pattern, in order; note what cannot be read."""
    matches = map(Path, glob.glob(pattern, recursive=True))  # noqa: PTH207 (absolute too)
    files = sorted(match for match in matches if not match.is_dir())
    if not files:
        raise SourceError(f"{name_of(pattern)}: no such file or folder")
    fixed = takewhile(lambda part: not glob.has_magic(part), Path(pattern).parts)
    root = Path(*fixed).resolve()
    result = []
    for file in files:
        there = file.parent.resolve() / file.name
        is_without = any(
            parent in without or _is_lake(parent) for parent in (there, *there.parents)
        )
        if _leads_out(file, root):
            unread[file] = f"a link that leads out of {name_of(root)}"
        elif not _is_about(file.name) and not is_without:
            result.append(file)
    return result


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
    return "" if stat.S_ISREG(mode) else NOT_REGULAR


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
        if is_file(marker):
            opened = open_file(marker)
            word = (opened.read(100) or b"").decode(errors="replace").strip()
            opened.close()
            if word not in ORIGINS:
                raise SourceError(f"{marker}: {word[:40]!r} is not one of {', '.join(ORIGINS)}")
            return word
    return None


def open_source(
    path: Path, progress: Callable[[int], None] | None = None, sizes: Iterable[int] = ()
) -> Source:
    """Open a plain, gzip or Zstandard file; see `Identity` for `sizes`. Raises OSError."""
    return Source(path, progress, sizes)


def is_compressed(head: bytes) -> bool:
    """Return whether a file that begins so is unpacked when it is read."""
    return head.startswith(tuple(packing.magic for packing in PACKINGS))
