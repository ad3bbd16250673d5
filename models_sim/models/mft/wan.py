"""Managed File Transfer between z/OS systems over distance: TCP/IP against the fasp.io gateway.

Document 000, Appendix D: data sets, binary, one channel, a WAN emulator of 1 Gb/s. This is not the
test bed of Appendix C (anomaly 14), so it has its own parameters.

The channel sends batches of at most BATCHLIM (5000 KB) and then waits one round trip for their
confirmation. The time per MB over the network is

    TCP   1/rate + round trip/batch + sum of the limits that apply:
          round trip/window            the window that dynamic right sizing reaches
          round trip * loss^k / burst  losses: M. Mathis et al., "The macroscopic behavior of the
                                       TCP congestion avoidance algorithm", 1997; the exponent is
                                       fitted and not 1/2, because time-outs make it steeper
    FASP  1/rate + (confirmation time + repeat * round trip)/batch
          repeat = 1 - (1 - loss)^packets: the probability that a last burst must be sent again

Both send lost data again, so all times are divided by the share that arrives: if all is lost,
nothing moves. Each file also takes time at the agents. Agents and network overlap as in the module
stages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.base.family import Floats
from models_sim.models.mft.stages import MB_PER_GB, p_norm, volume


class Rows(NamedTuple):
    """Cells as arrays, one element per row. `trip` is the round trip in ms, `loss` a fraction."""

    size: Floats
    moved: Floats
    files: Floats
    trip: Floats
    loss: Floats
    fasp: NDArray[np.bool_]


def encode(cells: pl.DataFrame) -> Rows:
    """Return the factors of the cells; every row must have a size and `latency_ms_oneway`."""
    size = cells["file_size_mb"].cast(pl.Float64).to_numpy()
    moved = volume(size)
    return Rows(
        size=size,
        moved=moved,
        files=moved / size,
        trip=2.0 * cells["latency_ms_oneway"].to_numpy(),
        loss=cells["loss_pct"].fill_null(0.0).to_numpy() / 100.0,
        fasp=(cells["protocol"] == "FASP").to_numpy(),
    )


def tcp_limits(rows: Rows, p: Mapping[str, float]) -> dict[str, Floats]:
    """Return the milliseconds per MB that each limit of TCP/IP would take alone."""
    return {
        "the line": np.full(len(rows.trip), 1e3 / p["tcp_rate"]),
        "the window of TCP/IP": rows.trip / p["tcp_window"],
        "losses": rows.trip * rows.loss ** p["tcp_loss_exponent"] / p["tcp_loss_burst"],
    }


def network_ms_per_mb(rows: Rows, p: Mapping[str, float]) -> Floats:
    """Return the milliseconds that the network takes per MB."""
    trip, loss, batch = rows.trip, rows.loss, p["batch_limit"]
    tcp = p_norm(p["tcp_sharpness"], *tcp_limits(rows, p).values()) + trip / batch
    repeat = 1.0 - (1.0 - loss) ** p["fasp_packets"]
    short = p["fasp_short"] * np.clip(1.0 - trip / p["fasp_short_until"], 0.0, 1.0)
    confirm = trip * p["fasp_confirm"] + p["fasp_confirm_base"]
    over_fasp = 1e3 / p["fasp_rate"] + (confirm + repeat * trip) / batch + short
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(rows.fasp, over_fasp, tcp) / (1.0 - loss))


def times(rows: Rows, p: Mapping[str, float], at_once: Floats | float = 1.0) -> dict[str, Floats]:
    """Return the seconds of agents and network for one file set; see stages.times."""
    agents = rows.files * p["file"] + rows.moved * p["agent_mb"]
    waits = rows.files * p["file_trips"] * rows.trip
    network = rows.moved * network_ms_per_mb(rows, p) + waits / at_once
    return {"agents": np.asarray(agents / 1e3 / at_once), "network": np.asarray(network / 1e3)}


def elapsed(rows: Rows, p: Mapping[str, float], at_once: Floats | float = 1.0) -> Floats:
    """Return the seconds that transferring one file set takes."""
    stages = times(rows, p, at_once).values()
    return np.asarray(p["start"] / at_once + p_norm(p["overlap"], *stages))


def rate(rows: Rows, p: Mapping[str, float]) -> Floats:
    """Return MB per second."""
    return np.asarray(rows.moved / elapsed(rows, p))


def cost(rows: Rows, p: Mapping[str, float]) -> Floats:
    """Return the CPU seconds of the sysplex per GB.

    A flow that waits costs more, because each dispatch of channel and TCP/IP finds less work: up to
    `cost_wait` per GB if it only waits. The systems also use CPU for each second of the transfer.
    """
    network = network_ms_per_mb(rows, p)
    waits = 1.0 - np.where(rows.fasp, 1e3 / p["fasp_rate"], 1e3 / p["tcp_rate"]) / network
    moving = np.where(
        rows.fasp,
        p["cost_fasp"] + p["cost_wait"] * waits ** p["cost_wait_power"],
        p["cost_tcp"] + p["cost_wait"] * waits ** p["cost_wait_power"],
    )
    per_gb = moving + p["cost_online"] * network * MB_PER_GB / 1e3
    files = MB_PER_GB / rows.size * p["cost_file"] / 1e3
    start = p["cost_start"] * MB_PER_GB / rows.moved
    return np.asarray(p_norm(p["cost_overlap"], per_gb, files) + start)
