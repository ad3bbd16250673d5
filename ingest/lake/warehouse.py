"""The warehouse on disk: the lake of loads, the working database, the published file.

    FILE                                    the file that readers open, replaced by one rename
    FILE's stem + .lake/                    FILE + _lake/ if its suffix is not .duckdb
        format                                     which release's folders these are (FORMAT)
        raw -> generations/<n>/                    a link that a change switches
        raw/<source_id>/<table>.<part>.parquet     a load: its folder is moved in by one rename
        raw/day-<date>.<n>/<table>.0.parquet       many loads, merged or loaded together
        raw/_schema/<table>.0.parquet              empty: fixes the columns and types of a table
        audit/<check_id>.parquet                   results of one audit
        regressions/<moment>.parquet               events of regressions, from a check or a person
        data_docs/index.html                       pages of the last audit
        log/<date>.jsonl                           what commands and DAGs did (see ingest.lake.log)
        staging/                                   loads that are not committed
        outbox/                                    notices that no webhook has accepted
        damaged/                                   loads and files that could not be read
        work.duckdb                                the working database, which dbt builds into

The views of the schema `raw` read all folders in raw/, so a load can be queried as soon as it is
committed, its rows and its line of the ledger together. Marts are tables: readers see them once
they have been audited and published.
"""

from __future__ import annotations

import logging
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from ingest.base.errors import WarehouseError
from ingest.base.files import LAKE_OF_DUCKDB, LAKE_OF_OTHER, draft_folder, name_of, replacing
from ingest.base.waiting import trouble_with_locks
from ingest.lake import restored, views
from ingest.lake.commits import expected_loads, lock_of, note_commit
from ingest.lake.damage import damage_of_database, is_about_damage
from ingest.lake.ducklake import DuckLake
from ingest.lake.folders import Folders
from ingest.lake.frames import frame
from ingest.lake.home import default_file
from ingest.lake.locked import MISREAD_OR_LOST, is_locked, misread, open_database
from ingest.lake.log_fields import begin as begin_log
from ingest.lake.memory import bound
from ingest.lake.profile import NOTED, PROFILE, profile_of
from ingest.lake.seal import HowLoaded
from ingest.lake.store import Ranges, Store

# A query needs neither Polars nor the layouts. They are imported where they are used, because
# importing them takes longer than the query.

if TYPE_CHECKING:
    pass

__all__ = ["FORMAT", "Loads", "Warehouse"]

Loads = dict[str, datetime]

_FORMAT_FILE = "format"  # in the lake: the number of its format
# A table name that does not exist must not be looked up among Python's variables. A setting of one
# connection: with a configuration, no other could open the same file in this process.
_NO_FILES = "No files found that match"  # of DuckDB
_TABLES_ONLY = "SET python_enable_replacements = false"

# DuckDB takes \ for a / when it looks for files, and puts the suffix .wal in front of a ?.
_MISREAD = re.compile(r"[\\?]")

#: The format of lakes that this release makes. 1: up to 0.1, with marks of merged loads. 2: without
#: them. 3: only complete generations have a number. 4: notes of each commit and of each folder.
FORMAT = 4
_SEALED = 4

log = logging.getLogger(__name__)


def _lake_of(file: Path) -> Path:
    """Return the folder of a warehouse's lake; no two files of a folder have the same."""
    if file.suffix == ".duckdb":
        return file.with_name(file.stem + LAKE_OF_DUCKDB)
    return file.with_name(file.name + LAKE_OF_OTHER)


def _store_of(file: Path, lake: Path) -> Store:
    """Return what keeps the rows: DuckLake if a profile stands beside the file."""
    profile = profile_of(file)
    return DuckLake(profile, file, lake) if profile else Folders(lake)


