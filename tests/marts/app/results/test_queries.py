"""The arithmetic of the queries, checked against independent calculations."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

import duckdb
import pytest

from app.results.answers import answers_of
from app.results.pages import FOLDER, files, page_of
from app.results.queries import loads, published, systems
from app.results.queries import scope as scoping
from app.results.queries.clock import local_offsets
from app.results.queries.lines import lines
from app.results.queries.nearest import nearest
from app.results.queries.owners import OWNERS, record_owners
from app.results.queries.scope import Scope
from app.results.reader import Reader
from models_sim.systems import SYSTEMS

PAGES = {file.stem: page_of(file) for file in files()}
WHOLE = Scope("simulated", ("SYN1/SYQ1",), datetime(2024, 1, 1), datetime(2025, 1, 1))


@pytest.fixture(scope="module")
def reader(bundled):
    return Reader(bundled)


def asked(reader, sql):
    return reader.frame(sql).row(0)


def test_queue_managers_span_their_records(reader):
    managers = record_owners(reader, OWNERS["queue manager"])
    synthetic = {"SYN1/SYQ1", "SYN1/SYQ2", "SYN1/SYQ3"}
    of_campaigns = {"MVS1/MQA1", "MVS3/MQA3"}
    assert {manager.label for manager in managers} == synthetic | of_campaigns
    assert managers[0].label == "SYN1/SYQ2"  # of those with all kinds of records the busiest
    for manager in managers:
        assert manager.origin == "simulated"
        assert manager.start < manager.end


def panel(page, title):
    """Return a declared panel."""
    panels = [one for section in page.sections for one in section.panels if one.title == title]
    assert len(panels) == 1, title
    return panels[0]


def rows_of(reader, page, name, scope=WHOLE):
    """Return the rows of a table of a page."""
    (table,) = (t for section in PAGES[page].sections for t in section.tables if t.name == name)
    return systems.rows(reader, scope, table)


def puts(reader, scope):
    """Return the steps of a chart with the rate of MQPUT."""
    calls, _ = lines(reader, scope, [panel(PAGES["queue_manager"], "Calls by verb")])[0]
    return calls.filter(calls["series"] == "put")


def test_mean_rate_is_count_over_time(reader):
    tiles = systems.figures(reader, WHOLE, PAGES["queue_manager"].tiles).row(0, named=True)
    rate, log = asked(
        reader,
        "select sum(put_requests_per_second * interval_seconds) / sum(interval_seconds),"
        " sum(log_bytes_written) / sum(interval_seconds)"
        " from marts.fct_queue_manager_interval where queue_manager='SYQ1'",
    )
    assert tiles["v0"] == pytest.approx(rate)
    assert tiles["v2"] == pytest.approx(log)


def test_wider_steps_keep_the_totals(reader, monkeypatch):
    fine = puts(reader, WHOLE)
    narrow = Scope(WHOLE.origin, WHOLE.labels, datetime(2024, 2, 29, 13), datetime(2024, 2, 29, 16))
    monkeypatch.setattr(scoping, "MOST_POINTS", 8)
    coarse = puts(reader, narrow)
    assert 1 < coarse.height <= 8 < fine.height

    first = coarse["start"][0].replace(tzinfo=None)
    width = coarse["start"][1] - coarse["start"][0]
    rate = asked(
        reader,
        "select sum(puts) / sum(interval_seconds) from marts.fct_queue_manager_interval"
        f" where queue_manager = 'SYQ1' and interval_start_utc >= '{first}'"
        f" and interval_start_utc < '{first + width}'",
    )[0]
    assert coarse["value"][0] == pytest.approx(rate)


def test_range_contains_the_intervals_that_overlap_it(reader):
    intervals = PAGES["queue_manager"].sections[-1].tables[0]
    starts = systems.rows(reader, WHOLE, intervals)["interval_start_utc"].to_list()
    minute = timedelta(minutes=1)
    for first, last, found in (
        (starts[2], starts[5], starts[2:5]),
        (starts[2] + minute, starts[2] + 2 * minute, starts[2:3]),
        (starts[2] - minute, starts[2] + minute, starts[1:3]),
    ):
        part = Scope(WHOLE.origin, WHOLE.labels, first, last)
        rows = systems.rows(reader, part, intervals)
        assert rows["interval_start_utc"].to_list() == found


def test_origins_are_never_mixed(bundled, tmp_path):
    file = tmp_path / "mixed.duckdb"
    file.write_bytes(bundled.read_bytes())
    tables = ("fct_queue_manager_interval", "fct_buffer_pool_interval", "fct_task_accounting")
    with duckdb.connect(str(file)) as db:
        for table in tables:
            db.execute(
                f"insert into marts.{table} by name"
                f" select * replace ('measured' as origin) from marts.{table}"
            )
    alone, mixed = Reader(bundled), Reader(file)
    assert puts(mixed, WHOLE).equals(puts(alone, WHOLE))
    managers = record_owners(mixed, OWNERS["queue manager"])
    assert {manager.origin for manager in managers} == {"measured", "simulated"}


def test_misses_are_of_existing_pages_only(reader):
    misses, _ = lines(reader, WHOLE, [panel(PAGES["logs_and_page_sets"], "Buffer pool misses")])[0]
    row = misses.row(0, named=True)
    found = asked(
        reader,
        "select 100 * page_reads / page_gets_old from marts.fct_buffer_pool_interval"
        f" where queue_manager = 'SYQ1' and 'BP ' || buffer_pool = '{row['series']}'"
        f" and interval_start_utc = '{row['start'].replace(tzinfo=None)}'",
    )[0]
    assert row["value"] == pytest.approx(found)


def test_only_the_busiest_pools_are_drawn(reader):
    most = asked(
        reader,
        "select arg_max('BP ' || buffer_pool, gets) from ("
        " select buffer_pool, sum(page_gets) as gets"
        " from marts.fct_buffer_pool_interval where queue_manager = 'SYQ1' group by all)",
    )[0]
    one = replace(panel(PAGES["logs_and_page_sets"], "Page requests"), most=1)
    figures, known = lines(reader, WHOLE, [one])[0]
    assert set(figures["series"]) == {most}
    assert known > 1


def test_accesses_to_protected_queues_have_the_time_of_their_system(reader):
    whole = Scope("simulated", ("SYN1/SYQ2",), datetime(2024, 1, 1), datetime(2025, 1, 1))
    figures, _ = lines(reader, whole, [panel(PAGES["queues"], "Accesses by action")])[0]
    total, first, offset = asked(
        reader,
        "select sum(accesses), min(hour_local), (select max(utc_offset_minutes)"
        " from marts.fct_queue_manager_interval where queue_manager = 'SYQ2')"
        " from marts.fct_protected_access_hour where queue_manager = 'SYQ2'",
    )
    assert figures["value"].sum() == total
    assert figures["start"].min().replace(tzinfo=None) == first - timedelta(minutes=offset)


#: Columns that say the same as another, or identify the interval.
DERIVED = r"_per_second$|^(origin|source_id|record_no|source_records|system_id|queue_manager)$"
IDENTIFYING = {
    "queue_sharing_group", "mq_level", "interval_start_utc", "interval_end_utc",
    "interval_seconds", "utc_offset_minutes", "mqi_calls", "persistent_put_percent",
    "gets_from_disk_percent", "log_average_suspend_us", "log_copies", "lock_wait_percent",
    "cf_structures", "cf_redrives", "cf_structure_full", "db2_average_server_us",
}  # fmt: skip


def test_every_column_of_a_queue_manager_is_drawn(reader):
    """What is left out is worked out from others, or shown by structure, copy or kind."""
    columns = reader.frame("from marts.fct_queue_manager_interval limit 0").columns
    pages = ("queue_manager", "logs_and_page_sets", "shared_queues")
    drawn = "".join((FOLDER / f"{page}.toml").read_text() for page in pages)
    told = reader.frame("from meta.measure where mart = 'fct_queue_manager_interval'")
    drawn += " ".join(told.filter(told["name"].is_in(re.findall(r"\w+", drawn)))["says"])
    own = {name for name in columns if not re.search(DERIVED, name)} - IDENTIFYING
    assert not [name for name in sorted(own) if not re.search(rf"\b{name}\b", drawn)]
    assert set(columns) >= IDENTIFYING


def test_a_task_is_busy_for_its_share_of_the_time(reader):
    (tasks,) = PAGES["channel_initiator"].sections[1].tables
    rows = systems.rows(reader, WHOLE, tasks)
    assert rows.columns[0] == "owner"
    assert (rows["requests"] > 0).all()
    (busy,) = asked(
        reader,
        "select 100 * sum(elapsed_seconds) / sum(interval_seconds)"
        " from marts.fct_channel_initiator_task_interval"
        " where queue_manager = 'SYQ1' and task_type = 'adapter' and task_index = 1",
    )
    adapter = rows.filter((rows["task_type"] == "adapter") & (rows["task_index"] == 1))
    assert adapter["busy_percent"].item() == pytest.approx(busy)


def test_costs_of_applications_add_up(reader):
    applications = rows_of(reader, "tasks_and_queues", "applications")
    tiles = systems.figures(reader, WHOLE, PAGES["tasks_and_queues"].tiles).row(0, named=True)
    assert applications["messages"].sum() == tiles["v1"]
    assert applications["cpu_seconds"].sum() == pytest.approx(tiles["v2"] / 1e6)
    for row in applications.iter_rows(named=True):
        if row["messages"]:
            assert row["cpu_us_per_message"] == pytest.approx(
                1e6 * row["cpu_seconds"] / float(row["messages"])
            )


def test_cost_per_verb_is_cpu_over_calls(reader):
    verbs = rows_of(reader, "tasks_and_queues", "verbs")
    assert {"put", "get"} <= set(verbs["verb"])
    put = verbs.filter(verbs["verb"] == "put").row(0, named=True)
    calls, cpu = asked(
        reader,
        "select sum(put_count), sum(put_cpu_seconds) from marts.fct_task_accounting"
        " where queue_manager = 'SYQ1'",
    )
    assert (put["calls"], put["cpu_us"]) == (calls, pytest.approx(1e6 * cpu / float(calls)))


def test_sections_with_rates_and_costs_are_marked(reader):
    places = published.places(reader)
    both = places.filter(places["has_rate_and_cost"])
    assert ("000", "Appendix C") in list(both.select("document_id", "place").iter_rows())
    assert not places.filter(places["document_id"] == "002")["has_rate_and_cost"].any()


def test_sections_hold_every_figure_and_claim_of_the_five_documents(reader):
    places = published.places(reader)
    assert places["document_id"].unique().sort().to_list() == ["000", "001", "002", "003", "004"]
    figures, claims = asked(
        reader, "select (select count(*) from marts.fct_published_measurement),"
        " (select count(*) from marts.fct_published_claim)"
    )  # fmt: skip
    assert (places["figures"].sum(), places["claims"].sum()) == (figures, claims)
    shown = sum(
        published.cells(reader, *row).height
        for row in places.select("document_id", "place").iter_rows()
    )
    assert shown == figures


def test_every_figure_has_a_row_and_a_column_of_its_table(reader):
    """No two figures of a table share a place, so it can be laid out as it is printed."""
    for document, place in published.places(reader).select("document_id", "place").iter_rows():
        cells = published.cells(reader, document, place)
        for table in published.tables(reader, document, place).iter_rows(named=True):
            own = cells.filter(cells["table_id"] == table["table_id"])
            factors = [*table["row_factors"], *table["column_factors"]]
            assert own.select(factors).is_unique().all(), (document, table["table_id"])


def test_claims_have_the_runs_of_the_figures_behind_them(reader):
    claims = published.claims(reader)
    assert claims["claim_id"].is_unique().all()
    assert (claims.filter(claims["cells"] == 0)["runs"] == 0).all()


def test_overview_adds_up(reader):
    (kinds,) = (a.frame for a in answers_of(reader.file, "loads") if a.title == "What is loaded")
    assert set(kinds["Origin"]) == {"published", "simulated"}
    counted = asked(
        reader, "select sum(records_loaded) from (select distinct source_id, records_loaded"
        " from marts.dim_load)"
    )[0]  # fmt: skip
    assert kinds["Records"].sum() == counted
    assert loads.unpublished(reader) == 0
    assert loads.verdict(reader)["of_this_build"].item()


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_charts_of_a_section_have_different_titles(page):
    """A chart's title names its brush."""
    for section in page.sections:
        titles = [one.title for one in section.panels]
        assert len(set(titles)) == len(titles)


