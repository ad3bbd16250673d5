"""Times of pages by the local clock of systems: steps, days, and changes of a clock."""

import shutil
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import duckdb
import pytest

from app.results.queries import scope as scoping
from app.results.queries import usage
from app.results.queries.clock import UTC, local_of, local_offsets
from app.results.queries.scope import Scope
from app.results.reader import Reader
from tests.kit.cases import cases

WHOLE = Scope("simulated", ("SYN1/SYQ1",), datetime(2024, 1, 1), datetime(2025, 1, 1))


@cases
def test_step_width_depends_on_the_range(intervals, span, width):
    start = datetime(2020, 1, 1)
    assert Scope("measured", ("S/Q",), start, start + span).bucket(intervals) == width


@pytest.mark.parametrize(
    ("start", "change", "before", "after", "hours"),
    [  # forward and back at 02:00 in New York, and at midnight in Beirut
        (datetime(2024, 3, 9, 5), datetime(2024, 3, 10, 7), -5, -4, [24, 23, 24]),
        (datetime(2024, 10, 25, 21), datetime(2024, 10, 26, 21), 3, 2, [25, 24, 24]),
    ],
)
def test_days_of_a_clock_that_changes_have_all_their_hours(start, change, before, after, hours):
    clock = ((UTC[0][0], timedelta(hours=before)), (change, timedelta(hours=after)))
    choice = usage.Choice("simulated", "LPAR", "", offsets=clock)
    with duckdb.connect() as db:
        days = db.execute(
            f"select {choice.step(daily=True)} as s, {choice.step(daily=True, later=1)} as e,"
            " count(*) from (select ?::timestamp + to_hours(h::int) as hour_utc"
            " from range(?) t(h)) group by all order by 1",
            [start, sum(hours)],
        ).fetchall()
    assert [count for *_, count in days] == hours
    assert [(e - s) / timedelta(hours=1) for s, e, _ in days] == hours
    assert all(one[1] == two[0] for one, two in pairwise(days))


@cases
def test_steps_are_those_of_the_local_clock_over_a_change(change, expected):
    """Expected are the local starts of steps near the change, and their lengths in minutes.

    A change is local time minus UTC before and after it, minutes; its time, UTC; the width of
    steps, minutes.
    """
    before, after, time, width = change
    since = datetime.fromisoformat(time)
    clock = ((UTC[0][0], timedelta(minutes=before)), (since, timedelta(minutes=after)))
    scope = replace(WHOLE, offsets=clock)
    start = scoping.stepped(scope, timedelta(minutes=width), "moment")
    with duckdb.connect() as db:
        found = db.execute(
            f"""
            select strftime({local_of("step", clock)}, '%d %H:%M'), sum(minutes)::int,
                bool_and(minutes = lasting)
            from (
                select {start} as step, count(*) as minutes,
                    date_diff('minute', min(moment), max(moment)) + 1 as lasting
                from (
                    select $1::timestamp + to_minutes(m::int) as moment from range(-4320, 4320) t(m)
                )
                group by all
            )
            group by all
            """,
            [since],
        ).fetchall()
    lengths = {local: minutes for local, minutes, _ in found}
    assert {local: lengths.get(local) for local in expected} == expected
    assert all(whole for *_, whole in found)  # no step has a part of another one in it


#: By name: local time minus UTC before and after a change, minutes; the change, UTC.
CHANGES = {
    "Adelaide, back": (630, 570, "2024-04-06 16:30"),
    "Lord Howe, forward": (630, 660, "2024-10-05 15:30"),
}


#: What a page may show: from and to, minutes from the change; which offsets there are in it.
RANGES = {
    "around": (-120, 120, "before and after"),
    "begins at the change": (0, 60, "after"),
    "begins just before": (-20, 60, "before and after"),
    "begins just after": (15, 60, "after"),
    "ends at the change": (-60, 0, "before"),
    "ends just after": (-60, 10, "before and after"),
    "within the hour, before": (-25, -5, "before"),
    "within the hour, after": (5, 25, "after"),
}


@pytest.fixture(scope="module")
def changing(tmp_path_factory):
    """Return readers of warehouses with quarter hours of two systems, by the name of a change."""
    readers = {}
    for name, (before, after, change) in CHANGES.items():
        offset = f"if(start < timestamp '{change}', {before}, {after})"
        file = tmp_path_factory.mktemp("changing") / "perfhouse.duckdb"
        with duckdb.connect(str(file)) as db:
            db.execute(
                f"""
                create schema marts;
                create table marts.fct_queue_manager_interval as
                select
                    'measured' as origin, system_id, start as interval_start_utc,
                    {offset} as utc_offset_minutes
                from
                    (select unnest(['ONE', 'TWO']) as system_id),
                    (select timestamp '{change}' + to_minutes(m::int) as start
                     from range(-4320, 4320, 15) t(m));
                create table marts.fct_lpar_capacity_interval as
                from marts.fct_queue_manager_interval where system_id = 'ONE';
                create table marts.fct_usage_hour as
                select
                    origin, system_id, date_trunc('hour', interval_start_utc) as hour_utc,
                    max(utc_offset_minutes) as utc_offset_minutes
                from marts.fct_queue_manager_interval group by all;
                """
            )
        readers[name] = Reader(file)
    return readers


@pytest.mark.parametrize("systems", [(), ("TWO",), ("ONE", "TWO")], ids="+".join)
@pytest.mark.parametrize("range_", RANGES)
@pytest.mark.parametrize("name", CHANGES)
def test_a_clock_changes_at_the_first_interval_of_the_other_offset(name, range_, systems, changing):
    before, after, change = CHANGES[name]
    first, last, expected = RANGES[range_]
    since = datetime.fromisoformat(change)
    start, end = (since + timedelta(minutes=minutes) for minutes in (first, last))
    one, two = timedelta(minutes=before), timedelta(minutes=after)
    ever = UTC[0][0]
    assert (
        local_offsets(changing[name], "measured", systems, start, end)
        == {
            "before": ((ever, one),),
            "after": ((ever, two),),
            "before and after": ((ever, one), (since, two)),
        }[expected]
    )


def test_a_clock_changes_by_the_hour_where_only_hours_are_left(changing, tmp_path):
    file = tmp_path / "perfhouse.duckdb"
    shutil.copy(changing["Adelaide, back"].file, file)
    with duckdb.connect(str(file)) as db:
        for mart in ("fct_queue_manager_interval", "fct_lpar_capacity_interval"):
            db.execute(f"delete from marts.{mart}")
    day = (datetime(2024, 4, 6, 12), datetime(2024, 4, 6, 20))
    _, (since, _) = local_offsets(Reader(file), "measured", ["ONE"], *day)
    assert since == datetime(2024, 4, 6, 17)
