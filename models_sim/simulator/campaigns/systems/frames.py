"""What the sysplex did in a campaign, as the frames from which z/OS records are made.

The columns are those of simulator.zos.simulate. Each run is one interval on every LPAR, and so is
each quiet time between two runs of a session.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.site import SITE, site_of
from models_sim.simulator.campaigns.systems.devices import (
    card_parts,
    card_requests,
    cf_processors,
    cf_requests,
    data_sets,
    volumes,
)
from models_sim.simulator.campaigns.systems.processors import counters, partitions, processors
from models_sim.simulator.campaigns.systems.spaces import address_spaces, class_periods
from models_sim.simulator.zos.machine import Frames

__all__ = ["intervals", "simulate"]

_KEY = ["system", "interval"]


def intervals(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the intervals of the sysplex: `interval`, `run_no` (null: quiet), `start`, `end`.

    Nothing is recorded while only runs on Linux are under way.
    """
    on_zos = runs.filter(pl.col("document") != "002")
    busy = on_zos.select("run_no", "start", end="stop")
    quiet = on_zos.filter(pl.col("quiet") > 0).select(
        pl.lit(None, pl.Int64).alias("run_no"),
        pl.col("stop").alias("start"),
        (pl.col("stop") + pl.duration(seconds=pl.col("quiet").cast(pl.Int64))).alias("end"),
    )
    both = pl.concat([busy, quiet]).sort("start").with_row_index("interval")
    return both.with_columns(pl.col("interval").cast(pl.Int64))


def simulate(runs: pl.DataFrame, seed: int) -> Frames:
    """Return the frames of a campaign; CPU times sum to each run's cost."""
    rng = np.random.default_rng([seed, *b"system"])
    spans = intervals(runs)
    site = site_of(*runs.select(pl.coalesce("machine", pl.lit("z15")), "cpus").row(0))
    systems = pl.DataFrame([{"system": s.name, "cps": s.cps} for s in SITE.systems])
    spread = spans.join(systems, how="cross", maintain_order="left_right")
    frames: Frames = {
        "interval": spread.select(
            *("system", "interval", "start", "end"),
            planned_end="end",
            load=pl.when(pl.col("run_no").is_null()).then(0.0).otherwise(0.5),
            skipped=pl.lit(False),
        )
    }
    frames["data_set"] = data_sets(runs, spans, rng)
    frames["address_space"] = address_spaces(runs, spread, frames["data_set"])
    frames["volume"] = volumes(frames, rng)
    frames["class_period"] = class_periods(frames, rng)
    frames["processor"] = processors(runs, spans, frames, rng)
    frames["partition"] = partitions(site, frames["processor"], frames["interval"])
    frames["cf_request"] = cf_requests(site, runs, spans, frames["interval"], rng)
    frames["cf_processor"] = cf_processors(frames)
    frames["counter"] = counters(runs, spans, frames["processor"], rng)
    frames["crypto"] = card_requests(runs, spans)
    frames["crypto_part"] = card_parts(runs, spans)
    return _without_lost(frames, runs, spans)


def _without_lost(frames: Frames, runs: pl.DataFrame, spans: pl.DataFrame) -> Frames:
    """Return the frames without what the systems failed to record."""
    lost = (
        runs.explode("lost", empty_as_null=False)
        .select("run_no", system="lost")
        .join(spans, on="run_no")
        .select(*_KEY)
    )
    if not lost.height:
        return frames
    return {
        name: frame.join(lost, on=_KEY, how="anti", maintain_order="left")
        if "system" in frame.columns
        else frame
        for name, frame in frames.items()
    }
