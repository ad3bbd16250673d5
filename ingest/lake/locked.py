"""Connections that read one warehouse and do nothing else.

PERFHOUSE_QUERY_MEMORY   memory that queries may use, as DuckDB writes it (default: 4GB)
PERFHOUSE_QUERY_SECONDS  how long one may run (default: 600)
"""

from __future__ import annotations

import math
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from itertools import pairwise
from multiprocessing.util import Finalize
from pathlib import Path
from shutil import disk_usage

import duckdb

from ingest.base.errors import RequestError
from ingest.base.files import draft
from ingest.lake.cache import version
from ingest.lake.profile import attach_shown, data_of
from ingest.lake.sql import identifier, literal, pattern
from ingest.lake.views import SCHEMAS, definition_of, lake_of

__all__ = [
    "MISREAD",
    "MISREAD_OR_LOST",
    "PUBLISHED",
    "LockedError",
    "cursor_of",
    "is_ambiguous",
    "is_locked",
    "lock",
    "look_up_in_marts_first",
    "memory",
    "misread",
    "open_database",
    "parse_query",
    "require_reading",
    "seconds",
    "time_limit",
    "timeout_error",
]

#: The schemas of a published file that people ask, in the order in which names are looked up.
PUBLISHED = ("marts", "team", "raw", "meta")
_LOOKED_UP = ("marts", "raw", "team")
_MEMORY = "4GB"
_LIMIT, _SECONDS = "PERFHOUSE_QUERY_SECONDS", "600"
_UNSAFE = "--unsafe runs it anyway"
#: Errors of a query on a file that lacks, or reads where it may not, what today's code expects.
MISREAD = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.IOException,
    duckdb.PermissionException,
)
MISREAD_OR_LOST = (*MISREAD, duckdb.InvalidInputException)  # that of a snapshot
#: What it says when a lake has lost a data file, or has an older catalog than the file shows.
_LOST = re.compile(r"Cannot open file .*\.parquet|404.*\.parquet|No snapshot found at version")
_READ = ("audit", "log", "raw", "regressions")  # folders of the lake that views read
_SPILLED = 0.5  # of what is free on disk, for queries that need more than their memory
#: The table functions of DuckDB that read nothing but what they are given, and the catalog.
_TABLE_FUNCTIONS = {
    "generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest",
    "histogram", "histogram_values", "icu_calendar_names", "pg_timezone_names", "summary",
    "test_all_types",
    "duckdb_columns", "duckdb_constraints", "duckdb_dependencies", "duckdb_functions",
    "duckdb_indexes", "duckdb_keywords", "duckdb_memory", "duckdb_schemas", "duckdb_settings",
    "duckdb_tables", "duckdb_types", "duckdb_views",
    "pragma_show", "pragma_table_info", "pragma_version",
}  # fmt: skip
#: Others that write, or take a text of SQL, which is not looked at.
_REFUSED = {"json_serialize_plan", "write_log"}
_OF_DUCKDB = """
    SELECT DISTINCT function_name FROM duckdb_functions()
    WHERE database_name = 'system' AND function_type IN ('table', 'table_macro')
"""
#: Statements that DuckDB 2.0 takes within WITH, and whose type it then says to be SELECT.
_CHANGES = re.compile(r"\b(COPY|CREATE|DELETE|INSERT|MERGE|TRUNCATE|UPDATE)\b", re.IGNORECASE)
_NODES = re.compile(r'"type":"(\w+_NODE)"')  # of a query that DuckDB writes as JSON
_READING_NODES = {"CTE_NODE", "RECURSIVE_CTE_NODE", "SELECT_NODE", "SET_OPERATION_NODE"}
_EXPLAIN = re.compile(r"\s*EXPLAIN\s+(ANALYZE\s+|\([^()]*\)\s*)?", re.IGNORECASE)
_NAME = re.compile(rb'"?(\w+)')


class LockedError(RequestError):
    """A query may not do that on a locked connection, or took too long; one line."""


