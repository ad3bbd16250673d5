"""MQ with z/OS Container Extensions (document 001): concentrator, gateway, disk response.

Streaming over one channel, persistent messages. A batch of 200 messages is sent and then waits for
its confirmation (NETTIME). Over the fasp.io gateway

    batch time = batch/rate + NETTIME + base + repeat * round trip * P(loss in the batch)

Over TCP/IP the rate has three limits, combined as the root of the sum of squares of the times per
MB: the test bed; the window that dynamic right sizing reaches, which is smaller on longer paths
(window ~ round trip^-shrink, anomaly 30); and losses (rate = burst / (round trip * loss^exponent)).
M. Mathis et al., "The macroscopic behavior of the TCP congestion avoidance algorithm", 1997, has
the exponent 1/2; the figures of documents 000 and 001 need a steeper one. After the wait for a
confirmation, slow start begins again (V. Jacobson, "Congestion avoidance and control", 1988):
log2(window/first window) round trips in which little is sent, where the window is that without
loss. On paths shorter than an onset this does not matter.

NETTIME is the round trip plus the protocol's own time plus what losses add.

Repository: a time per cluster object, far shorter in zCX. The first open of a queue asks the
repository and takes a second wherever that is. Both are stated, each from one measurement.

Concentrator: the CPU of a transaction is the sum over address spaces; zCX and part of TCP/IP are
eligible for zIIP. Disk response: a fixed time plus a time per byte, longer by a factor without
zHPF.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from models_sim.base.family import Floats

MB = 1048576.0
SPACES = ("MSTR", "CHIN", "TCPIP", "Server application", "zCX")
SEGMENT_MB = 1452.0 / MB  # MTU of 1492 less the headers: document 001, Appendix B
BATCH = 200.0  # messages: document 001, section 5


def nettime(round_trip: Floats, loss: Floats, p: Mapping[str, float], protocol: str) -> Floats:
    """Return the milliseconds until a batch is confirmed; `round_trip` in ms, `loss` 0..1."""
    name = protocol.lower()
    worse = p[f"nettime {name} loss"] * loss ** p[f"nettime {name} loss exponent"]
    ends = p[f"nettime {name} own"]
    if protocol == "TCP":
        return np.asarray(np.maximum(round_trip, ends) + round_trip * worse)
    return np.asarray(round_trip + ends + round_trip * worse)


def tcp_window(round_trip: Floats, p: Mapping[str, float]) -> Floats:
    """Return the MB in flight without loss at a round trip in ms (dynamic right sizing)."""
    shrunk = p["tcp window"] * (np.maximum(round_trip, 1e-3) / 100.0) ** -p["tcp window shrink"]
    return np.asarray(np.minimum(shrunk, p["tcp window most"]))


def tcp_rate(round_trip: Floats, loss: Floats, p: Mapping[str, float]) -> Floats:
    """Return the MB per second of a long batch over TCP/IP."""
    seconds = np.maximum(round_trip, 1e-3) / 1e3
    by_window = seconds / tcp_window(round_trip, p)
    by_loss = seconds * loss ** p["tcp loss exponent"] / p["tcp loss burst"]
    slowest = np.sqrt(p["tcp rate"] ** -2 + by_window**2 + by_loss**2)
    return np.asarray((1.0 - loss) / slowest)


def streaming_rate(
    message: Floats, round_trip: Floats, loss: Floats, p: Mapping[str, float], protocol: str
) -> Floats:
    """Return the MB per second of a channel that streams messages of `message` MB."""
    batch = BATCH * message
    confirm = nettime(round_trip, loss, p, protocol) / 1e3
    if protocol == "FASP":
        lost = 1.0 - (1.0 - loss) ** (batch / SEGMENT_MB)
        again = p["fasp repeat"] * round_trip / 1e3 * lost
        moving = batch / (1.0 - loss) / p["fasp rate"]
        return np.asarray(batch / (moving + confirm + p["fasp base"] / 1e3 + again))
    rate = tcp_rate(round_trip, loss, p)
    reached = np.minimum(tcp_window(round_trip, p), batch)
    rounds = np.log2(np.maximum(reached / p["tcp first window"], 1.0))
    onset = np.clip((round_trip - p["tcp restart onset"]) / p["tcp restart onset"], 0.0, 1.0)
    restart = onset * rounds * round_trip / 1e3
    return np.asarray(batch / (batch / rate + confirm + restart))


def disk_response(size: Floats, zhpf: Floats, p: Mapping[str, float]) -> Floats:
    """Return the microseconds of a direct I/O of `size` bytes from a container; `zhpf` 1 or 0."""
    time = p["disk fixed"] + p["disk per KB"] * size / 1024.0
    return np.asarray(time * np.where(zhpf > 0, 1.0, p["disk without zhpf"]))


def transaction_cost(
    space: NDArray[np.object_],
    zcx: NDArray[np.bool_],
    after_ziip: NDArray[np.bool_],
    p: Mapping[str, float],
) -> Floats:
    """Return the CPU us per transaction of an address space (or `total`), direct or through zCX."""
    value = np.zeros(len(space))
    for name in SPACES:
        eligible = p.get(f"ziip share {name}", 0.0)
        through = p[f"cost zCX {name}"] * np.where(after_ziip, 1.0 - eligible, 1.0)
        cost = np.where(zcx, through, p[f"cost direct {name}"])
        value += np.where((space == name) | (space == "total"), cost, 0.0)
    return value
