"""Loads and marts in DuckLake: Parquet on shared or object storage, its catalog in a database.

A profile beside FILE switches a warehouse to it (ingest/lake/profile.py).

A transaction loads one file or many. It inserts their rows and their ledger, and creates the view
loads."<source_id>" of each: of two transactions that load the same content, the second conflicts at
its commit. `compact` drops these views. The rows of `raw` are partitioned by the day of their
records.

FILE and the working database hold no rows of marts, only views of the lake at one snapshot
(raw_files.snapshot()), so publishing stays the renaming of a file. What is in FILE's own lake
folder stays there (audits, regressions, log): all hosts have to share it.
"""

from __future__ import annotations

import logging
import os
import random
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import duckdb

from ingest.base.errors import WarehouseError
from ingest.base.files import draft_folder, replacing
from ingest.base.waiting import locked
from ingest.lake.cache import version
from ingest.lake.folders import write_schema
from ingest.lake.lake_tables import (
    BUILT,
    DAYS_OF_ROWS,
    FILES_OF_TABLE,
    KEPT_TABLES,
    NULLS,
    UNKNOWN_DAY,
    copy_table,
    days_of_loads,
    delete_loads,
    insert_loads,
    note_statistics,
    snapshot_of,
    tables_with_rows,
    views_of_build,
)
from ingest.lake.profile import NOTED, LostCatalogError, Profile, attach, read_profile
from ingest.lake.sql import identifier, literal, pattern
from ingest.lake.store import ENOUGH, TOGETHER, WHOLE, Ranges, Store, condition, replace_rows

__all__ = ["DuckLake"]

if TYPE_CHECKING:
    import polars as pl


_MANY = 16  # files of a table that are worth merging
_PATIENCE = 600.0  # seconds, for another process that makes the tables
_TURN = 120.0  # seconds, for other processes that commit
_TRIES = 8  # of a transaction; about a minute
_KEPT = "1 day"  # of snapshots that nobody needs, and of files that only they had
_Result = TypeVar("_Result")
log = logging.getLogger(__name__)


@lru_cache(maxsize=4)
def _connection(profile: Profile, process: int, is_new: bool) -> duckdb.DuckDBPyConnection:
    """Return this process's own connection to a lake, for writing; see `attach`."""
    db = duckdb.connect()
    db.execute("SET python_enable_replacements = false; SET TimeZone = 'UTC'")
    db.execute("SET enable_progress_bar = false")  # a worker of `ingest --jobs` would draw it
    attach(db, profile, read_only=False, is_new=is_new)
    db.execute("SET ducklake_retry_wait_ms = 5")  # loads commit in turn: the second try succeeds
    return db


