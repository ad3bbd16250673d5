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

from models_sim import effects, mixtures
from models_sim.effects import Term
from models_sim.family import Z90, Floats, Prediction
from models_sim.parameters import Parameters

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
_TIMES = ("transfer_time", "rate")
_BEST = ("best_transfer_time", "best_chunk_size")


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
    get = _of(p, transfer)
    link = VOLUME_MB * (get("link") + get("link_text") * f.text)
    link = link * (1.0 - get("link_large") * f.large)
    slower = get("open_md5") * f.md5 + get("open_text") * f.text - get("open_chunk") * f.steps
    opening = f.files * get("open") * np.exp(slower)
    power = get("power")
    return np.asarray((link**power + opening**power) ** (1.0 / power))


def bindings_time(f: Factors, p: Mapping[str, float]) -> Floats:
    """Seconds of a measurement in bindings mode, one transfer at a time, without effects."""
    get = _of(p, "single")
    aside = np.maximum(f.md5 * get("md5"), f.text * get("convert"))
    move = np.maximum(get("move") - get("move_large") * f.large, 0.0)
    each = get("open") + get("open_text") * f.text * (1.0 - f.md5)
    return np.asarray(VOLUME_MB * (move + aside) + f.files * each * f.size ** get("open_power"))


def multi_run_time(f: Factors, p: Mapping[str, float]) -> Floats:
    """Seconds of a run of ten transfers at once in bindings mode that does not stall."""
    get = _of(p, "multi")
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
    get = _of(p, prefix)
    per_mb = get("mb") + get("mb_md5") * f.md5 + get("mb_text") * f.text
    moving = VOLUME_MB * per_mb * (1.0 - get("mb_large") * f.large)
    opening = f.files * (get("file") + get("file_md5") * f.md5 + get("file_text") * f.text)
    return moving, opening


# --- the family ----------------------------------------------------------------------------


