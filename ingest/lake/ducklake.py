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
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from ingest.base.errors import WarehouseError
from ingest.base.files import draft_folder, replacing
from ingest.base.waiting import locked
from ingest.lake.cache import version
from ingest.lake.folders import write_schema
from ingest.lake.profile import NOTED, LostCatalogError, Profile, attach, read_profile
from ingest.lake.rolled import OWNER
from ingest.lake.seal import read_checked
from ingest.lake.sql import identifier, literal, pattern
from ingest.lake.store import ENOUGH, TOGETHER, WHOLE, Ranges, Store, condition, replace_rows

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ROWS",
    "UNKNOWN_DAY",
    "DuckLake",
    "delete_loads",
    "note_statistics",
]

_BUILT = ("staging", "intermediate", "marts", "team")  # schemas that dbt builds
UNKNOWN_DAY = "1970-01-01"  # the day of records without a known day
_MANY = 16  # files of a table that are worth merging
_PATIENCE = 600.0  # seconds, for another process that makes the tables
_TURN = 120.0  # seconds, for other processes that commit
_TRIES = 8  # of a transaction; about a minute
_KEPT = "1 day"  # of snapshots that nobody needs, and of files that only they had

# Do not ask duckdb_tables() or information_schema.tables while a lake is attached: for them,
# DuckLake looks up the size of each of its tables. information_schema.columns takes a tenth.

#: Raw tables of a lake that have, or had, rows.
_FILLED = """
    SELECT made.table_name
    FROM __ducklake_metadata_lake_raw.ducklake_table AS made
    JOIN __ducklake_metadata_lake_raw.ducklake_table_stats USING (table_id)
    WHERE record_count > 0 AND made.end_snapshot IS NULL
"""
#: Note in the catalog that tables without statistics have no rows. DuckLake writes statistics with
#: the first row, and until then asks the catalog for those of each column, again for each query.
_STATISTICS = """
    INSERT INTO __ducklake_metadata_LAKE.ducklake_table_column_stats (table_id, column_id)
    SELECT table_id, column_id
    FROM __ducklake_metadata_LAKE.ducklake_column
    WHERE
        end_snapshot IS NULL
        AND table_id NOT IN (SELECT table_id FROM __ducklake_metadata_LAKE.ducklake_table_stats);
    INSERT INTO __ducklake_metadata_LAKE.ducklake_table_stats
        (table_id, record_count, next_row_id, file_size_bytes)
    SELECT table_id, 0, 0, 0
    FROM __ducklake_metadata_LAKE.ducklake_table
    WHERE
        end_snapshot IS NULL
        AND table_id NOT IN (SELECT table_id FROM __ducklake_metadata_LAKE.ducklake_table_stats)
"""
#: Columns of NULLs of their types, of each raw table.
_NULLS = """
    SELECT
        table_name,
        string_agg(
            'NULL::' || data_type || ' AS "' || column_name || '"', ', ' ORDER BY column_index
        )
    FROM duckdb_columns()
    WHERE database_name = 'lake_raw' AND schema_name = 'raw' AND column_name <> 'day'
    GROUP BY table_name
"""
#: Which raw tables may have rows of the days from $1 to $2, and of the unknown day. Rows that an
#: earlier release left waiting in the catalog may be of any day.
_DAYS = f"""
    SELECT
        table_name,
        bool_or(may_be_any OR partition_value BETWEEN $1 AND $2),
        bool_or(may_be_any OR partition_value = '{UNKNOWN_DAY}')
    FROM (
        SELECT
            made.table_name, partition_value,
            inlined.table_id IS NOT NULL
                OR (file.data_file_id IS NOT NULL AND partition_value IS NULL) AS may_be_any
        FROM __ducklake_metadata_lake_raw.ducklake_table AS made
        LEFT JOIN __ducklake_metadata_lake_raw.ducklake_inlined_data_tables AS inlined
            USING (table_id)
        LEFT JOIN __ducklake_metadata_lake_raw.ducklake_data_file AS file
            ON file.table_id = made.table_id AND file.end_snapshot IS NULL
        LEFT JOIN __ducklake_metadata_lake_raw.ducklake_file_partition_value USING (data_file_id)
        WHERE made.end_snapshot IS NULL
    )
    GROUP BY table_name
"""

