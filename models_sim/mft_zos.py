"""Families of Managed File Transfer on z/OS: rate and CPU cost (document 000, Appendices C to E).

`mft_zos` covers Appendix C and, with more than one channel, Appendix E; `mft_wan` Appendix D. Each
is a mechanism (models_sim.mft_stages, models_sim.mft_wan) times a shrunken statistical correction
by factor level (models_sim.effects). Rows of one configuration are left out together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim import effects, mft_stages, mft_wan
from models_sim.effects import Term
from models_sim.family import Floats, Prediction
from models_sim.parameters import Parameter, Parameters

Mechanism = Callable[[Any, Mapping[str, float]], Floats]

#: The factors of one printed row; a null means the usual setting.
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
    """How one metric is modelled: mechanism, its parameters' prefix, and correction.

    `encode` turns cells into what `mechanism` computes with.
    """

    metric: str
    prefix: str
    encode: Callable[[pl.DataFrame], Any]
    mechanism: Mechanism
    terms: tuple[Term, ...]

    def owns(self, name: str) -> bool:
        """Whether a parameter of the mechanism is fitted to this metric."""
        return name.startswith(("cpu_", "cost_")) == (self.prefix == "cost")


@dataclass(frozen=True, slots=True)
class TransferFamily:
    """A family of transfers whose metrics are each a mechanism with a correction."""

    name: str
    models: tuple[Model, ...]
    row_factors: tuple[str, ...]
    fitted: str
    targets: Mapping[str, tuple[float, float]]
    covered: Callable[[pl.DataFrame], pl.Series]
    line_of: Callable[[str, int], str]
    claims: Callable[[pl.DataFrame, Mapping[str, float], str], Floats]
    excluded: frozenset[int] = field(default=frozenset())

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that the family predicts."""
        return tuple(model.metric for model in self.models)

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Which rows have this family's factors and metrics, and a file size."""
        sized = (cells["file_size_mb"] > 0).fill_null(value=False)
        return self.covered(cells) & sized & cells["metric"].is_in(self.metrics)

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """The configuration: the printed row, whatever its table, size and metric."""
        parts = [pl.col(name).cast(pl.String).fill_null("-") for name in self.row_factors]
        return prepared(cells).select(pl.concat_str(parts, separator=" ")).to_series()

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """The report's line: by metric, number of channels and file size."""
        rows = prepared(cells).select("metric", "multi", "file_size_mb")
        names = [
            self.line_of(f"{metric}{' channels' if multi == 'Y' else ''}", size)
            for metric, multi, size in rows.iter_rows()
        ]
        return pl.Series("line", names, dtype=pl.String)

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """Mechanism times correction."""
        value, sigma = np.full(cells.height, np.nan), np.full(cells.height, np.nan)
        for model in self.models:
            mine = (cells["metric"] == model.metric).to_numpy()
            if mine.any():
                rows = prepared(cells.filter(mine))
                value[mine], sigma[mine] = _predict(rows, model, parameters)
        return Prediction(value, sigma)

    def fit(self, cells: pl.DataFrame, weights: Floats, start: Parameters) -> Parameters:
        """Mechanism first, then the correction of what it leaves; metric by metric."""
        from models_sim.fitting import search

        fitted = start
        rows = prepared(cells)
        for model in self.models:
            mine = (cells["metric"] == model.metric).to_numpy() & (weights > 0)
            mine &= ~_other_jit(rows)
            data, weight = rows.filter(mine), np.sqrt(weights[mine])
            measured = np.log(data["value"].to_numpy())
            encoded, noise = model.encode(data), _noise(data, model, start) / weight
            names = [name for name in start.searched() if model.owns(name)]

            def residuals(
                p: dict[str, float],
                model: Model = model,
                encoded: Any = encoded,
                data: pl.DataFrame = data,
                scaled: tuple[Floats, Floats] = (measured, noise),
            ) -> Floats:
                error = (np.log(model.mechanism(encoded, p)) - scaled[0]) / scaled[1]
                return np.concatenate([error, self.claims(data, p, model.metric)])

            fitted = search(residuals, names, fitted)
            fitted = fitted.merged(self._correction(data, model, fitted))
        return fitted

    def _correction(
        self, rows: pl.DataFrame, model: Model, parameters: Parameters
    ) -> Sequence[Parameter]:
        residual = np.log(
            rows["value"].to_numpy() / model.mechanism(model.encode(rows), parameters)
        )
        sds = {term.name: parameters[f"{model.prefix}_sd_{term.name}"] for term in model.terms}
        found = effects.fit(
            rows,
            residual,
            _noise(rows, model, parameters),
            model.terms,
            sds,
            parameters[f"{model.prefix}_sd_session"],
            self.groups(rows).to_list(),
        )
        return effects.as_parameters(model.prefix, found, self.fitted)


def prepared(cells: pl.DataFrame) -> pl.DataFrame:
    """The rows with usual settings filled in, and the factors `multi`, `jit` and `short`."""
    filled = cells.with_columns(
        *(pl.col(name).fill_null(usual) for name, usual in USUAL.items()),
        pl.col("channels").fill_null(1),
        pl.col("batchint").fill_null(0),
        pl.col("loss_pct").fill_null(0.0),
    )
    to_linux = (pl.col("mode") == "text") & (pl.col("target") == "xLinux")
    fast = pl.Series("fast", mft_stages.jit_is_fast(filled))
    return filled.with_columns(
        pl.when(pl.col("channels") > 1).then(pl.lit("Y")).otherwise(pl.lit("N")).alias("multi"),
        pl.when(~to_linux.fill_null(value=False))
        .then(pl.lit("-"))
        .when(fast)
        .then(pl.lit("fast"))
        .otherwise(pl.lit("slow"))
        .alias("jit"),
    )


