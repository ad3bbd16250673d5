"""Measures are added up as their rules say, by any split and any step."""

from datetime import timedelta

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.results.measures import Rule, measure, summarise
from app.results.reader import Reader
from tests.kit.cases import cases

RULES = {
    "amount": Rule("sum"), "calls": Rule("sum"), "share": Rule("ratio", "calls"),
    "busy": Rule("mean", "interval_seconds - parked"), "peak": Rule("greatest"),
    "low": Rule("least"), "average_of_four_hours": Rule("no"),
}  # fmt: skip
ROWS = """
    select
        timestamp '2026-03-01 10:00' + to_minutes(col0) as interval_start_utc,
        col1 as part, col2 as amount, col3 as calls, col2 / nullif(col3, 0) as share,
        col4 as busy, 60 as interval_seconds, col5 as parked, col2 as peak, col2 as low,
        col2 as average_of_four_hours
    from (values {rows}) as rows
"""
ROW = st.tuples(
    st.integers(0, 9), st.sampled_from("ab"), st.integers(0, 99), st.integers(0, 9),
    st.integers(0, 100), st.integers(0, 59),
)  # fmt: skip


def answers(rows, group):
    """Return each measure by a group of rows, and the sums behind it."""
    sql = ", ".join(f"{measure(name, RULES).value} as {name}" for name in RULES)
    return duckdb.sql(
        f"select {group} as part, {sql}, sum(amount::double) filter (where calls > 0) as of_calls,"
        " sum(busy * (interval_seconds - parked)) as of_busy,"
        " sum(interval_seconds - parked) as known"
        f" from (select * replace (calls::double as calls, busy::double as busy, parked::double as"
        f" parked) from ({ROWS.format(rows=', '.join(map(str, rows)))})) group by all"
    ).pl()


@given(st.lists(ROW, min_size=1, max_size=20))
def test_parts_make_up_the_whole(rows):
    (whole,) = answers(rows, "'all'").iter_rows(named=True)
    for group in ("part", "time_bucket(interval 2 minute, interval_start_utc)"):
        parts = answers(rows, group)
        assert parts["amount"].sum() == whole["amount"]
        assert (parts["peak"].max(), parts["low"].min()) == (whole["peak"], whole["low"])
        if whole["share"] is not None:
            share = parts["of_calls"].sum() / (parts["calls"].sum() or 1)
            assert whole["share"] == pytest.approx(share)
        assert whole["busy"] == pytest.approx(parts["of_busy"].sum() / parts["known"].sum())
        assert (whole["average_of_four_hours"] is None) == (len(rows) > 1)


@cases
def test_measures_that_are_written(text, value, merge):
    found = measure(text, RULES)
    assert (found.value, found.merge) == (value, merge)


def test_no_rule_is_guessed():
    with pytest.raises(ValueError, match="no rule says"):
        measure("busy + peak", RULES)


def test_summary_by_step(tmp_path):
    with duckdb.connect(str(tmp_path / "w.duckdb")) as db:
        rows = "(0, 'a', 10, 5, 50, 0), (1, 'a', 20, 5, 100, 30), (2, 'b', 1, 1, 0, 0)"
        db.execute(f"create schema marts; create table marts.work as {ROWS.format(rows=rows)}")
        db.execute("create schema meta; create table meta.measure (mart text, name text, adds text,"
                   ' "by" text)')  # fmt: skip
        db.executemany(
            "insert into meta.measure values ('work', ?, ?, ?)",
            [(name, *rule) for name, rule in RULES.items()],
        )
    reader = Reader(tmp_path / "w.duckdb")
    found = summarise(reader, "work", ["amount", "busy"], ["part"], step=timedelta(minutes=2))
    rows = found.drop("interval_start_utc").rows()
    assert rows == [("a", 30, pytest.approx(200 / 3)), ("b", 1, 0)]
    assert summarise(reader, "work", ["peak"], where="part = $1", parameters=["b"]).item() == 1