class Warehouse:
    """The files of one warehouse; `file` is the published DuckDB file.

    Raises WarehouseError if DuckDB could not read a file of this name.
    """

    def __init__(self, file: Path) -> None:
        self.file = file.with_suffix(".duckdb") if file.suffix == PROFILE else file
        self.file = self.file.absolute()
        if match := _MISREAD.search(str(self.file)):
            raise WarehouseError(
                f"{self.file}: the path of a warehouse cannot contain {match[0]}, which DuckDB "
                "misreads; choose another name"
            )
        self.lake = _lake_of(self.file)
        self.raw = self.lake / "raw"
        self.audit = self.lake / "audit"
        self.regressions = self.lake / "regressions"
        self.docs = self.lake / "data_docs"
        self.staging = self.lake / "staging"
        self.dbt = self.lake / "dbt"  # logs and compiled models of dbt's last build
        self.work = self.lake / "work.duckdb"
        self.store = _store_of(self.file, self.lake)

    def command(self, *commands: str) -> str:
        """Return the shell line of these commands on this warehouse: `perfhouse build`, say.

        --warehouse is left out only for the file in the data folder: another shell may not have
        $PERFHOUSE_WAREHOUSE.
        """
        is_default = self.file == default_file()
        option = "" if is_default else f" --warehouse {shlex.quote(str(self.file))}"
        return "; ".join(f"perfhouse {command}{option}" for command in commands)

    def recover(self) -> None:
        """Finish what a kill cut off, and find the loads if a copy left links out.

        Every command calls this before it looks at the warehouse or makes one. Raises
        WarehouseError if that needs a person, or a later release made the warehouse.
        """
        try:
            self.finish_restore()
            self._rename_lake()
            if reason := self.is_of_later_release():
                raise WarehouseError(reason)
            self.store.recover()
        except OSError as error:
            raise WarehouseError(
                f"{self.file}: it needs a repair that this user may not make "
                f"({name_of(error.filename or self.lake)}: {error.strerror})"
            ) from error

    def finish_restore(self) -> None:
        """Finish a restore that was killed. Raises OSError."""
        if restored.is_cut(self.file):
            before = restored.finish(self.lake, self.file)
            also = f"; what it replaced is in {before}" if before else ""
            log.warning("%s: a restore was interrupted, and is finished now%s", self.file, also)

    def is_of_later_release(self) -> str:
        """Return in a sentence that a later release made the lake; '' if none did."""
        if (stored := self._format()) <= FORMAT:
            return ""
        return (
            f"{self.lake}: a later release of perfhouse made it (format {stored}, this release "
            f"knows {FORMAT}): update perfhouse"
        )

    def is_sealed(self) -> bool:
        """Return whether the folders of loads have seals. Raises WarehouseError."""
        return self._format() >= _SEALED

    def has_lost_loads(self) -> str:
        """Return in a sentence that the folder of loads or a lake's profile is gone; else ''.

        A lost link is not meant: `recover` finds where it led.
        """
        if self.store.exists() or not ((self.lake / _FORMAT_FILE).exists() or self._has_build()):
            return ""
        lost = self.raw if self.lake.is_dir() else self.lake
        if not self.store.profile and (self.lake / NOTED).exists():
            lost = self.file.with_suffix(PROFILE)
        names = f"{self.file.name} and {self.lake.name}" if self.lake.is_dir() else self.file.name
        return (
            f"{self.file}: its loads are gone, as there is no {lost}: put it back, or restore a "
            f"backup with --replace; to start a new warehouse here, move {names} away"
        )

    def require_loads(self) -> None:
        """Raise WarehouseError if the folder of loads is gone; otherwise as `recover`."""
        self.recover()
        if reason := self.has_lost_loads():
            raise WarehouseError(reason)

    def create(self) -> None:
        """Make the folders, and a published file with the views of `raw`, if they are missing.

        Raises WarehouseError as `require_loads` does.
        """
        self.require_loads()
        is_new = not self.store.exists()
        for folder in (self.audit, self.staging):
            folder.mkdir(parents=True, exist_ok=True)
        if reason := trouble_with_locks(lock_of(self.lake)):
            raise WarehouseError(reason)
        begin_log(self.lake)
        if not is_new:
            self._migrate()
        self.store.create()
        if is_new:
            self._write_format()
        damage = damage_of_database(self.file) if self.file.exists() else "there is none"
        if damage:
            if self.file.exists():
                log.warning("%s: damaged (%s), and made again; publish fills it", self.file, damage)
            # Comments take seconds unless a database that has them can be copied. They can wait
            # for the first publish.
            self._begin(self.file, commented=False)

    @contextmanager
    def connect(self, *, lake: bool = True) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the published file read-only; without a DuckLake to ask for names and comments.

        Raises WarehouseError if there is none, and for an error of a query that comes from views of
        another release.
        """
        self.recover()
        if not self.file.exists():
            raise WarehouseError(
                f"{self.file}: no warehouse here; make one with '{self.command('run PATH')}'"
            )
        if damage := damage_of_database(self.file):
            again = self.command("build", "check", "publish")
            raise WarehouseError(f"{self.file}: damaged ({damage}); to make it again, run: {again}")
        db = open_database(self.file, read_only=True, lake=lake)
        if self.is_away(db):
            db.close()
            self.point_views_at_own_lake()
            db = open_database(self.file, read_only=True, lake=lake)
        try:
            if not is_locked(db):  # or it cannot be changed, and is so already
                db.execute(_TABLES_ONLY)
            try:
                yield db
            except MISREAD_OR_LOST as error:
                if _NO_FILES in str(error) and not self.lake.exists():
                    raise WarehouseError(
                        f"{self.file}: its marts can be read, but raw and meta are views of its "
                        f"lake, and there is no {self.lake}: copy that too, or copy what "
                        "'perfhouse export FILE.duckdb' makes, which stands alone"
                    ) from error
                if not (reason := misread(db, error)):
                    raise
                again = self.command("build", "check", "publish")
                raise WarehouseError(f"{self.file}: {reason}; run: {again}") from error
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
        except duckdb.Error as error:
            if not is_about_damage(str(error)):  # another process has it open, or it is forbidden
                held = "another process has it open: " if "lock" in str(error) else ""
                reason = str(error).splitlines()[0]
                raise WarehouseError(f"{self.work}: {held}{reason}") from None
            log.warning("%s: damaged, and made again by the next build (%s)", self.work, error)
            self.discard_work()
            self._begin(self.work, commented=True)
            db = duckdb.connect(str(self.work))
        try:
            bound(db)
            db.execute(_TABLES_ONLY)
            views.define(db, self.lake, self.store, commented=True)
            yield db
        finally:
            db.close()

    def begin_work(self, kept: Path) -> None:
        """Let the working database begin as a copy of that of a build of no loads."""
        with replacing(self.work) as draft:
            shutil.copyfile(kept, draft)

    def forget(self, source_id: str) -> bool:
        """Remove a load, rows and ledger, in one step; return False if there is none."""
        with self.draft() as draft:
            return bool(self.store.replace({source_id}, draft))

    def draft(self) -> AbstractContextManager[Path]:
        """Yield a folder in which to prepare loads, each in a folder of its source_id."""
        return draft_folder(self.staging, "change")

    def refresh(
        self,
        db: duckdb.DuckDBPyConnection,
        only: Mapping[str, Ranges] | None = None,
    ) -> None:
        """Let a database's views of `raw` show what a build reads, and no later rows.

        only: source_id -> ranges (first and last record_no, or WHOLE) that the views show; None:
        all. The tables of the ledger and of published figures always show everything.
        """
        views.define(db, self.lake, self.store, only, to_build=True)

    def sources_with_rows(self, db: duckdb.DuckDBPyConnection, *, of_all: bool) -> list[str]:
        """Return what models read of source files that shows any row; see views."""
        return views.sources_with_rows(db, self.store, of_all=of_all)

    def discard_work(self) -> None:
        """Remove the working database, so that a build begins with nothing of the last one."""
        for file in (self.work, self.work.with_name(self.work.name + ".wal")):
            file.unlink(missing_ok=True)
        # What DuckDB wrote to disk for lack of memory, if its process was killed.
        shutil.rmtree(self.work.with_name(self.work.name + ".tmp"), ignore_errors=True)
        self.store.discard_build()

    def holds_file_of(self, stored_bytes: int) -> bool:
        """Return whether a file of this size on disk was loaded."""
        sizes = self.store.ledger().select("stored_bytes").collect()["stored_bytes"]
        return bool(sizes.is_in([stored_bytes]).any())

    def loads(self) -> Loads:
        """Return the loads: source_id -> when it was loaded."""
        return dict(self.store.ledger().select("source_id", "loaded_at").collect().iter_rows())

    def point_views_at_own_lake(self) -> None:
        """Let the views of a file that was moved or copied read the lake beside it.

        A file without a lake beside it reads the lake that it was made with.
        """
        with open_database(self.file, read_only=True) as db:
            if not self.is_away(db):
                return
        try:
            with replacing(self.file) as copy:
                shutil.copyfile(self.file, copy)
                with open_database(copy, read_only=False) as db:
                    views.move(db, self.lake)
        except OSError as error:
            log.warning(
                "%s was moved or copied and cannot be written (%s): it reads the lake that it was "
                "made with", self.file, error.strerror,
            )  # fmt: skip

    def is_away(self, db: duckdb.DuckDBPyConnection) -> bool:
        """Return whether a database reads another lake although there is one beside FILE."""
        return views.lake_of(db) not in (None, str(self.lake)) and self.lake.is_dir()

    def _rename_lake(self) -> None:
        """Rename the lake of an earlier release, which left out every suffix of FILE."""
        earlier = self.file.with_suffix(LAKE_OF_DUCKDB)
        is_another = earlier.with_suffix(".duckdb").exists()
        if self.file.exists() and earlier.is_dir() and not self.lake.exists() and not is_another:
            earlier.rename(self.lake)

    def _has_build(self) -> bool:
        """Return whether the published file has a build, of loads that it read somewhere."""
        if not self.file.exists() or damage_of_database(self.file):
            return False
        with open_database(self.file, read_only=True, lake=False) as db:
            built = "FROM duckdb_tables() WHERE schema_name = 'meta' AND table_name = 'build'"
            return bool(db.execute(built).fetchall())

    def _format(self) -> int:
        """Return the number of the lake's format; that of this release if there is no lake."""
        noted = self.lake / _FORMAT_FILE
        if not noted.exists():
            return 1 if self.store.exists() else FORMAT
        try:
            return int(noted.read_text())
        except ValueError:
            raise WarehouseError(
                f"{noted}: not the number of a format; write {FORMAT} to it if this release made "
                "the warehouse"
            ) from None

    def _migrate(self) -> None:
        """Bring the lake to the format of this release."""
        if self._format() < _SEALED:
            self.store.seal_all()
            loads = {load.source_id: load for load in (*self._built_loads(), *self.store.loads())}
            for source_id in expected_loads(self.lake):  # by one that was killed
                loads.pop(source_id, None)
            note_commit(self.lake, list(loads.values()), -1)
            for name in (self.file.name, "blank.duckdb"):  # working databases of earlier releases
                (self.lake / name).unlink(missing_ok=True)
            self._write_format()

    def _built_loads(self) -> list[HowLoaded]:
        """Return the loads of the last build, by a release that noted them there alone."""
        for file in (self.work, self.file):
            for table in ("meta.build_load", "marts.dim_load"):
                with suppress(duckdb.Error), duckdb.connect(str(file), read_only=True) as db:
                    rows = frame(db, f"FROM {table} WHERE kind NOT IN ('hours', 'lost')").to_dicts()
                    if rows:
                        return [HowLoaded.of(row) for row in rows]
        return []

    def _write_format(self) -> None:
        with replacing(self.lake / _FORMAT_FILE) as draft:
            draft.write_text(f"{FORMAT}\n")

    def publish(self) -> None:
        """Replace the published file by a copy of the working database, in one step."""
        with duckdb.connect(str(self.work)) as db:
            bound(db)
            db.execute("CHECKPOINT")
        if self.work.with_name(self.work.name + ".wal").exists():
            raise WarehouseError(f"{self.work}: changes are not yet checkpointed")
        with replacing(self.file) as copy:
            shutil.copyfile(self.work, copy)

    def _begin(self, file: Path, *, commented: bool) -> None:
        """Make a database that has the views and nothing else, unless there is a sound one."""
        with replacing(file, existing=file.exists()) as draft:
            if template := views.template(make=commented):
                if damage_of_database(template):
                    template.unlink()  # it is made again for the next one
                else:
                    shutil.copyfile(template, draft)
            with open_database(draft, read_only=False) as db:
                views.define(db, self.lake, self.store, commented=commented)