def is_ambiguous(file: Path) -> bool:
    """Return whether DuckDB would give this database the name of one of its schemas.

    `raw.ledger` could then be in either.
    """
    return _name_of(file).lower() in SCHEMAS


def _name_of(file: Path) -> str:
    return file.name.lstrip(".").partition(".")[0]


def open_database(
    file: Path, *, read_only: bool, apart: bool = False, lake: bool = True
) -> duckdb.DuckDBPyConnection:
    """Open a published file, or its draft, under an unambiguous name: raw.duckdb as raw_db.

    `apart`: in an instance of its own, so that it may outlive other connections to the file.
    `lake`: with the DuckLake that its views show; names, types and comments are in the file.
    """
    if not apart and not is_ambiguous(file):
        db = duckdb.connect(str(file), read_only=read_only)
        if lake:
            attach_shown(db)
        return db
    name = identifier(f"{_name_of(file)}_db")
    db = duckdb.connect(config={"temp_directory": f"{file}.tmp"})
    try:
        option = "(READ_ONLY)" if read_only else ""
        db.execute(f"ATTACH {literal(str(file))} AS {name} {option}; USE {name}")
        if lake:
            attach_shown(db)
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


def lock(db: duckdb.DuckDBPyConnection, most: str | None = None) -> None:
    """Let all connections of this process to a published file read that and its lake only.

    They cannot read or write other files, load extensions, or change settings. Within the lake a
    COPY could still write: see require_reading. `most`: the memory that they may use, by default
    what the setting says.
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
    db.execute(
        "SET autoinstall_known_extensions = false; SET autoload_known_extensions = false; "
        f"SET memory_limit = {literal(most or memory())}; "
        f"SET temp_directory = {literal(room := _spill_folder(os.getpid()))}; "
        f"SET max_temp_directory_size = '{int(disk_usage(room or '.').free * _SPILLED)}B'; "
        f"SET allowed_directories = [{folders}]; SET enable_external_access = false; "
        "SET lock_configuration = true"
    )


@cache
def _spill_folder(_process: int) -> str:
    """Make the folder in which a process keeps what does not fit into memory, until it ends.

    It is not on the warehouse's disk, and each process has its own, a fork too. Return "" if it
    cannot be made.
    """
    with ExitStack() as made, suppress(OSError):
        folder = made.enter_context(draft(Path(tempfile.gettempdir()), "perfhouse-query"))
        folder.mkdir(mode=0o700)
        Finalize(None, made.pop_all().close, exitpriority=0)
        return str(folder)
    return ""


def look_up_in_marts_first(db: duckdb.DuckDBPyConnection) -> None:
    """Look up names without a schema in `marts`, then in `raw`, then in `team`."""
    rows = db.execute(
        "SELECT schema_name FROM duckdb_schemas() WHERE database_name = current_database() "
        f"AND schema_name IN {_LOOKED_UP}"
    ).fetchall()
    path = [name for name in _LOOKED_UP if (name,) in rows]
    if path:
        db.execute(f"SET search_path = {literal(','.join(path))}")


def parse_query(db: duckdb.DuckDBPyConnection, sql: str) -> list[duckdb.Statement]:
    """Return the statements of a text. Raises LockedError if it has none, and duckdb.Error."""
    if not sql.isprintable() and any("\ud800" <= character <= "\udfff" for character in sql):
        raise LockedError("sql: the query has bytes that are not UTF-8")
    statements: list[duckdb.Statement] = db.extract_statements(sql)
    if not statements:
        raise LockedError("sql: the query is empty")
    return statements


def misread(db: duckdb.DuckDBPyConnection, error: Exception) -> str:
    """Return a phrase if a query failed because of what it reads, not of what it says; else ''.

    error: one of MISREAD_OR_LOST; its first line is in the phrase.
    """
    message = str(error).splitlines()[0]
    try:
        made = definition_of(db)
    except duckdb.Error:
        return ""
    if made.get("profile") and _LOST.search(message):
        return f"its lake has lost what it shows, see 'perfhouse doctor' ({message})"
    if made.get("version") == version() or not isinstance(error, MISREAD):
        return ""
    if not made:
        return f"perfhouse did not make it, or its first release did ({message})"
    return f"another release of perfhouse published it, which may be why this failed: {message}"


def require_reading(db: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise LockedError unless all statements of a text only read."""
    for statement in parse_query(db, sql):
        kind = _kind(statement)
        if kind == "EXPLAIN":  # which runs a statement if it is told to analyse it
            explained = _EXPLAIN.sub("", statement.query, count=1)
            if explained == statement.query:
                raise LockedError("sql: write EXPLAIN or EXPLAIN ANALYZE first, then the query")
            require_reading(db, explained)
        # PIVOT begins by creating a temporary type: up to DuckDB 1.5, a statement without a text.
        elif kind not in ("SELECT", "MULTI") and (kind, statement.query) != ("CREATE", ""):
            raise LockedError(f"sql: {kind} is not a query", _UNSAFE)
        elif change := _change_within(db, statement):
            raise LockedError(f"sql: {change} is not a query", _UNSAFE)
    if called := set(_functions(sql)):
        functions = {name for (name,) in db.execute(_OF_DUCKDB).fetchall()}
        for name in sorted(called & (functions - _TABLE_FUNCTIONS | _REFUSED)):
            message = f"sql: {name}() reaches more than the tables of the warehouse"
            raise LockedError(message, _UNSAFE)


