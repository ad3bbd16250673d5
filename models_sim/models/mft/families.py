"""Families of Managed File Transfer on z/OS: rate and CPU cost (document 000, Appendices C to E).

`mft_zos` covers Appendix C and, with more than one channel, Appendix E; `mft_wan` covers Appendix
D. Each is a mechanism (stages, wan) times a shrunken statistical correction by factor level
(base.effects). Rows of one configuration are left out together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from models_sim.base import effects
from models_sim.base.effects import Term
from models_sim.base.family import Floats, Prediction
from models_sim.base.parameters import Parameters
from models_sim.models.mft import stages, wan

_FOLDER = Path(__file__).parent

Mechanism = Callable[[Any, Mapping[str, float]], Floats]

#: The usual setting of each factor, which a null stands for.
USUAL = {
    "queue": "Private",
    "zhpf": "Y",
    "tls": "N",
    "ams": "N",
    "compmsg": "N",
    "p2wg": "Y",
    "mode": "binary",
}


@dataclass(frozen=True, slots=True)
class Model:
    """How one metric is modelled: mechanism, prefix of its parameters, and correction.

    `encode` turns cells into the input of `mechanism`.
    """

    metric: str
    prefix: str
    encode: Callable[[pl.DataFrame], Any]
    mechanism: Mechanism
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class TransferFamily:
    """A family of transfers; each of its metrics is a mechanism with a correction."""

    name: str
    file: Path
    models: tuple[Model, ...]
    row_factors: tuple[str, ...]
    targets: Mapping[str, tuple[float, float]]
    covered: Callable[[pl.DataFrame], pl.Series]
    line_of: Callable[[str, int], str]
    excluded: frozenset[int] = field(default=frozenset())

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that the family predicts."""
        return tuple(model.metric for model in self.models)

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Rows with this family's factors and metrics, and a file size."""
        sized = (cells["file_size_mb"] > 0).fill_null(value=False)
        return self.covered(cells) & sized & cells["metric"].is_in(self.metrics)

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """The configuration: a printed row, whatever its table, size and metric."""
        parts = [pl.col(name).cast(pl.String).fill_null("-") for name in self.row_factors]
        return prepared(cells).select(pl.concat_str(parts, separator=" ")).to_series()

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """The report line, by metric, number of channels and file size."""
        rows = prepared(cells).select("metric", "multi", "file_size_mb")
        names = [
            self.line_of(f"{metric}{' channels' if multi == 'Y' else ''}", size)
            for metric, multi, size in rows.iter_rows()
        ]
        return pl.Series("line", names, dtype=pl.String)

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """Predict the mechanism times the correction."""
        value, sigma = np.full(cells.height, np.nan), np.full(cells.height, np.nan)
        for model in self.models:
            mine = (cells["metric"] == model.metric).to_numpy()
            if mine.any():
                rows = prepared(cells.filter(mine))
                value[mine], sigma[mine] = _predict(rows, model, parameters)
        return Prediction(value, sigma)


