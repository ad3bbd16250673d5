"""A query that a person writes cannot harm the process that asks it, whatever it does."""

from __future__ import annotations

import ctypes
import datetime
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl
import pytest

from app.pipeline.places import ROOT
from ingest.lake import locked, queries
from ingest.lake.locked import LockedError
from ingest.lake.queries import Query, prepare, restrict
from ingest.lake.warehouse import Warehouse
from tests.kit.manifests import load

MUCH = 10_000_000  # bytes or rows: more than these tests need


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """A warehouse with one load."""
    return load(tmp_path_factory.mktemp("queries"))


@pytest.fixture(scope="module", autouse=True)
def _folder_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Queries write what does not fit into memory to a folder that nothing else uses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("spilled")))
        patch.setattr(tempfile, "tempdir", None)
        queries._spare.clear()  # a process that was started before
        yield


def spilled() -> list[Path]:
    """Return the folders of queries that run, or left one."""
    return [one for one in Path(tempfile.gettempdir()).glob(".perfhouse-query*") if one.is_dir()]


def ask(file: Path, sql: str) -> pl.DataFrame:
    """Return the answer to a query, and see that nothing of it is left."""
    with Query(file) as query:
        process = query._child.process
        try:
            return pl.DataFrame(query.rows(sql, MUCH, MUCH)[0])
        finally:
            query.end()
            assert process.returncode is not None
            assert spilled() == []


LATE = "stopped after 1.5 seconds; PERFHOUSE_QUERY_SECONDS says"
LARGE = "needs more memory than 300MB; PERFHOUSE_QUERY_MEMORY says"
HOSTILE = [
    # query, why it ends
    ("SELECT list_sort(range(1000000000))", LARGE),
    ("SELECT unnest(list_transform(range(10000), lambda x: range(10000)))", LARGE),
    ("SELECT repeat('x', 1000000) FROM range(1000)", LARGE),
    ("SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))", LATE),
    ("SELECT count(*) FROM range(1000000000) AS a, range(1000000000) AS b", LATE),
    ("SELECT sleep_ms(600000)", LATE),
    ("SELECT repeat('x', 10000000000)", "maximum supported string size"),
    ("SELECT repeat('x', 11000000)", "a row takes more than 10,000,000 bytes"),
    ("FROM range(100000) AS t (i) WHERE CAST(if(i > 90000, 'x', '1') AS INTEGER) = 1",
     "Could not convert"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "why"), HOSTILE)
