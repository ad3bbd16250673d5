"""Usage by hour and day: amounts, capacity, prices and costs per message, on a few rows by hand."""

import shutil
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl
import polars.selectors as cs
import pytest

from app.results.queries import usage
from app.results.queries.usage import Choice
from app.results.queries.usage_subjects import SUBJECTS
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
        (measure.label, measure.unit): value if value is None else float(f"{value:.9g}")
        for place, measure in enumerate(usage.measures_of(choice))
        for value in (row[f"m{place}"],)
    }


CHOICES = {
    f"{subject}, {money or 'no price'}": Choice("measured", subject, "", **options)
    for subject in sorted(set(SUBJECTS) - {"report class", "queue"})
    for money, options in (
        ("", {}), ("EUR", {"currency": "EUR"}),
    )
} | {"file transfer of AG1": Choice("measured", "file transfer", "", chosen=("AG1",))}  # fmt: skip


@pytest.mark.parametrize("name", CHOICES)
def test_figures_of_the_whole_time(name, reader, snapshot):
    """Amounts, MSU at the capacity of each hour, prices, costs per message."""
    found = figures(reader, CHOICES[name]).items()
    assert [f"{label}: {value} {unit}" for (label, unit), value in found] == snapshot


def test_transfers_are_offered_by_agent(reader):
    every = Choice("measured", "file transfer", "")
    assert usage.offered(reader, every) == ["AG1", "AG2"]
    start, end, _ = usage.time_of(reader, every)
    assert (start.hour, end.hour) == (12, 14)


def test_the_sites_own_currency_is_known(reader):
    assert usage.currency(reader, "measured") == "EUR"
    assert usage.currency(reader, "simulated") == ""


@pytest.mark.parametrize("subject", ["channel", "service class", "LPAR"])
def test_figures_over_time(subject, reader, snapshot):
    """By series: for channels, the channel initiator is split by bytes."""
    steps = usage.over_time(reader, Choice("measured", subject, "SY1"), daily=False, most=7)
    assert [str(row) for row in steps.with_columns(cs.float().round_sig_figs(9)).rows()] == snapshot


@pytest.mark.parametrize(
    ("chosen", "hours", "names"),
    [((), 2, {"FAST on P/SY1", "SLOW on P/SY1"}), (("FAST",), 2, {"FAST on P/SY1"}),
     (("SLOW",), 1, {"SLOW on P/SY1"})],
)  # fmt: skip
def test_classes_are_chosen(reader, chosen, hours, names):
    choice = Choice("measured", "service class", "", chosen=chosen)
    assert usage.totals(reader, choice)["hours"].item() == hours
    assert set(usage.over_time(reader, choice, daily=False, most=7)["series"]) == names


@pytest.mark.parametrize("subject", ["LPAR", "service class"])
def test_systems_of_one_name_in_two_sysplexes_have_their_own_speed_and_price(
    reader, tmp_path, subject
):
    file = tmp_path / "u.duckdb"
    shutil.copy(reader.file, file)
    with duckdb.connect(str(file)) as db:
        for mart in ("fct_usage_hour", "fct_system_hour"):
            db.execute(f"""
                insert into marts.{mart} by name
                select * replace (
                    'Q' as sysplex, 2 * msu_hours as msu_hours, 3 * cost_money as cost_money,
                    2 * msu_hours_per_cp_second as msu_hours_per_cp_second,
                    3 * money_per_cp_second as money_per_cp_second
                ) from marts.{mart} where sysplex = 'P'
            """)
    choice = Choice("measured", subject, "SY1", currency="EUR")
    labels = [one.label for one in usage.measures_of(choice)]
    msu, money = (f"m{labels.index(label)}" for label in ("Capacity", "Price"))
    rows = usage.by_step(Reader(file), choice, daily=True)
    one, other = (
        rows.filter(pl.col("name").str.ends_with(f" on {plex}/SY1")).select(msu, money).sum()
        for plex in "PQ"
    )
    assert other.row(0) == (2 * one[msu].item(), pytest.approx(3 * one[money].item()))
    assert rows.height == 2 * usage.by_step(reader, choice, daily=True).height


def test_smaller_ones_are_others(reader):
    choice = Choice("measured", "service class", "SY1")
    steps = usage.over_time(reader, choice, daily=True, most=1)
    assert steps["series"].to_list() == ["FAST", "others"]
    assert steps["m0"].to_list() == pytest.approx([0.75, 0.1])
    assert steps["start"][0].replace(tzinfo=None) == DAY


def test_an_hour_without_capacity_has_none(reader):
    before = replace(Choice("measured", "LPAR", ""), start=DAY, end=NOON)
    assert usage.totals(reader, before)["hours"].item() == 0
    choice = Choice("measured", "address space", "")
    labels = [(one.label, one.unit) for one in usage.measures_of(choice)]
    place = labels.index(("Time on zIIPs", "zIIP hours"))
    known = usage.totals(reader, choice).row(0, named=True)
    assert known[f"m{place}"] == 0.05
    assert known[f"k{place}"] == 0.5  # of QM1CHIN it is not known


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


def test_subjects_and_their_time(reader):
    known = usage.subjects(reader)
    assert set(known["subject"]) == set(SUBJECTS) - {"report class", "queue"}
    assert usage.time_of(reader, Choice("measured", "service class", "")) == (
        NOON, NOON.replace(hour=14), NOON,
    )  # fmt: skip