def test_captured_time_and_capacity_are_of_one_system(reader):
    owner = OWNERS["system"]
    one = next(one for one in record_owners(reader, owner) if one.label == "PLEX1/SY2")
    scope = Scope(one.origin, (one.label,), one.start, one.end, owner.name)
    tiles = {tile.label: tile for tile in PAGES["lpars"].tiles}
    shown = systems.figures(reader, scope, [tiles["Captured"]]).row(0, named=True)
    of = "sysplex = 'PLEX1' and system_id = 'SY2'"
    (percent,) = asked(
        reader,
        "select 100 * sum(class_seconds) / sum(processor_seconds) from marts.fct_cpu_reconciliation"
        f" where {of} and processor_type = 'CP'",
    )
    assert shown["v0"] == pytest.approx(percent)
    panels = {panel.title: panel for part in PAGES["lpars"].sections for panel in part.panels}
    drawn, _ = lines(reader, scope, [panels["Consumed capacity"]])[0]
    (total,) = asked(
        reader, f"select sum(consumed_msu) from marts.fct_lpar_capacity_interval where {of}"
    )
    assert drawn.filter(series="consumed")["value"].sum() == pytest.approx(total)
    assert drawn.filter(series="defined capacity")["value"].unique().to_list() == [40]


def test_address_spaces_add_up_to_the_mart(reader):
    owner = OWNERS["system"]
    one = record_owners(reader, owner)[0]
    scope = Scope(one.origin, (one.label,), one.start, one.end, owner.name)
    table = PAGES["address_spaces"].sections[0].tables[0]
    (total,) = asked(
        reader,
        "select sum(cpu_seconds) from marts.fct_address_space_interval where"
        f" concat_ws('/', sysplex, system_id) = '{one.label}' and record_subtype in (2, 3, 6)",
    )
    assert systems.rows(reader, scope, table)["cpu_seconds"].sum() == pytest.approx(total)


