"""Calibration of the zCX family: linear for costs, least squares for the rest.

Document 001 gives the streaming figures in prose, so they come from the published claims and not
from the cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.optimize import least_squares, nnls

from models_sim.base import published
from models_sim.base.family import Floats
from models_sim.base.parameters import Parameter, Parameters
from models_sim.models.zcx import mechanism as zcx

#: Round trip in ms, loss 0..1: document 001, section 5.
NETWORKS = {
    "N0": (0.0, 0.0),
    "N1": (10.0, 0.0),
    "N2": (50.0, 0.0),
    "N3": (80.0, 0.001),
    "N4": (100.0, 0.005),
    "N5": (100.0, 0.0),
}
SIZES = {"10KB": 10.0 / 1024.0, "1MB": 1.0}
#: TCP/IP over N3 relative to N4 in document 000, Appendix D: 3.49 / 0.74 and 3.37 / 0.74 MB/s,
#: with batches of BATCHLIM (5000 KB). The test bed is the same; no other figure has TCP/IP over N3.
N3_TO_N4 = (3.49 + 3.37) / 2.0 / 0.74
BATCHLIM_MB = 5000.0 / 1024.0
_PROSE = "document 001, section 5, prose; document 000, Appendix D"


class Streamed(NamedTuple):
    """A streaming figure: `kind` is TCP or FASP (MB/s), or ratio; `sd` is that of its logarithm."""

    claim: int
    kind: str
    size: str
    network: str
    value: float
    sd: float


def streamed(claims: pl.DataFrame) -> list[Streamed]:
    """Return the streaming figures among the claims, except those that follow from others."""
    result = []
    rows = claims.filter((pl.col("document") == "001") & pl.col("low").is_not_null())
    for row in rows.sort("claim_id").iter_rows(named=True):
        words = (row["conditions"] or "").split()
        if words[1:2] != ["streaming"] or words[0] not in SIZES:
            continue
        claim, size = row["claim_id"], words[0]
        if row["metric"] in {"tcp_rate_N4_to_N5", "fasp_rate_N4_to_N5"}:
            kind = words[2]
            result.append(Streamed(claim, kind, size, "N4", row["low"], 0.02))
            result.append(Streamed(claim, kind, size, "N5", row["high"], 0.02))
        elif row["metric"] == "fasp_vs_tcp" and words[2] in {"N1", "N2", "N3"}:
            about = row["comparator"] == "~"
            result.append(
                Streamed(claim, "ratio", size, words[2], row["low"], 0.5 if about else 0.03)
            )
    return result


def predicted(figure: Streamed, p: Mapping[str, float]) -> float:
    """Return the model's prediction of a figure."""
    trip, loss = (np.array([x]) for x in NETWORKS[figure.network])
    message = np.array([SIZES[figure.size]])

    def rate(kind: str) -> float:
        return float(zcx.streaming_rate(message, trip, loss, p, kind)[0])

    return rate("FASP") / rate("TCP") if figure.kind == "ratio" else rate(figure.kind)


STREAMING = (
    ("fasp rate", "MB/s", 63.0, "gateway, long batches"),
    ("fasp base", "ms", 15.0, "per batch, besides its confirmation"),
    ("fasp repeat", "round trips", 1.2, "to resend the lost part of a batch"),
    ("tcp rate", "MB/s", 55.0, "test bed, short path"),
    ("tcp window", "MB", 0.56, "data in flight at a round trip of 100 ms"),
    ("tcp window shrink", "-", 0.6, "the window falls with this power of the round trip"),
    ("tcp loss burst", "MB", 0.001, "data in flight, times loss^exponent"),
    ("tcp loss exponent", "-", 0.8, "0.5 by Mathis"),
)
NETTIME = (
    ("nettime tcp loss", "ratio", 20.0, "of the round trip at a loss of 1"),
    ("nettime tcp loss exponent", "-", 0.7, ""),
    ("nettime fasp own", "ms", 6.0, "gateways, both ways"),
    ("nettime fasp loss", "ratio", 1.0, "of the round trip at a loss of 1"),
    ("nettime fasp loss exponent", "-", 0.4, ""),
)
DISK = (
    ("disk fixed", "us", 160.0, "one direct I/O"),
    ("disk per KB", "us/KB", 2.8, ""),
    ("disk without zhpf", "ratio", 1.25, ""),
)
Knobs = Sequence[tuple[str, str, float, str]]


def stated() -> list[Parameter]:
    """Return the parameters that are not fitted."""
    return [
        Parameter("nettime expected own", 1.0, "ms", "document 001, NETTIME", note="printed < 1"),
        Parameter("nettime tcp own", 1.0, "ms", "document 001, NETTIME, N0"),
        Parameter("nettime sd", 0.12, "ln ratio", "half-width of the printed ranges, N3 and N4"),
        Parameter("tcp window most", 2.0, "MB", "document 001, Appendix B: TCPMAXRCVBUFRSIZE"),
        Parameter("tcp first window", 10 * zcx.SEGMENT_MB, "MB", "RFC 6928: ten segments"),
        Parameter("tcp restart onset", 50.0, "ms", "set: equal at 10 KB over N2, but not over N5"),
        Parameter("streaming sd 10KB", 0.35, "ln ratio", "set: anomaly 30 widens the interval"),
        Parameter("streaming sd 1MB", 0.18, "ln ratio", "set: leave-one-out error of the prose"),
        Parameter("streaming agents", 0.4, "ratio", "document 000, section 6: Java share of MFT"),
        Parameter("repository objects", 6e6, "queues", "document 001, section 4"),
        Parameter("repository z/OS each", 70.0, "us/queue", "document 001, section 4: 7 minutes"),
        Parameter("repository zcx each", 25 / 6, "us/queue", "document 001, section 4: 25 seconds"),
        Parameter("repository first open", 1.0, "s", "document 001, section 4"),
        Parameter("repository sd", 0.1, "ln ratio", "set: one measurement each"),
        Parameter("disk sd", 0.07, "ln ratio", "set: leave-one-out error of the three sizes"),
        Parameter("cost sd", 0.01, "ln ratio", "set: rounding and anomaly 22"),
    ]


