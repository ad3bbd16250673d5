"""The warehouse on disk: the lake of loads, the working database, the published file.

    FILE                                    what readers open, replaced only by one rename
    FILE's stem + .lake/
        raw -> generations/<n>/                    a link that a merge of small files swings
        raw/<source_id>/<table>.<part>.parquet     a load: its folder is moved in by one rename
        raw/day-<date>.<n>/<table>.0.parquet       many loads, merged (see ingest.compact)
        raw/_schema/<table>.0.parquet              empty: pins every table's columns and types
        audit/<check_id>.parquet                   one audit's results
        regressions/<moment>.parquet               events of regressions, of a check or a person
        data_docs/index.html                       the last audit's pages
        staging/                                   loads that are not committed
        FILE                                       the working database, which dbt builds into

The views of the schema `raw` read whatever folders are in raw/, so a load is seen as soon as it
is committed, its rows and its line of the ledger in the same instant. Marts are tables: readers
see them when they have been audited and published.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ingest.errors import WarehouseError

# Reading a warehouse needs neither Polars nor the layouts: what does is imported where it is used,
# so that a query answers a second sooner.

__all__ = ["SCHEMA_FOLDER", "Warehouse", "scan"]

SCHEMA_FOLDER = "_schema"
# A name that no table has must not be looked up among the program's variables.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {"python_enable_replacements": False}


class Warehouse:
    """The files of one warehouse; `file` is the published DuckDB file."""

    def __init__(self, file: Path) -> None:
        self.file = file.absolute()
        self.lake = self.file.with_suffix(".lake")
        self.raw = self.lake / "raw"
        self.generations = self.lake / "generations"
        self.audit = self.lake / "audit"
        self.regressions = self.lake / "regressions"
        self.docs = self.lake / "data_docs"
        self.staging = self.lake / "staging"
        self.dbt = self.lake / "dbt"  # what the last build by dbt left: logs, compiled models
        self.work = self.lake / self.file.name  # the name that the views it holds will know

    def create(self) -> None:
        """Make the folders, and a published file that shows raw.* if there is none."""
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
            self._begin(self.file)

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The published file, read-only. Raises WarehouseError where there is none."""
        if not self.file.exists():
            raise WarehouseError(
                f"{self.file}: no warehouse here; make one with 'perfhouse ingest PATH'"
            )
        db = duckdb.connect(str(self.file), read_only=True, config=_CONFIG)
        try:
            yield db
        finally:
            db.close()

    @contextmanager
    def open_work(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The working database, to write, with the views of `raw` and `meta` brought up to date."""
        self.create()
        if not self.work.exists():
            self._begin(self.work)
        try:
            db = duckdb.connect(str(self.work), config=_CONFIG)
        except duckdb.IOException as error:
            raise WarehouseError(f"{self.work}: another build is running ({error})") from None
        try:
            self.refresh(db)
            yield db
        finally:
            db.close()

    def discard_work(self) -> None:
        """Drop the working database: a build begins with nothing of the last one."""
        for file in (self.work, self.work.with_name(self.work.name + ".wal")):
            file.unlink(missing_ok=True)

    def holds_file_of(self, stored_bytes: int) -> bool:
        """Whether a file of this size on disk was loaded."""
        import polars as pl

        ledgers = f"{self.raw}/*/ledger.*.parquet"
        known = pl.scan_parquet(ledgers, missing_columns="insert").select("stored_bytes")
        return bool(known.collect()["stored_bytes"].is_in([stored_bytes]).any())

    def loads(self) -> list[str]:
        """The identities of all loads, in their order."""
        import polars as pl

        ledgers = pl.scan_parquet(f"{self.raw}/*/ledger.*.parquet", missing_columns="insert")
        return ledgers.select(pl.col("source_id").sort()).collect()["source_id"].to_list()

    @contextmanager
    def raw_lock(self, *, exclusive: bool = False) -> Iterator[None]:
        """Held shared to put a load into raw/, exclusive to swing raw to another generation."""
        with (self.lake / "raw.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
            yield

    def next_generation(self) -> Path:
        """A folder name for the next generation of raw/, not yet made."""
        numbers = [int(p.name) for p in self.generations.iterdir() if p.name.isdigit()]
        return self.generations / f"{max(numbers, default=0) + 1:06}"

    def lead_to(self, generation: Path) -> None:
        """Let raw/ be `generation`, in one step."""
        link = self.lake / f".raw.{os.getpid()}"
        link.unlink(missing_ok=True)
        link.symlink_to(generation.relative_to(self.lake))
        link.replace(self.raw)

    def publish(self) -> None:
        """Put the working database in the place of the published file, in one step."""
        with duckdb.connect(str(self.work)) as db:
            db.execute("CHECKPOINT")
        if self.work.with_name(self.work.name + ".wal").exists():
            raise WarehouseError(f"{self.work}: changes are not yet checkpointed")
        copy = _beside(self.file)
        shutil.copyfile(self.work, copy)
        with copy.open("rb") as written:
            os.fsync(written.fileno())
        copy.replace(self.file)

    def refresh(self, db: duckdb.DuckDBPyConnection, only: Sequence[str] | None = None) -> None:
        """Define the views of `raw`, and of `meta` the codes, audits' results and regressions.

        only: loads, not merged yet, whose rows the views show; of the ledger and of what was
        published all are shown.
        """
        db.execute("BEGIN; CREATE SCHEMA IF NOT EXISTS raw; CREATE SCHEMA IF NOT EXISTS meta")
        # They are thousands of statements, of which each step would repeat every one.
        statements = self._raw_statements(only)
        digest = hashlib.sha256("".join(statements).encode()).hexdigest()
        db.execute("CREATE TABLE IF NOT EXISTS meta.raw_definition (digest VARCHAR)")
        if db.execute("FROM meta.raw_definition").fetchall() != [(digest,)]:
            for statement in statements:
                db.execute(statement)
            db.execute("DELETE FROM meta.raw_definition")
            db.execute("INSERT INTO meta.raw_definition VALUES ($1)", [digest])
        if any(self.audit.glob("*.parquet")):
            files = _quoted(f"{self.audit}/*.parquet")
            db.execute(
                "CREATE OR REPLACE VIEW meta.expectation_result AS "
                f"SELECT * FROM read_parquet({files}, union_by_name=true)"
            )
        if any(self.regressions.glob("*.parquet")):
            _define_regressions(db, _quoted(f"{self.regressions}/*.parquet"))
        db.execute("COMMIT")

    def _raw_statements(self, only: Sequence[str] | None) -> list[str]:
        """SQL that defines and describes the views of `raw`, and the codes of their columns."""
        from ingest import published
        from ingest.catalogue import LEDGER_SCHEMAS, codes, raw_columns, raw_schemas, title

        of_loads = self._files_of(only or ())
        statements = []
        for table in raw_schemas():
            columns = raw_columns(table)
            chosen = ", ".join(
                expression if expression == f'"{name}"' else f'{expression} AS "{name}"'
                for name, expression, _ in columns
            )
            if only is None or table in LEDGER_SCHEMAS or table in published.SCHEMAS:
                files = _quoted(f"{self.raw}/*/{table}.*.parquet")
            else:
                files = f"[{', '.join(of_loads[table])}]"
            statements.append(
                f"CREATE OR REPLACE VIEW raw.{table} AS SELECT {chosen} FROM ({scan(files)})"
            )
            if only is not None:
                continue  # nobody reads what is said of them
            statements.append(f"COMMENT ON VIEW raw.{table} IS {_quoted(title(table))}")
            statements += [
                f'COMMENT ON COLUMN raw.{table}."{name}" IS {_quoted(note)}'
                for name, _, note in columns
                if note
            ]
        labels = ", ".join(
            f"('{table}', '{column}', {code}, {_quoted(label)})"
            for table, column, code, label in codes()
        )
        statements.append(
            "CREATE OR REPLACE TABLE meta.code AS SELECT table_name, column_name, code::BIGINT AS "
            f"code, label FROM (VALUES {labels}) AS codes (table_name, column_name, code, label)"
        )
        return statements

    def _files_of(self, loads: Sequence[str]) -> dict[str, list[str]]:
        """Table -> its files in the folders of these loads and the empty one, as SQL strings."""
        files: dict[str, list[str]] = {}
        for name in (SCHEMA_FOLDER, *loads):
            for file in sorted((self.raw / name).glob("*.parquet")):
                files.setdefault(file.name.split(".")[0], []).append(_quoted(str(file)))
        return files

    def _write_schema(self) -> None:
        import polars as pl

        from ingest.catalogue import raw_schemas

        folder = self.raw / SCHEMA_FOLDER
        tables = raw_schemas()
        present = {p.name.split(".")[0]: p for p in folder.glob("*.parquet")}
        stale = [
            name
            for name, columns in tables.items()
            if name not in present or pl.read_parquet_schema(present[name]) != columns
        ]
        folder.mkdir(exist_ok=True)
        for name in stale:
            draft = self.staging / f"{name}.{os.getpid()}.schema"
            pl.DataFrame(schema=tables[name]).write_parquet(draft)
            draft.replace(folder / f"{name}.0.parquet")

    def _begin(self, file: Path) -> None:
        """Put a database there that has the views and nothing else.

        It takes seconds to describe thousands of columns, so one is kept to be copied.
        """
        blank = self.lake / "blank.duckdb"
        draft = _beside(file)
        if blank.exists():
            shutil.copyfile(blank, draft)
        with duckdb.connect(str(draft)) as db:
            self.refresh(db)
        kept = _beside(blank)
        shutil.copyfile(draft, kept)
        kept.replace(blank)
        draft.replace(file)


def _beside(file: Path) -> Path:
    """A fresh name in the file's folder, so that a rename can put what it holds in its place."""
    file.parent.mkdir(parents=True, exist_ok=True)
    path = file.with_name(f".{file.name}.{os.getpid()}")
    path.unlink(missing_ok=True)
    return path


def scan(files: str) -> str:
    """SQL of the rows in Parquet files of one table (an SQL expression: a pattern or a list).

    A load's own files leave its identity to the name of their folder; where many loads were
    merged, it is a column. One of the files has to have the column: the empty one does.
    """
    return (
        "SELECT coalesce(source_id, split_part(filename, '/', -2)) AS source_id, "
        "* EXCLUDE (source_id, filename) "
        f"FROM read_parquet({files}, union_by_name=true, filename=true)"
    )


def _define_regressions(db: duckdb.DuckDBPyConnection, files: str) -> None:
    """Views of the events of regressions, and of each one's state: its last event."""
    db.execute(
        "CREATE OR REPLACE VIEW meta.regression_event AS "
        f"SELECT * FROM read_parquet({files}, union_by_name=true)"
    )
    db.execute(
        "CREATE OR REPLACE VIEW meta.regression AS "
        "SELECT * RENAME (event_at AS changed_at), "
        "state IN ('new', 'confirmed') AS is_open, "
        "min(event_at) OVER (PARTITION BY regression_id) AS first_seen_at "
        "FROM meta.regression_event "
        "QUALIFY row_number() OVER (PARTITION BY regression_id ORDER BY event_id DESC) = 1"
    )
    db.execute("COMMENT ON VIEW meta.regression IS 'One row per regression: its last event'")
    db.execute(
        "COMMENT ON VIEW meta.regression_event IS "
        "'One row per event of a regression: found, confirmed, accepted, fixed; never changed'"
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
