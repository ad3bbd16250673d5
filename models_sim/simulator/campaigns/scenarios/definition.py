"""The definition of a scenario, and what the scenarios share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
import polars as pl

from models_sim.simulator.outputs import tools
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import Sysplex

__all__ = ["USUAL", "Outputs", "Production", "Scenario", "harness", "noise_of", "with_labels"]

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


#: The outputs of tools for a run, by name.
Outputs = Mapping[str, bytes]


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

    `outputs` returns the outputs of tools for one planned run, by name in the run's folder.
    `production` returns, for a seed, the work of systems that is not a run; `truth`, for a seed,
    what TRUTH.json says of the changes in the runs.
    """

    name: str
    summary: str
    start: datetime
    runs: Callable[[np.random.Generator], pl.DataFrame]
    outputs: Callable[[pl.DataFrame], Outputs] = _no_outputs
    production: Callable[[int], Production] | None = None
    truth: Callable[[int], str] | None = None


def with_labels(runs: pl.DataFrame, **labels: str) -> pl.DataFrame:
    """Return the runs with labels: document 000's machine and MQ level unless others are given."""
    all_labels = {"machine": "z15", "mq_level": "9.2.0", "git_revision": "4e1f2ab"} | labels
    return runs.with_columns(pl.lit(v).alias(f"label_{name}") for name, v in all_labels.items())


def harness(run: pl.DataFrame) -> bytes:
    """Return what the driver of a run prints at the end: its total."""
    start, transactions, seconds = run.select("start", "transactions", "seconds").row(0)
    minute = int((start - datetime(1970, 1, 1)).total_seconds()) // 60
    return tools.cph_total(65_536 + minute % 65_536, transactions, seconds)


def noise_of(run: pl.DataFrame) -> np.random.Generator:
    """Return the random generator for a run's outputs, seeded by the run itself."""
    begin, varied = run.select("begin", "varied").row(0)
    return np.random.default_rng([begin.microsecond, begin.minute, round(varied * 1e12)])
