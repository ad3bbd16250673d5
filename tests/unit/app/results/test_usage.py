"""Usage by hour and day: amounts, capacity, prices and costs per message, on a few rows by hand."""

from dataclasses import replace
from datetime import datetime, timedelta

import duckdb
import pytest

from app.results.queries import usage
from app.results.queries.usage import Choice
from app.results.queries.usage_subjects import SUBJECTS
from app.results.queries.ziips import hourly_work
from app.results.reader import Reader

NOON, DAY = datetime(2026, 3, 1, 12), datetime(2026, 3, 1)
# At noon a busy CP consumes 20 MSU, an hour later 40.
HOURS = """
    ('lpar', 12, 'L1', 3600, null, null, null, 20.0, null, null, null),
    ('lpar', 13, 'L1', 1800, null, null, null, 20.0, null, null, null),
    ('service class', 12, 'FAST', 1800, 720, 360, 1080, null, 100, null, null),
    ('service class', 13, 'FAST', 900, 0, 0, 0, null, 50, null, null),
    ('service class', 12, 'SLOW', 360, 0, 180, 180, null, 0, null, null),
    ('address space', 12, 'QM1MSTR', 3, null, null, null, null, null, null, null),
    ('address space', 12, 'QM1CHIN', 7, null, null, null, null, null, null, null),
    ('container', 12, 'messaging/broker', 2, null, null, null, null, null, null, null),
    ('queue manager', 12, 'QM1', null, null, null, null, null, null, 400, null),
    ('channel', 12, 'C1', null, null, null, null, null, null, 30, 6000),
    ('channel', 12, 'C2', null, null, null, null, null, null, 20, 1000)
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    file = tmp_path_factory.mktemp("usage") / "u.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute(f"""
            create schema marts;
            create table marts.fct_usage_hour as
            select
                'measured' as origin, subject, timestamp '2026-03-01' + to_hours(h) as hour_utc,
                if(subject in ('queue manager', 'channel'), '', 'P') as sysplex,
                'SY1' as system_id,
                if(subject in ('queue manager', 'channel'), 'QM1', '') as queue_manager, name,
                cp::double as general_purpose_seconds, ziip::double as ziip_seconds,
                on_cp::double as ziip_on_cp_seconds, eligible::double as eligible_seconds,
                msu::double as msu_hours, transactions,
                case subject
                    when 'lpar' then cp * 0.01 * (h - 11) when 'channel' then bytes / 1000
                end as cost_money,
                if(cost_money is null, null, 'EUR') as currency,
                if(subject = 'queue manager', messages // 4, null) as messages_put,
                if(subject = 'queue manager', messages - messages // 4, null) as gets,
                messages as mqi_calls, 0 as log_bytes_written, messages,
                bytes as bytes_sent, if(subject = 'channel', 0, null) as bytes_received
            from (values {HOURS}) as v(
                subject, h, name, cp, ziip, on_cp, eligible, msu, transactions, messages, bytes
            );
            create table marts.fct_task_accounting as
            select
                'measured' as origin, 'SY1' as system_id, 'QM1' as queue_manager, *
            from (values
                (timestamp '2026-03-01 12:10:00', 'C1', '', 'Channel initiator', 'U', 30, 0.3, 0.9),
                (timestamp '2026-03-01 12:20:00', '', 'JOB', 'Batch', 'U', 10, 0.5, 0.5)
            ) as t(recorded_at_utc, channel_name, connection_name, application_type, user_id,
                messages, cpu_seconds, elapsed_seconds),
            (select null::bigint as put_bytes, null::bigint as get_bytes);
            create table marts.fct_queue_accounting as from marts.fct_task_accounting where false;
            create table marts.fct_transfer as
            select 'measured' as origin, 'completed' as action, true as is_completed, *
            from (values
                (timestamp '2026-03-01 12:10:00', 'AG1', 'AG2', false, 4, 0, 1073741824, 16),
                (timestamp '2026-03-01 12:59:59', 'AG1', 'AG2', true, 1, 3, 1073741824, 16),
                (timestamp '2026-03-01 13:00:00', 'AG2', null, true, 0, 1, 0, null)
            ) as t(last_utc, source_agent, destination_agent, is_failed, files_moved, files_failed,
                bytes, seconds);
            create table marts.fct_report_class_interval (
                origin varchar, system_id varchar, interval_start_utc timestamp
            );
            create table marts.fct_address_space_interval as
            select
                'measured' as origin, 'P' as sysplex, 'SY1' as system_id, *
            from (values
                (timestamp '2026-03-01 11:59:45', 'QM1MSTR', 'STC', 'RQM', 3, 0, 0, 0),
                (timestamp '2026-03-01 12:00:00', 'JOB', 'FAST', 'RJOB', 36, 0, 18, 18)
            ) as t(interval_start_utc, job_name, service_class, report_class,
                general_purpose_seconds, ziip_seconds, ziip_on_cp_seconds, eligible_seconds);
        """)
    return Reader(file)


def figures(reader, choice):
    """Return each measure of the whole time by label and unit."""
    row = usage.totals(reader, choice).row(0, named=True)
    return {
        (measure.label, measure.unit): row[f"m{place}"]
        for place, measure in enumerate(usage.measures_of(choice))
    }


def test_cpu_time_counts_at_the_capacity_of_its_hour(reader):
    found = figures(reader, Choice("measured", "service class", "", price=10.0))
    assert found["CPU time on CPs", "CPU hours"] == pytest.approx(0.85)
    assert found["Capacity", "MSU hours"] == pytest.approx(0.6 * 20 + 0.25 * 40)
    assert found["Price", "price"] == pytest.approx(220)
    assert found["Could move to zIIPs", "MSU hours"] == pytest.approx(0.15 * 20)
    assert found["CPU time of a transaction", "CPU ms"] == pytest.approx(3060 / 150 * 1000)


def test_failures_of_transfers_are_counted_by_agent(reader):
    every = Choice("measured", "file transfer", "")
    assert usage.offered(reader, every) == ["AG1", "AG2"]
    assert figures(reader, replace(every, chosen=("AG1",))) == {
        ("Transfers", "transfers"): 2, ("Failed", "transfers"): 1, ("Failed", "%"): 50,
        ("Files not moved", "files"): 3, ("Moved", "GB"): 2, ("Rate of a transfer", "MB/s"): 64,
    }  # fmt: skip
    assert figures(reader, every)["Failed", "transfers"] == 2
    start, end, _ = usage.time_of(reader, every)
    assert (start.hour, end.hour) == (12, 14)


def test_there_is_no_money_without_a_price(reader):
    assert not [
        unit for _, unit in figures(reader, Choice("measured", "LPAR", "")) if "price" in unit
    ]


def test_the_sites_own_prices_count_unless_another_is_asked_for(reader):
    assert usage.currency(reader, "measured") == "EUR"
    assert usage.currency(reader, "simulated") == ""
    priced = Choice("measured", "service class", "", currency="EUR")
    assert figures(reader, priced)["Price", "EUR"] == pytest.approx(2160 * 0.01 + 900 * 0.02)
    asked = figures(reader, replace(priced, price=10.0))
    assert asked["Price", "price"] == pytest.approx(220)
    lpars = figures(reader, replace(priced, subject="LPAR"))
    assert lpars["Price", "EUR"] == pytest.approx(3600 * 0.01 + 1800 * 0.02)
    channels = figures(reader, replace(priced, subject="channel"))
    assert channels["Price of the network", "EUR"] == pytest.approx(7)
    assert channels["Price of CHIN, by bytes", "EUR per million messages"] == pytest.approx(
        1e6 * 7 * 0.01 / 50
    )


@pytest.mark.parametrize(
    ("chosen", "hours", "names"),
    [((), 2, {"FAST on P/SY1", "SLOW on P/SY1"}), (("FAST",), 2, {"FAST on P/SY1"}),
     (("SLOW",), 1, {"SLOW on P/SY1"})],
)  # fmt: skip
def test_classes_are_chosen(reader, chosen, hours, names):
    choice = Choice("measured", "service class", "", chosen=chosen)
    assert usage.totals(reader, choice)["hours"].item() == hours
    assert set(usage.over_time(reader, choice, daily=False, most=7)["series"]) == names


def test_smaller_ones_are_others(reader):
    choice = Choice("measured", "service class", "SY1")
    steps = usage.over_time(reader, choice, daily=True, most=1)
    assert steps["series"].to_list() == ["FAST", "others"]
    assert steps["m0"].to_list() == pytest.approx([0.75, 0.1])
    assert steps["start"][0].replace(tzinfo=None) == DAY


def test_an_hour_without_capacity_has_none(reader):
    before = replace(Choice("measured", "LPAR", ""), start=DAY, end=NOON)
    assert usage.totals(reader, before)["hours"].item() == 0
    channels = figures(reader, Choice("measured", "channel", ""))
    assert channels["CPU time of MQI calls", "CPU hours"] is None  # C2 has no accounting


def test_address_spaces_have_classes_in_their_records(reader):
    choice = Choice("measured", "address space", "SY1", "service_class")
    assert choice.of_records
    assert not Choice("measured", "address space", "SY1").of_records
    steps = usage.over_time(reader, choice, daily=False, most=7)
    assert dict(zip(steps["series"], steps["m0"], strict=True)) == pytest.approx(
        {"FAST": 0.01, "STC": 3 / 3600}
    )
    assert set(steps["start"].dt.hour()) == {12}  # 15 s early is the same hour
    assert usage.offered(reader, choice) == ["FAST", "STC"]


@pytest.mark.parametrize(
    ("subject", "label", "value"),
    [
        ("queue manager", "CPU time of MSTR and CHIN", 10e6 / 400),
        ("application", "CPU time of MQI calls", 0.8e6 / 40),
        ("channel", "CPU time of MQI calls", 0.3e6 / 30),
        ("channel", "CPU time of CHIN, by bytes", 7e6 / 50),
    ],
)
def test_cost_per_message(reader, subject, label, value):
    found = figures(reader, Choice("measured", subject, ""))
    assert found[label, "µs per message"] == pytest.approx(value)


def test_the_channel_initiator_is_split_by_bytes(reader):
    steps = usage.over_time(reader, Choice("measured", "channel", "SY1"), daily=False, most=7)
    label = "CPU time of CHIN, by bytes"
    (place,) = [
        place
        for place, measure in enumerate(usage.measures_of(Choice("measured", "channel", "")))
        if (measure.label, measure.unit) == (label, "CPU hours")
    ]
    assert dict(zip(steps["series"], steps[f"m{place}"] * 3600, strict=True)) == pytest.approx(
        {"C1": 6, "C2": 1}
    )


def test_hours_of_work_for_what_if(reader):
    one, two, three = (NOON.replace(hour=hour) for hour in (12, 13, 14))
    choice = Choice("measured", "service class", "")
    assert hourly_work(reader, choice, daily=False).rows() == [
        (one, two, 2160.0, 1260.0, 720.0, pytest.approx(20), pytest.approx(0.01)),
        (two, three, 900.0, 0.0, 0.0, pytest.approx(40), pytest.approx(0.02)),
    ]
    steps = hourly_work(reader, choice, daily=True).select("start", "end").unique()
    assert steps.rows() == [(DAY, DAY + timedelta(days=1))]


def test_subjects_and_their_time(reader):
    known = usage.subjects(reader)
    assert set(known["subject"]) == set(SUBJECTS) - {"report class", "queue"}
    assert usage.time_of(reader, Choice("measured", "service class", "")) == (
        NOON, NOON.replace(hour=14), NOON,
    )  # fmt: skip
