"""MQ with z/OS Container Extensions (document 001): concentrator, gateway, disk response.

Streaming over one channel, persistent messages. A batch of 200 messages is sent and then waits for
its confirmation (NETTIME). Over the fasp.io gateway

    batch time = batch/rate + NETTIME + base + repeat * round trip * P(loss in the batch)

Over TCP/IP the rate has three limits, joined as a sum of squares of the times per MB: the bed, the
window that dynamic right sizing reaches (smaller on longer paths: window ~ round trip^-shrink,
anomaly 30), and losses (rate = burst / (round trip * loss^exponent); M. Mathis et al., "The
macroscopic behavior of the TCP congestion avoidance algorithm", 1997, has the exponent 1/2, the
figures of documents 000 and 001 want it steeper). After the wait for a confirmation, slow start
begins again (V. Jacobson, "Congestion avoidance and control", 1988): log2(window/first window)
round trips in which little is sent, the window being that without loss; below an onset the path
is too short for that.

NETTIME is the round trip, the protocol's own time, and what losses add.

Repository: a time for each cluster object, far shorter in zCX; the first open of a queue asks the
repository and takes a second wherever that is. These are stated, each from one measurement.

Concentrator: the CPU of a transaction is the sum over address spaces; zCX and part of TCP/IP are
eligible for zIIP. Disk response: a fixed time and a time per byte, longer by a factor without zHPF.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from models_sim.family import Floats, Prediction
from models_sim.parameters import Parameters

MB = 1048576.0
SPACES = ("MSTR", "CHIN", "TCPIP", "Server application", "zCX")
SEGMENT_MB = 1452.0 / MB  # MTU of 1492 less the headers: document 001, Appendix B
BATCH = 200.0  # messages: document 001, section 5
_PROTOCOLS = ("TCP", "FASP", "expected")


def nettime(round_trip: Floats, loss: Floats, p: Mapping[str, float], protocol: str) -> Floats:
    """Milliseconds that the confirmation of a batch takes; `round_trip` in ms, `loss` 0..1."""
    name = protocol.lower()
    worse = p[f"nettime {name} loss"] * loss ** p[f"nettime {name} loss exponent"]
    own = p[f"nettime {name} own"]
    if protocol == "TCP":
        return np.asarray(np.maximum(round_trip, own) + round_trip * worse)
    return np.asarray(round_trip + own + round_trip * worse)


def tcp_window(round_trip: Floats, p: Mapping[str, float]) -> Floats:
    """MB in flight that dynamic right sizing reaches on a path of `round_trip` ms without loss."""
    shrunk = p["tcp window"] * (np.maximum(round_trip, 1e-3) / 100.0) ** -p["tcp window shrink"]
    return np.asarray(np.minimum(shrunk, p["tcp window most"]))


def tcp_rate(round_trip: Floats, loss: Floats, p: Mapping[str, float]) -> Floats:
    """MB a second of a long batch over TCP/IP."""
    seconds = np.maximum(round_trip, 1e-3) / 1e3
    by_window = seconds / tcp_window(round_trip, p)
    by_loss = seconds * loss ** p["tcp loss exponent"] / p["tcp loss burst"]
    return np.asarray(1.0 / np.sqrt(p["tcp rate"] ** -2 + by_window**2 + by_loss**2))


def streaming_rate(
    message: Floats, round_trip: Floats, loss: Floats, p: Mapping[str, float], protocol: str
) -> Floats:
    """MB a second of a channel that streams messages of `message` MB in batches of 200."""
    batch = BATCH * message
    confirm = nettime(round_trip, loss, p, protocol) / 1e3
    if protocol == "FASP":
        lost = 1.0 - (1.0 - loss) ** (batch / SEGMENT_MB)
        again = p["fasp repeat"] * round_trip / 1e3 * lost
        moving = batch * (1.0 + loss) / p["fasp rate"]
        return np.asarray(batch / (moving + confirm + p["fasp base"] / 1e3 + again))
    rate = tcp_rate(round_trip, loss, p)
    reached = np.minimum(tcp_window(round_trip, p), batch)
    rounds = np.log2(np.maximum(reached / p["tcp first window"], 1.0))
    onset = np.clip((round_trip - p["tcp restart onset"]) / p["tcp restart onset"], 0.0, 1.0)
    restart = onset * rounds * round_trip / 1e3
    return np.asarray(batch / (batch / rate + confirm + restart))


def disk_response(size: Floats, zhpf: Floats, p: Mapping[str, float]) -> Floats:
    """Microseconds of one direct I/O of `size` bytes from a container; `zhpf` is 1 or 0."""
    time = p["disk fixed"] + p["disk per KB"] * size / 1024.0
    return np.asarray(time * np.where(zhpf > 0, 1.0, p["disk without zhpf"]))


def transaction_cost(
    space: list[str], zcx: list[bool], after_ziip: list[bool], p: Mapping[str, float]
) -> Floats:
    """CPU us of a transaction in an address space (or `total`), direct or through zCX."""

    def one(name: str, through: bool, after: bool) -> float:
        cost = p[f"cost {'zCX' if through else 'direct'} {name}"]
        eligible = p.get(f"ziip share {name}", 0.0) if through and after else 0.0
        return cost * (1.0 - eligible)

    def of(name: str, through: bool, after: bool) -> float:
        if name == "total":
            return sum(one(each, through, after) for each in SPACES)
        return one(name, through, after) if name in SPACES else np.nan

    return np.array([of(*row) for row in zip(space, zcx, after_ziip, strict=True)], dtype=float)


class Zcx:
    """Document 001: what of its tables follows from a model."""

    name = "zcx"
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
        """A cell of its own, but the two sides of an offload together."""
        keys = [
            "metric", "address_space", "connection", "protocol", "latency_ms_oneway", "loss_pct",
            "message_size", "zhpf",
        ]  # fmt: skip
        parts = [pl.col(name).cast(pl.String).fill_null("-") for name in keys]
        return cells.select(pl.concat_str(parts, separator=" ")).to_series()

    def lines(self, cells: pl.DataFrame) -> pl.Series:
        """Line of the report."""
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
        low[bound & (value <= parameters["nettime expected own"])] = 0.0  # printed as a bound
        return Prediction(value, sigma, low, high)

    def fit(self, cells: pl.DataFrame, weights: Floats, start: Parameters) -> Parameters:
        """Fit to the cells; streaming to the figures that document 001 gives in prose."""
        from models_sim import zcx_fit

        return zcx_fit.fit(cells.filter(pl.Series(weights > 0)))


def _message() -> pl.Expr:
    return pl.col("message_size_bytes") > 0


def _path(cells: pl.DataFrame) -> tuple[Floats, Floats]:
    """Round trip in ms and loss 0..1."""
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
    """Log sd of a streaming rate: small messages wait more often, and less predictably."""
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
    """Seconds until a full repository has taken in the six million queues of the measurement."""
    zcx = (cells["connection"] == "zCX").fill_null(False).to_numpy()
    each = np.where(zcx, p["repository zcx each"], p["repository z/OS each"])
    return each * p["repository objects"] / 1e6, np.full(cells.height, p["repository sd"])


def _openings(cells: pl.DataFrame, p: Mapping[str, float]) -> tuple[Floats, Floats]:
    """Seconds of the first open of a cluster queue, wherever the repository is."""
    return np.full(cells.height, p["repository first open"]), np.full(
        cells.height, p["repository sd"]
    )


ZCX = Zcx()
