"""`perfhouse sql` and the dashboard's connections read one warehouse and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import duckdb
import pytest

from app.cli.main import main
from app.results.reader import Reader, UnreadableWarehouseError
from ingest.lake import locked
from ingest.lake.locked import (
    LockedError,
    lock,
    look_up_in_marts_first,
    parse_query,
    require_reading,
    time_limit,
)
from ingest.lake.warehouse import Warehouse
from tests.kit.manifests import load


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """A warehouse with one load; beside it a file that is none of its business."""
    made = load(tmp_path_factory.mktemp("locked"))
    (made.file.parent / "secret.csv").write_text("word\nhidden\n")
    return made


def held(folder: Path) -> dict[Path, bytes]:
    """Return all files and their content, but for the log, which every command writes to."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files if not path.match("log/2???-??-??.jsonl")}


#: What a hostile query may try; {here}: the folder of the warehouse.
REFUSED = [
    "COPY (SELECT 1) TO '{here}/w.duckdb'",
    "COPY (SELECT 1) TO '{here}/w.lake/raw/x.csv'",
    "COPY (SELECT 1) TO '{here}/w.lake/log/x.jsonl'",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{here}/w.lake/raw/x.csv'",
    "EXPLAIN (ANALYZE) COPY (SELECT 1) TO '{here}/w.lake/raw/x.csv'",
    "EXPLAIN /**/ ANALYZE COPY (SELECT 1) TO '{here}/w.lake/raw/x.csv'",
    "SELECT 1; COPY (SELECT 1) TO '{here}/w.lake/raw/x.csv'",
    "PREPARE p AS COPY (SELECT 1) TO '{here}/w.lake/raw/x.csv'; EXECUTE p",
    "EXPORT DATABASE '{here}/w.lake/raw/all'",
    "ATTACH '{here}/other.duckdb' (READ_WRITE)",
    "ATTACH '{here}/w.lake/raw/other.duckdb' (READ_WRITE)",
    "CREATE TABLE raw.mine AS SELECT 1",
    "DROP VIEW raw.ledger",
    "SELECT * FROM read_csv('{here}/secret.csv')",
    "SELECT * FROM read_text('{here}/w.lake/raw/../../secret.csv')",
    "SELECT * FROM read_blob('{here}/w.lake/work.duckdb')",
    "SELECT * FROM '{here}/secret.csv'",
    "SELECT * FROM glob('{here}/*')",
    "SELECT * FROM read_csv('http://127.0.0.1:9/x')",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET lock_configuration = false",
    "SET memory_limit = '1TB'",
    "RESET allowed_directories",
    "PRAGMA enable_profiling",
    "FROM enable_logging(storage='file', storage_config={{'path': '{here}/w.lake/raw/l'}})",
    "FROM system.main.\"enable_logging\" /**/ ('QueryLog')",
    "FROM query('FROM enable_' || 'logging()')",
    "CALL enable_logging()",
    "FROM pandas_scan(NULL)",
    "CREATE TEMP TABLE mine AS SELECT 1",
    "CREATE PERSISTENT SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
    "SELECT json_serialize_plan('FROM pandas_scan(NULL)')",
    "SELECT write_log('x')",
]  # fmt: skip


