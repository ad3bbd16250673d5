"""The warehouse on disk: the lake of loads, the working database, the published file.

    FILE                                    the file that readers open, replaced by one rename
    FILE's stem + .lake/
        raw -> generations/<n>/                    a link that a merge of small files changes
        raw/<source_id>/<table>.<part>.parquet     a load: its folder is moved in by one rename
        raw/day-<date>.<n>/<table>.0.parquet       many loads, merged (see ingest.compact)
        raw/_schema/<table>.0.parquet              empty: fixes the columns and types of a table
        audit/<check_id>.parquet                   results of one audit
        regressions/<moment>.parquet               events of regressions, from a check or a person
        data_docs/index.html                       pages of the last audit
        staging/                                   loads that are not committed
        work.duckdb                                the working database, which dbt builds into

The views of the schema `raw` read all folders in raw/, so a load can be queried as soon as it is
committed, its rows and its line of the ledger together. Marts are tables: readers see them once
they have been audited and published.
"""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import duckdb

from ingest import views
from ingest.errors import WarehouseError
from ingest.files import replacing
from ingest.home import default_file

# A query needs neither Polars nor the layouts. They are imported where they are used, because
# importing them takes longer than the query.

__all__ = ["SCHEMA_FOLDER", "WHOLE", "Loads", "Warehouse"]

Loads = dict[str, datetime]

SCHEMA_FOLDER = views.SCHEMA_FOLDER
WHOLE = views.WHOLE
_VERSION_FILE = "version"  # in the schema folder: the version of perfhouse that wrote it
# A table name that does not exist must not be looked up among Python's variables. A setting of one
# connection: with a configuration, no other could open the same file in this process.
_TABLES_ONLY = "SET python_enable_replacements = false"
# DuckDB calls a database what its file is called up to the first dot. If that is a schema too, then
# `raw.ledger` could be a table of either.
_SCHEMAS = {
    *("raw", "raw_files", "meta", "staging", "intermediate", "marts"),
    *("main", "temp", "system", "information_schema", "pg_catalog"),
}
_PATTERN = re.compile(r"[*?\[\]\\]")


