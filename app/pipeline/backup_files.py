"""Files of a backup: copied with their digests, its manifest, and what differs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import duckdb

from ingest.lake import views
from ingest.lake.alone import StepError
from ingest.lake.generations import SCHEMA_FOLDER, Generations
from ingest.lake.seal import read_seal
from ingest.lake.warehouse import FORMAT, Warehouse

__all__ = [
    "BACKUP_FORMAT",
    "MANIFEST",
    "PUBLISHED",
    "CopiedFile",
    "Manifest",
    "complete",
    "copy_all",
    "difference_of_file",
    "files_below",
    "link_file",
    "load_folders",
    "place_of",
    "read_manifest",
    "require_none",
    "restore_file",
]

MANIFEST = "manifest.json"
PUBLISHED = "published.duckdb"
BACKUP_FORMAT = 2  # of backups. 1: without the loads and their rows
_BLOCK = 1 << 22  # bytes
_NAMED = 10  # damaged files or loads that an error names
_LATEST = 1 << 62  # ns since 1970: no file has a later time


class CopiedFile(NamedTuple):
    """A line of the manifest."""

    size: int
    sha256: str
    mtime_ns: int


class Manifest(NamedTuple):
    """What a backup has; loads and rows are None in one of an earlier release."""

    files: dict[str, CopiedFile]
    loads: list[str] | None
    rows: int | None


def require_none(differences: list[str], said: str) -> None:
    """Raise StepError with the first differences, if there are any."""
    if differences:
        more = f" (and {len(differences) - _NAMED} more)" if len(differences) > _NAMED else ""
        raise StepError(f"{said}: {'; '.join(differences[:_NAMED])}{more}")


def load_folders(raw: Path) -> list[Path]:
    """Return the folders of loads in a folder raw, in order."""
    folders = raw.iterdir() if raw.is_dir() else ()
    return sorted(folder for folder in folders if folder.name != SCHEMA_FOLDER)


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder, relative to it, without drafts and locks."""
    for root, folders, files in os.walk(folder):
        relative = Path(root).relative_to(folder)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and not name.endswith(".lock"):
                yield relative / name


