"""Backups of a warehouse, and restoring one.

    FOLDER/<name>-<moment>/        a backup of <name>.duckdb, moved in by one rename
        manifest.json                  size and SHA-256 of every other file
        published.duckdb               the published file
        lake/...                       the lake, with the present generation as raw/

What can be made again is left out: the working database, dbt's logs, the audit's page. A file that
is as it was in the backup before is a hard link to that one, where the disk allows it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import duckdb
from filelock import FileLock, Timeout

from ingest.base.files import sweep, sync
from ingest.lake import views
from ingest.lake.alone import StepError, alone
from ingest.lake.generations import SCHEMA_FOLDER, Generations
from ingest.lake.log import step
from ingest.lake.restored import take_place
from ingest.lake.warehouse import FORMAT, Warehouse

__all__ = ["Backup", "back_up", "restore"]

_MANIFEST = "manifest.json"
_PUBLISHED = "published.duckdb"
_FORMAT = 1  # of backups
_MOMENT = "%Y%m%dT%H%M%SZ"
_MADE_AGAIN = {
    *("raw", "generations", "staging", "dbt", "data_docs"),
    *("work.duckdb", "work.duckdb.wal", "work.duckdb.tmp"),
}
_BLOCK = 1 << 22  # bytes


class Backup(NamedTuple):
    """A backup: its folder, how many files and bytes it has, and how many bytes were copied."""

    folder: Path
    files: int
    bytes: int
    copied: int


class _File(NamedTuple):
    """A line of the manifest."""

    size: int
    sha256: str
    mtime_ns: int


def back_up(warehouse: Warehouse, folder: Path, keep: int | None = None) -> Backup:
    """Back a warehouse up into a new folder in `folder`; ingest, build and publish may go on.

    keep: how many backups of this warehouse stay; older ones are removed at the end. Raises
    StepError if there is no warehouse, or another backup is being made, WarehouseError if its rows
    are in DuckLake, and OSError.
    """
    folder = folder.absolute()
    warehouse.recover()
    if not warehouse.store.exists():
        raise StepError(f"{warehouse.file}: no warehouse here")
    if folder.resolve().is_relative_to(warehouse.lake.resolve()):
        raise StepError(f"{folder}: a backup cannot be inside the lake that it copies")
    folder.mkdir(parents=True, exist_ok=True)
    name = warehouse.file.stem
    try:
        lock = FileLock(folder / f".{name}.lock", timeout=0).acquire()
    except Timeout:
        raise StepError(f"{folder}: another backup is being made") from None
    with lock, step(warehouse, "backup") as done, _snapshot(warehouse) as snapshot:
        earlier = _backups(folder, name)
        known, before = _last_of(earlier)
        place = folder / f"{name}-{_next_moment(earlier)}"
        with _draft(place) as draft:
            files, copied = _copy_all(snapshot, draft, known, before)
            manifest = {
                "perfhouse_backup": _FORMAT,
                "warehouse": warehouse.file.name,
                "made_by": version("perfhouse"),
                "lake_format": FORMAT,
                "files": files,
            }
            (draft / _MANIFEST).write_text(json.dumps(manifest, indent=0))
            sync(draft / _MANIFEST)
            draft.rename(place)
            sync(folder)
        for old in [*earlier, place][: -keep or None] if keep else ():
            _remove(old)
        done.note(files=len(files), bytes=copied)
    return Backup(place, len(files), sum(file.size for file in files.values()), copied)


def restore(source: Path, warehouse: Warehouse, *, replace: bool = False) -> Backup:
    """Make a warehouse from a backup, or from the last one in a folder of backups.

    It may have another name and place than the one that was backed up. Every file is verified, and
    nothing appears unless all are right (see ingest.lake.restored).

    replace: put it in the place of a warehouse that is there; that one is removed at the end.
    Raises StepError if there is no backup, a file of it is damaged or missing, a later release made
    it, or a warehouse is there.
    """
    folder = _chosen(source.absolute())
    manifest = _read_manifest(folder)
    files = manifest["files"]
    warehouse.finish_restore()
    there = [place for place in (warehouse.lake, warehouse.file) if os.path.lexists(place)]
    if there and not replace:
        raise StepError(
            f"{there[0]}: there is a warehouse already; --replace puts this in its place"
        )
    warehouse.file.parent.mkdir(parents=True, exist_ok=True)
    draft_place = warehouse.file.with_name(f"{warehouse.file.name}.restored")
    with _draft(draft_place) as draft:
        made = Warehouse(draft / warehouse.file.name)
        damaged = []
        for name, file in files.items():
            if reason := _restore_file(folder / name, _place_of(made, name), file):
                damaged.append(f"{name}: {reason}")
        if damaged:
            more = f" (and {len(damaged) - 10} more)" if len(damaged) > 10 else ""
            raise StepError(f"{folder}: damaged, nothing restored: {'; '.join(damaged[:10])}{more}")
        _complete(made, warehouse)
        with alone(warehouse, as_is=True) if warehouse.lake.exists() else nullcontext():
            before = take_place(draft, warehouse.lake, warehouse.file)
        if before and replace:  # otherwise another process made it in the meantime
            shutil.rmtree(before, ignore_errors=True)
    size = sum(file.size for file in files.values())
    return Backup(folder, len(files), size, size)


# --- backing up ----------------------------------------------------------------------------


@contextmanager
def _snapshot(warehouse: Warehouse) -> Iterator[Path]:
    """Yield a folder with hard links to all that belongs in a backup, as of one moment.

    No file of a lake is changed in place, so the links stay as they are; only the log grows. While
    they are made, loads may be added but not removed or merged.
    """
    place = warehouse.staging / f"backup.{os.getpid()}"
    sweep(warehouse.staging, "*")
    try:
        with warehouse.store.frozen():
            # In this order: a build that readers see has its loads, and its verdict.
            _link(warehouse.file, place / _PUBLISHED)
            for file in _below(warehouse.raw.resolve()):
                if file.parts[0] != SCHEMA_FOLDER:
                    _link(warehouse.raw.resolve() / file, place / "lake" / "raw" / file)
            for file in _below(warehouse.lake):
                if file.parts[0] not in _MADE_AGAIN:
                    _link(warehouse.lake / file, place / "lake" / file)
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _below(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder, relative to it, without drafts and locks."""
    for root, folders, files in os.walk(folder):
        here = Path(root).relative_to(folder)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and not name.endswith(".lock"):
                yield here / name