@pytest.fixture(scope="module")
def asked(
    warehouse: Warehouse, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a copy of the file, locked as those of the command."""
    copy = shutil.copyfile(warehouse.file, tmp_path_factory.mktemp("asked") / "w.duckdb")
    with Warehouse(copy).connect() as db:
        db.execute("SET python_enable_replacements = false")
        look_up_in_marts_first(db)
        lock(db, "1GB")
        yield db


def is_answered(db: duckdb.DuckDBPyConnection, query: str) -> bool:
    try:
        require_reading(db, query)
        for statement in parse_query(db, query):
            assert "hidden" not in str(db.execute(statement).fetchall())
    except (LockedError, duckdb.Error):
        return False
    return True


def test_sql_refuses_all_but_reading(
    warehouse: Warehouse, asked: duckdb.DuckDBPyConnection
) -> None:
    here = warehouse.file.parent
    before = held(here)
    for query in REFUSED:
        assert not is_answered(asked, query.format(here=here)), query
        assert held(here) == before, query


@pytest.mark.parametrize("query", REFUSED[:: len(REFUSED) // 4])
def test_the_command_says_what_it_refuses(
    warehouse: Warehouse, query: str, capsys: pytest.CaptureFixture[str]
) -> None:
    here = warehouse.file.parent
    assert main(["sql", query.format(here=here), "--warehouse", str(warehouse.file)]) == 2
    printed = capsys.readouterr()
    first, *hints = printed.err.splitlines()
    assert first.startswith("perfhouse: ")
    assert not hints or hints[1].startswith("LINE 1: ")  # of DuckDB's parser
    assert "hidden" not in printed.out + printed.err


#: The last ones call functions that read only what they are given, and the catalog.
READING = [
    "SELECT campaign FROM raw.bench_run",
    "FROM raw.bench_run; FROM raw.ledger",
    "EXPLAIN SELECT campaign FROM raw.bench_run",
    "explain (analyze, format json) FROM raw.bench_run",
    "PIVOT raw.bench_run ON campaign USING count(*)",
    "SUMMARIZE raw.bench_run",
    "DESCRIBE raw.bench_run",
    "SHOW ALL TABLES",
    "FROM meta.regression",
    "FROM meta.expectation_result",
    "SELECT 'query(' AS query, (SELECT 1) AS enable_logging",
    "WITH insert AS (SELECT 1 AS copy, 'DELETE FROM' AS update) FROM insert WHERE copy = 1",
    *(f"FROM {call}" for call in (
        "range(3)", "generate_series(1, 3)", "unnest([1, 2])", "repeat('x', 3)", "json_each('{}')",
        "duckdb_tables()", "duckdb_columns()", "duckdb_functions()", "duckdb_settings()",
        "pragma_version()", "raw_files.ledger()", "histogram(raw.bench_run, campaign)",
    )),
]  # fmt: skip


def test_sql_reads_the_warehouse(warehouse: Warehouse, asked: duckdb.DuckDBPyConnection) -> None:
    assert [query for query in READING if not is_answered(asked, query)] == []
    assert main(["sql", READING[1], "--warehouse", str(warehouse.file)]) == 0


def test_unsafe_sql_may_read_and_write_other_files(
    warehouse: Warehouse, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret, copy = warehouse.file.parent / "secret.csv", tmp_path / "copy.csv"
    query = f"COPY (FROM '{secret}') TO '{copy}'"
    assert main(["sql", "--unsafe", query, "--warehouse", str(warehouse.file)]) == 0
    assert copy.read_text() == secret.read_text()


#: Where a table function may hide; {}: the call without its name's quotes.
HIDDEN = [
    "FROM {}(NULL)",
    "from system.main.{}(NULL)",
    'SELECT * FROM "{}" /* a comment */ (NULL)',
    "SELECT * FROM {} -- a comment\n (NULL)",
    "SELECT (SELECT count(*) FROM {}(NULL))",
    "WITH c AS (FROM {}(NULL)) FROM c",
    "SELECT * FROM raw.ledger, LATERAL {}(NULL)",
    "SELECT list_transform([1], x -> (SELECT 1 FROM {}(NULL)))",
    "SELECT 1 UNION ALL FROM {}(NULL)",
    "EXPLAIN FROM {}(NULL)",
    "EXPLAIN ANALYZE SELECT 1 FROM {}(NULL)",
    "DESCRIBE FROM {}(NULL)",
    "SUMMARIZE FROM {}(NULL)",
    "PIVOT {}(NULL) ON a USING count(*)",
    "SELECT 1; FROM {}(NULL)",
]


def test_other_table_functions_are_refused_wherever_they_stand() -> None:
    with duckdb.connect() as db:
        for text, name in zip(HIDDEN, cycle(("pandas_scan", "READ_TEXT", "Query")), strict=False):
            with pytest.raises(LockedError, match=rf"{name.lower()}\(\) reaches more than"):
                require_reading(db, text.format(name))


#: Which DuckDB 2.0 takes for queries, or for several statements.
CHANGES = [
    "WITH c AS (COPY raw.ledger TO 'f.parquet') FROM c",
    "EXPLAIN ANALYZE WITH c AS (COPY raw.ledger TO 'f.parquet') FROM c",
    "WITH c AS (INSERT INTO t VALUES (1) RETURNING *) FROM c",
    "WITH c AS (WITH d AS (SELECT 1) INSERT INTO t FROM d RETURNING *) FROM c",
    "WITH c AS MATERIALIZED (/**/delete FROM t RETURNING *) FROM c",
    "WITH c AS (UPDATE t SET a = 1 RETURNING *) SELECT * FROM c",
    "WITH c AS (TRUNCATE t) SELECT 1",
    "WITH c AS (COPY\u00a0t TO 'f') PIVOT t ON a",
    "COPY (PIVOT t ON a) TO 'f'",
    "CREATE TABLE u AS FROM (PIVOT t ON a)",
    "INSERT INTO t FROM (PIVOT t ON a)",
    "UPDATE EXTENSIONS",
]


@pytest.mark.parametrize("text", CHANGES)
def test_a_change_is_refused_wherever_it_stands(text: str) -> None:
    with duckdb.connect() as db:
        db.execute("CREATE TABLE t (a INTEGER)")
        with pytest.raises((LockedError, duckdb.ParserException), match=r"is not a query|Parser"):
            require_reading(db, text)


def test_a_table_function_of_duckdb_is_refused_unless_it_is_known() -> None:
    with duckdb.connect() as db:
        known = db.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() "
            "WHERE function_type IN ('table', 'table_macro')"
        ).fetchall()
        allowed = [name for (name,) in known if is_allowed(db, name)]
    assert sorted(allowed) == sorted(locked._TABLE_FUNCTIONS)
    assert len(allowed) < len(known) / 2


def is_allowed(db: duckdb.DuckDBPyConnection, name: str) -> bool:
    try:
        require_reading(db, f"FROM {name}()")
    except LockedError:
        return False
    return True


def test_names_of_columns_and_texts_are_no_functions() -> None:
    with duckdb.connect() as db:
        require_reading(db, "SELECT 'glob(' AS query, (SELECT 1) AS \"read_csv\", query || '1'")
        require_reading(db, "SELECT repeat('x', 3), version(), pg_typeof(1), count(*)")


def test_a_query_that_takes_too_long_is_stopped(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PERFHOUSE_QUERY_SECONDS", "0.2")
    endless = "SELECT count(*) FROM range(100000000) AS a, range(100000000) AS b"
    assert main(["sql", endless, "--warehouse", str(warehouse.file)]) == 2
    assert "stopped after 0.2 seconds" in capsys.readouterr().err


def test_a_query_that_needs_too_much_memory_ends(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PERFHOUSE_QUERY_MEMORY", "100MB")
    much = "SELECT length(list(i)) FROM range(100000000) AS t (i)"
    assert main(["sql", much, "--warehouse", str(warehouse.file)]) == 2
    assert "needs more memory than 100MB; PERFHOUSE_QUERY_MEMORY" in capsys.readouterr().err


@pytest.fixture
def dashboard(warehouse: Warehouse, tmp_path: Path) -> Iterator[Reader]:
    file = tmp_path / "w.duckdb"  # a file of its own: its settings stay locked
    shutil.copyfile(warehouse.file, file)
    yield Reader(file)


def test_connections_of_the_dashboard_are_locked(warehouse: Warehouse, dashboard: Reader) -> None:
    assert dashboard.live_frame("SELECT count(*) FROM raw.ledger").item() == 1
    secret = warehouse.file.parent / "secret.csv"
    for sql in (f"FROM read_csv('{secret}')", f"COPY (SELECT 1) TO '{secret}'", "LOAD httpfs"):
        with pytest.raises((duckdb.Error, UnreadableWarehouseError)):
            dashboard.live_frame(sql)
    assert "hidden" in secret.read_text()


def test_a_locked_file_can_be_opened_again(dashboard: Reader) -> None:
    dashboard.live_frame("SELECT 1")
    frame = "found among Python's variables"  # noqa: F841
    with Warehouse(dashboard.file).connect() as db:
        assert db.execute("SELECT count(*) FROM raw.ledger").fetchall() == [(1,)]
        with pytest.raises(duckdb.CatalogException):
            db.execute("FROM frame")


def test_a_database_that_is_no_warehouse_can_be_locked(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as db:
        lock(db)
        require_reading(db, "SELECT 1")
        with time_limit(db), pytest.raises(LockedError):
            require_reading(db, "COPY (SELECT 1) TO 'x'")