def _kind(statement: duckdb.Statement) -> str:
    """Return the type of a statement, in words."""
    try:
        return statement.type.name.replace("_", " ")
    except ValueError:  # a type that the bindings do not know
        return statement.query.split(maxsplit=1)[0].upper()


def _change_within(db: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> str:
    """Return the word that begins a change within a query, or within a PIVOT; "" if none is there.

    A PIVOT that finds its columns in the data is of the type MULTI since DuckDB 2.0, as is any
    statement with one in it. It cannot be written as JSON, so these words are refused in it.
    """
    match = _CHANGES.search(statement.query)
    if not match:
        return ""
    if statement.type.name == "SELECT":
        ((tree,),) = db.execute(
            "SELECT json_serialize_sql($1::VARCHAR)", [statement.query]
        ).fetchall()
        nodes = set(_NODES.findall(tree))
        if nodes and nodes <= _READING_NODES:
            return ""
    return match[1].upper()


def _functions(sql: str) -> Iterator[str]:
    """Yield the name in front of each opening bracket, in lower case."""
    text = sql.encode()
    places = [at for at, kind in duckdb.tokenize(sql) if kind != duckdb.token_type.comment]
    for at, after in pairwise(places):
        named = _NAME.match(text, at)
        if named and text[after : after + 1] == b"(":
            yield named[1].decode().lower()


@contextmanager
def time_limit(db: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Stop what a connection does in this block when it takes too long. Raises LockedError.

    For our own queries: DuckDB looks for interrupts in some functions only (see
    ingest/lake/queries.py).
    """
    limit = seconds()
    timer = threading.Timer(limit, db.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except duckdb.InterruptException as error:
        raise timeout_error(limit) from error
    finally:
        timer.cancel()


def timeout_error(limit: float, setting: str = _LIMIT) -> LockedError:
    """Return the error of a query that took more than this many seconds."""
    return LockedError(f"stopped after {limit:g} seconds; {setting} says how long a query may take")


def memory() -> str:
    """Return the memory that a query may use, as DuckDB writes it."""
    return os.environ.get("PERFHOUSE_QUERY_MEMORY") or _MEMORY


def seconds(setting: str = _LIMIT) -> float:
    """Return how long a query may take. Raises LockedError if the setting is no number."""
    given = os.environ.get(setting) or _SECONDS
    try:
        limit = float(given)
    except ValueError:
        limit = math.nan
    if math.isnan(limit):
        raise LockedError(f"{setting}={given}: not a number of seconds")
    return min(max(limit, 0.001), threading.TIMEOUT_MAX)
