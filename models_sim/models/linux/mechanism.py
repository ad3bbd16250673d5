"""Managed File Transfer between Linux machines (document 002, IBM MQ 9.0.5).

A measurement moves 2048 MB in files of one size, one transfer at a time (single) or ten at once
(multi). The agents connect to their queue manager as clients over the network or in bindings mode.

Client. All data pass through one queue manager on a third machine, so the network limits the rate;
opening and closing files takes the agents' time. The two overlap (p-norm):

    time = ((MB * link)^p + (files * open)^p)^(1/p)

Bindings, single. The agents wait for each other after every window, so nothing overlaps. Conversion
of text (receiver) and MD5 (both ends) run on their own threads, and the slower of the two counts.
Closing a file takes longer the more data wait to be written, but less than proportionally:

    time = MB * (move + max(md5, convert)) + files * open * size^q

Bindings, multi. Ten transfers share four CPUs (speed-up) until the disk is the limit. Some runs
stall: the printed times fall into levels a fixed step apart, and the CPU drops by a quarter at each
level. Both facts follow if a printed figure is the mean of four runs, k of which stalled, and a
stalled run takes about 88 s and uses CPU only for opening files:

    time = ((4 - k) * run + k * stalled) / 4,      k = 0..4 at random

So a prediction is the median of a mixture over k, and its band is wide by nature (anomaly 38:
states are kept apart, never averaged, and no row is left out). The number of runs and the stall are
inferred from the figures; the document mentions neither.

CPU. A machine spends CPU seconds per MB and per file. The printed percentage is their share of the
machine's elapsed time, rounded to whole percents; so are the predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.base.effects import Term
from models_sim.base.family import Floats

VOLUME_MB = 2048.0  # of one measurement: rate times time, anomaly 32
MEGABITS_PER_MB = 8.0
CHUNKS = (65536, 131072, 262144, 524288)  # bytes, section 2
RUNS = 4  # per printed figure in bindings mode, inferred from the levels
SIZES = (1, 10, 100)  # MB, section 2
HOSTS = {
    "Agent1-CPU": "agent1",
    "Agent2-CPU": "agent2",
    "AgentQ-CPU": "agentq",
    "Coord-CPU": "coordinator",
}
#: Effects on what the mechanism leaves, by connection. In bindings mode the sizes of one printed
#: table share most of it: they were one session.
TERMS = {
    "client": (
        Term("md5", ("md5",), 0.0),
        Term("mode", ("mode",), 0.0),
        Term("md5 chunk", ("md5", "chunk_size"), 1.0),
    ),
    "bindings": (Term("table", ("md5", "mode", "chunk_size"), 1.0),),
}


class Factors(NamedTuple):
    """Factors of measurements, as arrays of one shape: MB, bytes, and 0/1 for MD5 and text."""

    size: Floats
    chunk: Floats
    md5: Floats
    text: Floats

    @property
    def volume(self) -> Floats:
        """MB per measurement: the document's 2048 MB, or one larger file."""
        return np.maximum(self.size, VOLUME_MB)

    @property
    def files(self) -> Floats:
        """Files per measurement."""
        return self.volume / self.size

    @property
    def large(self) -> Floats:
        """0 up to chunks of 256 KB, 1 from 512 KB: the gain comes with the last doubling."""
        return np.clip(np.log2(self.chunk / 262144.0), 0.0, 1.0)

    @property
    def steps(self) -> Floats:
        """Doublings of the chunk size from 64 KB, as a share of the three measured."""
        return np.clip(np.log2(self.chunk / 65536.0) / 3.0, 0.0, 1.0)


def factors(cells: pl.DataFrame) -> Factors:
    """Return the factors of rows; NaN if one is missing."""
    return Factors(
        cells["file_size_mb"].cast(pl.Float64).to_numpy(),
        cells["chunk_size"].cast(pl.Float64).to_numpy(),
        (cells["md5"] == "Y").cast(pl.Float64).to_numpy(),
        (cells["mode"] == "text").cast(pl.Float64).to_numpy(),
    )


