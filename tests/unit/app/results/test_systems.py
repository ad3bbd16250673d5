"""Charts, tiles and tables of declared pages, on small tables of rows."""

from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from app.results.queries import owners, systems
from app.results.queries import scope as scoping
from app.results.queries.lines import have_rows, lines, width
from app.results.queries.owners import OWNERS, RecordOwner, record_owners
from app.results.queries.scope import Scope
from app.results.queries.systems import Panel, Pick, Table, Tile
from app.results.reader import Reader
from tests.kit.cases import cases

START = datetime(2026, 3, 1, 10)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def reader(tmp_path):
    file = tmp_path / "perfhouse.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute(Path(__file__).with_name("systems.sql").read_text())
    return Reader(file)


def scope(minutes=3):
    return Scope("measured", ("SY1/Q",), START, START + minutes * MINUTE)


CPU = Panel("CPU", "processors", "marts.work", "cpu_seconds / s", series="class")
RESPONSE = Panel("Response", "µs", "marts.work", "response_us", series="class")


def points(rows):
    """Return the lines of a chart: series -> [(minute, value)]."""
    found = {}
    for row in rows.iter_rows(named=True):
        minute = (row["start"].replace(tzinfo=None) - START) / MINUTE
        found.setdefault(row["series"], []).append((minute, round(row["value"], 6)))
    return found


def drawn(reader, panel, *args):
    return points(lines(reader, scope(), [panel], *args)[0][0])


def test_rows_of_an_interval_add_up(reader):
    assert drawn(reader, CPU) == {
        "ONLINE": [(0, 0.75), (1, 1.0)], "BATCH": [(0, 0.1)], "IDLE": [(2, 0.01)],
    }  # fmt: skip


def test_means_are_weighted(reader):
    assert drawn(reader, RESPONSE)["ONLINE"] == [(0, 17.5), (1, 30.0)]


@cases
def test_intervals_are_merged(options, merged, reader, monkeypatch):
    """0.75 and 1.0 in the first two of three minutes; what was not there used nothing."""
    monkeypatch.setattr(scoping, "MOST_POINTS", 1)
    panel = Panel(**{**CPU.__dict__, **options})
    assert drawn(reader, panel) == merged
    assert width(reader, scope(), [panel.mart]) == timedelta(minutes=5)


def test_merged_means_are_weighted(reader, monkeypatch):
    monkeypatch.setattr(scoping, "MOST_POINTS", 1)
    # (100*10 + 300*20 + 100*30) / 500
    assert drawn(reader, RESPONSE)["ONLINE"] == [(0, 20.0)]


def test_step_ends_where_its_last_interval_does(reader, monkeypatch):
    monkeypatch.setattr(scoping, "MOST_POINTS", 1)
    rows, _ = lines(reader, scope(), [CPU])[0]
    assert {end.replace(tzinfo=None) for end in rows["end"]} == {START + 3 * MINUTE}


def test_largest_series_are_drawn_and_all_are_counted(reader):
    rows, known = lines(reader, scope(), [Panel(**{**CPU.__dict__, "most": 2})])[0]
    assert (set(rows["series"]), known) == ({"ONLINE", "BATCH"}, 3)
    ranked = Panel(**{**CPU.__dict__, "most": 1, "rank": "-sum(cpu_seconds)"})
    assert set(drawn(reader, ranked)) == {"IDLE"}


def test_panels_on_the_same_rows_share_a_query(reader, monkeypatch):
    panels = [
        CPU,
        RESPONSE,
        Panel(**{**CPU.__dict__, "most": 1}),
        Panel(**{**CPU.__dict__, "most": 1, "rank": "-sum(cpu_seconds)"}),
        Panel("Both", "n", "marts.work", {"a": "sum(requests)", "b": "sum(cpu_seconds)"}),
        Panel("Batch", "n", "marts.work", "sum(requests)", where="class = 'BATCH'"),
    ]
    alone = [drawn(reader, panel) for panel in panels]
    asked = []
    frame = Reader.frame
    monkeypatch.setattr(Reader, "frame", lambda *args: asked.append(args) or frame(*args))
    together = lines(reader, scope(), panels)
    assert [points(rows) for rows, _ in together] == alone
    assert [known for _, known in together] == [3, 3, 3, 3, 1, 1]
    assert len({sql for _, sql, _ in asked}) == 5  # the rules, the steps, three kinds of rows


def test_picked_name_limits_the_rows(reader):
    jobs = Panel(**{**CPU.__dict__, "series": "job"})
    assert set(drawn(reader, jobs, (("class", "ONLINE"),))) == {"A", "B"}
    hostile = "' or true --"
    assert drawn(reader, jobs, (("class", hostile),)) == {}


