"""A campaign: its plan of runs, what the systems did, and what its files have to give back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from models_sim.campaign import system
from models_sim.campaign.plan import MB, plan
from models_sim.campaign.scenarios import SCENARIOS
from models_sim.zos.simulate import Frames

__all__ = ["Campaign", "simulate", "truth"]

_US = 1e6
_CP = ("tcb_us", "srb_us", "initiator_tcb_us", "io_interrupt_us", "region_control_us",
       "hiperspace_us")  # fmt: skip


class Campaign(NamedTuple):
    """What happened: one row a run (models_sim.campaign.plan), and the frames of the systems."""

    scenario: str
    seed: int
    runs: pl.DataFrame
    frames: Frames


def simulate(scenario: str, seed: int = 1, limit: int | None = None) -> Campaign:
    """Simulate a scenario, or its first `limit` runs. Raises KeyError for an unknown one."""
    chosen = SCENARIOS[scenario]
    rng = np.random.default_rng([seed, *scenario.encode()])
    runs = chosen.runs(rng).head(limit if limit is not None else 1 << 30)
    planned = plan(runs, scenario, chosen.start, rng)
    return Campaign(scenario, seed, planned, system.simulate(planned, seed))


def truth(scenario: str, seed: int = 1, limit: int | None = None) -> pl.DataFrame:
    """What the files of a campaign have to give back.

    One row a run, metric, address space (null: the whole run) and system (null: all), with `value`
    and `unit`. `cpu_seconds` is of general purpose processors: of an address space, what SMF 30 and
    72 charge it; of a system or of all, what SMF 70 says was used, which is more. `ziip_share` is
    what zIIPs could take, in percent of the whole run's CPU time. A GB is 1024 MB of 2^20 bytes.
    """
    return truth_of(simulate(scenario, seed, limit))


def truth_of(campaign: Campaign) -> pl.DataFrame:
    """See `truth`."""
    runs = campaign.runs.with_row_index("run_no").with_columns(pl.col("run_no").cast(pl.Int64))
    spans = system.intervals(campaign.runs).filter(pl.col("run_no").is_not_null())
    of_run = spans.select("interval", "run_no").join(
        runs.select("run_no", "run_id", "bytes"), on="run_no", maintain_order="left"
    )
    gb = pl.col("bytes") / (1024 * MB)
    by_system = (
        campaign.frames["processor"]
        .filter(pl.col("processor_type") == "CP")
        .group_by("system", "interval", maintain_order=True)
        .agg(cpu_seconds=pl.col("effective_us").sum() / _US)
        .join(of_run, on="interval", maintain_order="left")
    )
    eligible = pl.col("ziip_on_cp_us") / _US
    by_space = (
        campaign.frames["address_space"]
        .join(of_run, on="interval", maintain_order="left")
        .with_columns(cpu_seconds=pl.sum_horizontal(_CP) / _US, ziip_eligible_seconds=eligible)
    )
    key = ["run_id", "bytes"]
    whole = by_system.group_by(key, maintain_order=True).agg(pl.col("cpu_seconds").sum())
    share = by_space.group_by("run_id").agg(pl.col("ziip_eligible_seconds").sum())
    whole = whole.join(share, on="run_id", maintain_order="left").with_columns(
        ziip_share=100 * pl.col("ziip_eligible_seconds") / pl.col("cpu_seconds")
    )
    cost = (pl.col("cpu_seconds") / gb).alias("cost_per_GB")
    parts = [
        runs.select(
            "run_id",
            rate="rate",
            transfer_time="seconds",
            bytes=pl.col("bytes").cast(pl.Float64),
            files=pl.col("files").cast(pl.Float64),
        ),
        whole.with_columns(cost).drop("bytes"),
        by_system.with_columns(cost).select("run_id", "system", "cpu_seconds", "cost_per_GB"),
        by_space.filter(pl.col("cpu_seconds") > 0)
        .with_columns(cost)
        .select("run_id", "system", "job", "cpu_seconds", "ziip_eligible_seconds", "cost_per_GB"),
    ]
    return pl.concat([_long(part) for part in parts]).sort("run_id", maintain_order=True)


_UNITS = {
    "rate": "MB/s",
    "transfer_time": "s",
    "bytes": "bytes",
    "files": "files",
    "cpu_seconds": "CPU s",
    "ziip_eligible_seconds": "CPU s",
    "ziip_share": "%",
    "cost_per_GB": "CPU s/GB",
}


def _long(frame: pl.DataFrame) -> pl.DataFrame:
    """One row a metric; without a system or a job the row is of all."""
    missing = [
        pl.lit(None, pl.String).alias(n) for n in ("system", "job") if n not in frame.columns
    ]
    keyed = frame.with_columns(missing)
    index = ["run_id", "job", "system"]
    long = keyed.unpivot(index=index, variable_name="metric", value_name="value")
    return long.select(
        "run_id",
        "metric",
        address_space="job",
        system_id="system",
        value=pl.col("value").cast(pl.Float64),
        unit=pl.col("metric").replace_strict(_UNITS),
    )
