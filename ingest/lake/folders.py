"""Loads as folders of Parquet files, in generations.

A query opens every file of a table, at about half a millisecond each, so a warehouse that is loaded
every few minutes would slow down. Loads are therefore merged into folders of up to 64 loads of the
same day of loading: few enough to merge in little memory and to find one load's rows quickly. Large
loads stay as they are: copying them would cost more than opening their files. `raw` is a link to a
generation of folders. A change prepares the next generation, with hard links to what stays, and
then moves the link, which readers see as one step. The ledger of a merged folder names its loads.
Small files that come together are loaded into such a folder at once.

Only one such change may run at a time; loads may run alongside it.
"""

from __future__ import annotations

import io
import logging
import os
import secrets
import shutil
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from ingest.base.files import draft_folder, replacing, sync
from ingest.lake.cache import cache, version
from ingest.lake.generations import SCHEMA_FOLDER, Generations
from ingest.lake.merged import (
    MERGED,
    ChosenRows,
    ids_in,
    is_single,
    loads_by_folder,
    merged_loads,
    scan,
    write_merged,
)
from ingest.lake.seal import (
    damage_of_folder,
    note_of,
    read_seal,
    read_synced,
    seal,
    seal_what_is_there,
)
from ingest.lake.sql import literal, pattern
from ingest.lake.store import (
    ENOUGH,
    TOGETHER,
    Ranges,
    Store,
    Trouble,
    replace_rows,
)

__all__ = ["Folders", "write_schema"]

if TYPE_CHECKING:
    import polars as pl


_MOST = 64  # loads in one folder; DuckDB takes about 12 MB for each that it merges
_LARGE = 64 * 1024 * 1024  # bytes
log = logging.getLogger(__name__)
_VERSION_FILE = "version"  # in the schema folder: the version of perfhouse that wrote it