@pytest.mark.parametrize(
    ("chosen", "value"), [({}, 98.85), ({"source": "z/OS", "tls": "TLS 1.3"}, 95.37)]
)
def test_the_nearest_published_figure_is_the_configuration_itself(chosen, value, reader):
    mft = SYSTEMS[0]
    names = {factor.name: factor.label for factor in mft.factors}
    rows = nearest(reader, mft.document, ("rate",), mft.usual | chosen, names)
    assert rows.row(0, named=True).items() >= {"value": value, "differs": ""}.items()
    assert rows["differs"][1:].is_in([""]).sum() == 0
    if not chosen:
        assert "To USS" in rows["differs"].to_list()


def test_a_local_day_is_found_by_the_hours_in_it(reader):
    hour = timedelta(hours=1)
    first, last = reader.frame(
        "select min(hour_utc), max(hour_utc) from marts.fct_system_hour "
        "where origin = 'simulated' and system_id = 'SY1'"
    ).row(0)
    for start, days in ((first - hour, 0), (first, 1), (last, 1), (last + hour, 0)):
        scope = Scope("simulated", ("PLEX1/SY1",), start, start + hour, OWNERS["system"].name)
        assert rows_of(reader, "lpars", "capacity_by_day", scope).height == days


def test_local_time_is_known_of_systems_with_one_offset(reader):
    day = (datetime(2024, 2, 29), datetime(2024, 3, 1))
    ((_, offset),) = local_offsets(reader, "simulated", ["SY1"], *day)
    assert offset == timedelta(hours=-5)
    assert "do not say" in local_offsets(reader, "simulated", ["NONE"], *day)
    assert "do not say" in local_offsets(reader, "simulated", ["SY1"], *[day[0].replace(2020)] * 2)