#: The tables of a lake with their numbers of files, and of files of deleted rows.
_FILES = """
    SELECT
        schema_name, table_name, count(DISTINCT file.data_file_id),
        count(DISTINCT gone.delete_file_id)
    FROM __ducklake_metadata_LAKE.ducklake_table AS made
    JOIN __ducklake_metadata_LAKE.ducklake_schema AS room USING (schema_id)
    JOIN __ducklake_metadata_LAKE.ducklake_data_file AS file
        ON file.table_id = made.table_id AND file.end_snapshot IS NULL
    LEFT JOIN __ducklake_metadata_LAKE.ducklake_delete_file AS gone
        ON gone.data_file_id = file.data_file_id AND gone.end_snapshot IS NULL
    WHERE made.end_snapshot IS NULL AND room.end_snapshot IS NULL
    GROUP BY ALL
"""

#: The tables of dbt, as schema.table, with their numbers of rows.
ROWS = """
    WITH gone AS (
        SELECT data_file_id, sum(delete_count) AS rows
        FROM __ducklake_metadata_lake_marts.ducklake_delete_file
        WHERE end_snapshot IS NULL
        GROUP BY data_file_id
    )
    SELECT
        schema_name || '.' || table_name AS name,
        coalesce(sum(file.record_count - coalesce(gone.rows, 0)), 0)::BIGINT AS rows
    FROM __ducklake_metadata_lake_marts.ducklake_table AS made
    JOIN __ducklake_metadata_lake_marts.ducklake_schema AS room USING (schema_id)
    LEFT JOIN __ducklake_metadata_lake_marts.ducklake_data_file AS file
        ON file.table_id = made.table_id AND file.end_snapshot IS NULL
    LEFT JOIN gone USING (data_file_id)
    WHERE made.end_snapshot IS NULL AND room.end_snapshot IS NULL
    GROUP BY ALL
"""

#: Tables that dbt built in a working database, with their columns.
_KEPT_TABLES = """
    SELECT
        schema_name, table_name,
        list(struct_pack(column_name, data_type, is_nullable) ORDER BY column_index)
    FROM duckdb_columns() JOIN duckdb_tables() USING (database_name, schema_name, table_name)
    WHERE list_contains($1, schema_name)
    GROUP BY ALL
    ORDER BY ALL
"""

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