# --- elapsed time --------------------------------------------------------------------------


def client_time(f: Factors, p: Mapping[str, float], transfer: str) -> Floats:
    """Return the seconds of a measurement over client connections, without effects."""
    get = lookup(p, transfer)
    link = f.volume * (get("link") + get("link_text") * f.text)
    link = link * (1.0 - get("link_large") * f.large)
    slower = get("open_md5") * f.md5 + get("open_text") * f.text - get("open_chunk") * f.steps
    opening = f.files * get("open") * np.exp(slower)
    power = get("power")
    return np.asarray((link**power + opening**power) ** (1.0 / power))


def bindings_time(f: Factors, p: Mapping[str, float]) -> Floats:
    """Return the seconds of a single measurement in bindings mode, without effects."""
    get = lookup(p, "single")
    aside = np.maximum(f.md5 * get("md5"), f.text * get("convert"))
    move = np.maximum(get("move") - get("move_large") * f.large, 0.0)
    each = get("open") + get("open_text") * f.text * (1.0 - f.md5)
    return np.asarray(f.volume * (move + aside) + f.files * each * f.size ** get("open_power"))


def multi_run_time(f: Factors, p: Mapping[str, float]) -> Floats:
    """Return the seconds of a multi run in bindings mode that does not stall."""
    get = lookup(p, "multi")
    power = get("power")
    agents = bindings_time(f, p) / get("speed_up")
    disk = get("disk") * f.volume / VOLUME_MB
    return np.asarray((agents**power + disk**power) ** (1.0 / power))


def run_time(connection: str, transfer: str, f: Factors, p: Mapping[str, float]) -> Floats:
    """Return the seconds of a measurement that does not stall, without effects."""
    if connection == "client":
        return client_time(f, p, transfer)
    return bindings_time(f, p) if transfer == "single" else multi_run_time(f, p)


def stall_levels(run: Floats, stalled: Floats | float) -> Floats:
    """Return the means of four runs of which 0..4 stalled: rows x 5."""
    k = np.arange(RUNS + 1.0)
    return ((RUNS - k) * run[:, None] + k * np.broadcast_to(stalled, run.shape)[:, None]) / RUNS


def stall_classes(f: Factors) -> NDArray[np.str_]:
    """Return the class that decides how likely a stall is: the mode, or with MD5 the file size."""
    nearest = np.argmin(np.abs(np.log(f.size[:, None] / np.array(SIZES))), axis=1)
    md5 = np.array([f"md5 {size}" for size in SIZES])[nearest]
    return np.where(f.md5 > 0, md5, np.where(f.text > 0, "text", "binary"))


def stall_weights(classes: NDArray[np.str_], p: Mapping[str, float]) -> Floats:
    """Return the probabilities of 0..4 stalled runs: rows x 5."""
    names, which = np.unique(classes, return_inverse=True)
    table = np.array(
        [[p[f"multi stalled {k} of 4: {name}"] for k in range(RUNS + 1)] for name in names]
    )
    return table[which]


# --- CPU -----------------------------------------------------------------------------------


def cpu_seconds(f: Factors, p: Mapping[str, float], prefix: str) -> tuple[Floats, Floats]:
    """Return the CPU seconds that a machine spends on moving the volume, and on its files."""
    get = lookup(p, prefix)
    per_mb = get("mb") + get("mb_md5") * f.md5 + get("mb_text") * f.text
    moving = f.volume * per_mb * (1.0 - get("mb_large") * f.large)
    opening = f.files * (get("file") + get("file_md5") * f.md5 + get("file_text") * f.text)
    return moving, opening


def lookup(p: Mapping[str, float], prefix: str) -> Callable[[str], float]:
    """Return a lookup of the parameters whose names begin with `prefix`."""
    return lambda name: p[f"{prefix} {name}"]
