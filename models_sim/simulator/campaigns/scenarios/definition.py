"""What a scenario is, and what scenarios of document 000 share."""

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
    """What systems did that is no run: the sysplex, its frames, and by system records of MQ."""

    site: Sysplex
    frames: Frames
    records: Mapping[str, list[bytes]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A campaign to simulate: what it is in a line, when it starts (UTC), and its runs.

    `outputs` gives, for one planned run, the outputs of tools: by name in the run's folder their
    kind and rows, as outputs.write_output takes them. `production` gives, for a seed,
    the work of systems that is no run.
    """

    name: str
    summary: str
    start: datetime
    runs: Callable[[np.random.Generator], pl.DataFrame]
    outputs: Callable[[pl.DataFrame], Outputs] = _no_outputs
    production: Callable[[int], Production] | None = None


def labelled(runs: pl.DataFrame, **labels: str) -> pl.DataFrame:
    """The runs with labels: machine and MQ level of document 000 unless others are given."""
    all_labels = {"machine": "z15", "mq_level": "9.2.0", "git_revision": "4e1f2ab"} | labels
    return runs.with_columns(pl.lit(v).alias(f"label_{name}") for name, v in all_labels.items())


def harness(run: pl.DataFrame, threads: int) -> dict[str, pl.DataFrame]:
    """What the driver of a run prints when it ends: its total."""
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
    """The noise of a run's outputs, which follows from what the run was given."""
    begin, varied = run.select("begin", "varied").row(0)
    return np.random.default_rng([begin.microsecond, begin.minute, round(varied * 1e12)])