def _link(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        place.hardlink_to(file)
    except FileNotFoundError:  # a notice that was accepted meanwhile; or nothing is published
        if file.exists():
            raise


def _copy_all(
    snapshot: Path, draft: Path, known: dict[str, _File], before: Path
) -> tuple[dict[str, _File], int]:
    """Copy a snapshot; return the manifest's lines by name, and how many bytes were copied."""
    files, copied = {}, 0
    for path in _below(snapshot):
        source, target, name = snapshot / path, draft / path, path.as_posix()
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
        size, digest = _copy(source, target)
        files[name] = _File(size, digest, status.st_mtime_ns)
        copied += size
    return files, copied


def _copy(source: Path, target: Path) -> tuple[int, str]:
    """Copy a file; return its size and SHA-256."""
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as opened, target.open("wb") as out:
        while block := opened.read(_BLOCK):
            digest.update(block)
            size += out.write(block)
        out.flush()
        os.fsync(out.fileno())
    return size, digest.hexdigest()


@contextmanager
def _draft(place: Path) -> Iterator[Path]:
    """Yield an empty folder beside `place`, and remove it; also those of killed processes."""
    place.parent.mkdir(parents=True, exist_ok=True)
    sweep(place.parent, ".draft-*")
    draft = place.with_name(f".draft-{place.name}.{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _next_moment(earlier: list[Path]) -> str:
    """Return a moment, UTC, that sorts after the backups, whatever the clock says."""
    moment = datetime.now(UTC)
    if earlier:
        last = datetime.strptime(earlier[-1].name.rpartition("-")[2], "%Y%m%dT%H%M%S%z")
        moment = max(moment, last + timedelta(seconds=1))
    return f"{moment:{_MOMENT}}"


def _backups(folder: Path, name: str) -> list[Path]:
    """Return the backups of a warehouse in a folder, in their order."""
    found = folder.glob("*-????????T??????Z")
    return sorted(one for one in found if one.name.rpartition("-")[0] == name)


def _last_of(backups: list[Path]) -> tuple[dict[str, _File], Path]:
    """Return the files of the last backup; none if there is none, or it cannot be read."""
    for last in backups[-1:]:
        try:
            return _read_manifest(last)["files"], last
        except StepError:
            break
    return {}, Path()


def _remove(backup: Path) -> None:
    """Remove a backup, after renaming it."""
    hidden = backup.with_name(f".draft-{backup.name}.{os.getpid()}")
    backup.rename(hidden)
    shutil.rmtree(hidden, ignore_errors=True)


# --- restoring -----------------------------------------------------------------------------


def _chosen(source: Path) -> Path:
    """Return the backup at a path, or the last one in it."""
    if (source / _MANIFEST).exists():
        return source
    found = [one for one in source.glob("*-????????T??????Z") if (one / _MANIFEST).exists()]
    names = {one.name.rpartition("-")[0] for one in found}
    if len(names) > 1:
        raise StepError(f"{source}: backups of several warehouses ({', '.join(sorted(names))}): "
                        "name one of its folders")  # fmt: skip
    if not found:
        raise StepError(f"{source}: no backup here")
    return max(found)


def _read_manifest(folder: Path) -> dict[str, Any]:
    """Read a manifest, its lines as _File. Raises StepError."""
    file = folder / _MANIFEST
    try:
        manifest = json.loads(file.read_bytes())
        formats = int(manifest["perfhouse_backup"]), int(manifest["lake_format"])
        if formats[0] > _FORMAT or formats[1] > FORMAT:
            raise StepError(
                f"{folder}: perfhouse {manifest.get('made_by')} made it, which is later than this "
                "release: update perfhouse"
            )
        files = {name: _File(*line) for name, line in manifest["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StepError(f"{file}: damaged, or no manifest of a backup ({error})") from None
    for name in files:
        if not (name == _PUBLISHED or name.startswith("lake/")) or ".." in name.split("/"):
            raise StepError(f"{file}: {name!r} is no file of a backup")
    return manifest | {"files": files}


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
    try:
        size, digest = _copy(source, target)
    except FileNotFoundError:
        return "missing"
    if size != file.size:
        return f"{size:,} bytes, not {file.size:,}"
    if digest != file.sha256:
        return "its content has changed"
    os.utime(target, ns=(file.mtime_ns, file.mtime_ns))  # so that the next backup knows it
    return ""


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
