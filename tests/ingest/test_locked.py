"""`perfhouse sql` and the dashboard's connections read one warehouse and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from app.cli.main import main
from app.results.reader import Reader, UnreadableWarehouseError
from ingest.locked import LockedError, limited, lock, require_reading
from ingest.warehouse import Warehouse
from tests.app.cli.test_what_next import load


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
]  # fmt: skip


@pytest.mark.parametrize("query", REFUSED)
def test_sql_refuses_all_but_reading(
    warehouse: Warehouse, query: str, capsys: pytest.CaptureFixture[str]
) -> None:
    here = warehouse.file.parent
    before = held(here)
    assert main(["sql", query.format(here=here), "--warehouse", str(warehouse.file)]) == 2
    printed = capsys.readouterr()
    assert len(printed.err.splitlines()) == 1
    assert "hidden" not in printed.out + printed.err
    assert held(here) == before


@pytest.mark.parametrize(
    "query",
    [
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
    ],
)
def test_sql_reads_the_warehouse(warehouse: Warehouse, query: str) -> None:
    assert main(["sql", query, "--warehouse", str(warehouse.file)]) == 0


def test_unsafe_sql_may_read_and_write_other_files(
    warehouse: Warehouse, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret, copy = warehouse.file.parent / "secret.csv", tmp_path / "copy.csv"
    query = f"COPY (FROM '{secret}') TO '{copy}'"
    assert main(["sql", "--unsafe", query, "--warehouse", str(warehouse.file)]) == 0
    assert copy.read_text() == secret.read_text()


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
    assert "Out of Memory" in capsys.readouterr().err


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
        with limited(db), pytest.raises(LockedError):
            require_reading(db, "COPY (SELECT 1) TO 'x'")
