"""The two families of transfers between Linux machines: client and bindings connections."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from models_sim.base import effects, notes
from models_sim.base.family import Z90, Floats, Prediction, covered
from models_sim.base.parameters import Parameters
from models_sim.models.linux import mixtures
from models_sim.models.linux.mechanism import (
    CHUNKS,
    HOSTS,
    MEGABITS_PER_MB,
    SIZES,
    TERMS,
    Factors,
    cpu_seconds,
    factors,
    multi_run_time,
    run_time,
    stall_classes,
    stall_levels,
    stall_weights,
)

_TIMES = ("transfer_time", "rate")
_BEST = ("best_transfer_time", "best_chunk_size")


_USED = frozenset(("md5", "mode", "file_size_mb", "transfer", "connection", "chunk_size", "metric"))
_MEASURED = (min(SIZES), max(SIZES))  # MB


def _outside(cells: pl.DataFrame) -> Floats:
    """Return the log sd of files and chunks that were not measured: 0.1 for each factor of e."""
    size, chunk = pl.col("file_size_mb").cast(pl.Float64), pl.col("chunk_size").cast(pl.Float64)
    far = [
        (column / column.clip(least, most)).log().abs().fill_null(0.0)
        for column, least, most in ((size, *_MEASURED), (chunk, min(CHUNKS), max(CHUNKS)))
    ]
    return 0.1 * cells.select(pl.sum_horizontal(far).alias("far")).to_series().to_numpy()


class Linux:
    """Transfers over one type of connection, `client` or `bindings`: single and multi."""

    def __init__(self, connection: str) -> None:
        self.connection = connection
        self.name = f"linux_{connection}"
        self.file = Path(__file__).with_name(f"{self.name}.toml")
        hosts = [m for m in HOSTS if connection == "client" or m != "AgentQ-CPU"]
        self.metrics: tuple[str, ...] = (*_TIMES, *hosts, *_BEST)
        self.excluded: frozenset[int] = frozenset()
        self.targets: Mapping[str, tuple[float, float]] = (
            {"Linux client single": (2.5, 6.0), "Linux client multi": (1.7, 3.3)}
            if connection == "client"
            else {"Linux bindings single": (3.0, 9.0)}
        )

    def mine(self) -> pl.Expr:
        """Rows of document 002, or between Linux machines, over this connection."""
        linux = (pl.col("document") == "002") | (
            (pl.col("source") == "Linux") & (pl.col("target") == "Linux")
        )
        other = "bindings" if self.connection == "client" else "client"
        ours = (pl.col("connection") != other).fill_null(value=True)
        return linux & ours & pl.col("metric").is_in(self.metrics)

    def needs(self) -> Mapping[str, pl.Expr]:
        """All factors of the metric."""
        return {
            "connection": pl.col("connection") == self.connection,
            "md5": pl.col("md5").is_not_null(),
            "mode": pl.col("mode").is_in(["text", "binary"]),
            "file_size_mb": pl.col("file_size_mb") > 0,
            "transfer": pl.col("transfer").is_in(["single", "multi"]),
            "chunk_size": pl.col("metric").is_in(_BEST) | (pl.col("chunk_size") > 0),
        }

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Rows of document 002, or between Linux machines, with all factors of their metric."""
        return covered(self, cells)

    def caution(self, cells: pl.DataFrame) -> pl.Expr:
        """Return what the figures do not take into account, or null."""
        size, chunk = pl.col("file_size_mb"), pl.col("chunk_size")
        best = pl.col("metric").is_in(_BEST)
        return notes.join(
            notes.ignored(cells, {"all": _USED}, {"source": ("Linux",), "target": ("Linux",)}),
            notes.when(
                ~best & ~chunk.is_between(min(CHUNKS), max(CHUNKS)),
                "chunks of 64 to 512 KB were measured",
            ),
            notes.when(best & chunk.is_not_null(), "not used: chunk_size"),
            notes.when(
                (pl.col("transfer") == "multi") & ~best & (self.connection == "bindings"),
                "transfers at once stall at random: the band holds runs that do",
            ),
            notes.when(~size.is_between(*_MEASURED), "files of 1 to 100 MB were measured"),
        )

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """A row of a printed table; the tables of best times are one group."""
        row = ["transfer", "md5", "mode", "file_size_mb", "chunk_size"]
        parts = [pl.col(name).cast(pl.String).fill_null("-") for name in row]
        return cells.select(
            pl.when(pl.col("metric").is_in(_BEST))
            .then(pl.lit("best"))
            .otherwise(pl.concat_str(parts, separator=" "))
        ).to_series()

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """The report line of each row."""
        line = pl.lit(f"Linux {self.connection} ") + pl.col("transfer")
        return cells.select(
            pl.when(pl.col("metric").is_in(_TIMES)).then(line)
            .when(pl.col("metric").str.ends_with("CPU"))
            .then(pl.lit(f"Linux {self.connection} CPU"))
            .when(pl.col("metric") == "best_transfer_time")
            .then(pl.lit(f"Linux {self.connection} best time"))
            .otherwise(pl.lit(f"Linux {self.connection} best chunk"))
        ).to_series()  # fmt: skip

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
        wider = np.exp(Z90 * _outside(cells))
        low, high = low / wider, high * wider
        sigma = np.log(np.maximum(high, 0.5) / np.maximum(low, 0.5)) / (2.0 * Z90)
        caution = cells.select(self.caution(cells).alias("caution")).to_series()
        return Prediction(value, sigma, low, high, caution=caution)

    def _states(
        self, cells: pl.DataFrame, f: Factors, p: Parameters, transfer: str
    ) -> tuple[Floats, Floats, Floats]:
        """Return median seconds (rows x states), their probabilities, and each row's log sd."""
        sd = np.interp(
            np.log(f.size), np.log(SIZES), [p[f"{transfer} time sd @ {s} MB"] for s in SIZES]
        )
        if self.connection == "bindings" and transfer == "multi":
            levels = stall_levels(multi_run_time(f, p), p["multi stalled"])
            return levels, stall_weights(stall_classes(f), p), sd
        mean = run_time(self.connection, transfer, f, p)
        shift, _ = effects.apply(cells, f"{transfer} time", TERMS[self.connection], p)
        return (mean * np.exp(shift))[:, None], np.ones((cells.height, 1)), sd

    def _predict_times(
        self, cells: pl.DataFrame, p: Parameters, transfer: str
    ) -> tuple[Floats, Floats, Floats]:
        f = factors(cells)
        median, weights, sd = self._states(cells, f, p, transfer)
        value, low, high = (mixtures.quantile(median, weights, sd, at) for at in (0.5, 0.1, 0.9))
        rate = (cells["metric"] == "rate").to_numpy()
        bits = f.volume * MEGABITS_PER_MB
        return (
            np.where(rate, bits / value, value),
            np.where(rate, bits / high, low),
            np.where(rate, bits / low, high),
        )

    def _predict_best(
        self, cells: pl.DataFrame, p: Parameters, transfer: str
    ) -> tuple[Floats, Floats, Floats]:
        """Return the shortest time of the four measured chunk sizes, or that chunk size."""
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
        """Return the CPU of a machine in whole percents."""
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
        """Return median percents (rows x states) and the probabilities of the states."""
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


CLIENT = Linux("client")
BINDINGS = Linux("bindings")
