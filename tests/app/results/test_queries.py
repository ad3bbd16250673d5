"""The arithmetic of the queries, checked against independent calculations."""

from datetime import datetime, timedelta

import duckdb
import pytest

from app.results.queries import (
    accounting,
    channel_initiator,
    loads,
    published,
    queue_manager,
)
from app.results.queries import scope as scoping
from app.results.queries.owners import OWNERS, known
from app.results.queries.scope import Scope
from app.results.reader import Reader

WHOLE = Scope("simulated", ("SYN1/SYQ1",), datetime(2024, 1, 1), datetime(2025, 1, 1))


@pytest.fixture(scope="module")
def reader(full):
    return Reader(full)


def asked(reader, sql):
    return reader.frame(sql).row(0)


def test_queue_managers_span_their_records(reader):
    managers = known(reader, OWNERS["queue manager"])
    synthetic = {"SYN1/SYQ1", "SYN1/SYQ2", "SYN1/SYQ3"}
    of_campaigns = {"MVS1/MQA1", "MVS3/MQA3"}
    assert {manager.label for manager in managers} == synthetic | of_campaigns
    for manager in managers:
        assert manager.origin == "simulated"
        assert manager.start < manager.end


def test_mean_rate_is_count_over_time(reader):
    summary = queue_manager.summary(reader, WHOLE).row(0, named=True)
    rate, log = asked(
        reader,
        "select sum(puts) / sum(interval_seconds), sum(log_bytes_written) / 1048576 /"
        " sum(interval_seconds) from marts.fct_queue_manager_interval where queue_manager='SYQ1'",
    )
    assert summary["puts_per_second"] == pytest.approx(rate)
    assert summary["log_mb_per_second"] == pytest.approx(log)


def test_wider_steps_keep_the_totals(reader, monkeypatch):
    fine = queue_manager.activity(reader, WHOLE)
    narrow = Scope(WHOLE.origin, WHOLE.labels, datetime(2024, 2, 29, 13), datetime(2024, 2, 29, 16))
    monkeypatch.setattr(scoping, "MOST_POINTS", 8)
    coarse = queue_manager.activity(reader, narrow)
    assert 1 < coarse.height <= 8 < fine.height

    first = coarse["start"][0].replace(tzinfo=None)
    width = coarse["start"][1] - coarse["start"][0]
    rate = asked(
        reader,
        "select sum(puts) / sum(interval_seconds) from marts.fct_queue_manager_interval"
        f" where queue_manager = 'SYQ1' and interval_start_utc >= '{first}'"
        f" and interval_start_utc < '{first + width}'",
    )[0]
    assert coarse["puts_per_second"][0] == pytest.approx(rate)


BUCKETS = [
    (600, timedelta(days=1), None),
    (601, timedelta(hours=10), timedelta(minutes=1)),
    (1440, timedelta(days=1), timedelta(minutes=5)),
    (100_000, timedelta(days=365), timedelta(days=1)),
    (10**6, timedelta(days=9000), timedelta(days=7)),
]


@pytest.mark.parametrize(("intervals", "span", "width"), BUCKETS)
def test_step_width_depends_on_the_range(intervals, span, width):
    start = datetime(2020, 1, 1)
    assert Scope("measured", ("S/Q",), start, start + span).bucket(intervals) == width


def test_range_contains_the_intervals_that_overlap_it(reader):
    starts = queue_manager.intervals(reader, WHOLE, 100)["interval_start_utc"].to_list()
    minute = timedelta(minutes=1)
    for first, last, found in (
        (starts[2], starts[5], starts[2:5]),
        (starts[2] + minute, starts[2] + 2 * minute, starts[2:3]),
        (starts[2] - minute, starts[2] + minute, starts[1:3]),
    ):
        part = Scope(WHOLE.origin, WHOLE.labels, first, last)
        rows = queue_manager.intervals(reader, part, 100)
        assert rows["interval_start_utc"].to_list() == found


def test_origins_are_never_mixed(full, tmp_path):
    file = tmp_path / "mixed.duckdb"
    file.write_bytes(full.read_bytes())
    tables = ("fct_queue_manager_interval", "fct_buffer_pool_interval", "fct_task_accounting")
    with duckdb.connect(str(file)) as db:
        for table in tables:
            db.execute(
                f"insert into marts.{table} by name"
                f" select * replace ('measured' as origin) from marts.{table}"
            )
    alone, mixed = Reader(full), Reader(file)
    for query in (queue_manager.summary, queue_manager.activity, accounting.summary):
        assert query(mixed, WHOLE).equals(query(alone, WHOLE))
    managers = known(mixed, OWNERS["queue manager"])
    assert {manager.origin for manager in managers} == {"measured", "simulated"}