def test_what_is_decided_of_a_cost_comes_first(tmp_path):
    file = tmp_path / "perfhouse.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute("""
            create schema marts;
            create schema meta;
            create table meta.measure (mart varchar, name varchar, adds varchar, "by" varchar);
            create table marts.dim_configuration as
            select 'c' as configuration_id, 'z/OS > z/OS' as configuration;
            create table marts.fct_run_explanation as
            select
                'measured' as origin, 'nights' as campaign, 'new' as git_revision,
                'old' as before_git_revision, 'c' as configuration_id, metric,
                'address space' as split, part, 'CPU s/GB' as unit, 1.0 as value_before,
                1.0 + percent / 100 as value_after, percent / 100 as difference,
                percent as difference_percent_of_whole, 5 as runs, 5 as before_runs
            from (values
                ('A', 1.0, 'cost_per_GB'), ('B', -7.0, 'cost_per_GB'), ('Z', 90.0, 'NETTIME')
            ) as t(part, percent, metric);
            create table marts.fct_comparison as
            select 'git_revision' as kind, 'measured' as origin, 'c' as configuration_id,
                'old' as level_before, 'new' as level_after, metric, verdict
            from (values ('cost_per_GB', 'better'), ('NETTIME', 'undecided')) as t(metric, verdict);
        """)
    table = page_of(FOLDER / "cost.toml").sections[1].tables[0]
    scope = scoping.Keyed("nights", origin="measured", campaign="nights", build="new")
    assert systems.rows(Reader(file), scope, table)["part"].to_list() == ["B", "A"]