class Linux:
    """One way of connecting: `client` or `bindings`, single and multiple transfers."""

    def __init__(self, connection: str) -> None:
        self.connection = connection
        self.name = f"linux_{connection}"
        hosts = [m for m in HOSTS if connection == "client" or m != "AgentQ-CPU"]
        self.metrics: tuple[str, ...] = (*_TIMES, *hosts, *_BEST)
        self.excluded: frozenset[int] = frozenset()
        self.targets: Mapping[str, tuple[float, float]] = (
            {"Linux client single": (2.5, 6.0), "Linux client multi": (1.7, 3.3)}
            if connection == "client"
            else {"Linux bindings single": (4.0, 12.0)}
        )

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Rows of document 002, or between Linux machines, with all factors of their metric."""
        known = pl.all_horizontal(
            pl.col("md5").is_not_null(),
            pl.col("mode").is_in(["text", "binary"]),
            pl.col("file_size_mb") > 0,
            pl.col("transfer").is_in(["single", "multi"]),
            pl.col("metric").is_in(_BEST) | (pl.col("chunk_size") > 0),
        )
        linux = (pl.col("document") == "002") | (
            (pl.col("source") == "Linux") & (pl.col("target") == "Linux")
        )
        mine = (pl.col("connection") == self.connection) & pl.col("metric").is_in(self.metrics)
        return cells.select((linux & mine & known).fill_null(False)).to_series()

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """A row of a printed table; the tables of best times, which are never fitted, are one."""
        row = ["transfer", "md5", "mode", "file_size_mb", "chunk_size"]
        parts = [pl.col(name).cast(pl.String).fill_null("-") for name in row]
        return cells.select(
            pl.when(pl.col("metric").is_in(_BEST))
            .then(pl.lit("best"))
            .otherwise(pl.concat_str(parts, separator=" "))
        ).to_series()

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """Line of the report."""
        of = pl.lit(f"Linux {self.connection} ") + pl.col("transfer")
        return cells.select(
            pl.when(pl.col("metric").is_in(_TIMES)).then(of)
            .when(pl.col("metric").str.ends_with("CPU"))
            .then(pl.lit(f"Linux {self.connection} CPU"))
            .when(pl.col("metric") == "best_transfer_time")
            .then(pl.lit(f"Linux {self.connection} best time"))
            .otherwise(pl.lit(f"Linux {self.connection} best chunk"))
        ).to_series()  # fmt: skip

    # prediction

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """Median and band of each row."""
        value, low, high = (np.full(cells.height, np.nan) for _ in range(3))
        for transfer in ("single", "multi"):
            for metrics, predict in (
                (_TIMES, self._predict_times),
                (tuple(HOSTS), self._predict_cpu),
                (_BEST, self._predict_best),
            ):
                chosen = (cells["transfer"] == transfer) & cells["metric"].is_in(metrics)
                mine = chosen.to_numpy()
                if mine.any():
                    answer = predict(cells.filter(chosen), parameters, transfer)
                    value[mine], low[mine], high[mine] = answer
        sigma = np.log(np.maximum(high, 0.5) / np.maximum(low, 0.5)) / (2.0 * Z90)
        return Prediction(value, sigma, low, high)

    def _states(
        self, cells: pl.DataFrame, f: Factors, p: Parameters, transfer: str
    ) -> tuple[Floats, Floats, Floats]:
        """Median seconds (rows x states), their probabilities, and the log sd of each row."""
        sd = np.interp(
            np.log(f.size), np.log(SIZES), [p[f"{transfer} time sd @ {s} MB"] for s in SIZES]
        )
        if self.connection == "bindings" and transfer == "multi":
            levels = stall_levels(multi_run_time(f, p), p["multi stalled"])
            return levels, stall_weights(stall_classes(f), p), sd
        mean = run_time(self.connection, transfer, f, p)
        shift, _ = effects.apply(cells, f"{transfer} time", TERMS, p)
        return (mean * np.exp(shift))[:, None], np.ones((cells.height, 1)), sd

    def _predict_times(
        self, cells: pl.DataFrame, p: Parameters, transfer: str
    ) -> tuple[Floats, Floats, Floats]:
        median, weights, sd = self._states(cells, factors(cells), p, transfer)
        value, low, high = (mixtures.quantile(median, weights, sd, at) for at in (0.5, 0.1, 0.9))
        rate = (cells["metric"] == "rate").to_numpy()
        bits = VOLUME_MB * MEGABITS_PER_MB
        return (
            np.where(rate, bits / value, value),
            np.where(rate, bits / high, low),
            np.where(rate, bits / low, high),
        )

    def _predict_best(
        self, cells: pl.DataFrame, p: Parameters, transfer: str
    ) -> tuple[Floats, Floats, Floats]:
        """The fastest of the four measured chunk sizes, and which it is."""
        many = [cells.with_columns(pl.lit(c, pl.Int64).alias("chunk_size")) for c in CHUNKS]
        states = [self._states(rows, factors(rows), p, transfer) for rows in many]
        median, weights, sd = (np.stack(parts, axis=1) for parts in zip(*states, strict=True))
        time = [mixtures.smallest_quantile(median, weights, sd, at) for at in (0.5, 0.1, 0.9)]
        chance = mixtures.chance_of_smallest(median, weights, sd)
        chunks = np.array(CHUNKS, dtype=float)
        upto = np.cumsum(chance, axis=1)
        which = [
            chunks[np.argmax(chance, axis=1)],
            chunks[np.argmax(upto >= 0.1, axis=1)],
            chunks[np.argmax(upto >= 0.9, axis=1)],
        ]
        chunk = (cells["metric"] == "best_chunk_size").to_numpy()
        value, low, high = (np.where(chunk, w, t) for w, t in zip(which, time, strict=True))
        return value, low, high

    def _predict_cpu(
        self, cells: pl.DataFrame, p: Parameters, transfer: str
    ) -> tuple[Floats, Floats, Floats]:
        """Percent of a machine, in whole percents."""
        f = factors(cells)
        value, low, high = (np.zeros(cells.height) for _ in range(3))
        for metric, host in HOSTS.items():
            mine = (cells["metric"] == metric).to_numpy()
            if not mine.any():
                continue
            part = Factors(*(column[mine] for column in f))
            states, weights = self._cpu_states(part, p, transfer, host)
            sd = np.full(len(states), p[f"{transfer} {host} sd"])
            for target, at in ((value, 0.5), (low, 0.1), (high, 0.9)):
                target[mine] = np.rint(mixtures.quantile(states, weights, sd, at))
        return value, low, high

    def _cpu_states(
        self, f: Factors, p: Mapping[str, float], transfer: str, host: str
    ) -> tuple[Floats, Floats]:
        """Median percent (rows x states) and the probabilities of the states."""
        stalls = self.connection == "bindings" and transfer == "multi"
        if host == "coordinator":
            share = np.full(len(f.size), p[f"{transfer} coordinator percent"])
            opening = np.zeros_like(share)
        else:
            time = run_time(self.connection, transfer, f, p)
            moving, opening = cpu_seconds(f, p, f"{transfer} {host}")
            share = 100.0 * (moving + opening) / time
        if not stalls:
            return share[:, None], np.ones((len(share), 1))
        stalled = 100.0 * opening / p["multi stalled"]
        levels = stall_levels(share, np.maximum(stalled, 0.01))
        return levels, stall_weights(stall_classes(f), p)

    # calibration

    def fit(self, cells: pl.DataFrame, weights: Floats, start: Parameters) -> Parameters:
        """Fit to times and CPU; `best_*` rows and rows of weight 0 take no part."""
        from models_sim import linux_fit

        return linux_fit.fit(self.connection, cells.filter(pl.Series(weights > 0)))


def _of(p: Mapping[str, float], prefix: str) -> Callable[[str], float]:
    """Look parameters up by the second part of their names."""
    return lambda name: p[f"{prefix} {name}"]


CLIENT = Linux("client")
BINDINGS = Linux("bindings")
