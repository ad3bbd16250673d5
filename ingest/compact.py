"""Merge small files of the lake, and undo loads.

A query opens every file of a table, at about half a millisecond each, so a warehouse that is loaded
every few minutes would slow down. Loads are therefore merged into folders of up to 128 loads of the
same day of loading: few enough to merge in little memory and to find one load's rows quickly.
Large loads stay as they are: copying them would cost more than opening their files.
`raw` is a link to a generation of folders. A change prepares the next generation, with hard links
to what stays, and then moves the link, which readers see as one step. A merged load leaves a folder
with its name behind, so that the same content is not loaded again.

Only one such change may run at a time; loads may run alongside it.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ingest.sql import literal
from ingest.views import MARK, SCHEMA_FOLDER, rows_of, scan
from ingest.warehouse import Warehouse

__all__ = ["ENOUGH", "compact", "forget"]

ENOUGH = 64  # single loads that make a merge worthwhile
_MOST = 128  # loads in one folder; DuckDB keeps about 4 MB per file that a query reads
_LARGE = 64 * 1024 * 1024  # bytes
_DAY = "day-"


def compact(warehouse: Warehouse, enough: int = ENOUGH) -> int:
    """Merge all small single loads if there are at least `enough`; return how many were merged."""
    current = warehouse.raw.resolve()
    singles = [p for p in sorted(current.iterdir()) if _is_single(p) and _is_small(p)]
    if len(singles) < enough:
        return 0
    with _draft(warehouse) as draft:
        merged_into: dict[str, str] = {}
        for day, folders in _by_day(singles).items():
            for at in range(0, len(folders), _MOST):
                together = folders[at : at + _MOST]
                merged = draft / _free_name(f"{_DAY}{day}", current, draft)
                _write(current, together, merged)
                merged_into |= {folder.name: merged.name for folder in together}
        _swing(warehouse, draft, merged_into)
    return len(singles)


def forget(warehouse: Warehouse, source_id: str) -> bool:
    """Remove a load, rows and ledger, in one step; return False if there is none."""
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
                name = _free_name(merged.name.rpartition(".")[0], current)
                _write(current, [merged], draft / name, without=source_id)
                changed |= {p.name: name for p in rest}
        _swing(warehouse, draft, changed)
    return True


def _is_load(folder: Path) -> bool:
    return folder.name != SCHEMA_FOLDER and not folder.name.startswith(_DAY)


def _is_single(folder: Path) -> bool:
    return _is_load(folder) and not (folder / MARK).exists()


def _is_small(folder: Path) -> bool:
    return sum(file.stat().st_size for file in folder.iterdir()) < _LARGE


def _merged_folder(folder: Path) -> Path | None:
    """Return the folder that a load was merged into, or None."""
    place = rows_of(folder.parent, folder.name)
    return place if place != folder else None


def _by_day(folders: list[Path]) -> dict[str, list[Path]]:
    """Return folders by the day they were loaded, in the order of loading."""
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


def _free_name(day: str, *places: Path) -> str:
    taken = {p.name for place in places for p in place.glob(f"{day}.*")}
    return next(name for i in range(len(taken) + 1) if (name := f"{day}.{i}") not in taken)


def _write(current: Path, folders: Sequence[Path], merged: Path, without: str = "") -> None:
    """Write one file per table with the rows of all folders, in order, except those of one load."""
    merged.mkdir(parents=True)
    with duckdb.connect(config={"threads": 2, "preserve_insertion_order": True}) as db:
        for table, files in _files(folders).items():
            empty = current / SCHEMA_FOLDER / f"{table}.0.parquet"
            out = literal(str(merged / f"{table}.0.parquet"))
            db.execute(
                f"COPY (SELECT * FROM ({scan('$1')}) WHERE source_id <> $2) "
                f"TO {out} (FORMAT parquet, COMPRESSION zstd)",
                [[str(empty), *files], without],
            )


def _files(folders: Sequence[Path]) -> dict[str, list[str]]:
    """Return each table's files, in the order of loads and of their records."""
    found: dict[str, list[str]] = defaultdict(list)
    for folder in folders:
        parts = (file.name.split(".") for file in folder.glob("*.parquet"))
        for table, part in sorted((table, int(part)) for table, part, _ in parts):
            found[table].append(str(folder / f"{table}.{part}.parquet"))
    return found


@contextmanager
def _draft(warehouse: Warehouse) -> Iterator[Path]:
    """Yield a folder in which to prepare new folders of raw/."""
    draft = warehouse.staging / f"compact.{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _swing(warehouse: Warehouse, draft: Path, changed: Mapping[str, str | None]) -> None:
    """Make the next generation and let `raw` point to it.

    changed: load -> folder that has its rows now, or None if they are gone. The folders in `draft`
    are added.
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
    # A reader may still use the previous generation, but none that is older.
    for generation in warehouse.generations.iterdir():
        if generation.resolve() not in (current, following.resolve()):
            shutil.rmtree(generation, ignore_errors=True)