def prepared(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the usual settings filled in, and the factors `multi` and `jit`."""
    filled = cells.with_columns(
        *(pl.col(name).fill_null(usual) for name, usual in USUAL.items()),
        pl.col("channels").fill_null(1),
        pl.col("batchint").fill_null(0),
        pl.col("loss_pct").fill_null(0.0),
    )
    to_linux = (pl.col("mode") == "text") & (pl.col("target") == "xLinux")
    fast = pl.Series("fast", stages.jit_is_fast(filled))
    return filled.with_columns(
        pl.when(pl.col("channels") > 1).then(pl.lit("Y")).otherwise(pl.lit("N")).alias("multi"),
        pl.when(~to_linux.fill_null(value=False))
        .then(pl.lit("-"))
        .when(fast)
        .then(pl.lit("fast"))
        .otherwise(pl.lit("slow"))
        .alias("jit"),
    )


def noise_of(rows: pl.DataFrame, model: Model, p: Mapping[str, float]) -> Floats:
    """Return the log sd of a single figure; 1 MB files scatter more (anomaly 13)."""
    small = rows["file_size_mb"].to_numpy() < 3  # nearer to 1 MB than to 10 MB
    return np.where(small, p[f"{model.prefix}_sd_noise_1mb"], p[f"{model.prefix}_sd_noise"])


def _predict(rows: pl.DataFrame, model: Model, p: Parameters) -> tuple[Floats, Floats]:
    correction, known = effects.apply(rows, model.prefix, model.terms, p)
    variance = noise_of(rows, model, p) ** 2 + p[f"{model.prefix}_sd_session"] ** 2
    for term in model.terms:
        sd = p[f"{model.prefix}_sd_{term.name}"]
        unseen = p.get(f"{model.prefix}_unseen_{term.name}", sd)  # the mechanism's own error there
        variance = variance + (1.0 - known[term.name]) * unseen**2
    return model.mechanism(model.encode(rows), p) * np.exp(correction), np.sqrt(variance)


# --- Appendices C and E ----------------------------------------------------------------------


def _on_lan(cells: pl.DataFrame) -> pl.Series:
    known = pl.all_horizontal(
        pl.col("document") == "000",
        pl.col("protocol").is_null(),
        pl.col("source").is_in(list(stages.ENDS)),
        pl.col("target").is_in(list(stages.ENDS)),
        (pl.col("source") != "xLinux") | (pl.col("target") != "xLinux"),
        pl.col("network").is_in(list(stages.NETWORKS)),
        pl.col("mode").fill_null("binary").is_in(["binary", "text"]),
        pl.col("queue").fill_null("Private").is_in(["Private", *stages.QUEUES]),
        pl.col("tls").fill_null("N").is_in(["N", *stages.TLS]),
        pl.col("ams").fill_null("N").is_in(["N", *stages.AMS]),
        pl.col("compmsg").fill_null("N").is_in(["N", *stages.COMPRESSIONS]),
    )
    return cells.select(known.fill_null(value=False)).to_series()


def _lan_line(metric: str, size: int) -> str:
    small = "cost, 1 MB" if metric == "cost_per_GB" and size < 3 else ""
    names = {
        "rate": "z/OS rate",
        "cost_per_GB": "z/OS cost",
        "rate channels": "channels 2-4 rate",
        "cost_per_GB channels": "channels 2-4 cost",
    }
    return f"z/OS {small}" if small else names[metric]


_SAME_ENDS = ("source", "target", "mode", "jit")
_OPTIONS = ("zhpf", "tls", "ams", "compmsg")

MFT_ZOS = TransferFamily(
    name="mft_zos",
    file=_FOLDER / "mft_zos.toml",
    models=(
        Model(
            "rate",
            "rate",
            stages.encode,
            stages.rate,
            (
                Term("path", (*_SAME_ENDS, "network"), 0.3),
                Term("ends", _SAME_ENDS, 0.3),
                Term("options", ("tls", "ams", "compmsg"), 0.3),
                Term("channels", ("source", "target", "multi"), 0.3),
            ),
        ),
        Model(
            "cost_per_GB",
            "cost",
            stages.encode,
            stages.cost,
            (
                Term("path", (*_SAME_ENDS, "network"), 0.3),
                Term("ends", _SAME_ENDS, 0.3),
                Term("queues", ("target", "queue", "p2wg"), 0.7),
                Term("options", ("tls", "ams", "compmsg"), 0.7),
                Term("channels", ("source", "target", "multi"), 0.5),
            ),
        ),
    ),
    row_factors=(
        *("source", "target", "network", "queue", "zhpf", "tls", "ams", "compmsg", "p2wg"),
        *("batchint", "mode", "channels"),
    ),
    targets={
        "z/OS rate": (2.5, 8.0),
        "z/OS cost": (6.0, 14.0),
        "z/OS cost, 1 MB": (10.0, 20.0),
        "channels 2-4 rate": (2.0, 5.0),
        "channels 2-4 cost": (4.0, 10.0),
    },
    covered=_on_lan,
    line_of=_lan_line,
)


# --- Appendix D ------------------------------------------------------------------------------


def _over_distance(cells: pl.DataFrame) -> pl.Series:
    known = pl.all_horizontal(
        pl.col("document") == "000",
        pl.col("protocol").is_in(["TCP", "FASP"]),
        pl.col("latency_km") >= 0,
        pl.col("loss_pct").fill_null(0.0).is_between(0.0, 100.0),
    )
    return cells.select(known.fill_null(value=False)).to_series()


def _wan_line(metric: str, _: int) -> str:
    return "latency and loss rate" if metric.startswith("rate") else "latency and loss cost"


MFT_WAN = TransferFamily(
    name="mft_wan",
    file=_FOLDER / "mft_wan.toml",
    models=(
        Model("rate", "rate", wan.encode, wan.rate, (Term("protocol", ("protocol",), 0.2),)),
        Model(
            "cost_per_GB",
            "cost",
            wan.encode,
            wan.cost,
            (Term("protocol", ("protocol",), 0.2),),
        ),
    ),
    row_factors=("protocol", "latency_km", "loss_pct"),
    targets={"latency and loss rate": (6.0, 15.0), "latency and loss cost": (3.0, 10.0)},
    covered=_over_distance,
    line_of=_wan_line,
)
