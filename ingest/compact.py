"""Merge small files of the lake, and undo loads.

A query opens every file of a table, at about half a millisecond each, so a warehouse that is loaded
every few minutes would slow down. Loads are therefore merged into folders of up to 64 loads of the
same day of loading: few enough to merge in little memory and to find one load's rows quickly. Large
loads stay as they are: copying them would cost more than opening their files. `raw` is a link to a
generation of folders. A change prepares the next generation, with hard links to what stays, and
then moves the link, which readers see as one step. The ledger of a merged folder names its loads.

Only one such change may run at a time; loads may run alongside it.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Collection, Container, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ingest.files import sweep
from ingest.spare import read_ledger, write_spare
from ingest.sql import literal, pattern
from ingest.views import MERGED, SCHEMA_FOLDER, merged_loads, scan
from ingest.warehouse import Warehouse

__all__ = ["ENOUGH", "compact", "draft_of", "forget", "replace"]

ENOUGH = 64  # small single loads that make a merge worthwhile
_MOST = 64  # loads in one folder; DuckDB takes about 12 MB for each that it merges
_LARGE = 64 * 1024 * 1024  # bytes


def compact(warehouse: Warehouse, enough: int = ENOUGH) -> int:
    """Merge all small single loads if there are at least `enough`; return how many were merged."""
    sweep(warehouse.staging, "*")  # what a merge left that was killed when it had just ended
    current = warehouse.raw.resolve()
    singles = [p for p in sorted(current.iterdir()) if _is_single(p) and _is_small(p)]
    if len(singles) < enough:
        return 0
    with draft_of(warehouse) as draft:
        for day, folders in _by_day(singles).items():
            for at in range(0, len(folders), _MOST):
                together = folders[at : at + _MOST]
                merged = draft / _free_name(f"{MERGED}{day}", current, draft)
                _write(current, together, merged)
        _swing(warehouse, draft, {folder.name for folder in singles})
    return len(singles)


def forget(warehouse: Warehouse, source_id: str) -> bool:
    """Remove a load, rows and ledger, in one step; return False if there is none."""
    with draft_of(warehouse) as draft:
        return bool(replace(warehouse, {source_id}, draft))


def replace(warehouse: Warehouse, gone: Collection[str], draft: Path) -> set[str]:
    """Remove loads and add those in `draft`, each in a folder of its source_id, in one step.

    Returns which of `gone` there were; if there was none, nothing is added.
    """
    current = warehouse.raw.resolve()
    merged = merged_loads(current)
    places = {p.name: p for p in current.iterdir() if _is_single(p)} | merged
    folders = {source_id: places[source_id] for source_id in gone if source_id in places}
    if not folders:
        return set()
    for folder in {folder for folder in folders.values() if not _is_single(folder)}:
        if any(place == folder and load not in folders for load, place in merged.items()):
            name = _free_name(folder.name.rpartition(".")[0], current, draft)
            _write(current, [folder], draft / name, without=list(folders))
    _swing(warehouse, draft, {folder.name for folder in folders.values()})
    return set(folders)


def _is_single(folder: Path) -> bool:
    return not folder.name.startswith((MERGED, SCHEMA_FOLDER))


def _is_small(folder: Path) -> bool:
    return sum(file.stat().st_size for file in folder.iterdir()) < _LARGE


def _by_day(folders: list[Path]) -> dict[str, list[Path]]:
    """Return folders by the day they were loaded, in the order of loading."""
    ledgers = [pattern(str(folder / "ledger.0.parquet")) for folder in folders]
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


def _write(
    current: Path, folders: Sequence[Path], merged: Path, without: Sequence[str] = ()
) -> None:
    """Write one file per table with the rows of all folders, in order, but not of some loads."""
    merged.mkdir(parents=True)
    with duckdb.connect(config={"threads": 2, "preserve_insertion_order": True}) as db:
        for table, files in _files(folders).items():
            empty = current / SCHEMA_FOLDER / f"{table}.0.parquet"
            out = literal(str(merged / f"{table}.0.parquet"))
            db.execute(
                f"COPY (SELECT * FROM ({scan('$1')}) "
                "WHERE NOT list_contains($2::VARCHAR[], source_id)) "
                f"TO {out} (FORMAT parquet, COMPRESSION zstd)",
                # Hours that a load is in stay when it is forgotten: it must not count once more.
                [
                    [pattern(file) for file in (str(empty), *files)],
                    [] if table == "ledger_rolled" else list(without),
                ],
            )
    write_spare(merged, read_ledger(merged))


def _files(folders: Sequence[Path]) -> dict[str, list[str]]:
    """Return each table's files, in the order of loads and of their records."""
    found: dict[str, list[str]] = defaultdict(list)
    for folder in folders:
        parts = (file.name.split(".") for file in folder.glob("*.parquet"))
        for table, part in sorted((table, int(part)) for table, part, _ in parts):
            found[table].append(str(folder / f"{table}.{part}.parquet"))
    return found


@contextmanager
def draft_of(warehouse: Warehouse) -> Iterator[Path]:
    """Yield a folder in which to prepare new folders of raw/."""
    sweep(warehouse.staging, "*")
    draft = warehouse.staging / f"compact.{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _swing(warehouse: Warehouse, draft: Path, gone: Container[str]) -> None:
    """Make the next generation and let `raw` point to it.

    It has the folders in `draft` and those of the current one, except `gone`.
    """
    with warehouse.raw_lock(exclusive=True):
        current = warehouse.raw.resolve()
        following = warehouse.next_generation()
        following.mkdir()
        for folder in current.iterdir():
            if folder.name not in gone:
                _link_files(folder, following / folder.name)
        for folder in draft.iterdir():
            folder.rename(following / folder.name)
        warehouse.lead_to(following)
    # A reader may still use the previous generation, but none that is older.
    for generation in warehouse.generations.iterdir():
        if generation.resolve() not in (current, following.resolve()):
            shutil.rmtree(generation, ignore_errors=True)


def _link_files(folder: Path, place: Path) -> None:
    place.mkdir()
    for file in folder.iterdir():
        os.link(file, place / file.name)