class Warehouse:
    """The files of one warehouse; `file` is the published DuckDB file.

    Raises WarehouseError if DuckDB could not read a file of this name.
    """

    def __init__(self, file: Path) -> None:
        self.file = file.absolute()
        if (name := self.file.name.partition(".")[0]).lower() in _SCHEMAS:
            raise WarehouseError(
                f"{self.file}: a warehouse cannot be called {name}, like one of its schemas; "
                "choose another name"
            )
        if found := _PATTERN.search(str(self.file)):
            raise WarehouseError(
                f"{self.file}: the path of a warehouse cannot contain {found[0]}, as DuckDB would "
                "take it for a pattern; choose another name"
            )
        self.lake = self.file.with_suffix(".lake")
        self.raw = self.lake / "raw"
        self.generations = self.lake / "generations"
        self.audit = self.lake / "audit"
        self.regressions = self.lake / "regressions"
        self.docs = self.lake / "data_docs"
        self.staging = self.lake / "staging"
        self.dbt = self.lake / "dbt"  # logs and compiled models of dbt's last build
        self.work = self.lake / "work.duckdb"
        self._merged: tuple[Path, frozenset[str]] = (self.raw, frozenset())

    def command(self, *commands: str) -> str:
        """Return the shell line of these commands on this warehouse: `perfhouse build`, say.

        --warehouse is left out only for the file in the data folder: another shell may not have
        $PERFHOUSE_WAREHOUSE.
        """
        is_default = self.file == default_file()
        option = "" if is_default else f" --warehouse {shlex.quote(str(self.file))}"
        return "; ".join(f"perfhouse {command}{option}" for command in commands)

    def create(self) -> None:
        """Make the folders, and a published file with the views of `raw`, if they are missing."""
        for folder in (self.generations, self.audit, self.staging):
            folder.mkdir(parents=True, exist_ok=True)
        if not self.raw.exists():
            with self.raw_lock(exclusive=True):
                if not self.raw.exists():
                    first = self.next_generation()
                    first.mkdir()
                    self.lead_to(first)
        self._write_schema()
        if not self.file.exists():
            # Comments take seconds unless a database that has them can be copied. They can wait
            # for the first publish.
            self._begin(self.file, commented=False)

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the published file read-only. Raises WarehouseError if there is none."""
        if not self.file.exists():
            raise WarehouseError(
                f"{self.file}: no warehouse here; make one with '{self.command('run PATH')}'"
            )
        db = duckdb.connect(str(self.file), read_only=True)
        try:
            db.execute(_TABLES_ONLY)
            yield db
        finally:
            db.close()

    @contextmanager
    def open_work(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the working database for writing, its views of `raw` and `meta` up to date.

        Raises WarehouseError if another process has it open.
        """
        self.create()
        if not self.work.exists():
            self._begin(self.work, commented=True)
        try:
            db = duckdb.connect(str(self.work))
        except duckdb.IOException as error:
            raise WarehouseError(f"{self.work}: another build is running ({error})") from None
        try:
            db.execute(_TABLES_ONLY)
            views.define(db, self.lake, commented=True)
            yield db
        finally:
            db.close()

    def refresh(
        self,
        db: duckdb.DuckDBPyConnection,
        only: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    ) -> None:
        """Define those views of `raw` and `meta` that are missing or outdated in a database.

        only: source_id -> ranges (first and last record_no, or WHOLE) that the views show. The
        tables of the ledger and of published figures always show everything.
        """
        views.define(db, self.lake, only)

    def tables_with_rows(self, db: duckdb.DuckDBPyConnection) -> list[str]:
        """Return the raw tables of source files in which a database's views show any row."""
        return views.tables_with_rows(db)

    def discard_work(self) -> None:
        """Remove the working database, so that a build begins with nothing of the last one."""
        for file in (self.work, self.work.with_name(self.work.name + ".wal")):
            file.unlink(missing_ok=True)

    def holds(self, source_id: str) -> bool:
        """Return whether this content was loaded."""
        generation = self.raw.resolve()
        if self._merged[0] != generation:  # loads are merged in a new generation only
            self._merged = generation, frozenset(views.merged_loads(generation))
        return (generation / source_id).exists() or source_id in self._merged[1]

    def holds_file_of(self, stored_bytes: int) -> bool:
        """Return whether a file of this size on disk was loaded."""
        import polars as pl

        ledgers = f"{self.raw}/*/ledger.*.parquet"
        known = pl.scan_parquet(ledgers, missing_columns="insert").select("stored_bytes")
        return bool(known.collect()["stored_bytes"].is_in([stored_bytes]).any())

    def loads(self) -> Loads:
        """Return the loads: source_id -> when it was loaded."""
        import polars as pl

        ledgers = pl.scan_parquet(f"{self.raw}/*/ledger.*.parquet", missing_columns="insert")
        return dict(ledgers.select("source_id", "loaded_at").collect().iter_rows())

    @contextmanager
    def raw_lock(self, *, exclusive: bool = False) -> Iterator[None]:
        """Lock raw/: shared to add a load, exclusive to replace it by another generation."""
        with (self.lake / "raw.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
            yield

    def next_generation(self) -> Path:
        """Return the folder for the next generation of raw/, which is not made yet."""
        numbers = [int(p.name) for p in self.generations.iterdir() if p.name.isdigit()]
        return self.generations / f"{max(numbers, default=0) + 1:06}"

    def lead_to(self, generation: Path) -> None:
        """Let raw/ be `generation`, in one step."""
        link = self.lake / f".raw.{os.getpid()}"
        link.unlink(missing_ok=True)
        link.symlink_to(generation.relative_to(self.lake))
        link.replace(self.raw)

    def publish(self) -> None:
        """Replace the published file by a copy of the working database, in one step."""
        with duckdb.connect(str(self.work)) as db:
            db.execute("CHECKPOINT")
        if self.work.with_name(self.work.name + ".wal").exists():
            raise WarehouseError(f"{self.work}: changes are not yet checkpointed")
        with replacing(self.file) as copy:
            shutil.copyfile(self.work, copy)

    def _write_schema(self) -> None:
        """Write the empty files that fix the tables' columns, unless this version wrote them."""
        folder = self.raw / SCHEMA_FOLDER
        written_by = folder / _VERSION_FILE
        if written_by.exists() and written_by.read_text() == views.version():
            return
        folder.mkdir(exist_ok=True)
        self._remove_marks()
        views.write_schema(folder)
        with replacing(written_by) as draft:
            draft.write_text(views.version())

    def _remove_marks(self) -> None:
        """Remove the folders in which earlier versions noted where the rows of merged loads are."""
        with self.raw_lock(exclusive=True):
            for folder in self.raw.iterdir():
                if folder.name != SCHEMA_FOLDER and not any(folder.glob("*.parquet")):
                    shutil.rmtree(folder)

    def _begin(self, file: Path, *, commented: bool) -> None:
        """Make a database that has the views and nothing else."""
        with replacing(file) as draft:
            if template := views.template(make=commented):
                shutil.copyfile(template, draft)
            with duckdb.connect(str(draft)) as db:
                views.define(db, self.lake, commented=commented)
