"""Managed File Transfer between z/OS systems over distance: TCP/IP against the fasp.io gateway.

Document 000, Appendix D: data sets, binary, one channel, a WAN emulator of 1 Gb/s. The bed is not
that of Appendix C (anomaly 14), so it has parameters of its own.

The channel sends batches of at most BATCHLIM (5000 KB) and then waits for their confirmation, one
round trip. The time per MB over the network is

    TCP   1/rate + round trip/batch + sum of the limits that apply:
          round trip/window            the window that dynamic right sizing reaches
          round trip * loss^k / burst  losses: M. Mathis et al., "The macroscopic behavior of the
                                       TCP congestion avoidance algorithm", 1997, with its
                                       exponent of 1/2 left free, for time-outs make it steeper
    FASP  1/rate + (confirmation time + repeat * round trip)/batch
          repeat = 1 - (1 - loss)^packets: the chance that a last burst has to be sent again

A file costs time of its own at the agents. Agents and network overlap as in models_sim.mft_stages.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from models_sim.family import Floats
from models_sim.mft_stages import MB_PER_GB, p_norm, volume

KM_PER_MS = 200.0  # one way: document 000, section 5 (anomaly 17)


def round_trip(cells: pl.DataFrame) -> Floats:
    """Milliseconds there and back, from the distance."""
    km = cells["latency_km"].cast(pl.Float64).to_numpy()
    return np.asarray(2.0 * km / KM_PER_MS)


def network_ms_per_mb(cells: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """Milliseconds that the network takes for each MB."""
    trip = round_trip(cells)
    loss = cells["loss_pct"].fill_null(0.0).to_numpy() / 100.0
    fasp = (cells["protocol"] == "FASP").to_numpy()
    batch = p["batch_limit"]
    limits = (
        np.full(len(trip), 1e3 / p["tcp_rate"]),
        trip / p["tcp_window"],
        trip * loss ** p["tcp_loss_exponent"] / p["tcp_loss_burst"],
    )
    tcp = p_norm(p["tcp_sharpness"], *limits) + trip / batch
    repeat = 1.0 - (1.0 - loss) ** p["fasp_packets"]
    short = p["fasp_short"] * np.clip(1.0 - trip / p["fasp_short_until"], 0.0, 1.0)
    confirm = trip * p["fasp_confirm"] + p["fasp_confirm_base"]
    over_fasp = 1e3 / p["fasp_rate"] + (confirm + repeat * trip) / batch + short
    return np.asarray(np.where(fasp, over_fasp, tcp))


def elapsed(cells: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """Seconds that the transfer of one file set takes."""
    size = cells["file_size_mb"].cast(pl.Float64).to_numpy()
    moved = volume(size)
    files = moved / size
    agents = files * p["file"] + moved * p["agent_mb"]
    network = moved * network_ms_per_mb(cells, p) + files * p["file_trips"] * round_trip(cells)
    return np.asarray(p["start"] + p_norm(p["overlap"], agents / 1e3, network / 1e3))


def rate(cells: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """MB a second."""
    size = cells["file_size_mb"].cast(pl.Float64).to_numpy()
    return np.asarray(volume(size) / elapsed(cells, p))


def cost(cells: pl.DataFrame, p: Mapping[str, float]) -> Floats:
    """CPU seconds of the sysplex per GB.

    The cost of moving a GB rises with the network time by a power law, the same for both
    protocols: the slower the flow, the less each dispatch of channel and TCP/IP finds to do.
    """
    size = cells["file_size_mb"].cast(pl.Float64).to_numpy()
    fasp = (cells["protocol"] == "FASP").to_numpy()
    network = network_ms_per_mb(cells, p) * MB_PER_GB / 1e3  # s per GB
    slow = (network / p["cost_at"]) ** p["cost_exponent"]
    per_gb = np.where(fasp, p["cost_fasp"], p["cost_tcp"]) * slow
    files = MB_PER_GB / size * p["cost_file"] / 1e3
    start = p["cost_start"] * MB_PER_GB / volume(size)
    return p_norm(p["cost_overlap"], per_gb, files) + start