def _other_jit(rows: pl.DataFrame) -> NDArray[np.bool_]:
    """Text to xLinux without zHPF: the JIT state changed too, so it tells nothing (anomaly 3)."""
    return ((rows["jit"] != "-") & (rows["zhpf"] == "N")).to_numpy()


def _noise(rows: pl.DataFrame, model: Model, p: Mapping[str, float]) -> Floats:
    """Standard deviation of the logarithm of one figure; 1 MB files scatter more (anomaly 13)."""
    small = rows["file_size_mb"].to_numpy() < 3  # nearer to 1 MB than to 10 MB
    return np.where(small, p[f"{model.prefix}_sd_noise_1mb"], p[f"{model.prefix}_sd_noise"])


def _predict(rows: pl.DataFrame, model: Model, p: Parameters) -> tuple[Floats, Floats]:
    correction, known = effects.apply(rows, model.prefix, model.terms, p)
    variance = _noise(rows, model, p) ** 2 + p[f"{model.prefix}_sd_session"] ** 2
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
        pl.col("source").is_in(list(mft_stages.ENDS)),
        pl.col("target").is_in(list(mft_stages.ENDS)),
        (pl.col("source") != "xLinux") | (pl.col("target") != "xLinux"),
        pl.col("network").is_in(list(mft_stages.NETWORKS)),
        pl.col("mode").fill_null("binary").is_in(["binary", "text"]),
        pl.col("queue").fill_null("Private").is_in(["Private", *mft_stages.QUEUES]),
        pl.col("tls").fill_null("N").is_in(["N", *mft_stages.TLS]),
        pl.col("ams").fill_null("N").is_in(["N", *mft_stages.AMS]),
        pl.col("compmsg").fill_null("N").is_in(["N", *mft_stages.COMPRESSIONS]),
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


_UP_TO = 220.0  # MB/s: document 000, section 5 (claim 32), USS files to xLinux over 10 Gb


_PEAK_ROWS = mft_stages.encode(
    pl.DataFrame(
        {
            "source": "USS",
            "target": "xLinux",
            "network": "10Gb",
            "mode": "binary",
            "file_size_mb": [100, 1024],
            **dict.fromkeys(("queue", "zhpf", "tls", "ams", "compmsg", "p2wg"), "usual"),
        }
    )
)


def _peak_claim(_: pl.DataFrame, p: Mapping[str, float], metric: str) -> Floats:
    """The peak that the prose gives for a path, against the mechanism; a noise of 3 %."""
    if metric != "rate":
        return np.empty(0)
    return np.array([np.log(mft_stages.rate(_PEAK_ROWS, p).max() / _UP_TO) / 0.03])


_SAME_ENDS = ("source", "target", "mode", "jit")
_OPTIONS = ("zhpf", "tls", "ams", "compmsg")

MFT_ZOS = TransferFamily(
    name="mft_zos",
    models=(
        Model(
            "rate",
            "rate",
            mft_stages.encode,
            mft_stages.rate,
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
            mft_stages.encode,
            mft_stages.cost,
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
    fitted="document 000, Appendices C and E: C-bin-*, C-txt-*, E-*",
    targets={
        "z/OS rate": (2.5, 8.0),
        "z/OS cost": (6.0, 14.0),
        "z/OS cost, 1 MB": (10.0, 20.0),
        "channels 2-4 rate": (2.0, 5.0),
        "channels 2-4 cost": (4.0, 10.0),
    },
    covered=_on_lan,
    line_of=_lan_line,
    claims=_peak_claim,
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


def _ratio_rows(km: int, loss: float) -> mft_wan.Rows:
    pair = [(name, size) for name in ("FASP", "TCP") for size in (10, 100, 1024)]
    return mft_wan.encode(
        pl.DataFrame(pair, schema=["protocol", "file_size_mb"], orient="row").with_columns(
            latency_km=pl.lit(km), loss_pct=pl.lit(loss)
        )
    )


#: The row that a claim is set against, where it was measured, and the greatest ratio of FASP over
#: TCP: claims 45 and 46.
_RATIOS = (
    ("FASP", 5000, _ratio_rows(5000, 0.0), 1.8),
    ("TCP", 8000, _ratio_rows(8000, 0.1), 7.0),
)


def _ratio_claims(rows: pl.DataFrame, p: Mapping[str, float], metric: str) -> Floats:
    """What the prose says of FASP over TCP, against the mechanism; a noise of 5 %.

    A claim counts only where the row that it is set against is among the fitted ones, so that in
    cross-validation it tells nothing of a row left out.
    """
    if metric != "rate":
        return np.empty(0)
    fitted = set(zip(rows["protocol"], rows["latency_km"], strict=True))
    errors = []
    for protocol, km, pair, ratio in _RATIOS:
        if (protocol, km) in fitted:
            fasp, tcp = mft_wan.rate(pair, p).reshape(2, 3)
            errors.append(np.log((fasp / tcp).max() / ratio) / 0.05)
    return np.array(errors)


MFT_WAN = TransferFamily(
    name="mft_wan",
    models=(
        Model(
            "rate", "rate", mft_wan.encode, mft_wan.rate, (Term("protocol", ("protocol",), 0.2),)
        ),
        Model(
            "cost_per_GB",
            "cost",
            mft_wan.encode,
            mft_wan.cost,
            (Term("protocol", ("protocol",), 0.2),),
        ),
    ),
    row_factors=("protocol", "latency_km", "loss_pct"),
    fitted="document 000, Appendix D: D-rate, D-cost; claims 45 and 46",
    targets={"latency and loss rate": (8.0, 20.0), "latency and loss cost": (5.0, 12.0)},
    covered=_over_distance,
    line_of=_wan_line,
    claims=_ratio_claims,
)
