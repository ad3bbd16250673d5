"""Reading a file that is replaced while others read it."""

import os
import threading
from datetime import datetime

import duckdb
import pytest

from app.results import reader as module
from app.results.reader import MissingWarehouseError, Reader, UnreadableWarehouseError


def publish(file, number):
    """Replace the file with one that holds this number, by one rename like publish."""
    new = file.with_suffix(".new")
    with duckdb.connect(str(new)) as db:
        db.execute(f"create schema marts; create table marts.t as select {number} as n")
    new.replace(file)


def test_next_publish_is_seen(tmp_path):
    file = tmp_path / "w.duckdb"
    publish(file, 1)
    reader = Reader(file)
    assert reader.frame("select n from marts.t").item() == 1
    publish(file, 2)
    assert reader.frame("select n from marts.t").item() == 2


def test_result_is_cached_until_the_next_publish(tmp_path, monkeypatch):
    file = tmp_path / "w.duckdb"
    publish(file, 1)
    reader = Reader(file)
    opened = []
    connect = duckdb.connect
    monkeypatch.setattr(
        module.duckdb, "connect", lambda *a, **k: (opened.append(k), connect(*a, **k))[1]
    )
    sql = "select n + ? as n from marts.t"
    hits = module._kept.cache_info().hits
    assert [reader.frame(sql, (1,)).item() for _ in range(3)] == [2, 2, 2]
    assert module._kept.cache_info().hits == hits + 2
    assert [reader.live_frame(sql, (1,)).item() for _ in range(2)] == [2, 2]
    assert module._kept.cache_info().hits == hits + 2
    assert opened == [{"read_only": True}]  # the connection is kept too
    publish(file, 2)
    assert reader.live_frame(sql, (1,)).item() == 3
    assert opened.count({"read_only": True}) == 2


def test_temporary_tables_do_not_outlive_their_connection(tmp_path):
    publish(tmp_path / "w.duckdb", 1)
    reader = Reader(tmp_path / "w.duckdb")
    with reader.connection() as db:
        db.execute("create temp table side as select 1")
    with pytest.raises(UnreadableWarehouseError):
        reader.live_frame("from side")


def test_readers_in_other_threads_never_see_an_old_file(tmp_path):
    file = tmp_path / "w.duckdb"
    publish(file, 0)
    reader = Reader(file)
    published = [0]
    wrong, stop = [], threading.Event()

    def read():
        while not stop.is_set():
            least = published[0]
            seen = reader.frame("select n from marts.t").item()
            if seen < least:
                wrong.append((least, seen))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(1, 25):
        publish(file, number)
        published[0] = number
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert reader.frame("select n from marts.t").item() == 24


def test_tuple_is_passed_as_a_list(tmp_path):
    file = tmp_path / "w.duckdb"
    publish(file, 1)
    found = Reader(file).frame("select list_contains(?, 'b') as f, ? as n", (("a", "b"), 3))
    assert found.row(0) == (True, 3)


def test_nothing_can_be_written(tmp_path):
    file = tmp_path / "w.duckdb"
    publish(file, 1)
    with pytest.raises(duckdb.InvalidInputException):
        Reader(file).frame("insert into marts.t values (2)")


def test_missing_file_wrong_file_and_missing_table_raise_different_errors(tmp_path):
    with pytest.raises(MissingWarehouseError):
        Reader(tmp_path / "none.duckdb").frame("select 1")
    text = tmp_path / "text.duckdb"
    text.write_text("text" * 5000)
    with pytest.raises(UnreadableWarehouseError):
        Reader(text).frame("select 1")
    publish(tmp_path / "w.duckdb", 1)
    with pytest.raises(UnreadableWarehouseError):
        Reader(tmp_path / "w.duckdb").frame("from marts.other")


def test_link_to_another_file_is_followed(tmp_path):
    publish(tmp_path / "one.duckdb", 1)
    publish(tmp_path / "two.duckdb", 2)
    link = tmp_path / "w.duckdb"
    link.symlink_to("one.duckdb")
    reader = Reader(link)
    assert reader.frame("select n from marts.t").item() == 1
    (tmp_path / "next").symlink_to("two.duckdb")
    (tmp_path / "next").replace(link)
    assert reader.frame("select n from marts.t").item() == 2


def test_file_with_marts_counts_as_built(tmp_path):
    with duckdb.connect(str(tmp_path / "first.duckdb")) as db:
        db.execute("create schema raw; create table raw.ledger as select 1 as n")
    publish(tmp_path / "w.duckdb", 1)
    assert not Reader(tmp_path / "first.duckdb").is_built
    assert Reader(tmp_path / "w.duckdb").is_built


def test_the_time_of_a_publish_is_the_logged_one_and_not_that_of_a_copy(tmp_path):
    steps = """
        create schema meta;
        create table meta.build as select 'b' as build_id, timestamp '2026-01-01' as built_at;
        create table meta.pipeline_step as select * from (values
            ('publish', 'ok', 'a', timestamp '2026-01-05'),
            ('publish', 'failed', 'b', timestamp '2026-01-04'),
            ('check', 'ok', 'b', timestamp '2026-01-03')) as t (step, status, build_id, ended_at)
    """
    logged = "; insert into meta.pipeline_step values ('publish', 'ok', 'b', '2026-01-02')"
    without_lake = """
        create schema meta;
        create table meta.build as select 'b' as build_id, timestamp '2026-01-01' as built_at;
        create table meta.gone as select 'publish' as step, 'ok' as status, 'b' as build_id,
            timestamp '2026-01-02' as ended_at;
        create view meta.pipeline_step as from meta.gone;
        drop table meta.gone
    """
    times = {
        "": datetime(2001, 9, 9, 1, 46, 40),  # nothing is built
        steps: datetime(2026, 1, 1),  # no log of its publish
        steps + logged: datetime(2026, 1, 2),
        without_lake: datetime(2026, 1, 1),
    }
    for number, (sql, moment) in enumerate(times.items()):
        file = tmp_path / f"{number}.duckdb"
        with duckdb.connect(str(file)) as db:
            db.execute(sql or "select 1")
        os.utime(file, (1e9, 1e9))
        assert Reader(file).published_at == moment