class DuckLake(Store):
    """The schema `raw` of a lake.

    file: the published file; folder: the lake folder beside it.
    """

    profile: Path
    dbt_target = "lake"
    # SQLite refuses a transaction that began before another one ended, rather than let it wait; and
    # DuckLake 1.0 now and then loses a schema when two threads of a process create tables.
    dbt_threads = 1
    batch_from = 2
    batches_all = True
    has_credentials = True

    def __init__(self, profile: Path, file: Path, folder: Path) -> None:
        self.profile = profile
        self._file = file
        self.lake = folder

    @property
    def own(self) -> Sequence[Path]:
        """Return the profile, and the catalog's files and the data if they are here."""
        profile = read_profile(self.profile)
        kind, _, location = profile.catalog.partition(":")
        catalog = Path(location)
        files = sorted(catalog.parent.glob(f"{catalog.name}.*")) if kind == "sqlite" else []
        return (self.profile, *files, *([] if "://" in profile.data else [Path(profile.data)]))

    def frozen(self) -> AbstractContextManager[None]:
        """Raise WarehouseError: catalog and data are not beside FILE."""
        raise WarehouseError(
            f"{self._file}: its rows are in DuckLake: back up the catalog, the data and the lake "
            "folder together, with their own tools (docs/operations.md)"
        )

    # --- transactions

    @contextmanager
    def opened(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a connection with the lake, outside a transaction."""
        cursor = _connection(read_profile(self.profile), os.getpid(), not self.exists()).cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    def transact(
        self, work: Callable[[duckdb.DuckDBPyConnection], _Result], *, in_turn: bool = False
    ) -> _Result:
        """Run `work` in one transaction; retry after conflicts and while the lake is unreachable.

        in_turn: commit while no other process does. DuckLake tries a commit again whenever another
        one was first, so that many at once would take longer than one after the other.
        Raises OSError if failures continue, and LostCatalogError.
        """
        for attempt in range(_TRIES):
            try:
                with ExitStack() as turn, self.opened() as db:
                    if in_turn and attempt:  # now nobody comes between
                        turn.enter_context(self._turn())
                    db.execute("BEGIN")
                    result = work(db)
                    if in_turn and not attempt:
                        turn.enter_context(self._turn())
                    db.execute("COMMIT")
                    return result
            except (duckdb.TransactionException, duckdb.IOException, duckdb.HTTPException) as error:
                reason = str(error).splitlines()[-1]
            except LostCatalogError:
                raise
            except WarehouseError as error:  # it cannot be attached
                reason = str(error)
            _connection.cache_clear()  # the connection may be broken
            log.info("%s: retrying: %s", self.profile, reason)
            time.sleep(min(0.1 * 2.5**attempt, 20) * random.uniform(0.5, 1.5))  # noqa: S311
        raise OSError(None, f"the lake cannot be written: {reason}", str(self.lake))

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Commit while no other process does; also if one hangs, or the disk has no locks."""
        with ExitStack() as turn:
            with suppress(WarehouseError, OSError):
                file = self.lake / "commit.lock"
                turn.enter_context(locked(file, wait=_TURN, silent=_TURN))
            yield

    def _ask(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        def ask(db: duckdb.DuckDBPyConnection) -> list[tuple[object, ...]]:
            return db.execute(sql, list(parameters)).fetchall()

        return self.transact(ask)

    # --- loads

    def create(self) -> None:
        """Make the catalog and its tables, and add columns that they lack."""
        noted = self.lake / NOTED
        wanted = f"{version()} {read_profile(self.profile)}"
        if noted.exists() and noted.read_text() == wanted:
            return
        with locked(self.lake / "ducklake.lock", wait=_PATIENCE):  # statistics once
            self.transact(self._create_tables)
            self.transact(lambda db: note_statistics(db, "lake_raw"))
        with replacing(noted) as draft:
            draft.write_text(wanted)

    def _create_tables(self, db: duckdb.DuckDBPyConnection) -> None:
        from ingest.lake.catalogue import LEDGER_SCHEMAS, raw_schemas

        present = defaultdict(set)
        for table, column in db.execute(
            "SELECT table_name, column_name FROM duckdb_columns() "
            "WHERE database_name = 'lake_raw' AND schema_name = 'raw'"
        ).fetchall():
            present[table].add(column)
        for schema in ("raw", "loads"):
            db.execute(f"CREATE SCHEMA IF NOT EXISTS lake_raw.{schema}")
        staging = self.lake / "staging"
        with draft_folder(staging, "schema") as folder:
            write_schema(folder, staging)
            for table in raw_schemas():
                empty = literal(pattern(str(folder / f"{table}.0.parquet")))
                if table not in present:
                    day = "" if table in LEDGER_SCHEMAS else f", DATE '{UNKNOWN_DAY}' AS day"
                    db.execute(
                        f"CREATE TABLE lake_raw.raw.{table} AS "
                        f"SELECT *{day} FROM read_parquet({empty}) LIMIT 0"
                    )
                    if day:
                        db.execute(f"ALTER TABLE lake_raw.raw.{table} SET PARTITIONED BY (day)")
                    continue
                columns = db.execute(f"DESCRIBE FROM read_parquet({empty})").fetchall()
                for column, kind, *_ in columns:
                    if column not in present[table]:
                        new = f"{identifier(column)} {kind}"
                        db.execute(f"ALTER TABLE lake_raw.raw.{table} ADD COLUMN {new}")

    def exists(self) -> bool:
        """Return whether the catalog was made."""
        return (self.lake / NOTED).exists()

    def _commit(self, folder: Path, source_id: str) -> bool:
        """Insert a load."""
        import polars as pl

        loaded_at = pl.read_parquet(folder / "ledger.0.parquet")["loaded_at"].item()

        def load(db: duckdb.DuckDBPyConnection) -> bool:
            held = db.execute(
                "SELECT loaded_at FROM lake_raw.raw.ledger WHERE source_id = $1", [source_id]
            ).fetchall()
            if held:  # by this very load, if its commit was not confirmed
                return held == [(loaded_at,)]
            insert_loads(db, {source_id: folder}, [source_id])
            return True

        return self.transact(load, in_turn=True)

    def _commit_batch(self, folder: Path, source_ids: Collection[str]) -> bool:
        """Insert several loads in one transaction."""
        import polars as pl

        ledgers = list(folder.glob("*/ledger.0.parquet"))
        loads = pl.read_parquet(ledgers, glob=False).select("source_id", "loaded_at").rows()
        files = {file.name: file for file in folder.iterdir() if file.name != TOGETHER}
        together = folder / TOGETHER
        named = ", ".join(map(literal, source_ids))

        def load(db: duckdb.DuckDBPyConnection) -> bool:
            held = db.execute(
                f"SELECT source_id, loaded_at FROM lake_raw.raw.ledger WHERE source_id IN ({named})"
            ).fetchall()
            if held:  # by this very batch, if its commit was not confirmed
                return set(held) == set(loads)
            insert_loads(db, files, source_ids, together if together.is_dir() else None)
            return True

        return self.transact(load, in_turn=True)

    def _replace(self, gone: Collection[str], draft: Path) -> set[str]:
        """Delete some loads and insert those in `draft`, in one transaction."""

        def swap(db: duckdb.DuckDBPyConnection) -> set[str]:
            named = ", ".join(map(literal, gone)) or "NULL"
            held = db.execute(
                f"SELECT source_id FROM lake_raw.raw.ledger WHERE source_id IN ({named})"
            ).fetchall()
            if not held:
                return set()
            delete_loads(db, gone)
            if new := {folder.name: folder for folder in sorted(draft.iterdir())}:
                insert_loads(db, new, list(new))
            return {source_id for (source_id,) in held}

        return self.transact(swap, in_turn=True)

    def compact(self, enough: int = ENOUGH) -> int:
        """Merge small loads by table and day, and remove what nobody reads any more."""
        claims = [name for (name,) in self._ask(
            "SELECT view_name FROM duckdb_views() "
            "WHERE database_name = 'lake_raw' AND schema_name = 'loads'"
        )]  # fmt: skip
        if len(claims) < enough:
            return 0

        def drop(db: duckdb.DuckDBPyConnection) -> None:
            for name in claims:
                db.execute(f"DROP VIEW IF EXISTS lake_raw.loads.{identifier(str(name))}")

        self.transact(drop, in_turn=True)
        try:
            with self.opened() as db:
                for part in ("raw", "marts"):
                    self._maintain(db, f"lake_{part}")
        except (duckdb.TransactionException, duckdb.IOException, duckdb.HTTPException) as error:
            # a load was in the way: what was not done is done the next time
            log.warning("%s: files are not all merged: %s", self.profile, error)
        return len(claims)

    def _maintain(self, db: duckdb.DuckDBPyConnection, lake: str) -> None:
        """Merge small files, and remove files that no reader can need."""
        name, old = literal(lake), f"now() - INTERVAL '{_KEPT}'"
        db.execute(f"CALL ducklake_flush_inlined_data({name})")
        # Each call costs as much for a table with nothing to do.
        for schema, table, files, deletes in db.execute(
            FILES_OF_TABLE.replace("LAKE", lake)
        ).fetchall():
            location = f"{name}, {literal(table)}, schema => {literal(schema)}"
            if deletes:
                db.execute(f"CALL ducklake_rewrite_data_files({location})")
            if files >= _MANY:
                db.execute(f"CALL ducklake_merge_adjacent_files({location})")
        shown = [snapshot for file in (self._file, self.lake / "work.duckdb")
                 if (snapshot := snapshot_of(file)) is not None]  # fmt: skip
        bound = f"AND snapshot_id < {min(shown)}" if lake == "lake_marts" and shown else ""
        expired = [number for (number,) in db.execute(
            f"SELECT snapshot_id FROM ducklake_snapshots({name}) WHERE snapshot_time < {old} "
            f"{bound} AND snapshot_id < (SELECT max(snapshot_id) FROM ducklake_snapshots({name}))"
        ).fetchall()]  # fmt: skip
        if expired:
            db.execute(f"CALL ducklake_expire_snapshots({name}, versions => {expired})")
        db.execute(f"CALL ducklake_cleanup_old_files({name}, older_than => {old})")
        db.execute(f"CALL ducklake_delete_orphaned_files({name}, older_than => {old})")

    def holds(self, source_id: str) -> bool:
        """Return whether this content was loaded."""
        return bool(self._ask("FROM lake_raw.raw.ledger WHERE source_id = $1 LIMIT 1", [source_id]))

    def is_removed(self, source_id: str) -> bool:
        """Return whether this content was loaded, and removed because it was old."""
        return bool(self._ask(
            "FROM lake_raw.raw.ledger_rolled "
            "WHERE source_id = $1 AND removed_at IS NOT NULL LIMIT 1",
            [source_id],
        ))  # fmt: skip

    def ledger(self, table: str = "ledger") -> pl.LazyFrame:
        """Return the ledger, or another of its tables."""

        def read(db: duckdb.DuckDBPyConnection) -> pl.DataFrame:
            return db.sql(f"FROM lake_raw.raw.{table}").pl()

        return self.transact(read).lazy()

    def sizes(self, source_ids: Sequence[str]) -> dict[str, int]:
        """Return how many bytes loads take: shares of all files, by loaded bytes."""
        ((stored,),) = self._ask(
            "SELECT coalesce(sum(file_size_bytes), 0)::BIGINT "
            "FROM __ducklake_metadata_lake_raw.ducklake_data_file WHERE end_snapshot IS NULL"
        )
        loads = self.ledger().select("source_id", "bytes").collect()
        per_byte = stored / max(int(loads["bytes"].sum()), 1)  # type: ignore[operator]
        loaded = dict(loads.iter_rows())
        return {
            source_id: int(loaded[source_id] * per_byte)
            for source_id in source_ids
            if source_id in loaded
        }

    # --- views

    def attach(self, db: duckdb.DuckDBPyConnection) -> None:
        """Attach the lake."""
        attach(db, read_profile(self.profile))

    def rows(self, table: str) -> str:
        """Return SQL that reads a table of the lake."""
        from ingest.lake.catalogue import LEDGER_SCHEMAS

        columns = "*" if table in LEDGER_SCHEMAS else "* EXCLUDE (day)"
        return f"SELECT {columns} FROM lake_raw.raw.{table}"

    def filled(self, db: duckdb.DuckDBPyConnection) -> set[str]:
        """Return the tables that have rows, by the catalog."""
        return tables_with_rows(db)

    def rows_to_build(
        self, db: duckdb.DuckDBPyConnection, only: Mapping[str, Ranges] | None
    ) -> dict[str, str]:
        """Return SQL that reads the partitions of the days of chosen records.

        Each reference to a table costs a catalog lookup, and models refer to each often, so tables
        without rows are replaced by empty ones.
        """
        from ingest.lake.catalogue import LEDGER_SCHEMAS

        filled, nulls = self.filled(db), dict(db.execute(NULLS).fetchall())
        nothing = {table: f"SELECT {columns} WHERE false" for table, columns in nulls.items()}
        if only is None:
            return {table: rows for table, rows in nothing.items() if table not in filled}
        ledger = filled & LEDGER_SCHEMAS.keys()
        result = {table: rows for table, rows in nothing.items() if table not in ledger}
        chosen = " OR ".join(
            condition(source_id, ranges, whole=WHOLE in ranges)
            for source_id, ranges in only.items()
        )
        first, last = days_of_loads(db, only)
        for table, is_known, is_unknown in db.execute(DAYS_OF_ROWS, [first, last]).fetchall():
            if table in filled - ledger:
                rows = f"{self.rows(table)} WHERE ({chosen or 'false'}) AND day"
                days = [f"BETWEEN '{first}' AND '{last}'"] * is_known
                if is_unknown and not first <= UNKNOWN_DAY <= last:
                    days.append(f"= '{UNKNOWN_DAY}'")
                result[table] = " UNION ALL ".join(f"{rows} {day}" for day in days) or result[table]
        return result

    def begin_build(
        self, db: duckdb.DuckDBPyConnection, kept: Path, without: Collection[str]
    ) -> None:
        """Make the tables in the lake, in one transaction, and drop them from `db`."""
        with duckdb.connect(str(kept), read_only=True) as alone:  # not all tables of a lake, too
            made = alone.execute(KEPT_TABLES, [BUILT]).fetchall()

        def make(lake: duckdb.DuckDBPyConnection) -> None:
            lake.execute(f"ATTACH IF NOT EXISTS {literal(str(kept))} AS kept (READ_ONLY)")
            for schema in {schema for schema, *_ in made}:
                lake.execute(f"CREATE SCHEMA IF NOT EXISTS lake_marts.{schema}")
            for schema, table, columns in made:
                if f"{schema}.{table}" not in without:
                    copy_table(lake, f"{schema}.{identifier(table)}", columns)

        self.transact(make)
        self.transact(lambda lake: note_statistics(lake, "lake_marts"))
        drops = [f"DROP TABLE {schema}.{identifier(table)}" for schema, table, _ in made]
        db.execute(";\n".join(["BEGIN", *drops, "COMMIT"]))

    def keep_published(
        self, db: duckdb.DuckDBPyConnection, file: Path, tables: Collection[str]
    ) -> None:
        """Copy the rows from the snapshot that the file shows."""
        version = f"AT (VERSION => {snapshot_of(file) or 0})"

        def keep(lake: duckdb.DuckDBPyConnection) -> None:
            for table in tables:
                replace_rows(lake, f"lake_marts.{table}", f"lake_marts.{table} {version}")

        self.transact(keep)

    def show_build(self, db: duckdb.DuckDBPyConnection, *, whole: bool) -> None:
        """Let the views show the lake's tables as they are now; make them if all are new."""
        self.transact(lambda lake: note_statistics(lake, "lake_marts"))
        ((snapshot,),) = self._ask("SELECT max(snapshot_id) FROM ducklake_snapshots('lake_marts')")
        statements = [f"CREATE OR REPLACE MACRO raw_files.snapshot() AS {snapshot}"]
        if whole:
            statements += views_of_build(db)
        db.execute(";\n".join(["BEGIN", *statements, "COMMIT"]))

    def discard_build(self) -> None:
        """Drop what dbt built. Readers of an earlier snapshot still see it."""

        def drop(db: duckdb.DuckDBPyConnection) -> None:
            for schema in BUILT:
                db.execute(f"DROP SCHEMA IF EXISTS lake_marts.{schema} CASCADE")

        self.transact(drop)
