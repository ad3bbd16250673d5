"""Loads as folders of Parquet files, in generations.

A query opens every file of a table, at about half a millisecond each, so a warehouse that is loaded
every few minutes would slow down. Loads are therefore merged into folders of up to 64 loads of the
same day of loading: few enough to merge in little memory and to find one load's rows quickly. Large
loads stay as they are: copying them would cost more than opening their files. `raw` is a link to a
generation of folders. A change prepares the next generation, with hard links to what stays, and
then moves the link, which readers see as one step. The ledger of a merged folder names its loads.

Only one such change may run at a time; loads may run alongside it.
"""

from __future__ import annotations

import fcntl
import io
import logging
import os
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import duckdb

from ingest.errors import WarehouseError
from ingest.files import replacing, sweep, sync, sync_folder
from ingest.kept import kept, version
from ingest.spare import read_ledger, write_spare
from ingest.sql import literal, pattern
from ingest.store import ENOUGH, WHOLE, Ranges, Store, condition

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MERGED", "SCHEMA_FOLDER", "Folders", "draft_in", "merged_loads", "write_schema"]

SCHEMA_FOLDER = "_schema"
MERGED = "day-"  # how the names of folders with many loads begin
_MOST = 64  # loads in one folder; DuckDB takes about 12 MB for each that it merges
_LARGE = 64 * 1024 * 1024  # bytes
_VERSION_FILE = "version"  # in the schema folder: the version of perfhouse that wrote it
_SILENT = 2.0  # seconds to wait for raw.lock without a message
_PATIENCE = 600.0  # seconds to wait for it at all

log = logging.getLogger(__name__)


