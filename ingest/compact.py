"""Changes of the lake that are more than a load: merging small files, and undoing a load.

A query opens every file of a table, at about half a millisecond each; a warehouse that is fed
every few minutes would soon spend its time there. So loads are merged into one folder a day of
loading. The folder raw is a link to a generation; a change prepares the next generation beside it
(what stays is linked into it, not copied) and swings the link, which readers see as one step. A
merged load leaves a folder of its name behind, so that its content is still known to be loaded.

Only one such change may run at a time; loads may go on beside it.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ingest.catalogue import raw_schemas
from ingest.sql import literal
from ingest.views import MARK, SCHEMA_FOLDER, rows_of, scan
from ingest.warehouse import Warehouse

__all__ = ["ENOUGH", "compact", "forget"]

ENOUGH = 64  # folders of single loads from which on a merge is worth its time
_DAY = "day-"


def compact(warehouse: Warehouse, enough: int = ENOUGH) -> int:
    """Merge all single loads if there are `enough` of them; return how many were merged."""
    current = warehouse.raw.resolve()
    singles = [p for p in sorted(current.iterdir()) if _is_single(p)]
    if len(singles) < enough:
        return 0
    with _draft(warehouse) as draft:
        merged_into: dict[str, str] = {}
        for day, folders in _by_day(singles).items():
            merged = draft / _free_name(current, f"{_DAY}{day}")
            _write(current, folders, merged)
            merged_into |= {folder.name: merged.name for folder in folders}
        _swing(warehouse, draft, merged_into)
    return len(singles)


def forget(warehouse: Warehouse, source_id: str) -> bool:
    """Undo a load: its rows and its line of the ledger go in one step; False if there is none."""
    current = warehouse.raw.resolve()
    folder = current / source_id
    if source_id not in {p.name for p in current.iterdir() if _is_load(p)}:
        return False
    with _draft(warehouse) as draft:
        changed: dict[str, str | None] = {source_id: None}
        if merged := _merged_folder(folder):
            rest = [p for p in current.iterdir() if _merged_folder(p) == merged and p != folder]
            changed |= {merged.name: None}
            if rest:
                name = _free_name(current, merged.name.rpartition(".")[0])
                _write(current, [merged], draft / name, without=source_id)
                changed |= {p.name: name for p in rest}
        _swing(warehouse, draft, changed)
    return True


def _is_load(folder: Path) -> bool:
    return folder.name != SCHEMA_FOLDER and not folder.name.startswith(_DAY)


def _is_single(folder: Path) -> bool:
    return _is_load(folder) and not (folder / MARK).exists()


def _merged_folder(folder: Path) -> Path | None:
    """Where a load's rows are, if it was merged."""
    place = rows_of(folder.parent, folder.name)
    return place if place != folder else None


def _by_day(folders: list[Path]) -> dict[str, list[Path]]:
    """Folders by the day of their loading, in the order of loading."""
    ledgers = [str(folder / "ledger.0.parquet") for folder in folders]
    with duckdb.connect() as db:
        rows = db.execute(
            "SELECT strftime(loaded_at, '%Y-%m-%d'), source_id FROM read_parquet($1) "
            "ORDER BY loaded_at, source_id",
            [ledgers],
        ).fetchall()
    place = {folder.name: folder for folder in folders}
    days = defaultdict(list)
    for day, source_id in rows:
        days[day].append(place[source_id])
    return days


def _free_name(current: Path, day: str) -> str:
    taken = {p.name for p in current.glob(f"{day}.*")}
    return next(name for i in range(len(taken) + 1) if (name := f"{day}.{i}") not in taken)


def _write(current: Path, folders: list[Path], merged: Path, without: str = "") -> None:
    """Write each table's rows of all folders, in order, as one file; not those of one load."""
    schema = current / SCHEMA_FOLDER
    merged.mkdir(parents=True)
    with duckdb.connect(config={"threads": 2, "preserve_insertion_order": True}) as db:
        for table in raw_schemas():
            files = [str(f) for folder in folders for f in _parts(folder, table)]
            if files:
                out = literal(str(merged / f"{table}.0.parquet"))
                db.execute(
                    f"COPY (SELECT * FROM ({scan('$1')}) WHERE source_id <> $2) "
                    f"TO {out} (FORMAT parquet, COMPRESSION zstd)",
                    [[str(schema / f"{table}.0.parquet"), *files], without],
                )


def _parts(folder: Path, table: str) -> list[Path]:
    """A table's files of one load, in the order of its records."""
    return sorted(folder.glob(f"{table}.*.parquet"), key=lambda p: int(p.name.split(".")[1]))


@contextmanager
def _draft(warehouse: Warehouse) -> Iterator[Path]:
    """A folder in which new folders of raw/ are prepared."""
    draft = warehouse.staging / f"compact.{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _swing(warehouse: Warehouse, draft: Path, changed: Mapping[str, str | None]) -> None:
    """Make the next generation and let `raw` lead to it.

    Of the folders in `changed` a mark stays that names the folder their rows are in now, or, with
    None, nothing; the folders in `draft` come in.
    """
    with warehouse.raw_lock(exclusive=True):
        current = warehouse.raw.resolve()
        following = warehouse.next_generation()
        following.mkdir(parents=True)
        for folder in current.iterdir():
            place = following / folder.name
            if folder.name not in changed:
                place.mkdir()
                for file in folder.iterdir():
                    os.link(file, place / file.name)
            elif merged := changed[folder.name]:
                place.mkdir()
                (place / MARK).write_text(merged + "\n")
        for merged_folder in draft.iterdir():
            merged_folder.rename(following / merged_folder.name)
        warehouse.lead_to(following)
    # A reader may still be reading the generation before; of any older one, nobody can be.
    for generation in warehouse.generations.iterdir():
        if generation.resolve() not in (current, following.resolve()):
            shutil.rmtree(generation, ignore_errors=True)
