"""The family of document 001: MQ with z/OS Container Extensions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from models_sim.base.family import Floats, Prediction
from models_sim.base.parameters import Parameters
from models_sim.models.zcx.mechanism import (
    MB,
    disk_response,
    nettime,
    streaming_rate,
    transaction_cost,
)

_PROTOCOLS = ("TCP", "FASP", "expected")


class Zcx:
    """The tables of document 001 that a model explains."""

    name = "zcx"
    file = Path(__file__).with_name("zcx.toml")
    metrics: tuple[str, ...] = (
        "cost_per_transaction",
        "response_time",
        "NETTIME",
        "rate",
        "fasp_vs_tcp",
        "repo_init",
        "mqopen_resolution",
    )
    excluded: frozenset[int] = frozenset()
    targets: Mapping[str, tuple[float, float]] = {}

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Rows of document 001 whose factors are given."""
        metric = pl.col("metric")
        path = pl.col("latency_ms_oneway").is_not_null()
        known = (
            ((metric == "cost_per_transaction") & pl.col("address_space").is_not_null())
            | ((metric == "response_time") & (pl.col("message_size_bytes") > 0))
            | ((metric == "NETTIME") & path & pl.col("protocol").is_in(_PROTOCOLS))
            | ((metric == "rate") & path & _message() & pl.col("protocol").is_in(["TCP", "FASP"]))
            | ((metric == "fasp_vs_tcp") & path & _message())
            | metric.is_in(["repo_init", "mqopen_resolution"])
        )
        return cells.select(((pl.col("document") == "001") & known).fill_null(False)).to_series()

    def groups(self, cells: pl.DataFrame) -> pl.Series:
        """Each cell is a group of its own, except that both sides of an offload belong together."""
        keys = [
            "metric", "address_space", "connection", "protocol", "latency_ms_oneway", "loss_pct",
            "message_size", "zhpf",
        ]  # fmt: skip
        parts = [pl.col(name).cast(pl.String).fill_null("-") for name in keys]
        return cells.select(pl.concat_str(parts, separator=" ")).to_series()

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """The report line of each row."""
        names = {
            "cost_per_transaction": "zCX concentrator cost",
            "response_time": "zCX disk response",
            "NETTIME": "zCX NETTIME",
            "repo_init": "zCX repository",
            "mqopen_resolution": "zCX repository",
        }
        return cells["metric"].replace_strict(
            names, default="zCX streaming", return_dtype=pl.String
        )

    def predict(self, cells: pl.DataFrame, parameters: Parameters) -> Prediction:
        """The figures of each row."""
        value, sigma = (np.full(cells.height, np.nan) for _ in range(2))
        for metric, predict in (
            ("cost_per_transaction", _costs),
            ("response_time", _responses),
            ("NETTIME", _nettimes),
            ("rate", _rates),
            ("fasp_vs_tcp", _ratios),
            ("repo_init", _repositories),
            ("mqopen_resolution", _openings),
        ):
            chosen = (cells["metric"] == metric).fill_null(False)
            mine = chosen.to_numpy()
            if mine.any():
                value[mine], sigma[mine] = predict(cells.filter(chosen), parameters)
        low, high = Prediction(value, sigma).band()
        bound = (cells["protocol"] == "expected").fill_null(False).to_numpy()
        low[bound & (value <= parameters["nettime expected own"])] = 0.0  # an upper bound
        return Prediction(value, sigma, low, high)


def _message() -> pl.Expr:
    return pl.col("message_size_bytes") > 0


def _path(cells: pl.DataFrame) -> tuple[Floats, Floats]:
    """Return the round trip in ms and the loss as a fraction."""
    trip = 2.0 * cells["latency_ms_oneway"].to_numpy()
    return trip, cells["loss_pct"].fill_null(0.0).to_numpy() / 100.0


def _costs(cells: pl.DataFrame, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    value = transaction_cost(
        cells["address_space"].to_list(),
        (cells["connection"] == "zCX").fill_null(False).to_list(),
        (cells["ziip_offload"] == "Y").fill_null(False).to_list(),
        p,
    )
    return value, np.full(cells.height, p["cost sd"])


def _responses(cells: pl.DataFrame, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    size = cells["message_size_bytes"].cast(pl.Float64).to_numpy()
    zhpf = (cells["zhpf"] != "N").fill_null(True).cast(pl.Float64).to_numpy()
    return disk_response(size, zhpf, p), np.full(cells.height, p["disk sd"])


def _nettimes(cells: pl.DataFrame, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    trip, loss = _path(cells)
    protocol = cells["protocol"].to_numpy()
    value = np.maximum(trip, p["nettime expected own"])
    for name in ("TCP", "FASP"):
        value = np.where(protocol == name, nettime(trip, loss, p, name), value)
    sure = (protocol == "expected") | ((protocol == "TCP") & (loss == 0))
    return value, np.where(sure, 1e-3, p["nettime sd"])


def _spread(message: Floats, p: Mapping[str, float]) -> Floats:
    """Return the log sd of a streaming rate; small messages wait more often."""
    at = np.log(np.clip(message, 10.0 / 1024.0, 1.0))
    knots = np.log([10.0 / 1024.0, 1.0])
    return np.interp(at, knots, [p["streaming sd 10KB"], p["streaming sd 1MB"]])


def _sizes(cells: pl.DataFrame) -> Floats:
    return cells["message_size_bytes"].cast(pl.Float64).to_numpy() / MB


def _rates(cells: pl.DataFrame, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    trip, loss = _path(cells)
    message = _sizes(cells)
    fasp = (cells["protocol"] == "FASP").to_numpy()
    rate = np.where(
        fasp,
        streaming_rate(message, trip, loss, p, "FASP"),
        streaming_rate(message, trip, loss, p, "TCP"),
    )
    return rate, _spread(message, p) / np.where(fasp, 2.0, 1.0)


def _ratios(cells: pl.DataFrame, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    trip, loss = _path(cells)
    message = _sizes(cells)
    ratio = streaming_rate(message, trip, loss, p, "FASP") / streaming_rate(
        message, trip, loss, p, "TCP"
    )
    return ratio, _spread(message, p)


def _repositories(cells: pl.DataFrame, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    """Return the seconds until a full repository has loaded the six million queues of the test."""
    zcx = (cells["connection"] == "zCX").fill_null(False).to_numpy()
    each = np.where(zcx, p["repository zcx each"], p["repository z/OS each"])
    return each * p["repository objects"] / 1e6, np.full(cells.height, p["repository sd"])


def _openings(cells: pl.DataFrame, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    """Return the seconds of the first open of a cluster queue, wherever the repository is."""
    return np.full(cells.height, p["repository first open"]), np.full(
        cells.height, p["repository sd"]
    )


ZCX = Zcx()
