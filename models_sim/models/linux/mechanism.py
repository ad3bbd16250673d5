"""Managed File Transfer between Linux machines (document 002, IBM MQ 9.0.5).

A measurement moves 2048 MB in files of one size, one transfer at a time (single) or ten at once
(multi); the agents reach their queue manager as clients over the network or in bindings mode.

Client. All data pass one queue manager on a third machine, so the network bounds the rate; opening
and closing files takes time of the agents. The two overlap (p-norm):

    time = ((MB * link)^p + (files * open)^p)^(1/p)

Bindings, single. The agents wait for each other window by window, so nothing overlaps. Conversion
of text (receiver) and MD5 (both ends) run on threads of their own: the slower of the two counts.
Closing a file takes longer the more of it waits to be written, less than in proportion:

    time = MB * (move + max(md5, convert)) + files * open * size^q

Bindings, multi. Ten transfers share four CPUs (speed-up) until the disk is the bound. Some runs
stall: the printed times fall into levels a fixed step apart, and at each level the CPU is down by
the same quarter. Both follow when a printed figure is the mean of four runs, k of which stalled,
a stalled run taking about 88 s with no CPU but for opening files:

    time = ((4 - k) * run + k * stalled) / 4,      k = 0..4 at random

So a prediction is the median of a mixture over k, and its band is wide by nature (anomaly 38:
the states are told apart, never averaged; no row is left out). The number of runs and the stall
are an inference from the figures; the document speaks of neither.

CPU. A machine spends CPU seconds per MB and per file; the printed percentage is their share of the
elapsed time of the machine, rounded to whole percents, as are the predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from models_sim.base.effects import Term
from models_sim.base.family import Floats

VOLUME_MB = 2048.0  # of one measurement: rate times time, anomaly 32
MEGABITS_PER_MB = 8.0
CHUNKS = (65536, 131072, 262144, 524288)  # bytes, section 2
RUNS = 4  # behind one printed figure in bindings mode, inferred from the levels
SIZES = (1, 10, 100)  # MB, section 2
HOSTS = {
    "Agent1-CPU": "agent1",
    "Agent2-CPU": "agent2",
    "AgentQ-CPU": "agentq",
    "Coord-CPU": "coordinator",
}
TERMS = (
    Term("md5", ("md5",), 0.0),
    Term("mode", ("mode",), 0.0),
    Term("md5 chunk", ("md5", "chunk_size"), 1.0),
)


class Factors(NamedTuple):
    """Factors of measurements, arrays of one shape: MB, bytes, and 0/1 for MD5 and text."""

    size: Floats
    chunk: Floats
    md5: Floats
    text: Floats

    @property
    def files(self) -> Floats:
        """Files in one measurement."""
        return VOLUME_MB / self.size

    @property
    def large(self) -> Floats:
        """0 up to 256 KB chunks, 1 from 512 KB: what is gained comes with the last doubling."""
        return np.clip(np.log2(self.chunk / 262144.0), 0.0, 1.0)

    @property
    def steps(self) -> Floats:
        """Doublings of the chunk from 64 KB, as a share of the three measured."""
        return np.clip(np.log2(self.chunk / 65536.0) / 3.0, 0.0, 1.0)


def factors(cells: pl.DataFrame) -> Factors:
    """The factors of rows; NaN where one is missing."""
    return Factors(
        cells["file_size_mb"].cast(pl.Float64).to_numpy(),
        cells["chunk_size"].cast(pl.Float64).to_numpy(),
        (cells["md5"] == "Y").cast(pl.Float64).to_numpy(),
        (cells["mode"] == "text").cast(pl.Float64).to_numpy(),
    )


# --- elapsed time --------------------------------------------------------------------------


def client_time(f: Factors, p: Mapping[str, float], transfer: str) -> Floats:
    """Seconds of a measurement over client connections, without effects."""
    get = prefixed(p, transfer)
    link = VOLUME_MB * (get("link") + get("link_text") * f.text)
    link = link * (1.0 - get("link_large") * f.large)
    slower = get("open_md5") * f.md5 + get("open_text") * f.text - get("open_chunk") * f.steps
    opening = f.files * get("open") * np.exp(slower)
    power = get("power")
    return np.asarray((link**power + opening**power) ** (1.0 / power))


def bindings_time(f: Factors, p: Mapping[str, float]) -> Floats:
    """Seconds of a measurement in bindings mode, one transfer at a time, without effects."""
    get = prefixed(p, "single")
    aside = np.maximum(f.md5 * get("md5"), f.text * get("convert"))
    move = np.maximum(get("move") - get("move_large") * f.large, 0.0)
    each = get("open") + get("open_text") * f.text * (1.0 - f.md5)
    return np.asarray(VOLUME_MB * (move + aside) + f.files * each * f.size ** get("open_power"))


def multi_run_time(f: Factors, p: Mapping[str, float]) -> Floats:
    """Seconds of a run of ten transfers at once in bindings mode that does not stall."""
    get = prefixed(p, "multi")
    power = get("power")
    agents = bindings_time(f, p) / get("speed_up")
    return np.asarray((agents**power + get("disk") ** power) ** (1.0 / power))


def run_time(connection: str, transfer: str, f: Factors, p: Mapping[str, float]) -> Floats:
    """Seconds of a measurement that does not stall, without effects."""
    if connection == "client":
        return client_time(f, p, transfer)
    return bindings_time(f, p) if transfer == "single" else multi_run_time(f, p)


def stall_levels(run: Floats, stalled: Floats | float) -> Floats:
    """Means of four runs of which 0..4 stalled: rows x 5."""
    k = np.arange(RUNS + 1.0)
    return ((RUNS - k) * run[:, None] + k * np.broadcast_to(stalled, run.shape)[:, None]) / RUNS


def stall_classes(f: Factors) -> list[str]:
    """What the chance to stall depends on: the mode without MD5, the file size with it."""
    nearest = np.argmin(np.abs(np.log(f.size[:, None] / np.array(SIZES))), axis=1)
    return [
        f"md5 {SIZES[i]}" if md5 else ("text" if text else "binary")
        for i, md5, text in zip(nearest, f.md5, f.text, strict=True)
    ]


def stall_weights(classes: list[str], p: Mapping[str, float]) -> Floats:
    """Probabilities of 0..4 stalled runs: rows x 5."""
    names = sorted(set(classes))
    table = np.array(
        [[p[f"multi stalled {k} of 4: {name}"] for k in range(RUNS + 1)] for name in names]
    )
    return table[[names.index(name) for name in classes]]


# --- CPU -----------------------------------------------------------------------------------


def cpu_seconds(f: Factors, p: Mapping[str, float], prefix: str) -> tuple[Floats, Floats]:
    """CPU seconds of a machine for moving the volume, and for its files."""
    get = prefixed(p, prefix)
    per_mb = get("mb") + get("mb_md5") * f.md5 + get("mb_text") * f.text
    moving = VOLUME_MB * per_mb * (1.0 - get("mb_large") * f.large)
    opening = f.files * (get("file") + get("file_md5") * f.md5 + get("file_text") * f.text)
    return moving, opening


def prefixed(p: Mapping[str, float], prefix: str) -> Callable[[str], float]:
    """Look parameters up by the second part of their names."""
    return lambda name: p[f"{prefix} {name}"]
