"""Type 70 says what partitions consumed: WLM's average, limits and capacity groups."""

from dataclasses import replace
from datetime import datetime, timedelta

import polars as pl
import pytest

from models_sim.simulator.zos.cpu import use_of_capacity
from models_sim.simulator.zos.profile import PLEX1, SYSTEMS, Sysplex
from tests.kit.cases import cases

START = datetime(2026, 1, 2)
SITE = replace(PLEX1, systems=SYSTEMS[:1], group="GRP", group_msu=50)
MSU = SITE.msu_of_processor


def records_of(site: Sysplex, ends: list[float]) -> pl.DataFrame:
    """Return the first system's intervals that end so many hours after START, one by one."""
    (system, *_) = site.systems
    starts = [0.0, *ends[:-1]]
    return pl.DataFrame(
        {
            "record_no": range(len(ends)),
            "interval": range(len(ends)),
            "system": system.name,
            "cps": system.cps,
            "start": [START + timedelta(hours=h) for h in starts],
            "end": [START + timedelta(hours=h) for h in ends],
        }
    )


def used(records: pl.DataFrame, processors: list[float], dispatched: float = 0) -> pl.DataFrame:
    """Return a processor of each record that was busy as long as a number of processors.

    PR/SM dispatched it for as many, or for `dispatched` if those are more.
    """
    length = (records["end"] - records["start"]).dt.total_microseconds()
    busy = length * pl.Series(processors, dtype=pl.Float64)
    own = records.select(
        "record_no",
        processor_type=pl.lit("CP"),
        effective_us=pl.max_horizontal(busy, length * dispatched),
        online_us=length * 100,
        wait_us=length * 90 - busy,
        parked_us=length * 10,
    )
    ziips = own.with_columns(processor_type=pl.lit("zIIP"))
    return pl.concat([own, ziips])


@cases
def test_the_average_is_of_four_hours(
    ends: list[float], processors: list[float], averages: list[float]
) -> None:
    records = records_of(SITE, ends)
    got = use_of_capacity(SITE, records, used(records, processors))
    assert got["average"].to_list() == pytest.approx([a * MSU for a in averages])
    assert got["unused"].to_list() == pytest.approx([50 - a * MSU for a in averages])


def test_a_processor_that_waits_dispatched_counts_as_long_as_it_is_busy() -> None:
    records = records_of(SITE, [1])
    got = use_of_capacity(SITE, records, used(records, [0.5], dispatched=2))
    assert got["average"].item() == pytest.approx(0.5 * MSU)


@pytest.mark.parametrize(("defined", "available"), [(0, 4 * MSU), (40, 40), (10_000, 4 * MSU)])
def test_the_capacity_available_is_the_defined_one_if_there_is_one(
    defined: int, available: float
) -> None:
    site = replace(SITE, systems=(replace(SITE.systems[0], defined_msu=defined),))
    records = records_of(site, [1])
    assert use_of_capacity(site, records, used(records, [1]))["available"].item() == pytest.approx(
        available
    )


def test_a_processor_gives_as_many_units_an_hour_as_its_factor_says() -> None:
    assert SITE.physical_adjustment == 2922  # 16 * 182.625 microseconds a unit
    assert pytest.approx(3600 / 182.625) == MSU