def link_file(file: Path, place: Path) -> None:
    """Link a file into a backup; it may be gone meanwhile."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        place.hardlink_to(file)
    except FileNotFoundError:  # a notice that was accepted meanwhile; or nothing is published
        if file.exists():
            raise


def copy_all(
    snapshot: Path, made: Path, known: dict[str, CopiedFile], before: Path
) -> tuple[dict[str, CopiedFile], int]:
    """Copy a snapshot; return the manifest's lines by name, and how many bytes were copied.

    Raises StepError if the content of a file of a load is not what its writer noted.
    """
    files, copied, changed = {}, 0, []
    raw = snapshot / "lake" / "raw"
    sealed = {folder: contents for folder in load_folders(raw) if (contents := read_seal(folder))}
    noted = {
        folder / name: file.crc
        for folder, contents in sealed.items()
        for name, file in contents.files.items()
    }
    for path in files_below(snapshot):
        source, target, name = snapshot / path, made / path, path.as_posix()
        target.parent.mkdir(parents=True, exist_ok=True)
        status = source.stat()
        same = known.get(name)
        if same and (same.size, same.mtime_ns) == (status.st_size, status.st_mtime_ns):
            try:
                if (before / path).stat().st_size == same.size:
                    target.hardlink_to(before / path)
                    files[name] = same
                    continue
            except OSError:  # the disk has no hard links, or no more of them
                target.unlink(missing_ok=True)
        read = _read(source, target)
        files[name] = CopiedFile(read.size, read.sha256, status.st_mtime_ns)
        copied += read.size
        if read.crc != noted.get(source, read.crc):
            changed.append(f"{path.relative_to('lake/raw')}: its content has changed")
    require_none(changed, "not backed up; 'perfhouse reload' loads again what it can")
    return files, copied


class _Read(NamedTuple):
    size: int
    sha256: str
    crc: int


def _read(source: Path, target: Path | None = None) -> _Read:
    """Read a file, and copy it if there is a target. Raises OSError."""
    digest, size, crc = hashlib.sha256(), 0, 0
    with source.open("rb") as opened, target.open("wb") if target else nullcontext() as out:
        while block := opened.read(_BLOCK):
            digest.update(block)
            crc = zlib.crc32(block, crc)
            size += len(block)
            if out:
                out.write(block)
        if out:
            out.flush()
            os.fsync(out.fileno())
    return _Read(size, digest.hexdigest(), crc)


def read_manifest(folder: Path) -> Manifest:
    """Raise StepError if it is no manifest, or one of a later release."""
    file = folder / MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(file.read_bytes())
        formats = int(manifest["perfhouse_backup"]), int(manifest["lake_format"])
        if formats[0] > BACKUP_FORMAT or formats[1] > FORMAT:
            raise StepError(
                f"{folder}: perfhouse {manifest.get('made_by')} made it, which is later than this "
                "release: update perfhouse"
            )
        files = {
            str(name): CopiedFile(int(size), str(sha256), int(mtime_ns))
            for name, (size, sha256, mtime_ns) in manifest["files"].items()
        }
        loads, rows = None, None
        if formats[0] > 1:
            loads, rows = list(map(str, manifest["loads"])), int(manifest["rows"])
        if not files:
            raise ValueError("it lists no files")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise StepError(f"{file}: damaged, or no manifest of a backup ({error})") from None
    for name, parts in files.items():
        path = PurePosixPath(name)
        is_inside = path.parts[0] == "lake" and len(path.parts) > 1 and ".." not in path.parts
        is_plain = path.as_posix() == name and "\0" not in name
        if not (name == PUBLISHED or (is_inside and is_plain)) or not 0 <= parts.mtime_ns < _LATEST:
            raise StepError(f"{file}: {name!r} is no file of a backup")
    return Manifest(files, loads, rows)


def place_of(made: Warehouse, name: str) -> Path:
    """Return where a file of a backup belongs in a warehouse."""
    if name == PUBLISHED:
        return made.file
    parts = PurePosixPath(name).parts[1:]
    return (
        Generations(made.lake).folder.joinpath("000001", *parts[1:])
        if parts[0] == "raw"
        else made.lake.joinpath(*parts)
    )


def restore_file(source: Path, target: Path, file: CopiedFile) -> str:
    """Copy a file of a backup; return what is wrong with it, or nothing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if reason := difference_of_file(source, file, target):
        return reason
    os.utime(target, ns=(file.mtime_ns, file.mtime_ns))  # so that the next backup knows it
    return ""


def difference_of_file(source: Path, file: CopiedFile, target: Path | None = None) -> str:
    """Return how a file differs from its line of the manifest; copy it meanwhile."""
    try:
        read = _read(source, target)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return "missing"
    if read.size != file.size:
        return f"{read.size:,} bytes, not {file.size:,}"
    return "" if read.sha256 == file.sha256 else "its content has changed"


def complete(made: Warehouse, target: Warehouse) -> None:
    """Make what a backup leaves out, and let the published file read the lake in its place."""
    generations = Generations(made.lake)
    (generations.folder / "000001").mkdir(parents=True, exist_ok=True)
    generations.point_at(generations.folder / "000001")
    if not made.file.exists():
        made.create()
        made.file.unlink()  # it reads the draft, and the next command makes it
        return
    shutil.copyfile(made.file, made.work)  # so that the next build is one of what changed
    for file in (made.file, made.work):
        with duckdb.connect(str(file)) as db:
            views.move(db, made.lake)
    made.create()
    for file in (made.file, made.work):
        with duckdb.connect(str(file)) as db:
            views.move(db, target.lake)