def test_several_values_without_those_that_are_always_zero(reader):
    panel = Panel("Both", "n", "marts.work", {
        "requests": "sum(requests)", "CPU": "sum(cpu_seconds)", "never": "0.0",
    })  # fmt: skip
    assert drawn(reader, panel) == {
        "requests": [(0, 400), (1, 100), (2, 1)], "CPU": [(0, 51), (1, 60), (2, 0.6)],
    }  # fmt: skip


def test_tiles_are_of_all_rows(reader):
    tiles = (
        Tile("CPU", "marts.work", "cpu_seconds", "s"),
        Tile("Worst", "marts.work", "max(response_us)", "µs", "{}", "arg_max(job, response_us)"),
        Tile("Batch", "marts.work", "sum(cpu_seconds)", "s", where="class = 'BATCH'"),
        Tile("None", "marts.work", "sum(cpu_seconds)", "s", where="false"),
    )
    row = systems.figures(reader, scope(), tiles).row(0, named=True)
    assert (row["v0"], row["v1"], row["m1"], row["v2"], row["v3"]) == (111.6, 30.0, "A", 6.0, None)


def test_table_is_grouped_and_ordered(reader):
    table = Table("jobs", "marts.work", {
        "cpu": ("CPU, s", "cpu_seconds"),
    }, by={"class": "Class"}, order="cpu desc", most=2)  # fmt: skip
    assert systems.rows(reader, scope(), table).rows() == [
        ("SY1/Q", "ONLINE", 105.0), ("SY1/Q", "BATCH", 6.0),
    ]  # fmt: skip
    each = Table("rows", "marts.work", {"job": "Job"}, order="job")
    assert systems.rows(reader, scope(), each, (("class", "ONLINE"),))["job"].to_list() == [
        "A", "A", "B",
    ]  # fmt: skip


def test_names_to_pick_begin_with_the_largest(reader):
    pick = Pick("Class", "class", "class", "marts.work", "sum(cpu_seconds)")
    assert systems.names(reader, scope(), pick) == ["ONLINE", "BATCH", "IDLE"]
    assert systems.names(reader, scope(1), pick) == ["ONLINE", "BATCH"]


def test_page_has_rows_if_any_mart_has(reader):
    later = Scope("measured", ("SY1/Q",), START + 9 * MINUTE, START + 10 * MINUTE)
    assert have_rows(reader, scope(), ["marts.work"])
    assert not have_rows(reader, later, ["marts.work"])


def test_runs_of_a_system_are_those_on_it_in_the_time(reader):
    found = systems.runs(reader, scope(), ["SY1"])
    assert found["run_id"].to_list() == ["here", "anywhere"]
    assert systems.runs(reader, scope(1), ["SY1"])["run_id"].to_list() == ["here"]


@cases
def test_latest_records_begin_after_half_a_day_without_any(starts, latest, tmp_path, monkeypatch):
    file = tmp_path / "perfhouse.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute("create schema marts")
        db.execute(
            "create table marts.work as select 'measured' as origin, 'SY1' as system_id,"
            " 'Q' as queue_manager, ?::timestamp + to_minutes(minute) as interval_start_utc,"
            " interval_start_utc + interval 1 minute as interval_end_utc"
            " from (select unnest(?::bigint[]) as minute)",
            [START, starts],
        )
    span = ("interval_start_utc", "interval_end_utc")
    monkeypatch.setitem(owners._SEEN, "qm", {"marts.work": span})
    assert record_owners(Reader(file), OWNERS["queue manager"]) == [
        RecordOwner(
            "measured", "SY1/Q", START + min(starts) * MINUTE, START + (max(starts) + 1) * MINUTE,
            START + latest * MINUTE,
        )
    ]  # fmt: skip


def test_owners_with_rows_are_found_newest_first(reader):
    with duckdb.connect(str(reader.file)) as db:
        for origin, system, minute in (("measured", "SY2", 5), ("simulated", "SY3", 9)):
            db.execute(
                "insert into marts.work (origin, system_id, queue_manager, interval_start_utc)"
                " values (?, ?, 'Q', ?)",
                [origin, system, START + minute * MINUTE],
            )
    assert systems.elsewhere(reader, scope(), ["marts.work"]).rows() == [
        ("SY2/Q", START + 5 * MINUTE, START + 5 * MINUTE),
        ("SY1/Q", START, START + 2 * MINUTE),
    ]