def test_hit_rate_counts_existing_pages_only(reader):
    pools = queue_manager.buffer_pools(reader, WHOLE, 8)
    row = pools.filter(pools["hit_percent"].is_not_null()).row(0, named=True)
    found = asked(
        reader,
        "select 100 * (1 - page_reads / page_gets_old) from marts.fct_buffer_pool_interval"
        f" where queue_manager = 'SYQ1' and buffer_pool = {row['pool_no']}"
        f" and interval_start_utc = '{row['start'].replace(tzinfo=None)}'",
    )[0]
    assert row["hit_percent"] == pytest.approx(found)


def test_only_the_busiest_pools_are_returned(reader):
    most = asked(
        reader,
        "select arg_max(buffer_pool, gets) from (select buffer_pool, sum(page_gets) as gets"
        " from marts.fct_buffer_pool_interval where queue_manager = 'SYQ1' group by all)",
    )[0]
    assert set(queue_manager.buffer_pools(reader, WHOLE, 1)["pool_no"]) == {most}


def test_chart_times_are_utc(reader):
    for frame in (
        queue_manager.activity(reader, WHOLE),
        channel_initiator.occupancy(reader, WHOLE),
    ):
        assert frame["start"].dtype.time_zone == "UTC"
        assert frame["end"].dtype.time_zone == "UTC"


def test_costs_of_applications_add_up(reader):
    applications = accounting.applications(reader, WHOLE)
    summary = accounting.summary(reader, WHOLE).row(0, named=True)
    assert applications["messages"].sum() == summary["messages"]
    assert applications["cpu_seconds"].sum() == pytest.approx(summary["cpu_seconds"])
    for row in applications.iter_rows(named=True):
        if row["messages"]:
            assert row["cpu_us_per_message"] == pytest.approx(
                1e6 * row["cpu_seconds"] / row["messages"]
            )


def test_waits_by_cause_add_up_to_those_of_the_applications(reader):
    applications = accounting.applications(reader, WHOLE)
    waits = accounting.waits(applications)
    assert set(waits["cause"]) == set(accounting.CAUSES.values())
    assert waits["seconds"].sum() == pytest.approx(
        sum(applications[f"wait_{cause}_seconds"].sum() for cause in accounting.CAUSES)
    )


def test_cost_per_verb_is_cpu_over_calls(reader):
    verbs = accounting.cpu_by_verb(reader, WHOLE)
    assert {"put", "get"} <= set(verbs["verb"])
    put = verbs.filter(verbs["verb"] == "put").row(0, named=True)
    calls, cpu = asked(
        reader,
        "select sum(put_count), sum(put_cpu_seconds) from marts.fct_task_accounting"
        " where queue_manager = 'SYQ1'",
    )
    assert (put["calls"], put["cpu_us"]) == (calls, pytest.approx(1e6 * cpu / float(calls)))


def test_stored_baseline_is_the_one_in_the_comparison(reader):
    rows = published.figures(reader, "000", "Appendix C", baseline_set="reference_configuration")
    row = rows.filter(rows["is_baseline"] & (rows["metric"] == "rate")).row(0, named=True)
    assert row["ratio"] == 1
    compared = rows.filter(rows["ratio"].is_not_null() & ~rows["is_baseline"])
    assert compared.height > 50
    for row in compared.iter_rows(named=True):
        assert row["ratio"] == pytest.approx(row["value"] / row["baseline_value"])
        assert row["change_percent"] == pytest.approx(100 * row["ratio"] - 100)


def test_row_chosen_as_baseline_is_compared_at_the_same_size(reader):
    rows = published.figures(reader, "000", "Appendix C", baseline_set="reference_configuration")
    chosen = rows.filter(rows["configuration"].str.contains("RLE|ZLIB"))["configuration_id"][0]
    against = published.figures(
        reader, "000", "Appendix C",
        baseline_set="reference_configuration", baseline_configuration=chosen,
    )  # fmt: skip
    own = {
        (row["metric"], row["file_size_mb"]): row["value"]
        for row in against.iter_rows(named=True)
        if row["configuration_id"] == chosen
    }
    assert against.height == rows.height
    for row in against.iter_rows(named=True):
        assert row["baseline_value"] == own.get((row["metric"], row["file_size_mb"]))
        assert row["is_baseline"] == (row["configuration_id"] == chosen)


def test_sections_with_rates_and_costs_are_marked(reader):
    sections = published.sections(reader)
    both = sections.filter(sections["has_rate_and_cost"])
    assert ("000", "Appendix C") in list(both.select("document_id", "section").iter_rows())
    assert not sections.filter(sections["document_id"] == "002")["has_rate_and_cost"].any()


def test_overview_adds_up(reader):
    kinds = loads.by_record_type(reader)
    assert set(kinds["origin"]) == {"published", "simulated"}
    counted = asked(
        reader, "select sum(records_loaded) from (select distinct source_id, records_loaded"
        " from marts.dim_load)"
    )[0]  # fmt: skip
    assert kinds["records"].sum() == counted
    assert loads.build(reader)["later_loads"].item() == 0
    assert loads.ledger(reader)["published"].all()
    assert loads.verdict(reader)["of_this_build"].item()
