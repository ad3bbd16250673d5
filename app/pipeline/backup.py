"""Backups of a warehouse, and restoring one.

    FOLDER/<name>-<moment>/        a backup of <name>.duckdb, moved in by one rename
        manifest.json                  size and SHA-256 of every other file; the loads, their rows
        published.duckdb               the published file
        lake/...                       the lake, with the present generation as raw/

What can be made again is left out: the working database, dbt's logs, the audit's page. A file that
is as it was in the backup before is a hard link to that one, where the disk allows it.

Only a whole warehouse is backed up: no load is missing, and each file is as its load's writer noted
it. What is restored is compared with that again before it replaces anything.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import duckdb

from ingest.base.errors import SettingsError
from ingest.base.files import draft, draft_folder, sync
from ingest.base.waiting import locked
from ingest.lake import views
from ingest.lake.alone import StepError, alone
from ingest.lake.folders import loads_by_folder
from ingest.lake.generations import SCHEMA_FOLDER, Generations
from ingest.lake.log import step
from ingest.lake.restored import take_place
from ingest.lake.seal import damage_of_folder, read_seal
from ingest.lake.warehouse import FORMAT, Warehouse
from ingest.repair.missing import missing_loads

__all__ = ["Backup", "back_up", "backups_to_keep", "restore", "verify"]

_MANIFEST = "manifest.json"
_PUBLISHED = "published.duckdb"
_FORMAT = 2  # of backups. 1: without the loads and their rows
_MOMENT = "%Y%m%dT%H%M%SZ"
_MADE_AGAIN = {
    *("raw", "generations", "staging", "dbt", "data_docs"),
    *("work.duckdb", "work.duckdb.wal", "work.duckdb.tmp"),
}
_BLOCK = 1 << 22  # bytes
_NAMED = 10  # damaged files or loads that an error names
_LATEST = 1 << 62  # ns since 1970: no file has a later time


class Backup(NamedTuple):
    """A backup: its folder, how many files, bytes, loads it has, and how many bytes were copied."""

    folder: Path
    files: int
    bytes: int
    loads: int
    copied: int


class _File(NamedTuple):
    """A line of the manifest."""

    size: int
    sha256: str
    mtime_ns: int


class _Manifest(NamedTuple):
    """What a backup has; loads and rows are None in one of an earlier release."""

    files: dict[str, _File]
    loads: list[str] | None
    rows: int | None


def backups_to_keep() -> int:
    """Return how many backups $PERFHOUSE_BACKUP_KEEP keeps; 14 by default. Raises SettingsError."""
    keep = os.environ.get("PERFHOUSE_BACKUP_KEEP", "14")
    if not keep.isdecimal():
        raise SettingsError(f"PERFHOUSE_BACKUP_KEEP={keep}: not a number of backups")
    return int(keep)


def back_up(warehouse: Warehouse, folder: Path, keep: int | None = None) -> Backup:
    """Back a warehouse up into a new folder in `folder`; ingest, build and publish may go on.

    keep: how many backups of this warehouse stay; older ones are removed at the end, those that an
    earlier release made without being counted. Raises StepError, and removes none, if there is no
    warehouse, or something of it is missing or damaged. Raises WarehouseError if another backup is
    being made or its rows are in DuckLake, and OSError.
    """
    folder = folder.absolute()
    warehouse.recover()
    if not warehouse.store.exists():
        raise StepError(f"{warehouse.file}: no warehouse here")
    if folder.resolve().is_relative_to(warehouse.lake.resolve()):
        raise StepError(f"{folder}: a backup cannot be inside the lake that it copies")
    folder.mkdir(parents=True, exist_ok=True)
    name = warehouse.file.stem
    with (
        locked(folder / f".{name}.lock", wait=0, name=str(folder), command="backup"),
        step(warehouse, "backup") as done,
        _snapshot(warehouse) as snapshot,
    ):
        _require_whole(warehouse, snapshot / "lake" / "raw")
        earlier = _backups(folder, name)
        newest, before = _last_of(earlier)
        target = folder / f"{name}-{_next_moment(earlier)}"
        with draft_folder(folder, target.name) as made:
            files, copied = _copy_all(snapshot, made, newest, before)
            loads, rows = _loads_and_rows(snapshot / "lake" / "raw")
            manifest = {
                "perfhouse_backup": _FORMAT,
                "warehouse": warehouse.file.name,
                "made_by": version("perfhouse"),
                "lake_format": FORMAT,
                "loads": loads,
                "rows": rows,
                "files": files,
            }
            (made / _MANIFEST).write_text(json.dumps(manifest, indent=0))
            sync(made / _MANIFEST)
            made.rename(target)
            sync(folder)
        if keep:
            _remove_older(_backups(folder, name), keep)
        done.note(files=len(files), bytes=copied)
    size = sum(file.size for file in files.values())
    return Backup(target, len(files), size, len(loads), copied)


def verify(source: Path) -> Backup:
    """Read all of a backup, or of the last one in a folder. Raises StepError if it is not whole."""
    folder = _find_backup(source.absolute())
    manifest = _read_manifest(folder)
    damaged = [
        f"{name}: {reason}"
        for name, file in manifest.files.items()
        if (reason := _difference(folder / name, file))
    ]
    if manifest.loads is not None:
        damaged += _differences(folder / "lake" / "raw", manifest)
    _require_none(damaged, f"{folder}: not whole")
    size = sum(file.size for file in manifest.files.values())
    return Backup(folder, len(manifest.files), size, len(manifest.loads or ()), 0)


def restore(source: Path, warehouse: Warehouse, *, replace: bool = False) -> Backup:
    """Make a warehouse from a backup, or from the last one in a folder of backups.

    It may have another name and place than the one that was backed up. Every file is verified, and
    the loads and rows are those of the manifest; otherwise nothing appears (see
    ingest.lake.restored).

    replace: put it in the place of a warehouse that is there; that one stays beside it, until
    something is published. Raises StepError if there is no backup, it is not whole, a later release
    made it, or a warehouse is there.
    """
    folder = _find_backup(source.absolute())
    manifest = _read_manifest(folder)
    warehouse.finish_restore()
    there = [path for path in (warehouse.lake, warehouse.file) if os.path.lexists(path)]
    if there and not replace:
        raise StepError(
            f"{there[0]}: there is a warehouse already; --replace puts this in its place"
        )
    with draft_folder(warehouse.file.parent, f"{warehouse.file.name}.restored") as draft_:
        made = Warehouse(draft_ / warehouse.file.name)
        damaged = []
        for name, file in manifest.files.items():
            if reason := _restore_file(folder / name, _place_of(made, name), file):
                damaged.append(f"{name}: {reason}")
        _require_none(damaged, f"{folder}: damaged, nothing restored")
        _complete(made, warehouse)
        differences = _differences(made.raw.resolve(), manifest)
        _require_none(differences, f"{folder}: not whole, nothing restored")
        with alone(warehouse, as_is=True) if warehouse.lake.exists() else nullcontext():
            take_place(draft_, warehouse.lake, warehouse.file)
    size = sum(file.size for file in manifest.files.values())
    loads, _ = _loads_and_rows(warehouse.raw.resolve())
    return Backup(folder, len(manifest.files), size, len(loads), size)


# --- what makes a warehouse whole ----------------------------------------------------------


def _require_whole(warehouse: Warehouse, raw: Path) -> None:
    """Raise StepError if a load is gone, or a file in the snapshot is not as it was written."""
    lost = [f"{load.path or load.source_id}: its load is gone" for load in missing_loads(warehouse)]
    lost += _damage(raw)
    again = warehouse.command("build")
    _require_none(lost, f"{warehouse.file}: not backed up; '{again}' loads again what it can")


def _require_none(differences: list[str], said: str) -> None:
    if differences:
        more = f" (and {len(differences) - _NAMED} more)" if len(differences) > _NAMED else ""
        raise StepError(f"{said}: {'; '.join(differences[:_NAMED])}{more}")


def _folders(raw: Path) -> list[Path]:
    folders = raw.iterdir() if raw.is_dir() else ()
    return sorted(folder for folder in folders if folder.name != SCHEMA_FOLDER)


def _damage(raw: Path) -> list[str]:
    """Return what is missing, foreign or damaged in the folders of loads, by size and frame."""
    return [
        f"{file.relative_to(raw)}: {reason}"
        for folder in _folders(raw)
        for file, reason in damage_of_folder(folder)
    ]


def _loads_and_rows(raw: Path) -> tuple[list[str], int]:
    """Return the loads in a folder raw, and the rows of all its files, by the notes of both."""
    contents = [read_seal(folder) for folder in _folders(raw)]
    loads = sorted(set().union(*loads_by_folder(raw).values())) if raw.is_dir() else []
    return loads, sum(
        file.rows for content in contents if content for file in content.files.values()
    )


def _differences(raw: Path, manifest: _Manifest) -> list[str]:
    """Return how a folder raw differs from what its manifest and its own notes say."""
    differences, (loads, rows) = _damage(raw), _loads_and_rows(raw)
    if manifest.loads is None:
        return differences
    differences += [f"{load}: its load is missing" for load in sorted({*manifest.loads} - {*loads})]
    if rows != manifest.rows:
        differences.append(f"{rows:,} rows, not {manifest.rows:,}")
    return differences


# --- backing up ----------------------------------------------------------------------------


@contextmanager
def _snapshot(warehouse: Warehouse) -> Iterator[Path]:
    """Yield a folder with hard links to all that belongs in a backup, as of one moment.

    No file of a lake is changed in place, so the links stay as they are; only the log grows. While
    they are made, loads may be added but not removed or merged.
    """
    with draft(warehouse.staging, "backup") as path:
        with warehouse.store.frozen():
            # In this order: a build that readers see has its loads, and its verdict.
            _link(warehouse.file, path / _PUBLISHED)
            for file in _files_below(warehouse.raw.resolve()):
                if file.parts[0] != SCHEMA_FOLDER:
                    _link(warehouse.raw.resolve() / file, path / "lake" / "raw" / file)
            for file in _files_below(warehouse.lake):
                if file.parts[0] not in _MADE_AGAIN:
                    _link(warehouse.lake / file, path / "lake" / file)
        yield path


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder, relative to it, without drafts and locks."""
    for root, folders, files in os.walk(folder):
        relative = Path(root).relative_to(folder)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and not name.endswith(".lock"):
                yield relative / name