def note_statistics(db: duckdb.DuckDBPyConnection, lake: str) -> None:
    """Note that tables of lake_raw or lake_marts that never had a row have none."""
    db.execute(_STATISTICS.replace("LAKE", lake))


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
            _insert(db, {source_id: folder}, [source_id])
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
            _insert(db, files, source_ids, together if together.is_dir() else None)
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
                _insert(db, new, list(new))
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
        for schema, table, files, deletes in db.execute(_FILES.replace("LAKE", lake)).fetchall():
            location = f"{name}, {literal(table)}, schema => {literal(schema)}"
            if deletes:
                db.execute(f"CALL ducklake_rewrite_data_files({location})")
            if files >= _MANY:
                db.execute(f"CALL ducklake_merge_adjacent_files({location})")
        shown = [snapshot for file in (self._file, self.lake / "work.duckdb")
                 if (snapshot := _snapshot_of(file)) is not None]  # fmt: skip
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
        return _filled(db)

    def rows_to_build(
        self, db: duckdb.DuckDBPyConnection, only: Mapping[str, Ranges] | None
    ) -> dict[str, str]:
        """Return SQL that reads the partitions of the days of chosen records.

        Each reference to a table costs a catalog lookup, and models refer to each often, so tables
        without rows are replaced by empty ones.
        """
        from ingest.lake.catalogue import LEDGER_SCHEMAS

        filled, nulls = self.filled(db), dict(db.execute(_NULLS).fetchall())
        nothing = {table: f"SELECT {columns} WHERE false" for table, columns in nulls.items()}
        if only is None:
            return {table: rows for table, rows in nothing.items() if table not in filled}
        ledger = filled & LEDGER_SCHEMAS.keys()
        result = {table: rows for table, rows in nothing.items() if table not in ledger}
        chosen = " OR ".join(
            condition(source_id, ranges, whole=WHOLE in ranges)
            for source_id, ranges in only.items()
        )
        first, last = _days_of(db, only)
        for table, is_known, is_unknown in db.execute(_DAYS, [first, last]).fetchall():
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
            made = alone.execute(_KEPT_TABLES, [_BUILT]).fetchall()

        def make(lake: duckdb.DuckDBPyConnection) -> None:
            lake.execute(f"ATTACH IF NOT EXISTS {literal(str(kept))} AS kept (READ_ONLY)")
            for schema in {schema for schema, *_ in made}:
                lake.execute(f"CREATE SCHEMA IF NOT EXISTS lake_marts.{schema}")
            for schema, table, columns in made:
                if f"{schema}.{table}" not in without:
                    _copy_table(lake, f"{schema}.{identifier(table)}", columns)

        self.transact(make)
        self.transact(lambda lake: note_statistics(lake, "lake_marts"))
        drops = [f"DROP TABLE {schema}.{identifier(table)}" for schema, table, _ in made]
        db.execute(";\n".join(["BEGIN", *drops, "COMMIT"]))

    def keep_published(
        self, db: duckdb.DuckDBPyConnection, file: Path, tables: Collection[str]
    ) -> None:
        """Copy the rows from the snapshot that the file shows."""
        version = f"AT (VERSION => {_snapshot_of(file) or 0})"

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
            statements += _views_of_build(db)
        db.execute(";\n".join(["BEGIN", *statements, "COMMIT"]))

    def discard_build(self) -> None:
        """Drop what dbt built. Readers of an earlier snapshot still see it."""

        def drop(db: duckdb.DuckDBPyConnection) -> None:
            for schema in _BUILT:
                db.execute(f"DROP SCHEMA IF EXISTS lake_marts.{schema} CASCADE")

        self.transact(drop)


def _copy_table(
    db: duckdb.DuckDBPyConnection, name: str, columns: Sequence[Mapping[str, Any]]
) -> None:
    """Copy a table of the attached database `kept` into lake_marts."""
    defined = ", ".join(
        f"{identifier(column['column_name'])} {column['data_type']}"
        + " NOT NULL" * (not column["is_nullable"])
        for column in columns
    )
    db.execute(f"CREATE TABLE lake_marts.{name} ({defined})")
    if db.execute(f"FROM kept.{name} LIMIT 1").fetchall():
        db.execute(f"INSERT INTO lake_marts.{name} FROM kept.{name}")


