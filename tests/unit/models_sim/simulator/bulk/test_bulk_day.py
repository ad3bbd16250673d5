"""A day for benchmarks: two hours of records, repeated later and under other names."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import islice
from pathlib import Path

import polars as pl
import pytest

from ingest.formats.binary.write import frame_records
from models_sim.simulator.zos.profile import PLEX1
from models_sim.simulator.zos.simulate import simulate
from models_sim.simulator.zos.write import records_of
from tests.kit import large_day as bulk
from tests.kit.cases import cases
from tests.kit.dumps import Tables, tables_of
from tests.kit.large_day import repeat

EVERY = timedelta(hours=17)


@pytest.fixture(scope="module")
def records() -> list[bytes]:
    made = records_of(PLEX1, simulate(1), 1)["SY2"]
    return [r for r in made if r[5] not in (2, 3)]


@pytest.fixture(scope="module")
def rounds(records: list[bytes]) -> list[Tables]:
    many = list(islice(repeat(records, EVERY), 2 * len(records)))
    halves = (many[: len(records)], many[len(records) :])
    return [tables_of(b"".join(frame_records(half))) for half in halves]


@cases
def test_local_times_move_with_their_dates(
    table: str, time: str, day: str, rounds: list[Tables]
) -> None:
    def moment(frame: pl.DataFrame) -> pl.Series:
        return frame[day].cast(pl.Datetime("us")) + frame[time].cast(pl.Duration("us"))

    first, later = (r[table].filter(pl.col(day).is_not_null()) for r in rounds)
    assert first.height == later.height > 0
    assert (moment(later) - moment(first) == EVERY).all()
    assert date(2024, 3, 1) in set(later[day])


def test_moments_in_nested_sections_move(rounds: list[Tables]) -> None:
    for table, column in (
        ("smf70_1_product", "smf70iet"),
        ("smf30_identification", "smf30iet"),
        ("smf113_2_data", "smf113_2_ctm"),
    ):
        first, later = (r[table][column].drop_nulls() for r in rounds)
        assert len(first) > 0
        assert (later - first == EVERY).all()


def test_numbers_do_not_change(rounds: list[Tables]) -> None:
    first, later = rounds
    assert first.keys() == later.keys()
    for table, frame in first.items():
        numbers = frame.select(pl.selectors.float())
        assert later[table].select(numbers.columns).equals(numbers), table


def test_a_day_has_many_systems(
    records: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = records[:40]
    monkeypatch.setattr(bulk, "_two_hours", lambda _seed: few)
    path = tmp_path / "day.smf"
    size = 30 * sum(map(len, few))
    count = bulk.write_day(path, size)
    assert path.stat().st_size >= size
    record = tables_of(path.read_bytes())["smf_record"]
    assert record.height == count == 12 * 3 * 40
    assert set(record["system_id"]) == {"SY2", "012", "022"}
    first, last = record["smf_time"].min(), record["smf_time"].max()
    assert timedelta(hours=22) <= last - first <= timedelta(hours=24)
