"""The definition of a scenario, and what the scenarios share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
import polars as pl

from models_sim.simulator.zos.profile import Sysplex
from models_sim.simulator.zos.simulate import Frames

__all__ = ["USUAL", "Outputs", "Production", "Scenario", "harness", "labelled", "noise_of"]

#: The usual setting of each factor of document 000's Appendix C.
USUAL = {
    "network": "1Gb",
    "queue": "Private",
    "zhpf": "Y",
    "tls": "N",
    "ams": "N",
    "compmsg": "N",
    "p2wg": "Y",
    "batchint": 0,
    "mode": "binary",
    "machine": "z15",
}


Outputs = Mapping[str, tuple[str, dict[str, pl.DataFrame]]]


def _no_outputs(_: pl.DataFrame) -> Outputs:
    return {}


class Production(NamedTuple):
    """Work that is not a run: the sysplex, its frames, and each system's MQ records."""

    site: Sysplex
    frames: Frames
    records: Mapping[str, list[bytes]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A campaign to simulate: its name, a one-line summary, its start (UTC), and its runs.

    `outputs` returns the outputs of tools for one planned run: by name in the run's folder, their
    kind and rows, as outputs.write_output takes them. `production` returns, for a seed, the work of
    systems that is not a run; `told`, for a seed, what TRUTH.json says of the changes in the runs.
    """

    name: str
    summary: str
    start: datetime
    runs: Callable[[np.random.Generator], pl.DataFrame]
    outputs: Callable[[pl.DataFrame], Outputs] = _no_outputs
    production: Callable[[int], Production] | None = None
    told: Callable[[int], str] | None = None


def labelled(runs: pl.DataFrame, **labels: str) -> pl.DataFrame:
    """Return the runs with labels: document 000's machine and MQ level unless others are given."""
    all_labels = {"machine": "z15", "mq_level": "9.2.0", "git_revision": "4e1f2ab"} | labels
    return runs.with_columns(pl.lit(v).alias(f"label_{name}") for name, v in all_labels.items())


def harness(run: pl.DataFrame, threads: int) -> dict[str, pl.DataFrame]:
    """Return what the driver of a run prints at the end: its total."""
    minute = pl.col("start").dt.epoch("s") // 60
    return {
        "bench_harness": run.select(
            record_no=pl.lit(1),
            harness=pl.lit("cph"),
            kind=pl.lit("total"),
            process_id=(65_536 + minute % 65_536).cast(pl.String),
            rate_per_second=pl.col("transactions") / pl.col("seconds"),
            iterations=pl.col("transactions"),
            seconds=pl.col("seconds"),
            threads=pl.lit(threads),
        )
    }


def noise_of(run: pl.DataFrame) -> np.random.Generator:
    """Return the random generator for a run's outputs, seeded by the run itself."""
    begin, varied = run.select("begin", "varied").row(0)
    return np.random.default_rng([begin.microsecond, begin.minute, round(varied * 1e12)])
