"""Connections that read one warehouse and do nothing else.

PERFHOUSE_QUERY_MEMORY   memory that queries may use, as DuckDB writes it (default: 4GB)
PERFHOUSE_QUERY_SECONDS  how long one may run (default: 600)
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import duckdb

from ingest.ducklake import attach_noted, data_of
from ingest.errors import PerfhouseError
from ingest.sql import identifier, literal, pattern
from ingest.views import SCHEMAS, lake_of

__all__ = [
    "LockedError",
    "cursor_of",
    "is_ambiguous",
    "is_locked",
    "limited",
    "lock",
    "open_database",
    "require_reading",
]

_READ = ("audit", "log", "raw", "regressions")  # folders of the lake that views read
_SPILLED = "10GB"  # on disk, by queries that need more than their memory
#: Functions of SELECT that write files, or run statements that cannot be checked.
_WRITING = {
    "enable_logging", "enable_profile", "enable_profiling", "json_execute_serialized_sql", "query",
}  # fmt: skip
#: How the names begin of those that reach a lake's catalog and files, or other databases.
_REACHING = ("ducklake_", "pg_clear_cache", "postgres_", "sqlite_")
_EXPLAIN = re.compile(r"\s*EXPLAIN\s+(ANALYZE\s+|\([^()]*\)\s*)?", re.IGNORECASE)
_NAME = re.compile(rb'"?(\w+)')


class LockedError(PerfhouseError):
    """A query may not do that on a locked connection, or took too long; one line."""


def is_ambiguous(file: Path) -> bool:
    """Return whether DuckDB would call this database like one of its schemas.

    `raw.ledger` could then be in either.
    """
    return _name_of(file).lower() in SCHEMAS


def _name_of(file: Path) -> str:
    return file.name.lstrip(".").partition(".")[0]


def open_database(file: Path, *, read_only: bool, apart: bool = False) -> duckdb.DuckDBPyConnection:
    """Open a published file, or its draft, by a name that is clear: raw.duckdb as raw_db.

    `apart`: in an instance of its own, so that it may outlive other connections to the file.
    """
    if not apart and not is_ambiguous(file):
        db = duckdb.connect(str(file), read_only=read_only)
        attach_noted(db)
        return db
    name = identifier(f"{_name_of(file)}_db")
    db = duckdb.connect(config={"temp_directory": f"{file}.tmp"})
    try:
        option = "(READ_ONLY)" if read_only else ""
        db.execute(f"ATTACH {literal(str(file))} AS {name} {option}; USE {name}")
        attach_noted(db)
    except BaseException:
        db.close()
        raise
    return db


def cursor_of(db: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return another connection to what `open_database` opened."""
    ((name,),) = db.execute("SELECT current_catalog()").fetchall()
    cursor = db.cursor()
    cursor.execute(f"USE {identifier(name)}")
    return cursor


def is_locked(db: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the database's settings are locked, by this or another connection."""
    return bool(db.execute("SELECT current_setting('lock_configuration')").fetchall()[0][0])


def lock(db: duckdb.DuckDBPyConnection) -> None:
    """Let all connections of this process to a published file read that and its lake only.

    They cannot read or write other files, load extensions, or change settings. Within the lake a
    COPY could still write: see require_reading.
    """
    if is_locked(db):
        return
    lake = lake_of(db)  # None: not a warehouse
    # DuckDB looks at the pattern first, and then at each file that matches it.
    paths = {lake, pattern(lake)} if lake else set()
    allowed = [f"{path}/{folder}/" for path in paths for folder in _READ]
    if data := data_of(db):
        allowed.append(data)
    folders = ", ".join(map(literal, allowed))
    memory = os.environ.get("PERFHOUSE_QUERY_MEMORY") or "4GB"
    db.execute(
        "SET autoinstall_known_extensions = false; SET autoload_known_extensions = false; "
        f"SET memory_limit = {literal(memory)}; SET max_temp_directory_size = '{_SPILLED}'; "
        f"SET allowed_directories = [{folders}]; SET enable_external_access = false; "
        "SET lock_configuration = true"
    )


def require_reading(db: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise LockedError unless all statements of a text only read."""
    for statement in db.extract_statements(sql):
        kind = statement.type.name
        if kind == "EXPLAIN":  # which runs a statement if it is told to analyse it
            explained = _EXPLAIN.sub("", statement.query, count=1)
            if explained == statement.query:
                raise LockedError("sql: write EXPLAIN or EXPLAIN ANALYZE first, then the query")
            require_reading(db, explained)
        elif kind not in {"SELECT", "CREATE"}:  # PIVOT begins by creating a temporary type
            name = kind.replace("_", " ")
            raise LockedError(f"sql: {name} is not a query")
    for name in _functions(sql):
        if name in _WRITING:
            raise LockedError(f"sql: {name}() may write")
        if name.startswith(_REACHING):
            raise LockedError(f"sql: {name}() reaches more than the tables of the warehouse")


def _functions(sql: str) -> Iterator[str]:
    """Yield the name in front of each opening bracket, in lower case."""
    text = sql.encode()
    places = [at for at, _ in duckdb.tokenize(sql)]
    for at, after in pairwise(places):
        named = _NAME.match(text, at)
        if named and text[after : after + 1] == b"(":
            yield named[1].decode().lower()


@contextmanager
def limited(db: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Stop what a connection does in this block when it takes too long. Raises LockedError."""
    seconds = _seconds()
    timer = threading.Timer(seconds, db.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except duckdb.InterruptException as error:
        raise LockedError(
            f"stopped after {seconds:g} seconds; PERFHOUSE_QUERY_SECONDS says how long a query "
            "may take"
        ) from error
    finally:
        timer.cancel()


def _seconds() -> float:
    given = os.environ.get("PERFHOUSE_QUERY_SECONDS") or "600"
    try:
        return max(float(given), 0.001)
    except ValueError:
        raise LockedError(f"PERFHOUSE_QUERY_SECONDS={given}: not a number of seconds") from None
