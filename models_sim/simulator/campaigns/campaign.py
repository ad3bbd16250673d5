"""A campaign: its plan of runs, what the systems did, and what must come out of its files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.plan import MB, plan
from models_sim.simulator.campaigns.scenarios import SCENARIOS
from models_sim.simulator.campaigns.site import SITE
from models_sim.simulator.campaigns.systems import frames as system
from models_sim.simulator.zos.machine import ON_CP, Frames

__all__ = ["Campaign", "CampaignError", "simulate", "truth"]

_US = 1e6


class CampaignError(ValueError):
    """A campaign cannot be simulated or written; the message is one line."""


class Campaign(NamedTuple):
    """What happened: one row per run (see plan), and the frames of the systems.

    Both are empty if a scenario has no runs.
    """

    scenario: str
    seed: int
    runs: pl.DataFrame
    frames: Frames


def simulate(
    scenario: str,
    seed: int = 1,
    limit: int | None = None,
    later: timedelta = timedelta(),
    session: int | None = None,
    labels: Mapping[str, str] | None = None,
) -> Campaign:
    """Simulate a scenario, or its first `limit` runs, with all times moved by `later`.

    session: only the runs of this session, counted from 0 (the scenario `nightly` has one a night).
    labels: labels of all runs, instead of the scenario's.
    Raise KeyError for an unknown scenario, and CampaignError for an unknown session.
    """
    chosen = SCENARIOS[scenario]
    rng = np.random.default_rng([seed, *scenario.encode()])
    runs = chosen.runs(rng).head(limit if limit is not None else 1 << 30)
    if session is not None:
        runs = _of_session(runs, session)
    if not runs.height:
        return Campaign(scenario, seed, runs, {})
    runs = runs.with_columns(pl.lit(v).alias(f"label_{k}") for k, v in (labels or {}).items())
    if "session" in runs.columns:
        runs = runs.with_columns(pl.col("session") + later)
    planned = plan(runs, scenario, chosen.start + later, rng)
    return Campaign(scenario, seed, planned, system.simulate(planned, seed))


def _of_session(runs: pl.DataFrame, session: int) -> pl.DataFrame:
    starts = runs["session"].unique().sort() if "session" in runs.columns else [None]
    if not 0 <= session < len(starts):
        raise CampaignError(f"no session {session}: there are {len(starts)}")
    return runs.filter(pl.col("session") == starts[session]) if len(starts) > 1 else runs


def truth(scenario: str, seed: int = 1, limit: int | None = None) -> pl.DataFrame:
    """Return what must come out of the files of a campaign.

    One row per run, metric, address space (null: the whole run) and system (null: all), with
    `value` and `unit`, in the metrics of marts.dim_metric. CPU seconds of an address space are what
    SMF 30 and 72 charge to it. CPU seconds of one system or of all are what SMF 70 reports as used,
    which is more. For a run that lost records, only the remaining ones count. A GB is 1024 MB of
    2^20 bytes.
    """
    return truth_of(simulate(scenario, seed, limit))


def truth_of(campaign: Campaign) -> pl.DataFrame:
    """See `truth`."""
    if not campaign.runs.height:
        return pl.DataFrame(schema=_TRUTH)
    runs = campaign.runs
    spans = system.intervals(runs).filter(pl.col("run_no").is_not_null())
    of_run = spans.select("interval", "run_no").join(
        runs.select("run_no", "run_id", "bytes", "transactions"), on="run_no", maintain_order="left"
    )
    gb = pl.when(pl.col("bytes") > 0).then(pl.col("bytes") / (1024 * MB))
    factor = SITE.ziip_factor / 256
    is_cp = pl.col("processor_type") == "CP"
    by_system = (
        campaign.frames["processor"]
        .group_by("system", "interval", maintain_order=True)
        .agg(
            general_purpose_seconds=pl.col("effective_us").filter(is_cp).sum() / _US,
            on_ziip=pl.col("effective_us").filter(~is_cp).sum() / _US * factor,
        )
        .join(of_run, on="interval", maintain_order="left")
        .filter(pl.col("run_id").is_not_null())
        .select(
            "run_id", "bytes", "transactions", "system", "general_purpose_seconds",
            cpu_seconds=pl.col("general_purpose_seconds") + pl.col("on_ziip"),
        )
    )  # fmt: skip
    by_space = (
        campaign.frames["address_space"]
        .join(of_run, on="interval", maintain_order="left")
        .filter(pl.col("run_id").is_not_null())
        .with_columns(
            general_purpose_seconds=pl.sum_horizontal(ON_CP) / _US,
            on_ziip=pl.col("ziip_us") / _US * factor,
            on_cp=pl.col("ziip_on_cp_us") / _US,
        )
        .select(
            "run_id", "bytes", "transactions", "system", "job", "general_purpose_seconds",
            cpu_seconds=pl.col("general_purpose_seconds") + pl.col("on_ziip"),
            ziip_eligible_seconds=pl.col("on_ziip") + pl.col("on_cp"),
        )
    )  # fmt: skip
    key = ["run_id", "bytes", "transactions"]
    cost = [
        (pl.col("cpu_seconds") / gb).alias("cost_per_GB"),
        (1e6 * pl.col("cpu_seconds") / pl.col("transactions")).alias("cost_per_transaction"),
    ]
    seconds = pl.col("cpu_seconds", "general_purpose_seconds")
    share = by_space.group_by("run_id").agg(pl.col("ziip_eligible_seconds").sum())
    left = pl.col("cpu_seconds") - pl.col("ziip_eligible_seconds")
    whole = (
        by_system.group_by(key, maintain_order=True)
        .agg(seconds.sum())
        .join(share, on="run_id", maintain_order="left")
        .with_columns(
            *cost,
            ziip_share=100 * pl.col("ziip_eligible_seconds") / pl.col("cpu_seconds"),
            cost_per_GB_after_offload=left / gb,
        )
    )
    parts = [
        runs.select(
            "run_id",
            rate="rate",
            transfer_time=pl.when((pl.col("files") > 0) | pl.col("counted")).then("seconds"),
            bytes=pl.when(pl.col("files") > 0).then("bytes").cast(pl.Float64),
            files=(pl.col("files") - pl.col("failed")).cast(pl.Float64),
            transactions=pl.col("transactions").cast(pl.Float64),
            transactions_per_second=pl.col("transactions")
            / pl.when("counted")
            .then("seconds")
            .otherwise((pl.col("stop") - pl.col("start")).dt.total_seconds()),
        ),
        whole.drop("bytes", "transactions"),
        by_system.with_columns(*cost).drop("bytes", "transactions"),
        by_space.filter(pl.col("cpu_seconds") > 0)
        .with_columns(*cost)
        .drop("bytes", "transactions"),
    ]
    return pl.concat([_long(part) for part in parts]).sort("run_id", maintain_order=True)


_TRUTH = {
    "run_id": pl.String,
    "metric": pl.String,
    "address_space": pl.String,
    "system_id": pl.String,
    "value": pl.Float64,
    "unit": pl.String,
}
_UNITS = {
    "rate": "MB/s",
    "transfer_time": "s",
    "bytes": "B",
    "files": "files",
    "transactions": "count",
    "transactions_per_second": "1/s",
    "cost_per_transaction": "CPU us",
    "cpu_seconds": "CPU s",
    "general_purpose_seconds": "CPU s",
    "ziip_eligible_seconds": "CPU s",
    "ziip_share": "%",
    "cost_per_GB": "CPU s/GB",
    "cost_per_GB_after_offload": "CPU s/GB",
}


def _long(frame: pl.DataFrame) -> pl.DataFrame:
    """Return one row per metric; a row without a system or job covers all of them."""
    missing = [
        pl.lit(None, pl.String).alias(n) for n in ("system", "job") if n not in frame.columns
    ]
    keyed = frame.with_columns(missing)
    index = ["run_id", "job", "system"]
    long = keyed.unpivot(index=index, variable_name="metric", value_name="value")
    return long.filter(pl.col("value").is_not_null()).select(
        "run_id",
        "metric",
        address_space="job",
        system_id="system",
        value=pl.col("value").cast(pl.Float64),
        unit=pl.col("metric").replace_strict(_UNITS),
    )