class Folders(Store):
    """The folders raw/<source_id> and raw/day-<date>.<n> of a lake."""

    def __init__(self, lake: Path) -> None:
        self.raw = lake / "raw"
        self.generations = lake / "generations"
        self._lake = lake
        self._merged: tuple[Path, frozenset[str]] = (self.raw, frozenset())
        self._removed: tuple[Path, frozenset[str]] = (self.raw, frozenset())

    def create(self) -> None:
        """Make raw/, its first generation and the empty tables, if they are missing."""
        self.generations.mkdir(parents=True, exist_ok=True)
        if not self.raw.exists():
            with self.lock(exclusive=True):
                if not self.raw.exists():
                    first = self.next_generation()
                    first.mkdir()
                    self.lead_to(first)
        self._write_schema()

    def _write_schema(self) -> None:
        """Write the empty files that fix the tables' columns, unless this version wrote them."""
        folder = self.raw / SCHEMA_FOLDER
        written_by = folder / _VERSION_FILE
        if written_by.exists() and written_by.read_text() == version():
            return
        folder.mkdir(exist_ok=True)
        write_schema(folder, self._lake / "staging")
        with replacing(written_by) as draft:
            draft.write_text(version())

    def exists(self) -> bool:
        """Return whether raw/ was made."""
        return self.raw.exists()

    def commit(self, folder: Path, source_id: str) -> bool:
        """Move a load to its place; return False if the same content was loaded in the meantime."""
        sync_folder(folder)
        with self.lock():
            if self.holds(source_id):
                return False
            place = self.raw / source_id
            try:
                folder.rename(place)
            except OSError:
                if place.exists():
                    return False
                raise
            sync(place.parent)
            return True

    def replace(self, gone: Collection[str], draft: Path) -> set[str]:
        """Make a generation without some loads, and with those in `draft`."""
        current = self.raw.resolve()
        merged = merged_loads(current)
        places = {p.name: p for p in current.iterdir() if _is_single(p)} | merged
        folders = {source_id: places[source_id] for source_id in gone if source_id in places}
        if not folders:
            return set()
        for folder in {folder for folder in folders.values() if not _is_single(folder)}:
            if any(place == folder and load not in folders for load, place in merged.items()):
                name = _free_name(folder.name.rpartition(".")[0], current, draft)
                _write(current, [folder], draft / name, without=list(folders))
        self._swing(draft, {folder.name for folder in folders.values()})
        return set(folders)

    def compact(self, enough: int = ENOUGH) -> int:
        """Make a generation in which small loads of a day are together."""
        staging = self._lake / "staging"
        sweep(staging, "*")  # what a merge left that was killed when it had just ended
        current = self.raw.resolve()
        singles = [p for p in sorted(current.iterdir()) if _is_single(p) and _is_small(p)]
        if len(singles) < enough:
            return 0
        with draft_in(staging) as draft:
            for day, folders in _by_day(singles).items():
                for at in range(0, len(folders), _MOST):
                    together = folders[at : at + _MOST]
                    merged = draft / _free_name(f"{MERGED}{day}", current, draft)
                    _write(current, together, merged)
            self._swing(draft, {folder.name for folder in singles})
        return len(singles)

    def holds(self, source_id: str) -> bool:
        """Return whether this content was loaded."""
        generation = self.raw.resolve()
        if self._merged[0] != generation:  # loads are merged in a new generation only
            self._merged = generation, frozenset(merged_loads(generation))
        return (generation / source_id).exists() or source_id in self._merged[1]

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

        from ingest.catalogue import LEDGER_SCHEMAS

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
            place: sum(file.stat().st_size for file in place.iterdir())
            for place in set(places.values())
        }
        return {one: size[place] // max(shared[place], 1) for one, place in places.items()}

    def attach(self, db: duckdb.DuckDBPyConnection) -> None:
        """Do nothing: the views name the files."""

    def rows(self, table: str) -> str:
        """Return SQL that reads all files of a table."""
        return _scan(f"raw_files.lake() || '/raw/*/{table}.*.parquet'")

    def rows_to_build(
        self, db: duckdb.DuckDBPyConnection, only: Mapping[str, Ranges] | None
    ) -> dict[str, str]:
        """Return SQL that reads the files of chosen loads."""
        return {} if only is None else _Chosen(db, self.raw, only).files()

    def discard_build(self) -> None:
        """Do nothing: dbt builds tables of the database itself."""

    def show_build(self, db: duckdb.DuckDBPyConnection, *, whole: bool) -> None:
        """Do nothing: dbt builds tables of the database itself."""

    # --- generations

    @contextmanager
    def lock(self, *, exclusive: bool = False) -> Iterator[None]:
        """Lock raw/: shared to add a load, exclusive to replace it by another generation."""
        with (self._lake / "raw.lock").open("a+") as lock:
            _wait_for(lock, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
            yield

    def next_generation(self) -> Path:
        """Return the folder for the next generation of raw/, which is not made yet."""
        numbers = [int(p.name) for p in self.generations.iterdir() if p.name.isdigit()]
        return self.generations / f"{max(numbers, default=0) + 1:06}"

    def lead_to(self, generation: Path) -> None:
        """Let raw/ be `generation`, in one step."""
        link = self._lake / f".raw.{os.getpid()}"
        link.unlink(missing_ok=True)
        link.symlink_to(generation.relative_to(self._lake))
        link.replace(self.raw)

    def remove_marks(self) -> None:
        """Remove the folders in which earlier versions noted where the rows of merged loads are."""
        with self.lock(exclusive=True):
            for folder in self.raw.iterdir():
                if folder.name != SCHEMA_FOLDER and not any(folder.glob("*.parquet")):
                    shutil.rmtree(folder)

    def _swing(self, draft: Path, gone: Container[str]) -> None:
        """Make the next generation and let `raw` point to it.

        It has the folders in `draft` and those of the current one, except `gone`.
        """
        for folder in draft.iterdir():
            sync_folder(folder)
        with self.lock(exclusive=True):
            current = self.raw.resolve()
            following = self.next_generation()
            following.mkdir()
            for folder in current.iterdir():
                if folder.name not in gone:
                    _link_files(folder, following / folder.name)
            for folder in draft.iterdir():
                folder.rename(following / folder.name)
            self.lead_to(following)
        # A reader may still use the previous generation, but none that is older.
        for generation in self.generations.iterdir():
            if generation.resolve() not in (current, following.resolve()):
                shutil.rmtree(generation, ignore_errors=True)


def write_schema(folder: Path, staging: Path) -> None:
    """Write an empty Parquet file for each raw table: they fix the columns and their types."""
    cached = kept() / "raw" / SCHEMA_FOLDER
    with tempfile.TemporaryDirectory(dir=staging, suffix=f".{os.getpid()}") as name:
        drafts = Path(name)
        if cached.is_dir():
            for file in cached.glob("*.parquet"):
                shutil.copyfile(file, drafts / file.name)
        else:
            import polars as pl

            from ingest.catalogue import raw_schemas

            for table, columns in raw_schemas().items():
                content = io.BytesIO()
                pl.DataFrame(schema=columns).write_parquet(content)
                (drafts / f"{table}.0.parquet").write_bytes(content.getbuffer())
        for file in drafts.iterdir():
            file.replace(folder / file.name)


def merged_loads(raw: Path) -> dict[str, Path]:
    """Return the folders of merged loads: source_id -> folder."""
    ledgers = [pattern(str(file)) for file in raw.glob(f"{MERGED}*/ledger.*.parquet")]
    if not ledgers:
        return {}
    with duckdb.connect() as db:
        rows = db.execute(
            "SELECT source_id, filename FROM read_parquet($1, filename=true)", [ledgers]
        ).fetchall()
    return {source_id: Path(file).parent for source_id, file in rows}


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
                f"COPY (SELECT * FROM ({_scan('$1')}) "
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
def draft_in(staging: Path) -> Iterator[Path]:
    """Yield a folder in which to prepare loads."""
    sweep(staging, "*")
    draft = staging / f"compact.{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _link_files(folder: Path, place: Path) -> None:
    place.mkdir()
    for file in folder.iterdir():
        os.link(file, place / file.name)


def _scan(files: str) -> str:
    """Return SQL for the rows in Parquet files of one table, with their source_id.

    files: an SQL expression, a pattern or a list of them. The files of a single load do not repeat
    its source_id, which is the name of their folder; files of merged loads have it as a column. At
    least one of the files must have the column: the empty one does.
    """
    return (
        "SELECT coalesce(source_id, split_part(filename, '/', -2)) AS source_id, "
        "* EXCLUDE (source_id, filename) "
        f"FROM read_parquet({files}, union_by_name=true, filename=true)"
    )


class _Chosen:
    """The files and conditions that give just the chosen records."""

    def __init__(
        self, db: duckdb.DuckDBPyConnection, raw: Path, only: Mapping[str, Ranges]
    ) -> None:
        self.raw = raw
        merged = merged_loads(raw)
        places = {source_id: merged.get(source_id, raw / source_id) for source_id in sorted(only)}
        records = _record_counts(db, raw, {place for place in places.values() if place.is_dir()})
        self.whole: list[Path] = []  # folders that are read without a condition
        self.single: dict[Path, str] = {}  # other folders of one load, and what is read of them
        self.merged: dict[Path, dict[str, str]] = defaultdict(dict)  # folder -> load -> condition
        for source_id, place in places.items():
            last = records.get(source_id, WHOLE[1])
            is_whole = any(first <= 1 and end >= last for first, end in only[source_id])
            is_single = place == raw / source_id
            if is_single and is_whole:
                self.whole.append(place)
            elif is_single:
                self.single[place] = condition(source_id, only[source_id])
            else:
                ranges = () if is_whole else only[source_id]
                self.merged[place][source_id] = condition(source_id, ranges, whole=is_whole)

    def files(self) -> dict[str, str]:
        """Return the SQL of the chosen rows of each table."""
        single, merged = self.single, self.merged
        folders = [self.raw / SCHEMA_FOLDER, *self.whole, *single, *merged]
        found: dict[str, dict[Path, list[str]]] = defaultdict(lambda: defaultdict(list))
        for folder in folders:
            for file in sorted(folder.glob("*.parquet"), key=_part_no):
                found[file.name.split(".")[0]][folder].append(literal(pattern(str(file))))
        return {table: self._select(files) for table, files in found.items()}

    def _select(self, files: Mapping[Path, list[str]]) -> str:
        """Return SQL for one table, from its files by folder."""

        def listed(folders: Iterable[Path]) -> str:
            here = [file for folder in folders for file in files.get(folder, ())]
            return f"[{', '.join([*files[self.raw / SCHEMA_FOLDER], *here])}]"

        selects = [_scan(listed(self.whole))]
        single = {folder: only for folder, only in self.single.items() if folder in files}
        if single:
            selects.append(f"FROM ({_scan(listed(single))}) WHERE {' OR '.join(single.values())}")
        merged = [folder for folder in self.merged if folder in files]
        if merged:
            loads = {k: v for folder in merged for k, v in self.merged[folder].items()}
            # On the bare column, a condition can skip whole row groups.
            selects.append(
                f"FROM read_parquet({listed(merged)}, union_by_name=true) "
                f"WHERE source_id IN ({', '.join(map(literal, loads))}) "
                f"AND ({' OR '.join(loads.values())})"
            )
        return " UNION ALL BY NAME ".join(selects)


def _part_no(file: Path) -> tuple[str, int]:
    table, part, _ = file.name.split(".")
    return table, int(part)


def _record_counts(
    db: duckdb.DuckDBPyConnection, raw: Path, folders: Iterable[Path]
) -> dict[str, int]:
    """Return the last record number of each load in the folders."""
    schema = raw / SCHEMA_FOLDER / "ledger_day.0.parquet"
    files = (file for folder in folders for file in folder.glob("ledger_day.*.parquet"))
    found = db.execute(
        f"SELECT source_id, max(last_record_no) FROM ({_scan('$1')}) GROUP BY ALL",
        [[pattern(str(file)) for file in (schema, *files)]],
    )
    return dict(found.fetchall())


def _wait_for(lock: IO[str], kind: int) -> None:
    """Take a lock on a file, with a message if another process holds it for long.

    Raises WarehouseError if it never lets go.
    """
    begun, told = time.monotonic(), False
    while True:
        try:
            return fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = time.monotonic() - begun
        held = f"{lock.name}: {_holder(lock)} holds this lock"
        if waited > _PATIENCE:
            raise WarehouseError(f"{held}; end it if it is no longer needed")
        if waited > _SILENT and not told:
            log.warning("%s; waiting up to %.0f minutes", held, _PATIENCE / 60)
            told = True
        time.sleep(0.05)


def _holder(lock: IO[str]) -> str:
    """Return who holds a lock, as far as the system tells."""
    inode = f":{os.fstat(lock.fileno()).st_ino}"
    try:
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        lines = []
    for fields in map(str.split, lines):
        if len(fields) > 5 and fields[1] == "FLOCK" and fields[5].endswith(inode):
            return f"process {fields[4]}"
    return "another process"
