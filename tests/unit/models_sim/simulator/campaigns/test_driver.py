"""Tasks that wait for the log and for latches, and how injected changes show in MQ's records."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from models_sim.simulator.campaigns.driver import COMMITS, LOG_WAIT
from models_sim.simulator.campaigns.messaging.accounting import LATCH_CLASS, driver_task
from models_sim.simulator.campaigns.messaging.statistics import log_manager
from models_sim.simulator.campaigns.messaging.work import work
from models_sim.simulator.campaigns.plan import plan
from models_sim.simulator.campaigns.scenarios.nightly import INJECTED, SCENARIO
from models_sim.simulator.campaigns.systems import frames as system

LOG, LATCH = (next(i for i in INJECTED if i.cause == cause) for cause in ("log", "latch"))
NIGHTS = (LOG.first - 1, LOG.first, LATCH.first - 1, LATCH.first)


@pytest.fixture(scope="module")
def nights() -> pl.DataFrame:
    """One row a night of NIGHTS: seconds of waits by cause, and of a log write, by transaction."""
    rng = np.random.default_rng(1)
    every = SCENARIO.runs(rng).filter(pl.col("tasks").is_not_null())
    runs = plan(every[list(NIGHTS)], "nightly", SCENARIO.start, rng)
    frames = system.simulate(runs, 1)
    rows = work(runs, frames).filter(pl.col("tasks").is_not_null())
    rows = rows.with_columns(record_no=pl.col("run_no"))
    tasks = pl.concat(driver_task(rows, number)["smf116_wtas"] for number in range(2))
    waits = tasks.group_by("record_no", maintain_order=True).agg(
        log=pl.col("wtasjwet").sum(),
        latch=pl.col("wtaslwet").list.get(LATCH_CLASS).sum(),
        all_latches=pl.col("wtaslwet").list.sum().sum(),
        forces=pl.col("wtasjcn").sum(),
    )
    volumes = frames["data_set"].filter(pl.col("data_set").str.contains("MQA1.LOGCOPY1"))
    volumes = volumes.sort("interval")
    written = log_manager(rows)
    return waits.join(
        runs.select("transactions", "seconds", "log_us", record_no=pl.int_range(pl.len())),
        on="record_no",
    ).with_columns(
        response=volumes["response_us"] / volumes["requests"],
        idle=written["qjstslptu"] / (rows["end"] - rows["start"]).dt.total_microseconds(),
        write=pl.Series(
            [
                np.sum(us) / np.sum(count)
                for us, count in written.select("qjstiototio", "qjstiocount").iter_rows()
            ]
        ),
    )


def test_the_log_writer_is_idle_while_it_does_not_write(nights) -> None:
    assert nights["idle"].is_between(0, 1, closed="none").all()


@pytest.mark.parametrize(
    ("injection", "before", "after"),
    [(LOG, 0, 1), (LATCH, 2, 3)],
    ids=lambda v: getattr(v, "name", ""),
)
def test_transactions_wait_longer_only_for_the_cause(injection, before, after, nights) -> None:
    """By as much as its rate is lower; a task is at one transaction at a time."""
    each = nights.select(pl.col("log", "latch") / pl.col("transactions")).rows(named=True)
    other = "latch" if injection.cause == "log" else "log"
    more = each[after][injection.cause] - each[before][injection.cause]
    rate = nights["seconds"][before] / nights["seconds"][after] - 1
    whole = 2e6 * nights["seconds"][before] / nights["transactions"][before]  # of two tasks
    assert more / whole == pytest.approx(1 / (1 + injection.size) - 1, abs=0.02)
    assert rate == pytest.approx(injection.size, abs=0.04)
    assert each[after][other] == pytest.approx(each[before][other], rel=0.05)


def test_log_waits_follow_log_writes_and_log_writes_follow_the_volume(nights) -> None:
    assert nights["forces"].to_list() == [n * COMMITS for n in nights["transactions"]]
    wait = nights["log"] / nights["forces"]
    assert wait.to_list() == pytest.approx((LOG_WAIT * nights["log_us"]).to_list(), rel=1e-4)
    assert nights["write"].to_list() == pytest.approx(nights["log_us"].to_list(), rel=1e-4)
    assert nights["response"].to_list() == pytest.approx(nights["log_us"].to_list(), rel=0.1)
    assert nights["response"][1] > 1.12 * nights["response"][0]


def test_all_latch_waits_are_in_one_class(nights) -> None:
    assert nights["latch"].to_list() == nights["all_latches"].to_list()
