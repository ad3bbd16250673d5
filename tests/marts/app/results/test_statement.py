"""A query that a person wrote: its answer, its limits, and stopping it."""

import pytest

from app.results import statement as module
from app.results.statement import Statement, StatementError
from tests.kit.cases import cases


def answer_of(file, sql):
    statement = Statement(file, sql)
    try:
        statement.start()
        assert statement.is_done(60)
        return statement, statement.answer()
    finally:
        statement.stop()


def test_marts_and_live_views_can_be_asked(bundled):
    _, rows = answer_of(
        bundled, "select count(*) from raw.ledger union all select count(*) from marts.dim_load"
    )
    assert all(count > 0 for (count,) in rows.rows())


def test_long_answer_is_cut(bundled, monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 25_000)
    statement, rows = answer_of(bundled, "from range(100_000)")
    assert rows.height == 25_000
    assert statement.is_cut


@cases
def test_query_that_is_wrong_or_does_more_than_read_is_refused(bundled, sql, words):
    with pytest.raises(StatementError, match=words):
        answer_of(bundled, sql)


ENDLESS = "select count(*) from range(10_000_000) a, range(10_000_000) b"


DEAF = "select levenshtein(repeat('a', 1_000_000), repeat('b', 1_000_000))"  # to interrupts


def test_query_that_duckdb_cannot_stop_ends_and_the_next_is_answered(bundled, monkeypatch):
    statement = Statement(bundled, DEAF)
    statement.start()
    assert not statement.is_done(0.5)
    statement.stop()
    monkeypatch.setenv("PERFHOUSE_QUERY_SECONDS", "1")
    with pytest.raises(StatementError, match="stopped after 1 seconds"):
        answer_of(bundled, DEAF)
    monkeypatch.undo()
    assert answer_of(bundled, "select 1")[1].item() == 1


def test_statement_that_is_never_started_can_be_stopped(bundled):
    Statement(bundled, "select 1").stop()


def test_query_can_be_stopped(bundled):
    statement = Statement(bundled, ENDLESS)
    statement.start()
    assert not statement.is_done(0.5)
    statement.stop()
    assert statement.is_done()
    assert statement._query._child.process.returncode is not None
    with pytest.raises(StatementError, match="stopped"):
        statement.answer()


def test_query_that_takes_too_long_is_stopped(bundled, monkeypatch):
    monkeypatch.setenv("PERFHOUSE_QUERY_SECONDS", "0.2")
    with pytest.raises(StatementError, match="stopped after"):
        answer_of(bundled, ENDLESS)


def test_query_reads_what_was_published_when_it_began(bundled, tmp_path):
    file = tmp_path / "w.duckdb"
    file.write_bytes(bundled.read_bytes())
    statement = Statement(file, "select count(*) from marts.dim_load")
    following = tmp_path / "next.duckdb"
    following.write_bytes(bundled.read_bytes())
    following.replace(file)  # a publish
    statement.start()
    assert statement.is_done(60)
    assert statement.answer().item() > 0
    statement.stop()