def test_a_query_that_takes_too_much_ends_and_says_why(
    warehouse: Warehouse, sql: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_QUERY_MEMORY", "300MB")
    monkeypatch.setenv("PERFHOUSE_QUERY_SECONDS", "1.5" if why == LATE else "100")
    with pytest.raises((LockedError, duckdb.Error), match=why):
        ask(warehouse.file, sql)
    monkeypatch.undo()
    assert ask(warehouse.file, "SELECT count(*) FROM raw.ledger").item() == 1


def test_limits_are_settings(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERFHOUSE_QUERY_SECONDS", "inf")
    for memory in ("4g", "none"):
        monkeypatch.setenv("PERFHOUSE_QUERY_MEMORY", memory)
        assert ask(warehouse.file, "SELECT 1").item() == 1
    for setting, value, why in (
        ("MEMORY", "much", "Memory must have a number"),
        ("MEMORY", "4", "Unknown unit for memory"),
        ("SECONDS", "soon", "PERFHOUSE_QUERY_SECONDS=soon: not a number of seconds"),
        ("SECONDS", "nan", "PERFHOUSE_QUERY_SECONDS=nan: not a number of seconds"),
    ):
        monkeypatch.setenv(f"PERFHOUSE_QUERY_{setting}", value)
        with pytest.raises((LockedError, duckdb.Error), match=why):
            ask(warehouse.file, "SELECT 1")
        monkeypatch.delenv(f"PERFHOUSE_QUERY_{setting}")


def crash(file: Path, memory: str) -> None:
    """End this process as DuckDB may: it reads at address 0."""
    with restrict(duckdb.connect(), file, memory):
        ctypes.string_at(0)


def end(file: Path, memory: str, how: int) -> None:
    signal.raise_signal(how)


def test_a_crash_is_said_in_a_line_and_costs_the_next_query_nothing(warehouse: Warehouse) -> None:
    with (
        Query(warehouse.file) as query,
        pytest.raises(LockedError, match=r"^the query crashed its process \(Segmentation fault\)$"),
    ):
        query.run(crash)
    assert ask(warehouse.file, "SELECT 1").item() == 1


def test_a_signal_is_named(warehouse: Warehouse) -> None:
    why = "the system killed the query's process, perhaps because memory ran out"
    with Query(warehouse.file) as query, pytest.raises(LockedError, match=f"^{why}$"):
        query.run(end, signal.SIGKILL)


def test_a_process_that_waits_takes_the_next_query(warehouse: Warehouse) -> None:
    prepare()
    (waiting,) = (future.result() for future in queries._spare)
    with Query(warehouse.file) as query:
        assert query._child is waiting
        assert query.rows("SELECT 1", 1, MUCH)[0].num_rows == 1
    prepare()
    (waiting,) = (future.result() for future in queries._spare)
    waiting.process.kill()
    waiting.process.wait()
    assert ask(warehouse.file, "SELECT 1").item() == 1


def test_a_process_that_waits_outlives_the_thread_that_asked_for_it(warehouse: Warehouse) -> None:
    thread = threading.Thread(target=prepare)
    thread.start()
    thread.join()
    (waiting,) = (future.result() for future in queries._spare)
    with Query(warehouse.file) as query:
        assert query._child is waiting
        assert query.rows("SELECT 1", 1, MUCH)[0].num_rows == 1


ENDLESS = "SELECT count(*) FROM range(1000000000) AS a, range(1000000000) AS b"


def is_running(process: int) -> bool:
    """Return whether there is such a process; one that has ended and waits to be noticed is not."""
    try:
        return "(zombie)" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def is_busy(process: int) -> bool:
    """Return whether a process has used two seconds, which no start of one takes."""
    try:
        used = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    except FileNotFoundError:
        return False
    return sum(map(int, used)) >= 2 * os.sysconf("SC_CLK_TCK")


def wait_until_gone(process: int) -> None:
    """Wait until a process has ended; the time limit of the test is the limit."""
    while is_running(process):
        time.sleep(0.02)


def test_a_query_ends_with_the_process_that_asked_it_and_the_next_one_tidies_up(
    warehouse: Warehouse,
) -> None:
    code = f"""if True:
        from pathlib import Path
        from ingest.lake.queries import Query
        with Query(Path({str(warehouse.file)!r})) as query:
            print(query._child.process.pid, flush=True)
            query.rows({ENDLESS!r}, 1, 1)
    """
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT) as asking:
        assert asking.stdout
        process = int(asking.stdout.readline())
        while not (left := spilled()):
            time.sleep(0.02)
        asking.kill()
    wait_until_gone(process)
    assert left[0].exists()
    ask(warehouse.file, "SELECT 1")
    assert not left[0].exists()


def test_what_does_not_fit_into_memory_goes_to_the_disk(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_QUERY_MEMORY", "100MB")
    sorting = "SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY hash(i)) AS n FROM {} t (i))"
    assert ask(warehouse.file, sorting.format("range(5000000)")).item() == 5_000_000


def test_a_folder_that_cannot_be_written_only_costs_the_room_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    assert not locked._spill_folder(0)


def test_an_answer_is_cut_by_rows_and_by_bytes(warehouse: Warehouse) -> None:
    for sql, rows, size, height, is_cut in [
        ("FROM range(5)", 5, MUCH, 5, False),
        ("FROM range(6)", 5, MUCH, 5, True),
        ("FROM range(1000000000)", 2048, MUCH, 2048, True),
        ("FROM range(0)", 5, MUCH, 0, False),
    ]:
        with Query(warehouse.file) as query:
            table, cut = query.rows(sql, rows, size)
        assert (table.num_rows, cut) == (height, is_cut)
    with Query(warehouse.file) as query:
        table, cut = query.rows("SELECT repeat('x', 1000) FROM range(5000)", MUCH, 1_000_000)
    assert cut
    assert 500 < table.num_rows <= 1000


HUGE = "17014118346046923173168730371588410572"
LONG = "12345678901234567890123456789012345678"
UUID = "00000000-0000-0000-0000-000000000001"
NOON = datetime.datetime(2016, 2, 27, 12)
TYPES = [
    # value, as it is in a data frame, and its type
    (f"{HUGE}::HUGEINT", Decimal(HUGE), pl.Decimal(38, 0)),
    (f"{LONG}::DECIMAL(38, 0)", Decimal(LONG), pl.Decimal(38, 0)),
    ("1.50::DECIMAL(9, 2)", Decimal("1.50"), pl.Decimal(9, 2)),
    (
        "INTERVAL '1 day 2 seconds'",
        datetime.timedelta(days=1, seconds=2),
        pl.Duration("us"),
    ),
    ("-INTERVAL 5 HOUR", -datetime.timedelta(hours=5), pl.Duration("us")),
    ("NULL::INTERVAL", None, pl.Duration("us")),
    ("[INTERVAL 1 second]", [datetime.timedelta(seconds=1)], pl.List(pl.Duration("us"))),
    ("TIMESTAMP 'infinity'", None, pl.Datetime("us")),
    ("'a'::ENUM ('a', 'b')", "a", pl.Categorical()),
    ("{'a': 1, 'b': 'x'}", {"a": 1, "b": "x"}, pl.Struct({"a": pl.Int32, "b": pl.String})),
    ("union_value(n := 1)", "1", pl.String),
    ("[1, NULL]", [1, None], pl.List(pl.Int32)),
    ("[[1], []]", [[1], []], pl.List(pl.List(pl.Int32))),
    ("[1, 2]::INTEGER[2]", [1, 2], pl.Array(pl.Int32, 2)),
    ("'101'::BIT", "101", pl.String),
    ("'\\xC1\\x00'::BLOB", b"\xc1\x00", pl.Binary),
    (f"'{UUID}'::UUID", UUID, pl.String),
    ("TIMESTAMP '2016-02-27 12:00:00'", NOON, pl.Datetime("us")),
    ("TIMESTAMPTZ '2016-02-27 12:00:00+00'", NOON.replace(tzinfo=datetime.UTC), None),
    ("TIMETZ '10:00:00+02'", datetime.time(10), pl.Time),
    ("DATE '2024-02-29'", datetime.date(2024, 2, 29), pl.Date),
    ("NULL", None, None),
    ("true", True, pl.Boolean),
]


def test_every_type_of_duckdb_has_its_place_in_a_data_frame(warehouse: Warehouse) -> None:
    values = ", ".join(f"{sql} AS v{at}" for at, (sql, *_) in enumerate(TYPES))
    rows = ask(warehouse.file, f"SELECT {values}")
    assert rows.row(0) == tuple(value for _, value, _ in TYPES)
    for found, (_, _, kind) in zip(rows.dtypes, TYPES, strict=True):
        assert kind in (None, found)


ALL_TYPES = "SELECT * REPLACE (interval::VARCHAR AS interval) FROM test_all_types()"


def test_all_types_of_duckdb_at_once(warehouse: Warehouse) -> None:
    assert ask(warehouse.file, ALL_TYPES).height == 3


def test_columns_of_the_same_name_are_numbered(warehouse: Warehouse) -> None:
    rows = ask(warehouse.file, 'SELECT 1 AS a, 2 AS a, 3 AS a, 4 AS a_2, 5 AS "A"')
    assert len(set(rows.columns)) == 5
    assert rows.columns[:2] == ["a", "a_2"]
    assert rows.row(0) == (1, 2, 3, 4, 5)


def test_no_rows_have_columns(warehouse: Warehouse) -> None:
    rows = ask(warehouse.file, "SELECT 1 AS n, INTERVAL 1 second AS t WHERE false")
    assert rows.schema == {"n": pl.Int32, "t": pl.Duration("us")}


def test_all_that_answers_has_an_answer(warehouse: Warehouse) -> None:
    for query in ("EXPLAIN SELECT 1", "SHOW TABLES",
                  "PIVOT raw.bench_run ON campaign USING count(*)"):  # fmt: skip
        assert ask(warehouse.file, query).width


def test_any_text_is_answered(warehouse: Warehouse) -> None:
    assert ask(warehouse.file, "SELECT '" + "x" * MUCH + "' = 'y' AS same").item() is False
    for query, why in (
        ("SELECT " + "1 + " * 200_000 + "1", "(?i)recursion|depth|crashed|expression"),
        ("\0", "the query is empty|Parser Error"),
        (" ; -- nothing", "the query is empty"),
        ("SELECT '\ud800'", "not UTF-8"),
    ):
        with pytest.raises((LockedError, duckdb.Error), match=why):
            ask(warehouse.file, query)


@pytest.mark.parametrize("option", ["-q", "--unsafe"])
def test_an_interrupt_ends_a_command_and_its_query(warehouse: Warehouse, option: str) -> None:
    code = """if True:
        import signal, sys
        import polars  # which lets the system resume what a signal interrupts
        from app.cli.main import main
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
        sys.exit(main())
    """
    command = [sys.executable, "-c", code, "sql", ENDLESS, option]
    with subprocess.Popen(
        [*command, "--warehouse", warehouse.file],
        cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as asking:  # fmt: skip
        process = 0
        while not is_busy(process):
            time.sleep(0.02)
            tasks = Path(f"/proc/{asking.pid}/task").glob("*/children")
            process = sum(int(child) for task in tasks for child in task.read_text().split())
        os.killpg(asking.pid, signal.SIGINT)  # as a terminal does
        _, said = asking.communicate()
    assert asking.returncode == 130
    assert said == "perfhouse: stopped\n"
    wait_until_gone(process)