class Folders(Store):
    """The folders raw/<source_id> and raw/day-<date>.<n> of a lake."""

    def __init__(self, lake: Path) -> None:
        self.raw = lake / "raw"
        self.generations = Generations(lake)
        self.lake = lake
        self._merged: dict[str, Path] = {}  # loads in merged folders
        self._known: tuple[Path, set[str]] = (self.raw, set())  # their generation and names
        self._removed: tuple[Path, frozenset[str]] = (self.raw, frozenset())

    def create(self) -> None:
        """Make raw/, its first generation and the empty tables, if they are missing."""
        self.generations.create()
        self._write_schema()

    def _write_schema(self) -> None:
        """Write the empty files that fix the tables' columns, unless this version wrote them."""
        if self._has_schema():
            return
        with self.changing():
            if self._has_schema():  # another process wrote it meanwhile
                return
            folder = self.raw / SCHEMA_FOLDER
            folder.mkdir(exist_ok=True)
            write_schema(folder, self.lake / "staging")
            with replacing(folder / _VERSION_FILE) as draft:
                draft.write_text(version())

    def _has_schema(self) -> bool:
        written_by = self.raw / SCHEMA_FOLDER / _VERSION_FILE
        return written_by.exists() and written_by.read_text() == version()

    def exists(self) -> bool:
        """Return whether raw/ was made."""
        return self.raw.exists()

    def trouble(self) -> Trouble | None:
        """Return what is wrong with the link raw."""
        if self.generations.is_lost():
            return Trouble(f"{self.raw}: the link to the loads is lost", is_mended=True)
        if partial := self.generations.is_partial():
            return Trouble(partial, is_mended=False)
        if self.generations.is_folder():
            expected = f"{self.raw}: a folder, and not a link to one in generations/"
            return Trouble(expected, is_mended=True)
        return None

    def recover(self) -> None:
        """Point raw at the newest generation if the link is lost or has become a folder."""
        self.generations.recover()

    def changing(self) -> AbstractContextManager[None]:
        """Lock raw/ for this process alone."""
        return self.generations.lock(exclusive=True)

    def frozen(self) -> AbstractContextManager[None]:
        """Lock raw/ against a switch to the next generation; loads may still be added."""
        return self.generations.lock()

    def unused(self) -> dict[Path, set[str]]:
        """Return the generations that nothing uses, and the loads in them."""
        return {
            generation: set().union(*loads_by_folder(generation).values())
            for generation in self.generations.unused()
        }

    def _commit(self, folder: Path, source_id: str) -> bool:
        """Move a load to its place."""
        with self.generations.lock():
            if self.holds(source_id):
                return False
            target = self.raw / source_id
            try:
                folder.rename(target)
            except OSError:
                if target.exists():
                    return False
                raise
            sync(target.parent)
            return True

    def _commit_batch(self, folder: Path, source_ids: Collection[str]) -> bool:
        """Move a folder of many loads to its place."""
        together = folder / TOGETHER
        with self.changing():  # a name of its own keeps no other load of the same content out
            if any(map(self.holds, source_ids)):
                return False
            day = datetime.now(UTC).date()
            # No number: a merge may be under way, and has chosen its own.
            together.rename(self.raw / f"{MERGED}{day}.{secrets.token_hex(4)}")
            sync(self.raw)
            return True

    def _replace(self, gone: Collection[str], draft: Path) -> set[str]:
        """Make a generation without some loads, and with those in `draft`."""
        current = self.raw.resolve()
        places = {p.name: p for p in current.iterdir() if is_single(p)} | merged_loads(current)
        left_out = defaultdict(set)
        for source_id in gone:
            if source_id in places:
                left_out[places[source_id]].add(source_id)
        if left_out:
            self._leave_out(left_out, draft)
        return set().union(*left_out.values())

    def doubles(self) -> dict[Path, set[str]]:
        """Return the loads that are in another folder too: folder -> source_ids to leave out."""
        seen: set[str] = set()
        result = {}
        for folder, loads in sorted(
            loads_by_folder(self.raw.resolve()).items(), key=lambda row: is_single(row[0])
        ):
            if twice := loads & seen:
                result[folder] = twice
            seen |= loads
        return result

    def remove_doubles(self) -> int:
        """Leave each load in one folder only; return how many were in several."""
        doubles = self.doubles()
        if doubles:
            with draft_folder(self.lake / "staging", "doubles") as draft:
                self._leave_out(doubles, draft)
        return sum(map(len, doubles.values()))

    def _leave_out(self, loads: Mapping[Path, Collection[str]], draft: Path) -> None:
        """Make a generation without some loads of some folders, and with the folders in `draft`."""
        current = self.raw.resolve()
        for folder, left_out in loads.items():
            if not is_single(folder) and not ids_in(folder) <= set(left_out):
                name = _free_name(folder.name.rpartition(".")[0], current, draft)
                write_merged(current, [folder], draft / name, without=list(left_out))
        self._switch(draft, {folder.name for folder in loads})

    def compact(self, enough: int = ENOUGH) -> int:
        """Make a generation in which the small loads of each day are merged."""
        # The draft first: to make it also removes what a killed merge left behind.
        with draft_folder(self.lake / "staging", "merge") as draft:
            current = self.raw.resolve()
            singles = [p for p in sorted(current.iterdir()) if is_single(p) and _can_be_merged(p)]
            if len(singles) < enough:
                return 0
            for day, folders in _by_day(singles).items():
                for at in range(0, len(folders), _MOST):
                    together = folders[at : at + _MOST]
                    merged = draft / _free_name(f"{MERGED}{day}", current, draft)
                    write_merged(current, together, merged)
            self._switch(draft, {folder.name for folder in singles})
        return len(singles)

    def holds(self, source_id: str) -> bool:
        """Return whether this content was loaded."""
        generation = self.raw.resolve()
        if self._known[0] != generation:
            self._known, self._merged = (generation, set()), {}
        # pathlib would take ten times as long.
        names = {entry for entry in os.listdir(generation) if entry.startswith(MERGED)}  # noqa: PTH208
        for name in names - self._known[1]:
            self._merged |= dict.fromkeys(ids_in(generation / name), generation / name)
        self._known[1].update(names)
        merged = self._merged.get(source_id)  # which may have been set aside since
        return (generation / source_id).exists() or (merged is not None and merged.exists())

    def is_removed(self, source_id: str) -> bool:
        """Return whether this content was loaded, and removed because it was old."""
        generation = self.raw.resolve()
        if self._removed[0] != generation:  # loads are removed in a new generation only
            rolled = self.ledger("ledger_rolled").drop_nulls("removed_at").select("source_id")
            self._removed = generation, frozenset(rolled.collect()["source_id"])
        return source_id in self._removed[1]

    def ledger(self, table: str = "ledger") -> pl.LazyFrame:
        """Return the ledger, or another of its tables."""
        import polars as pl

        from ingest.lake.catalogue import LEDGER_SCHEMAS

        files = list(self.raw.resolve().glob(f"*/{table}.*.parquet"))
        return pl.scan_parquet(
            files,
            schema=LEDGER_SCHEMAS[table],
            glob=False,
            missing_columns="insert",
            extra_columns="ignore",
        )

    def sizes(self, source_ids: Sequence[str]) -> dict[str, int]:
        """Return how many bytes loads take: of merged ones, an equal share."""
        raw = self.raw.resolve()
        merged = merged_loads(raw)
        shared = Counter(merged.values())
        places = {source_id: merged.get(source_id, raw / source_id) for source_id in source_ids}
        size = {
            holder: sum(file.stat().st_size for file in holder.iterdir())
            for holder in set(places.values())
        }
        return {load: size[holder] // max(shared[holder], 1) for load, holder in places.items()}

    def attach(self, db: duckdb.DuckDBPyConnection) -> None:
        """Do nothing: the views name the files."""

    def rows(self, table: str) -> str:
        """Return SQL that reads all files of a table."""
        return scan(f"raw_files.lake() || '/raw/*/{table}.*.parquet'")

    def rows_to_build(
        self, db: duckdb.DuckDBPyConnection, only: Mapping[str, Ranges] | None
    ) -> dict[str, str]:
        """Return SQL that reads the files of chosen loads."""
        return {} if only is None else ChosenRows(db, self.raw, only).files()

    def seal_all(self) -> None:
        """Seal the folders of a release that sealed them otherwise, and remove those without files.

        Up to 0.1, folders noted where the rows of merged loads are.
        """
        with self.generations.lock(exclusive=True):
            for folder in self.raw.iterdir():
                if folder.name == SCHEMA_FOLDER or read_seal(folder):  # it is done already
                    continue
                if any(folder.glob("*.parquet")):
                    seal_what_is_there(folder)
                else:
                    shutil.rmtree(folder)

    def _switch(self, draft: Path, gone: Collection[str]) -> None:
        for folder in draft.iterdir():
            read_synced(folder)
        self.generations.switch(draft, gone)

    def begin_build(
        self, db: duckdb.DuckDBPyConnection, kept: Path, without: Collection[str]
    ) -> None:
        """Drop the tables that the build will make: dbt takes longer to replace one."""
        for table in without:
            db.execute(f"DROP TABLE IF EXISTS {table}")

    def discard_build(self) -> None:
        """Do nothing: dbt builds tables of the database itself."""

    def keep_published(
        self, db: duckdb.DuckDBPyConnection, file: Path, tables: Collection[str]
    ) -> None:
        """Copy the rows from the file."""
        db.execute(f"ATTACH {literal(str(file))} AS published (READ_ONLY); BEGIN")
        for table in tables:
            replace_rows(db, table, f"published.{table}")
        db.execute("COMMIT; DETACH published")

    def show_build(self, db: duckdb.DuckDBPyConnection, *, whole: bool) -> None:
        """Do nothing: dbt builds tables of the database itself."""


def write_schema(folder: Path, staging: Path) -> None:
    """Write an empty Parquet file for each raw table, and seal the folder.

    They fix the columns and their types.
    """
    cached = cache() / "raw" / SCHEMA_FOLDER
    with draft_folder(staging, "schema") as drafts:
        if cached.is_dir():
            for file in cached.glob("*.parquet"):
                shutil.copyfile(file, drafts / file.name)
        else:
            import polars as pl

            from ingest.lake.catalogue import raw_schemas

            for table, columns in raw_schemas().items():
                content = io.BytesIO()
                pl.DataFrame(schema=columns).write_parquet(content)
                (drafts / f"{table}.0.parquet").write_bytes(content.getbuffer())
        for file in drafts.iterdir():
            file.replace(folder / file.name)
    seal(folder, {file.name: note_of(file, 0) for file in folder.glob("*.parquet")})


def _can_be_merged(folder: Path) -> bool:
    """Return whether a folder is small; False, too, if files of it are missing or damaged."""
    if reason := next(damage_of_folder(folder), None):
        log.warning("%s: not merged with others, as it is damaged (%s)", folder, reason[1])
        return False
    contents = read_seal(folder)
    return contents is not None and sum(file.bytes for file in contents.files.values()) < _LARGE


def _by_day(folders: list[Path]) -> dict[str, list[Path]]:
    """Return folders by the day they were loaded, in the order of loading."""
    ledgers = [pattern(str(folder / "ledger.0.parquet")) for folder in folders]
    with duckdb.connect() as db:
        rows = db.execute(
            "SELECT strftime(loaded_at, '%Y-%m-%d'), source_id FROM read_parquet($1) "
            "ORDER BY loaded_at, source_id",
            [ledgers],
        ).fetchall()
    by_name = {folder.name: folder for folder in folders}
    days = defaultdict(list)
    for day, source_id in rows:
        days[day].append(by_name[source_id])
    return days


def _free_name(day: str, *places: Path) -> str:
    taken = {p.name for holder in places for p in holder.glob(f"{day}.*")}
    return next(name for i in range(len(taken) + 1) if (name := f"{day}.{i}") not in taken)
