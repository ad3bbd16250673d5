"""What tasks did and cost over time, from records whose intervals are their own."""

from datetime import datetime, timedelta
from itertools import pairwise

import duckdb
import pytest

from app.results.pages import FOLDER, page_of
from app.results.queries import scope as scoping
from app.results.queries.clock import UTC
from app.results.queries.lines import lines
from app.results.queries.scope import Scope
from app.results.reader import Reader
from tests.kit.cases import cases

START = datetime(2026, 3, 1, 10)
MINUTE = timedelta(minutes=1)
OVER_TIME = page_of(FOLDER / "tasks_and_queues.toml").sections[0].panels
CAUSES = ("log", "page_set", "db2", "cf", "latch", "smds", "other")
AMOUNTS = ["cpu_seconds", "elapsed_seconds", *(f"wait_{cause}_seconds" for cause in CAUSES)]


@pytest.fixture
def charts(tmp_path):
    """Return a function: records -> title -> series -> [(minute, minutes, value)].

    A record: start and end (None: not known) in minutes, channel, messages and seconds of each
    amount. The range is the first four minutes, unless `scope` has another one.
    """

    def drawn(*records, scope=None):
        file = tmp_path / "perfhouse.duckdb"
        with duckdb.connect(str(file)) as db:
            db.execute("create schema marts; create schema meta")
            db.execute('create table meta.measure (mart text, name text, adds text, "by" text)')
            db.execute(
                "create table marts.fct_task_accounting (origin varchar, system_id varchar,"
                " queue_manager varchar, channel_name varchar, connection_name varchar,"
                " application_type varchar, recorded_at_utc timestamp,"
                " interval_start_utc timestamp, interval_end_utc timestamp,"
                " interval_seconds double, messages bigint, "
                + ", ".join(f"{name} double" for name in AMOUNTS) + ")"
            )  # fmt: skip
            for start, end, channel, messages, seconds in records:
                until = START + end * MINUTE
                since = None if start is None else START + start * MINUTE
                row = ["measured", "SY1", "Q", channel, "", "CHIN", until, since, since and until,
                       None, messages, *[seconds] * len(AMOUNTS)]  # fmt: skip
                holders = ", ".join("?" * len(row))
                db.execute(f"insert into marts.fct_task_accounting values ({holders})", row)
        scope = scope or Scope("measured", ("SY1/Q",), START, START + 4 * MINUTE)
        answers = lines(Reader(file), scope, OVER_TIME)
        found = {}
        for panel, (rows, _) in zip(OVER_TIME, answers, strict=True):
            series = found.setdefault(panel.title, {})
            for row in rows.iter_rows(named=True):
                minute = (row["start"].replace(tzinfo=None) - START) / MINUTE
                length = (row["end"] - row["start"]) / MINUTE
                series.setdefault(row["series"], []).append(
                    (minute, length, round(row["value"], 6))
                )
        return found

    return drawn


@cases
def test_record_counts_evenly(record, steps, charts):
    assert charts(record)["Messages"] == ({"A": steps} if steps else {})


def test_tasks_of_an_application_add_up(charts):
    found = charts((0, 2, "A", 120, 0.12), (1, 2, "A", 60, 0.18), (1, 3, "B", 0, 0.06))
    assert found["Messages"]["A"] == [(0, 1, 1), (1, 1, 2)]
    assert found["Tasks"] == {"A": [(0, 1, 1), (1, 1, 2)], "B": [(1, 1, 1), (2, 1, 1)]}
    assert found["CPU time"]["A"] == [(0, 1, 1), (1, 1, 4)]
    assert found["CPU per message over time"] == {"A": [(0, 1, 1000), (1, 1, 2000)]}
    assert found["Waits"]["log"] == [(0, 1, 1), (1, 1, 4.5), (2, 1, 0.5)]


@pytest.mark.parametrize("days", [2, 20, 100])  # steps of 5 minutes, an hour, four hours
@cases
def test_steps_go_by_the_local_clock_over_a_change(before, after, minute, days, charts):
    """One message a second; the clock changes in the middle."""
    since = START + minute * MINUTE
    clock = ((UTC[0][0], before * MINUTE), (since, after * MINUTE))
    half = timedelta(days=days / 2)
    scope = Scope("measured", ("SY1/Q",), since - half, since + half, offsets=clock)
    width = scope.bucket(scoping.MOST_POINTS + 1) / MINUTE
    first, last = (since - half - START) / MINUTE, (since + half - START) / MINUTE
    found = charts((first, last, "A", days * 86_400, 0.0), scope=scope)
    steps = found["Messages"]["A"]
    assert {value for *_, value in steps} == {1}
    assert steps[0][0] <= first  # a merged step begins where it would, without a range
    assert all(one[0] + one[1] == two[0] for one, two in pairwise(steps))
    assert steps[-1][0] + steps[-1][1] == last
    for start, minutes, _ in steps[1:-1]:
        local = START + (start + (before if start < minute else after)) * MINUTE
        assert (local - local.replace(hour=0, minute=0)) % (width * MINUTE) == timedelta()
        # the step in which the clock changes is longer or shorter by as much
        assert minutes == width or abs(minutes - width) == abs(after - before)
