"""The busy day has the shape of a day, and its records and reports agree."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pytest

from models_sim.simulator.campaigns.files import production_files, write_files
from models_sim.simulator.campaigns.scenarios.busy_day import day_of
from models_sim.simulator.campaigns.scenarios.definition import Production
from tests.kit.cases import queries

SQL = queries(__file__)


@pytest.fixture(scope="module")
def work() -> Production:
    return day_of(1)


def written(folder: Path) -> None:
    write_files(production_files(day_of(1), 1), folder)


def by_hour(work: Production, frame: str, what: pl.Expr) -> dict[int, float]:
    """Sums by local hour, of both systems."""
    hour = pl.col("start").dt.offset_by("-5h").dt.hour().alias("hour")
    bounds = work.frames["interval"].select("system", "interval", "start")
    rows = work.frames[frame].drop("start", strict=False).join(bounds, on=["system", "interval"])
    return dict(rows.group_by(hour).agg(what.sum()).iter_rows())


def mean(of: dict[int, float], *hours: int) -> float:
    return sum(of[hour] for hour in hours) / len(hours)


def test_load_follows_the_working_day_with_a_dip_at_noon(work: Production) -> None:
    online = by_hour(
        work, "class_period", pl.when(pl.col("class") == "ONLINE").then("tcb_us").otherwise(0)
    )
    assert max(online, key=online.__getitem__) in {10, 11}
    assert mean(online, 12, 13) < 0.8 * mean(online, 10, 11)
    assert mean(online, 14, 15) > 1.2 * mean(online, 12, 13)
    assert mean(online, 1, 2, 3) < 0.1 * mean(online, 10, 11)


def test_batch_runs_at_night_and_volumes_are_dumped_in_the_evening(work: Production) -> None:
    batch = by_hour(
        work, "class_period", pl.when(pl.col("class") == "BATCH").then("tcb_us").otherwise(0)
    )
    assert mean(batch, 2, 3) > 3 * max(batch.get(hour, 0.0) for hour in range(7, 20))
    data = by_hour(work, "volume", pl.when(volume="SYDB01").then("requests").otherwise(0))
    assert mean(data, 21, 22) > 2 * mean(data, 18, 19)
    assert work.frames["address_space"].filter(pl.col("job").str.starts_with("SYNDUMP"), "ends")[
        "job"
    ].n_unique() == 3  # fmt: skip


def test_no_processor_is_more_than_fully_busy(work: Production) -> None:
    busy = work.frames["processor"].filter(pl.col("processor_type") == "CP")
    part = (busy["effective_us"] / busy["online_us"]).sort()
    assert 0.6 < part[-1] < 0.97
    assert (busy["effective_us"] <= busy["online_us"]).all()


def test_reports_agree_with_the_records(loaded: duckdb.DuckDBPyConnection) -> None:
    rows = loaded.execute(SQL["dispatched time"]).fetchall()
    assert len(rows) == 2 * 96
    for record, report in rows:
        assert report == pytest.approx(record, abs=0.002)


def test_both_queue_managers_follow_the_day(loaded: duckdb.DuckDBPyConnection) -> None:
    rows = loaded.execute(SQL["puts by hour"]).fetchall()
    assert {row[:2] for row in rows} == {("SYQ1", "SY1"), ("SYQ2", "SY2")}
    for manager in ("SYQ1", "SYQ2"):
        puts = {hour: number for name, _, hour, _, number in rows if name == manager}
        assert set(puts) == set(range(24))
        assert mean(puts, 12, 13) < 0.8 * mean(puts, 10, 11)
        assert mean(puts, 3, 4) < 0.2 * mean(puts, 10, 11)
