"""Merge small files of the lake, and undo loads.

A query opens every file of a table, at about half a millisecond each, so a warehouse that is loaded
every few minutes would slow down. Loads are therefore merged into folders of up to 64 loads of the
same day of loading: few enough to merge in little memory and to find one load's rows quickly. Large
loads stay as they are: copying them would cost more than opening their files. `raw` is a link to a
generation of folders. A change prepares the next generation, with hard links to what stays, and
then moves the link, which readers see as one step. A merged load leaves a file of its name that
says where its rows are, so that the same content is not loaded again.

Only one such change may run at a time; loads may run alongside it.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ingest.sql import literal
from ingest.views import MERGED_FOLDER, SCHEMA_FOLDER, mark_of, rows_of, scan
from ingest.warehouse import Warehouse

__all__ = ["ENOUGH", "compact", "forget"]

ENOUGH = 64  # small single loads that make a merge worthwhile
_MOST = 64  # loads in one folder; DuckDB takes about 12 MB for each that it merges
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
    if source_id not in {*(p.name for p in current.iterdir() if _is_single(p)), *_marks(current)}:
        return False
    with _draft(warehouse) as draft:
        moved: dict[str, str] = {}
        gone = {source_id}
        merged = rows_of(current, source_id)
        if merged.name != source_id:
            gone.add(merged.name)
            rest = [load for load in _marks(current) if rows_of(current, load) == merged]
            rest.remove(source_id)
            if rest:
                name = _free_name(merged.name.rpartition(".")[0], current)
                _write(current, [merged], draft / name, without=source_id)
                moved = dict.fromkeys(rest, name)
        _swing(warehouse, draft, moved, gone)
    return True


def _is_single(folder: Path) -> bool:
    return not folder.name.startswith((_DAY, SCHEMA_FOLDER, MERGED_FOLDER))


def _is_small(folder: Path) -> bool:
    return sum(file.stat().st_size for file in folder.iterdir()) < _LARGE


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


def _swing(
    warehouse: Warehouse, draft: Path, moved: Mapping[str, str], gone: Container[str] = ()
) -> None:
    """Make the next generation and let `raw` point to it.

    moved: load -> merged folder that has its rows now. gone: folders and loads that are left out.
    The folders in `draft` are added.
    """
    with warehouse.raw_lock(exclusive=True):
        current = warehouse.raw.resolve()
        following = warehouse.next_generation()
        marks = mark_of(following, "any").parent
        marks.mkdir(parents=True)
        for folder in current.iterdir():
            if (
                folder.name != MERGED_FOLDER
                and folder.name not in moved
                and folder.name not in gone
            ):
                _link_files(folder, following / folder.name)
        for load, mark in _marks(current).items():
            if load not in moved and load not in gone:
                os.link(mark, marks / load)
        for load, merged in moved.items():
            (marks / load).write_text(merged + "\n")
        for merged_folder in draft.iterdir():
            merged_folder.rename(following / merged_folder.name)
        warehouse.lead_to(following)
    # A reader may still use the previous generation, but none that is older.
    for generation in warehouse.generations.iterdir():
        if generation.resolve() not in (current, following.resolve()):
            shutil.rmtree(generation, ignore_errors=True)


def _link_files(folder: Path, place: Path) -> None:
    place.mkdir()
    for file in folder.iterdir():
        os.link(file, place / file.name)


def _marks(raw: Path) -> dict[str, Path]:
    """Return the files that say where the rows of merged loads are, by load."""
    folder = mark_of(raw, "any").parent
    return {mark.name: mark for mark in folder.iterdir()} if folder.exists() else {}
