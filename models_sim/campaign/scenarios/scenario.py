"""What a scenario is, and what scenarios of document 000 share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import polars as pl

__all__ = ["USUAL", "Outputs", "Scenario", "labelled"]

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


def _no_dumps(_: int) -> Mapping[str, list[bytes]]:
    return {}


@dataclass(frozen=True, slots=True)
class Scenario:
    """A campaign to simulate: what it is in a line, when it starts (UTC), and its runs.

    `outputs` gives, for the planned runs, the outputs of tools: by path their kind and rows, as
    models_sim.outputs.write_output takes them. `dumps` gives, for a seed, records of systems whose
    work is no run, by system.
    """

    name: str
    summary: str
    start: datetime
    runs: Callable[[np.random.Generator], pl.DataFrame]
    outputs: Callable[[pl.DataFrame], Outputs] = _no_outputs
    dumps: Callable[[int], Mapping[str, list[bytes]]] = _no_dumps


def labelled(runs: pl.DataFrame, **labels: str) -> pl.DataFrame:
    """The runs with labels: machine and MQ level of document 000 unless others are given."""
    all_labels = {"machine": "z15", "mq_level": "9.2.0", "git_revision": "4e1f2ab"} | labels
    return runs.with_columns(pl.lit(v).alias(f"label_{name}") for name, v in all_labels.items())
