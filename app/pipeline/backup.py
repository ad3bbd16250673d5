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

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from app.pipeline.backup_files import (
    BACKUP_FORMAT,
    MANIFEST,
    PUBLISHED,
    CopiedFile,
    Manifest,
    complete,
    copy_all,
    difference_of_file,
    files_below,
    link_file,
    load_folders,
    place_of,
    read_manifest,
    require_none,
    restore_file,
)
from ingest.base.errors import SettingsError
from ingest.base.files import draft, draft_folder, sync
from ingest.base.waiting import locked
from ingest.lake.alone import StepError, alone
from ingest.lake.generations import SCHEMA_FOLDER
from ingest.lake.log import step
from ingest.lake.merged import loads_by_folder
from ingest.lake.restored import take_place
from ingest.lake.seal import damage_of_folder, read_seal
from ingest.lake.warehouse import FORMAT, Warehouse
from ingest.repair.missing import missing_loads

__all__ = ["Backup", "back_up", "backups_to_keep", "restore", "verify"]

_MOMENT = "%Y%m%dT%H%M%SZ"
_MADE_AGAIN = {
    *("raw", "generations", "staging", "dbt", "data_docs"),
    *("work.duckdb", "work.duckdb.wal", "work.duckdb.tmp"),
}


class Backup(NamedTuple):
    """A backup: its folder, how many files, bytes, loads it has, and how many bytes were copied."""

    folder: Path
    files: int
    bytes: int
    loads: int
    copied: int


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
            files, copied = copy_all(snapshot, made, newest, before)
            loads, rows = _loads_and_rows(snapshot / "lake" / "raw")
            manifest = {
                "perfhouse_backup": BACKUP_FORMAT,
                "warehouse": warehouse.file.name,
                "made_by": version("perfhouse"),
                "lake_format": FORMAT,
                "loads": loads,
                "rows": rows,
                "files": files,
            }
            (made / MANIFEST).write_text(json.dumps(manifest, indent=0))
            sync(made / MANIFEST)
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
    manifest = read_manifest(folder)
    damaged = [
        f"{name}: {reason}"
        for name, file in manifest.files.items()
        if (reason := difference_of_file(folder / name, file))
    ]
    if manifest.loads is not None:
        damaged += _differences(folder / "lake" / "raw", manifest)
    require_none(damaged, f"{folder}: not whole")
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
    manifest = read_manifest(folder)
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
            if reason := restore_file(folder / name, place_of(made, name), file):
                damaged.append(f"{name}: {reason}")
        require_none(damaged, f"{folder}: damaged, nothing restored")
        complete(made, warehouse)
        differences = _differences(made.raw.resolve(), manifest)
        require_none(differences, f"{folder}: not whole, nothing restored")
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
    require_none(lost, f"{warehouse.file}: not backed up; '{again}' loads again what it can")


def _damage(raw: Path) -> list[str]:
    """Return what is missing, foreign or damaged in the folders of loads, by size and frame."""
    return [
        f"{file.relative_to(raw)}: {reason}"
        for folder in load_folders(raw)
        for file, reason in damage_of_folder(folder)
    ]


def _loads_and_rows(raw: Path) -> tuple[list[str], int]:
    """Return the loads in a folder raw, and the rows of all its files, by the notes of both."""
    contents = [read_seal(folder) for folder in load_folders(raw)]
    loads = sorted(set().union(*loads_by_folder(raw).values())) if raw.is_dir() else []
    return loads, sum(
        file.rows for content in contents if content for file in content.files.values()
    )


def _differences(raw: Path, manifest: Manifest) -> list[str]:
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
            link_file(warehouse.file, path / PUBLISHED)
            for file in files_below(warehouse.raw.resolve()):
                if file.parts[0] != SCHEMA_FOLDER:
                    link_file(warehouse.raw.resolve() / file, path / "lake" / "raw" / file)
            for file in files_below(warehouse.lake):
                if file.parts[0] not in _MADE_AGAIN:
                    link_file(warehouse.lake / file, path / "lake" / file)
        yield path


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


def _last_of(backups: list[Path]) -> tuple[dict[str, CopiedFile], Path]:
    """Return the files of the last backup; none if there is none, or it cannot be read."""
    for last in backups[-1:]:
        try:
            return read_manifest(last).files, last
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
            counted += read_manifest(backup).loads is not None
        except StepError:
            continue


# --- restoring -----------------------------------------------------------------------------


def _find_backup(source: Path) -> Path:
    """Return the backup at a path, or the last one in it."""
    if (source / MANIFEST).exists():
        return source
    backups = [path for path in source.glob("*-????????T??????Z") if (path / MANIFEST).exists()]
    names = {path.name.rpartition("-")[0] for path in backups}
    if len(names) > 1:
        raise StepError(f"{source}: backups of several warehouses ({', '.join(sorted(names))}): "
                        "name one of its folders")  # fmt: skip
    if not backups:
        raise StepError(f"{source}: no backup here")
    return max(backups)