def fit(cells: pl.DataFrame, weights: Floats, start: Parameters) -> Parameters:
    """Fit costs, disk and NETTIME to the cells with a weight above zero, streaming to the claims.

    `start` is not used: this module has the starting values.
    """
    cells = cells.filter(pl.Series(weights > 0))
    values = {p.name: p.value for p in stated()}
    parameters = [*stated(), *_costs(cells.filter(pl.col("metric") == "cost_per_transaction"))]
    disk = cells.filter(pl.col("metric") == "response_time")
    parameters += _search(DISK, _disk(disk), "document 001, ioping")
    waits = cells.filter(
        (pl.col("metric") == "NETTIME") & pl.col("protocol").is_in(["TCP", "FASP"])
    )
    net = _search(NETTIME, _waits(waits, values), "document 001, NETTIME")
    values |= {p.name: p.value for p in net}
    figures = streamed(published.claims())
    parameters += [*net, *fit_streaming(figures, values)]
    return Parameters(parameters)


def fit_streaming(figures: Sequence[Streamed], values: Mapping[str, float]) -> list[Parameter]:
    """Fit the streaming parameters to figures; `values` has NETTIME and the stated parameters."""

    def errors(v: dict[str, float]) -> Floats:
        p = {**values, **v}
        prose = [np.log(predicted(f, p) / f.value) / f.sd for f in figures]
        long = [_mft_rate(n, p) for n in ("N3", "N4")]
        return np.array([*prose, np.log(long[0] / long[1] / N3_TO_N4) / 0.05])

    return _search(STREAMING, errors, _PROSE)


def _mft_rate(network: str, p: Mapping[str, float]) -> float:
    trip, loss = (np.array([x]) for x in NETWORKS[network])
    confirm = zcx.nettime(trip, loss, p, "TCP") / 1e3
    return float((1.0 / (1.0 / zcx.tcp_rate(trip, loss, p) + confirm / BATCHLIM_MB))[0])


def _search(
    knobs: Knobs, errors: Callable[[dict[str, float]], Floats], where: str
) -> list[Parameter]:
    """Fit positive parameters by least squares; the prior's sd is 1 in the logarithm."""
    start = np.log([knob[2] for knob in knobs])

    def values(x: Floats) -> dict[str, float]:
        return {knob[0]: float(v) for knob, v in zip(knobs, np.exp(x), strict=True)}

    x = least_squares(lambda x: np.concatenate([errors(values(x)), x - start]), start).x
    return [
        Parameter(name, values(x)[name], unit, fitted=where, note=note, start=first)
        for name, unit, first, note in knobs
    ]


def _disk(cells: pl.DataFrame) -> Callable[[dict[str, float]], Floats]:
    size = cells["message_size_bytes"].cast(pl.Float64).to_numpy()
    zhpf = (cells["zhpf"] == "Y").cast(pl.Float64).to_numpy()
    measured = cells["value"].to_numpy()
    return lambda v: np.log(zcx.disk_response(size, zhpf, v) / measured) / 0.01


def _waits(
    cells: pl.DataFrame, values: Mapping[str, float]
) -> Callable[[dict[str, float]], Floats]:
    trip = 2.0 * cells["latency_ms_oneway"].to_numpy()
    loss = cells["loss_pct"].to_numpy() / 100.0
    tcp = (cells["protocol"] == "TCP").to_numpy()
    measured = cells["value"].to_numpy()

    def errors(v: dict[str, float]) -> Floats:
        p = {**values, **v}
        time = np.where(tcp, zcx.nettime(trip, loss, p, "TCP"), zcx.nettime(trip, loss, p, "FASP"))
        return np.log(time / measured) / 0.05

    return errors


def _costs(cells: pl.DataFrame) -> list[Parameter]:
    """Fit the costs of address spaces to parts and totals, then the zIIP shares."""
    eligible = ("TCPIP", "zCX")
    names = (
        [f"cost direct {space}" for space in zcx.SPACES]
        + [f"cost zCX {space}" for space in zcx.SPACES]
        + [f"after {space}" for space in eligible]
    )
    rows, right = [], []
    for cell in cells.iter_rows(named=True):
        spaces = zcx.SPACES if cell["address_space"] == "total" else (cell["address_space"],)
        row = np.zeros(len(names))
        for space in spaces:
            after = cell["ziip_offload"] == "Y" and space in eligible
            row[
                names.index(f"after {space}" if after else f"cost {cell['connection']} {space}")
            ] = 1
        weight = 0.5 if len(spaces) > 1 else 1.0  # a printed total may not add up (anomaly 22)
        rows.append(row * weight)
        right.append(cell["value"] * weight)
    ridge = 1e-6 * np.eye(len(names))
    solved, _ = nnls(np.vstack([*rows, ridge]), np.concatenate([right, np.zeros(len(names))]))
    by_name = dict(zip(names, solved, strict=True))
    where = "document 001, table of costs with 8000 clients"
    result = [
        Parameter(name, value, "CPU us/transaction", fitted=where)
        for name, value in by_name.items()
        if name.startswith("cost")
    ]
    for space in eligible:
        share = 1.0 - by_name[f"after {space}"] / max(by_name[f"cost zCX {space}"], 1e-9)
        result.append(
            Parameter(f"ziip share {space}", float(np.clip(share, 0, 1)), "ratio", fitted=where)
        )
    return result
