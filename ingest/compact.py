"""Merge the small files of many loads: one folder a day of loading instead of one a load.

A query opens every file of a table, at about half a millisecond each; a warehouse that is fed
every few minutes would soon spend its time there. The folder raw is a link to a generation; a
merge prepares the next generation beside it (what is not merged is linked into it, not copied)
and swings the link, which readers see as one step. A merged load leaves a folder of its name
behind, so that its content is still known to be loaded.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from pathlib import Path

import duckdb

from ingest.catalogue import raw_schemas
from ingest.warehouse import SCHEMA_FOLDER, Warehouse

__all__ = ["ENOUGH", "compact"]

ENOUGH = 64  # folders of single loads from which on a merge is worth its time
_MARK = "merged-into"
_DAY = "day-"


def compact(warehouse: Warehouse, enough: int = ENOUGH) -> int:
    """Merge all single loads if there are `enough` of them; return how many were merged.

    Only one merge may run at a time; loads may go on beside it.
    """
    current = warehouse.raw.resolve()
    singles = [p for p in sorted(current.iterdir()) if _is_single(p)]
    if len(singles) < enough:
        return 0
    draft = warehouse.staging / f"compact.{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        target: dict[str, str] = {}
        for day, folders in _by_day(singles).items():
            merged = draft / _free_name(current, f"{_DAY}{day}")
            _merge(folders, merged)
            target |= {folder.name: merged.name for folder in folders}
        with warehouse.raw_lock(exclusive=True):
            _swing(warehouse, current, draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    _sweep_generations(warehouse, keep={current, warehouse.raw.resolve()})
    return len(singles)


def _is_single(folder: Path) -> bool:
    return (
        folder.name != SCHEMA_FOLDER
        and not folder.name.startswith(_DAY)
        and not (folder / _MARK).exists()
    )


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


def _merge(folders: list[Path], merged: Path) -> None:
    """Write each table's rows of all folders, in order, as one file."""
    merged.mkdir(parents=True)
    with duckdb.connect(config={"threads": 2, "preserve_insertion_order": True}) as db:
        for table in raw_schemas():
            files = [str(f) for folder in folders for f in _parts(folder, table)]
            if files:
                out = str(merged / f"{table}.0.parquet").replace("'", "''")
                db.execute(
                    "COPY (SELECT * FROM read_parquet($1, union_by_name=true)) "
                    f"TO '{out}' (FORMAT parquet, COMPRESSION zstd)",
                    [files],
                )


def _parts(folder: Path, table: str) -> list[Path]:
    """A table's files of one load, in the order of its records."""
    return sorted(folder.glob(f"{table}.*.parquet"), key=lambda p: int(p.name.split(".")[1]))


def _swing(warehouse: Warehouse, current: Path, draft: Path, target: dict[str, str]) -> None:
    """Make the next generation and let `raw` lead to it."""
    following = warehouse.next_generation()
    following.mkdir(parents=True)
    for folder in current.iterdir():
        place = following / folder.name
        place.mkdir()
        if folder.name in target:
            (place / _MARK).write_text(target[folder.name] + "\n")
        else:
            for file in folder.iterdir():
                os.link(file, place / file.name)
    for merged in draft.iterdir():
        merged.rename(following / merged.name)
    warehouse.lead_to(following)


def _sweep_generations(warehouse: Warehouse, keep: set[Path]) -> None:
    """Remove generations that no reader can still be reading: all but the last two."""
    for generation in warehouse.generations.iterdir():
        if generation.resolve() not in keep:
            shutil.rmtree(generation, ignore_errors=True)