def _views_of_build(db: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Yield SQL that makes views of what dbt built, with the comments that meta.lineage has."""
    listed = ", ".join(map(literal, _BUILT))
    for schema in _BUILT:
        yield f"CREATE SCHEMA IF NOT EXISTS {schema}"
    for schema, table, comment, names, columns in db.execute(
        "SELECT schema_name, table_name, any_value(lineage.description), "
        "list(column_name), any_value(columns) FROM duckdb_columns() "
        "LEFT JOIN meta.lineage ON lineage.name = schema_name || '.' || table_name "
        f"WHERE database_name = 'lake_marts' AND schema_name IN ({listed}) "
        "GROUP BY schema_name, table_name ORDER BY 1, 2"
    ).fetchall():
        name = f"{schema}.{identifier(table)}"
        yield (
            f"CREATE OR REPLACE VIEW {name} AS "
            f"FROM lake_marts.{name} AT (VERSION => raw_files.snapshot())"
        )
        if comment:
            yield f"COMMENT ON VIEW {name} IS {literal(comment)}"
        for column in columns or ():  # lineage may know some that the table does not have
            if column["name"] in names and (note := column["description"]):
                column_name = f"{name}.{identifier(column['name'])}"
                yield f"COMMENT ON COLUMN {column_name} IS {literal(note)}"


def _snapshot_of(file: Path) -> int | None:
    """Return the snapshot that a database's views show; None without a build."""
    if not file.exists():
        return None
    try:
        with duckdb.connect(str(file), read_only=True) as db:
            return int(db.execute("SELECT raw_files.snapshot()").fetchall()[0][0])
    except duckdb.CatalogException:
        return None


def _filled(db: duckdb.DuckDBPyConnection) -> set[str]:
    return {table for (table,) in db.execute(_FILLED).fetchall()}


def delete_loads(db: duckdb.DuckDBPyConnection, source_ids: Collection[str]) -> None:
    """Delete the rows of loads in an attached lake, whether the ledger has them or not."""
    from ingest.lake.catalogue import raw_schemas

    named = ", ".join(map(literal, source_ids)) or "NULL"
    filled = _filled(db)
    for table in raw_schemas():
        if table in filled:
            owner = OWNER.get(table, "source_id")
            db.execute(f"DELETE FROM lake_raw.raw.{table} WHERE {owner} IN ({named})")


def _insert(
    db: duckdb.DuckDBPyConnection,
    alone: Mapping[str, Path],
    source_ids: Collection[str],
    together: Path | None = None,
) -> None:
    """Insert loads, and claim their names: those with a folder each, and those in one.

    Each table costs as much for one load as for many, so it is inserted into once.
    """
    from ingest.lake.catalogue import LEDGER_SCHEMAS

    for source_id in source_ids:
        claim = identifier(source_id)
        db.execute(f"CREATE OR REPLACE VIEW lake_raw.loads.{claim} AS SELECT 1 AS loaded")
    parts: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
    for source_id, folder in {**alone, "": together}.items():
        for name in read_checked(folder).files if folder else ():
            table, part, _ = name.split(".")
            is_named = table in LEDGER_SCHEMAS and table != "quarantine"
            load = "" if is_named else source_id
            parts[table][load].append((int(part), literal(pattern(f"{folder}/{name}"))))
    days = _days(db, [file for _, file in parts["ledger_day"][""]])
    for table, by_load in parts.items():
        selects = []
        for source_id, loaded_rows in by_load.items():
            files = ", ".join(file for _, file in sorted(loaded_rows))
            name = f", {literal(source_id)} AS source_id" if source_id else ""
            selects.append(f"SELECT *{name} FROM read_parquet([{files}], union_by_name=true)")
        rows = f"({' UNION ALL BY NAME '.join(selects)})"
        if table not in LEDGER_SCHEMAS:
            rows = f"(SELECT loaded.*, {days(rows)})"
        db.execute(f"INSERT INTO lake_raw.raw.{table} BY NAME SELECT * FROM {rows}")


def _days(db: duckdb.DuckDBPyConnection, files: Sequence[str]) -> Callable[[str], str]:
    """Return a function that writes "day FROM rows" for rows with source_id and record_no."""
    ranges = db.execute(
        "SELECT source_id, first_record_no, coalesce(first_day, $1::DATE)::VARCHAR "
        f"FROM read_parquet([{', '.join(files)}]) ORDER BY ALL", [UNKNOWN_DAY]
    ).fetchall() if files else []  # fmt: skip
    day, *others = {day for *_, day in ranges} or {UNKNOWN_DAY}
    if not others:
        return lambda rows: f"DATE {literal(day)} AS day FROM {rows} AS loaded"
    values = ", ".join(
        f"({literal(source_id)}, {number}, DATE {literal(day)})"
        for source_id, number, day in ranges
    )
    return lambda rows: (
        f"coalesce(ranges.day, DATE '{UNKNOWN_DAY}') AS day FROM {rows} AS loaded "
        f"ASOF LEFT JOIN (VALUES {values}) AS ranges (source_id, first_no, day) "
        "ON loaded.source_id = ranges.source_id AND loaded.record_no >= ranges.first_no"
    )


def _days_of(db: duckdb.DuckDBPyConnection, only: Mapping[str, Ranges]) -> tuple[str, str]:
    """Return the first and the last day of the loads with chosen records."""
    named = ", ".join(map(literal, only)) or "NULL"
    ((first, last),) = db.execute(
        "SELECT min(first_day)::VARCHAR, max(last_day)::VARCHAR FROM lake_raw.raw.ledger_day "
        f"WHERE source_id IN ({named})"
    ).fetchall()
    return first or UNKNOWN_DAY, last or UNKNOWN_DAY