def _link(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        place.hardlink_to(file)
    except FileNotFoundError:  # a notice that was accepted meanwhile; or nothing is published
        if file.exists():
            raise


def _copy_all(
    snapshot: Path, made: Path, known: dict[str, _File], before: Path
) -> tuple[dict[str, _File], int]:
    """Copy a snapshot; return the manifest's lines by name, and how many bytes were copied.

    Raises StepError if the content of a file of a load is not what its writer noted.
    """
    files, copied, changed = {}, 0, []
    raw = snapshot / "lake" / "raw"
    noted = {folder / name: file.crc for folder in _folders(raw) if (contents := read_seal(folder))
             for name, file in contents.files.items()}  # fmt: skip
    for path in _files_below(snapshot):
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
        files[name] = _File(read.size, read.sha256, status.st_mtime_ns)
        copied += read.size
        if read.crc != noted.get(source, read.crc):
            changed.append(f"{path.relative_to('lake/raw')}: its content has changed")
    _require_none(changed, "not backed up; 'perfhouse reload' loads again what it can")
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


def _next_moment(earlier: list[Path]) -> str:
    """Return a moment, UTC, that sorts after the backups, whatever the clock says."""
    moment = datetime.now(UTC)
    if earlier:
        last = datetime.strptime(earlier[-1].name.rpartition("-")[2], "%Y%m%dT%H%M%S%z")
        moment = max(moment, last + timedelta(seconds=1))
    return f"{moment:{_MOMENT}}"


def _backups(folder: Path, name: str) -> list[Path]:
    """Return the backups of a warehouse in a folder, in their order."""
    glob = folder.glob("*-????????T??????Z")
    return sorted(path for path in glob if path.name.rpartition("-")[0] == name)


def _last_of(backups: list[Path]) -> tuple[dict[str, _File], Path]:
    """Return the files of the last backup; none if there is none, or it cannot be read."""
    for last in backups[-1:]:
        try:
            return _read_manifest(last).files, last
        except StepError:
            break
    return {}, Path()


def _remove_older(backups: list[Path], keep: int) -> None:
    """Remove the backups before the last ones that were whole, each after renaming it."""
    counted = 0
    for backup in reversed(backups):
        if counted == keep:
            with draft(backup.parent, backup.name) as hidden:
                backup.rename(hidden)
            continue
        try:
            counted += _read_manifest(backup).loads is not None
        except StepError:
            continue


# --- restoring -----------------------------------------------------------------------------


def _find_backup(source: Path) -> Path:
    """Return the backup at a path, or the last one in it."""
    if (source / _MANIFEST).exists():
        return source
    backups = [path for path in source.glob("*-????????T??????Z") if (path / _MANIFEST).exists()]
    names = {path.name.rpartition("-")[0] for path in backups}
    if len(names) > 1:
        raise StepError(f"{source}: backups of several warehouses ({', '.join(sorted(names))}): "
                        "name one of its folders")  # fmt: skip
    if not backups:
        raise StepError(f"{source}: no backup here")
    return max(backups)


def _read_manifest(folder: Path) -> _Manifest:
    """Raise StepError if it is no manifest, or one of a later release."""
    file = folder / _MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(file.read_bytes())
        formats = int(manifest["perfhouse_backup"]), int(manifest["lake_format"])
        if formats[0] > _FORMAT or formats[1] > FORMAT:
            raise StepError(
                f"{folder}: perfhouse {manifest.get('made_by')} made it, which is later than this "
                "release: update perfhouse"
            )
        files = {
            str(name): _File(int(size), str(sha256), int(mtime_ns))
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
        if (
            not (name == _PUBLISHED or (is_inside and is_plain))
            or not 0 <= parts.mtime_ns < _LATEST
        ):
            raise StepError(f"{file}: {name!r} is no file of a backup")
    return _Manifest(files, loads, rows)


def _place_of(made: Warehouse, name: str) -> Path:
    """Return where a file of a backup belongs in a warehouse."""
    if name == _PUBLISHED:
        return made.file
    parts = PurePosixPath(name).parts[1:]
    return (
        Generations(made.lake).folder.joinpath("000001", *parts[1:])
        if parts[0] == "raw"
        else made.lake.joinpath(*parts)
    )


def _restore_file(source: Path, target: Path, file: _File) -> str:
    """Copy a file of a backup; return what is wrong with it, or nothing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if reason := _difference(source, file, target):
        return reason
    os.utime(target, ns=(file.mtime_ns, file.mtime_ns))  # so that the next backup knows it
    return ""


def _difference(source: Path, file: _File, target: Path | None = None) -> str:
    """Return how a file differs from its line of the manifest; copy it meanwhile."""
    try:
        read = _read(source, target)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return "missing"
    if read.size != file.size:
        return f"{read.size:,} bytes, not {file.size:,}"
    return "" if read.sha256 == file.sha256 else "its content has changed"


def _complete(made: Warehouse, target: Warehouse) -> None:
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
