"""Document 001, section 5: streams over a wide-area network, over TCP/IP and the fasp.io gateway.

Persistent messages of 10 KB and 1 MB go from one queue manager to the other, over the paths N0 to
N5. Rates, costs and NETTIME are those of `predict`. Which address space pays is invented.
"""

from __future__ import annotations

from datetime import datetime
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.models.zcx.mechanism import BATCH
from models_sim.predict import predict
from models_sim.simulator.campaigns.messaging.channels import status
from models_sim.simulator.campaigns.plan import MB
from models_sim.simulator.campaigns.scenarios.definition import (
    Outputs,
    Scenario,
    noise_of,
    with_labels,
)
from models_sim.simulator.campaigns.site import SITE, SOURCE, TARGET, address_space
from models_sim.simulator.outputs import tools

__all__ = ["PATHS", "SCENARIO"]

#: By path, one-way latency in ms and loss in percent.
PATHS = {"N0": (0.0, 0.0), "N1": (5.0, 0.0), "N2": (25.0, 0.0), "N3": (40.0, 0.1),
         "N4": (50.0, 0.5), "N5": (50.0, 0.0)}  # fmt: skip
_SIZES = (10 * 1024, MB)
_SECONDS = 40.0  # so that the bytes logged in a run fit their four-byte field in type 116
#: What a transaction costs without distance over TCP/IP is shared by these weights. Over distance,
#: more is spent in the network layer: TCP/IP and dispatchers, or the containers and TCP/IP
#: (document 001, section 5). The weights are invented.
_BASE = {"MSTR": 0.20, "CHIN": 0.35, "TCPIP": 0.30, "application": 0.15}
_MORE = {"TCP": {"TCPIP": 0.5, "CHIN": 0.5}, "FASP": {"zCX": 0.9, "TCPIP": 0.1}}
_LEFT_BY_FASP = 0.75  # of a transaction's cost without distance stays outside the containers
_ELIGIBLE = 0.985  # of a container's CPU time: more than 98 % (document 001, section 5)
#: Storage of the communications server in KiB: in use, free; its limit, in use, most since the last
#: display and since IPL (document 001, Appendix C).
_CSM, _CSM_FIXED = (19_284, 29_120), (240 * 1024, 42_537, 42_537, 212_065)


def _runs(_: np.random.Generator) -> pl.DataFrame:
    keys = list(product(_SIZES, PATHS, ("TCP", "FASP")))
    rows = pl.DataFrame(keys, schema=["message_size_bytes", "x_path", "protocol"], orient="row")
    latency, loss = (pl.col("x_path").replace_strict({n: of[i] for n, of in PATHS.items()})
                     for i in range(2))  # fmt: skip
    rows = rows.with_columns(
        document=pl.lit("001"),
        x_transaction=pl.lit("one-way"),
        latency_ms_oneway=latency,
        loss_pct=loss,
    )
    predicted = {
        metric: predict(normalise(rows.with_columns(metric=pl.lit(metric))))["predicted"].to_list()
        for metric in ("messages_per_second", "cost_per_transaction", "NETTIME")
    }
    near = {size: cost for (size, path, protocol), cost
            in zip(keys, predicted["cost_per_transaction"], strict=True)
            if (path, protocol) == ("N0", "TCP")}  # fmt: skip
    streams = [
        _stream(row, rate, cost, near[row["message_size_bytes"]], nettime)
        for row, rate, cost, nettime in zip(rows.to_dicts(), *predicted.values(), strict=True)
    ]
    runs = with_labels(
        pl.DataFrame(streams, infer_schema_length=None),
        mq_level="9.2.4",
        # Document 001, Appendices A and B.
        tcp_buffers="TCPRCVBUFRSIZE 2048K TCPSENDBUFRSIZE 2048K",
        tcp_max_buffers="TCPMAXRCVBUFRSIZE 2048K TCPMAXSENDBUFRSIZE 2048K",
        mtu="1492",
        chinit_buffers="CHINTCPRBDYNSZ 2091752 CHINTCPSBDYNSZ 2091752",
    )
    return runs.with_columns(machine=pl.lit("z15"), cpus=3, streams=True, tasks=1, persistent=True,
                             network=pl.lit("1Gb"), repetition=1, counted=True)  # fmt: skip


def _stream(
    row: dict[str, Any], rate: float, cost: float, near: float, nettime_ms: float
) -> dict[str, Any]:
    """Return a run of so many messages a second; `near` is the cost without distance."""
    transactions = max(round(rate * _SECONDS), 1)
    kept = near * (_LEFT_BY_FASP if row["protocol"] == "FASP" else 1.0)
    us = {space: kept * part for space, part in _BASE.items()}
    for space, part in _MORE[row["protocol"]].items():
        us[space] = us.get(space, 0.0) + part * (cost - kept)
    cpu = transactions / 2e6  # seconds of each end, by microseconds of a transaction
    return row | {
        "transactions": transactions,
        # A slow path moves few messages; they take a little more or less than the whole time.
        "seconds": transactions / rate,
        "nettime_us": nettime_ms * 1000,
        "achieved_batch": min(BATCH, float(transactions)),
        "spent": [
            {
                "system": system,
                "job": address_space(space, system),
                "seconds": part * cpu,
                "eligible": _ELIGIBLE if space == "zCX" else 0.0,
            }
            for system in (SOURCE, TARGET)
            for space, part in us.items()
        ],
        "scope_spaces": [
            address_space(space, system) for system in (SOURCE, TARGET) for space in (*_BASE, "zCX")
        ],
    }


def _outputs(run: pl.DataFrame) -> Outputs:
    """Return what tools show: the channel, and once the storage of the communications server."""
    made = {"chstatus.txt": status(run, noise_of(run))}
    if run.select("x_path", "protocol", "message_size_bytes").row(0) == ("N0", "FASP", MB):
        stop = run["stop"].item() + SITE.offset
        made["csm.txt"] = tools.csm(SOURCE, stop, _CSM, _CSM_FIXED)
    return made


SCENARIO = Scenario(
    "zcx-wan",
    "document 001: streams over distance, over TCP/IP and the fasp.io gateway",
    datetime(2026, 2, 6, 14),
    _runs,
    _outputs,
)
