"""Usage by hour and day: amounts, capacity, prices and costs per message, on a few rows by hand."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from app.results.queries import usage
from app.results.queries.usage import Choice
from app.results.queries.usage_subjects import SUBJECTS
from app.results.queries.ziips import hourly_work
from app.results.reader import Reader

NOON, DAY = datetime(2026, 3, 1, 12), datetime(2026, 3, 1)


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    file = tmp_path_factory.mktemp("usage") / "u.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute(Path(__file__).with_name("usage.sql").read_text())
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
