"""What keeps the rows of loads: folders of Parquet files (ingest.lake.folders), or DuckLake."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import duckdb

from ingest.lake.commits import committing, note_commit, note_failure, note_removal
from ingest.lake.seal import HowLoaded, read_synced
from ingest.lake.sql import identifier, literal

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ENOUGH",
    "TOGETHER",
    "WHOLE",
    "Ranges",
    "Store",
    "Trouble",
    "condition",
    "replace_rows",
]

#: First and last record_no.
Ranges = Sequence[tuple[int, int]]

_Result = TypeVar("_Result", bool, set[str])

TOGETHER = "together"  # of the folders of a batch, the one with several loads
ENOUGH = 64  # small single loads that make a merge worthwhile
WHOLE = (1, 2**62)  # all records of a load


class Trouble(NamedTuple):
    """What is wrong with all rows at once, and whether the next command mends it."""

    what: str
    is_mended: bool


class Store(ABC):
    """The rows of a warehouse's loads, and the ledger with them.

    A load comes as a folder of Parquet files, TABLE.PART.parquet, those of its ledger among them.
    """

    lake: Path  # the folder beside FILE
    #: The profile that says where the rows are; None: beside FILE.
    profile: Path | None = None
    #: The target of dbt's profile that builds beside the rows, and in how many threads.
    dbt_target = "work"
    dbt_threads = 2
    #: From how many small files on it pays to load them in batches.
    batch_from = 32
    #: Whether batches may have files that are not small, too.
    batches_all = False
    #: Whether the rows can only be reached with credentials.
    has_credentials = False

    @property
    def own(self) -> Sequence[Path]:
        """Return files and folders of the warehouse besides FILE and FILE.lake, never loaded."""
        return ()

    @abstractmethod
    def create(self) -> None:
        """Make what is missing."""

    @abstractmethod
    def exists(self) -> bool:
        """Return whether it was made."""

    def trouble(self) -> Trouble | None:
        """Return what keeps the rows from being read, if anything does. Changes nothing."""
        return None

    def recover(self) -> None:
        """Mend that, if it is certain how. Raises WarehouseError and OSError."""
        return

    def seal_all(self) -> None:
        """Bring the rows to the format of this release, if an earlier one wrote them."""
        return

    def commit(self, folder: Path, source_id: str) -> bool:
        """Take a load; return False if the same content was loaded in the meantime.

        Its rows and its ledger are seen together. Raises OSError if they cannot be written, and
        WarehouseError if the folder is not as its writer left it.
        """
        with self._noted([folder]) as noted:
            return noted(self._commit(folder, source_id))

    def commit_batch(self, folder: Path, source_ids: Collection[str]) -> bool:
        """Take several loads in one step; if one is there already, take none and return False.

        folder: of the folder TOGETHER, whose tables have a column source_id, and, if this store
        `batches_all`, of folders of one load each, named by its source_id. Raises as `commit`.
        """
        with self._noted(sorted(folder.iterdir())) as noted:
            return noted(self._commit_batch(folder, source_ids))

    def replace(self, gone: Collection[str], draft: Path) -> set[str]:
        """Remove loads and add those in `draft`, each in a folder of its source_id, in one step.

        Returns which of `gone` there were; if there was none, nothing is added. Raises as `commit`.
        """
        with self._noted(sorted(draft.iterdir())) as noted:
            removed = noted(self._replace(gone, draft))
        note_removal(self.lake, removed)
        return removed

    @contextmanager
    def _noted(self, folders: Sequence[Path]) -> Iterator[Callable[[_Result], _Result]]:
        """Note the loads of complete folders; take that back if the result is not true."""
        loads: list[HowLoaded] = []
        rows, result = 0, False
        for folder in folders:
            contents = read_synced(folder)
            loads += contents.loads
            rows += sum(file.rows for file in contents.files.values())

        def note(given: _Result) -> _Result:
            nonlocal result
            result = bool(given)
            return given

        with committing(self.lake):
            commit = note_commit(self.lake, loads, rows) if loads else ""
            try:
                yield note
            finally:
                if commit and not result:
                    with suppress(OSError):  # then a build finds out
                        note_failure(self.lake, commit)

    @abstractmethod
    def _commit(self, folder: Path, source_id: str) -> bool: ...

    @abstractmethod
    def _commit_batch(self, folder: Path, source_ids: Collection[str]) -> bool: ...

    @abstractmethod
    def _replace(self, gone: Collection[str], draft: Path) -> set[str]: ...

    def changing(self) -> AbstractContextManager[None]:
        """Let no other process add, replace or merge loads meanwhile."""
        return nullcontext()

    @abstractmethod
    def frozen(self) -> AbstractContextManager[None]:
        """Let no other process remove or merge loads meanwhile, so that they can be backed up.

        Raises WarehouseError if the rows are not files beside FILE.
        """

    def doubles(self) -> Mapping[Path, Collection[str]]:
        """Return the loads that are there twice: folder -> source_ids that are elsewhere too."""
        return {}

    def unused(self) -> Mapping[Path, set[str]]:
        """Return the folders that nothing uses, and the loads in them."""
        return {}

    def remove_doubles(self) -> int:
        """Remove second copies of loads; return how many loads had one."""
        return 0

    @abstractmethod
    def compact(self, enough: int = ENOUGH) -> int:
        """Merge small loads if there are at least `enough`; return how many were merged."""

    @abstractmethod
    def holds(self, source_id: str) -> bool:
        """Return whether this content was loaded."""

    @abstractmethod
    def is_removed(self, source_id: str) -> bool:
        """Return whether this content was loaded, and removed because it was old."""

    @abstractmethod
    def ledger(self, table: str = "ledger") -> pl.LazyFrame:
        """Return the ledger, or another of its tables, with its source_id.

        Columns that an earlier version did not write are null.
        """

    def loads(self, kind: str | None = None) -> list[HowLoaded]:
        """Return the loads, or those of a kind, by path."""
        import polars as pl

        ledger = self.ledger() if kind is None else self.ledger().filter(pl.col("kind") == kind)
        return [HowLoaded.of(row) for row in ledger.sort("path").collect().to_dicts()]

    @abstractmethod
    def sizes(self, source_ids: Sequence[str]) -> dict[str, int]:
        """Return how many bytes loads take: of files with several, their share."""

    # --- for views

    @abstractmethod
    def attach(self, db: duckdb.DuckDBPyConnection) -> None:
        """Let a database with the views read the rows."""

    @abstractmethod
    def rows(self, table: str) -> str:
        """Return SQL for all rows of a raw table, with their source_id."""

    def filled(self, db: duckdb.DuckDBPyConnection) -> set[str] | None:
        """Return the raw tables that have rows, or had some; None if that takes looking."""
        return None

    @abstractmethod
    def rows_to_build(
        self, db: duckdb.DuckDBPyConnection, only: Mapping[str, Ranges] | None
    ) -> dict[str, str]:
        """Return SQL for the rows of raw tables that a build reads, where `rows` does not apply.

        only: of these loads, and of their ranges of record_no; None: all current rows.
        """

    @abstractmethod
    def discard_build(self) -> None:
        """Remove what dbt has built outside the working database."""

    @abstractmethod
    def begin_build(
        self, db: duckdb.DuckDBPyConnection, kept: Path, without: Collection[str]
    ) -> None:
        """Give a build the tables of a build of no loads, but for those that it will make.

        db: the working database, a copy of `kept`. without: names with their schema.
        """

    @abstractmethod
    def keep_published(
        self, db: duckdb.DuckDBPyConnection, file: Path, tables: Collection[str]
    ) -> None:
        """Give tables that dbt has built the rows that the published file shows, or none.

        db: the working database; tables: names with their schema.
        """

    @abstractmethod
    def show_build(self, db: duckdb.DuckDBPyConnection, *, whole: bool) -> None:
        """Let a database with the views show the tables that dbt has built.

        whole: they are all new.
        """


def replace_rows(db: duckdb.DuckDBPyConnection, table: str, by: str) -> None:
    """Give a table the rows of another one, or none if that is not there or has other columns."""
    with suppress(duckdb.CatalogException):
        db.execute(f"DELETE FROM {table}")
        columns, others = (
            dict(row[:2] for row in db.execute(f"DESCRIBE FROM {name}").fetchall())
            for name in (table, by)
        )
        if columns.items() <= others.items():
            names = ", ".join(map(identifier, columns))
            db.execute(f"INSERT INTO {table} SELECT {names} FROM {by}")


def condition(source_id: str, ranges: Ranges, *, whole: bool = False) -> str:
    """Return SQL that is true for the chosen records of a load."""
    records = " OR ".join(f"record_no BETWEEN {first} AND {last}" for first, last in ranges)
    is_of_load = f"source_id = {literal(source_id)}"
    return f"({is_of_load})" if whole else f"({is_of_load} AND ({records or 'false'}))"
