"""The family of document 001: MQ with z/OS Container Extensions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from models_sim.base import notes
from models_sim.base.family import Floats, Prediction, covered
from models_sim.base.parameters import Parameters, load
from models_sim.models.mft import wan
from models_sim.models.mft.families import MFT_WAN
from models_sim.models.mft.stages import MB_PER_GB, WIRE
from models_sim.models.zcx.mechanism import (
    MB,
    SPACES,
    disk_response,
    nettime,
    streaming_rate,
    transaction_cost,
)

_PROTOCOLS = ("TCP", "FASP", "expected")


_STREAMING = ("rate", "messages_per_second", "cost_per_GB", "fasp_vs_tcp")
_CONNECTIONS = ("direct", "zCX")
_REPOSITORIES = ("z/OS", "zCX")
_PATH = ("protocol", "latency_ms_oneway", "loss_pct")
#: Costs of a transaction over a distance are those of a streamed message.
_STREAMED = (
    (pl.col("metric") == "cost_per_transaction")
    & pl.col("protocol").is_not_null()
    & pl.col("address_space").is_null()
)
#: The factors that move each metric, besides those that its rows need.
_USED = {
    "cost_per_transaction": ("address_space", "connection", "ziip_offload"),
    "response_time": ("message_size_bytes", "zhpf"),
    "NETTIME": _PATH,
    "rate": (*_PATH, "message_size_bytes"),
    "messages_per_second": (*_PATH, "message_size_bytes"),
    "cost_per_GB": (*_PATH, "message_size_bytes"),
    "streamed": (*_PATH, "message_size_bytes"),
    "fasp_vs_tcp": ("latency_ms_oneway", "loss_pct", "message_size_bytes"),
    "repo_init": ("connection",),
    "mqopen_resolution": (),
}
_USUAL: Mapping[str, tuple[object, ...]] = {
    "machine": ("z15",),
    "message_size_bytes": (4096,),
    "source": ("z/OS", "queue"),
    "target": ("z/OS", "queue"),
    "network": ("1Gb WAN-emulated", "1Gb"),
}
_COST_SD = 0.6  # no cost of streaming was measured


def _caution(cells: pl.DataFrame) -> pl.Expr:
    """Return what the figures do not take into account, or null."""
    metric, size = pl.col("metric"), pl.col("message_size_bytes")
    kind = pl.when(_STREAMED).then(pl.lit("streamed")).otherwise(metric)
    streams = metric.is_in(_STREAMING) | _STREAMED
    path = streams | (metric == "NETTIME")
    offload = (metric == "cost_per_transaction") & (pl.col("connection") != "zCX")
    return notes.join(
        notes.ignored(cells, _USED, _USUAL, kind),
        notes.when(offload & (pl.col("ziip_offload") == "Y"), "not used: ziip_offload"),
        notes.when(
            (metric == "cost_per_transaction") & ~_STREAMED & (size != 4096),
            "only messages of 4 KB were measured: the cost of others is not known",
        ),
        notes.when(
            (metric == "cost_per_GB") | _STREAMED,
            "no cost of streaming was measured: that of MFT over distance without its agents",
        ),
        notes.when(
            streams & ~size.is_between(10 * 1024, 2**20), "messages of 10 KB and 1 MB were measured"
        ),
        notes.when(
            (metric == "response_time") & ~size.is_between(4096, 262_144),
            "requests of 4 to 256 KB were measured",
        ),
        notes.when(
            path & (pl.col("latency_ms_oneway") > 50), "at most 50 ms one way were measured"
        ),
        notes.when(path & (pl.col("loss_pct") > 0.5), "at most 0.5 % loss was measured"),
    )


def _outside(cells: pl.DataFrame) -> Floats:
    """Return the log sd of settings outside the measured ones."""
    size, metric = pl.col("message_size_bytes").cast(pl.Float64), pl.col("metric")
    disk = (size / size.clip(4096, 262_144)).log().abs().fill_null(0.0) * 0.1
    message = (size / size.clip(10 * 1024, 2**20)).log().abs().fill_null(0.0) * 0.2
    streams = metric.is_in(_STREAMING) | _STREAMED
    far = (pl.col("latency_ms_oneway").fill_null(0.0) / 50.0).clip(1.0).log() * 0.3
    lossy = (pl.col("loss_pct").fill_null(0.0) / 0.5).clip(1.0).log() * 0.3
    other = (size / 4096).log().abs().fill_null(0.0) * 0.5  # up to in proportion to the size
    sd = (
        pl.when(metric == "response_time").then(disk)
        .when((metric == "cost_per_transaction") & ~_STREAMED).then(other)
        .when(streams).then(message + far + lossy)
        .when(metric == "NETTIME").then(far + lossy)
        .otherwise(0.0)
    )  # fmt: skip
    return cells.select(sd.alias("sd")).to_series().to_numpy()


class Zcx:
    """The tables of document 001 that a model explains."""

    name = "zcx"
    file = Path(__file__).with_name("zcx.toml")
    metrics: tuple[str, ...] = (
        "cost_per_transaction",
        "response_time",
        "NETTIME",
        "rate",
        "messages_per_second",
        "cost_per_GB",
        "fasp_vs_tcp",
        "repo_init",
        "mqopen_resolution",
    )
    excluded: frozenset[int] = frozenset()
    targets: Mapping[str, tuple[float, float]] = {}

    def mine(self) -> pl.Expr:
        """Rows of document 001 with these metrics."""
        return (pl.col("document") == "001") & pl.col("metric").is_in(self.metrics)

    def needs(self) -> Mapping[str, pl.Expr]:
        """The factors that each metric needs."""
        metric, streams = pl.col("metric"), pl.col("metric").is_in(_STREAMING) | _STREAMED
        cost = (metric == "cost_per_transaction") & ~_STREAMED
        path = streams | (metric == "NETTIME")
        protocol = pl.col("protocol")
        return {
            "address_space": ~cost | pl.col("address_space").is_in([*SPACES, "total"]),
            "connection": (~cost | pl.col("connection").fill_null("direct").is_in(_CONNECTIONS))
            & (
                (metric != "repo_init")
                | pl.col("connection").fill_null("z/OS").is_in(_REPOSITORIES)
            ),
            "message_size_bytes": ~(streams | (metric == "response_time"))
            | (pl.col("message_size_bytes") > 0),
            "latency_ms_oneway": ~path | (pl.col("latency_ms_oneway") >= 0),
            "loss_pct": ~path
            | pl.col("loss_pct").fill_null(0.0).is_between(0.0, 100.0, closed="left"),
            "protocol": ((metric != "NETTIME") | protocol.is_in(_PROTOCOLS))
            & (~streams | (metric == "fasp_vs_tcp") | protocol.is_in(["TCP", "FASP"])),
        }

    def covers(self, cells: pl.DataFrame) -> pl.Series:
        """Rows of document 001 whose factors are given."""
        return covered(self, cells)

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
        streamed = cells.select(_STREAMED.fill_null(value=False).alias("streamed")).to_series()
        for metric, predict in (
            ("cost_per_transaction", _costs),
            ("response_time", _responses),
            ("NETTIME", _nettimes),
            ("rate", _rates),
            ("messages_per_second", _messages),
            ("cost_per_GB", _streaming_costs),
            ("fasp_vs_tcp", _ratios),
            ("repo_init", _repositories),
            ("mqopen_resolution", _openings),
        ):
            chosen = (cells["metric"] == metric) & ~streamed
            mine = chosen.to_numpy()
            if mine.any():
                value[mine], sigma[mine] = predict(cells.filter(chosen), parameters)
        if streamed.any():
            mine = streamed.to_numpy()
            rows = cells.filter(streamed)
            per_gb, sigma[mine] = _streaming_costs(rows, parameters)
            value[mine] = 1e6 * per_gb * _sizes(rows) / MB_PER_GB
        sigma = np.hypot(sigma, _outside(cells))
        low, high = Prediction(value, sigma).band()
        bound = (cells["protocol"] == "expected").fill_null(False).to_numpy()
        low[bound & (value <= parameters["nettime expected own"])] = 0.0  # an upper bound
        caution = cells.select(_caution(cells).alias("caution")).to_series()
        return Prediction(value, sigma, low, high, caution=caution, most=_line_rates(cells))


def _path(cells: pl.DataFrame) -> tuple[Floats, Floats]:
    """Return the round trip in ms and the loss as a fraction."""
    trip = 2.0 * cells["latency_ms_oneway"].to_numpy()
    return trip, cells["loss_pct"].fill_null(0.0).to_numpy() / 100.0


def _costs(cells: pl.DataFrame, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    value = transaction_cost(
        cells["address_space"].to_numpy(),
        (cells["connection"] == "zCX").fill_null(False).to_numpy(),
        (cells["ziip_offload"] == "Y").fill_null(False).to_numpy(),
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


def _line_rates(cells: pl.DataFrame) -> Floats:
    """Return the most that the line carries, of each row's metric."""
    metric = cells["metric"].to_numpy()
    messages = np.where(metric == "messages_per_second", WIRE / _sizes(cells), np.inf)
    return np.where(metric == "rate", WIRE, messages)


def _messages(cells: pl.DataFrame, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    """Return messages per second."""
    rate, sd = _rates(cells, p)
    return rate / _sizes(cells), sd


def _streaming_costs(cells: pl.DataFrame, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    """Return CPU seconds per GB: as MFT over the same path, less the share of its Java agents."""
    wan_parameters = load(MFT_WAN.file)
    rows = wan.encode(cells.with_columns(file_size_mb=pl.lit(1024.0)))
    cost = wan.cost(rows, wan_parameters) * (1.0 - p["streaming agents"])
    return cost, np.full(cells.height, _COST_SD)


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
