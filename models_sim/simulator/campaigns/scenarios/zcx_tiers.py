"""Document 001, section 3: how a concentrator scales, against clients that connect directly.

More and more clients send requests of 1, 32 and 64 KB to servers on z/OS, in two tiers (client,
queue manager on z/OS) and in three (through the concentrator). The document has charts without
figures, so all levels are invented; what it says of them is kept:

    not persistent   1 KB in two tiers stays behind from 16 clients on; 32 and 64 KB are the same in
                     both, as the network of 1 Gb/s limits them
    persistent       1 KB is slower in three tiers, but grows beyond 40 clients; with 32 and 64 KB
                     three tiers gain from more clients, two tiers lose
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.scenarios.definition import (
    Outputs,
    Scenario,
    harness,
    labelled,
)
from models_sim.simulator.campaigns.scenarios.zcx import SPACES
from models_sim.simulator.campaigns.site import SOURCE

__all__ = ["SCENARIO"]

_CPUS, _SECONDS, _SERVERS = 3, 48.0, 4
_CLIENTS = {1024: (8, 16, 40, 48), 32_768: (8, 40), 65_536: (8, 40)}
_NETWORK = 1e9 / 8 * 0.94  # bytes per second of a link of 1 Gb/s: invented share
#: Transactions per second of a client that waits for nobody, and above how many contention begins
#: and how fast it levels two tiers.
_EACH, _FREE_CLIENTS, _LEVEL_CLIENTS = 260.0, 12, 14.0
#: Persistent: the part of that rate that the logs leave; the growth per doubling of clients above 8
#: in two tiers with large messages is negative.
_LOGGED = {2: 0.55, 3: 0.35}
_GROWTH = {2: -0.12, 3: 0.35}
#: CPU microseconds per transaction by tiers, and per KB: invented.
_COST = {2: {"MSTR": 12.0, "CHIN": 110.0, "TCPIP": 20.0, "Server application": 30.0},
         3: {"MSTR": 12.0, "CHIN": 50.0, "TCPIP": 26.0, "Server application": 28.0,
             "zCX": 160.0}}  # fmt: skip
_KB_COST = 0.02  # of the above, per KB


def _runs(_: np.random.Generator) -> pl.DataFrame:
    rows = [
        _run(size, clients, tiers, persistent=persistent)
        for persistent in (False, True)
        for size, counts in _CLIENTS.items()
        for clients in counts
        for tiers in (2, 3)
    ]
    return labelled(pl.DataFrame(rows, infer_schema_length=None), mq_level="9.2.4")


def _rate(size: int, clients: int, tiers: int, *, persistent: bool) -> float:
    """Return transactions per second."""
    network = _NETWORK / size
    if not persistent:
        # Two tiers have more flows per small message; queue manager channels have fewer.
        bound = _LEVEL_CLIENTS if tiers == 2 and size < 32_768 else 200.0
        free = _EACH * clients / (1.0 + max(clients - _FREE_CLIENTS, 0) / bound)
        slower = 1.05 if tiers == 2 and clients < 16 else 1.0
        return min(free * slower, network) if size < 32_768 else min(free, network)
    if size < 32_768:
        return _LOGGED[tiers] * _EACH * clients / (1.0 + clients / 60.0)
    start = _LOGGED[tiers] * min(_EACH * 8, network)
    return float(start * (1.0 + _GROWTH[tiers] * np.log2(clients / 8) / 2))


def _run(size: int, clients: int, tiers: int, *, persistent: bool) -> dict[str, Any]:
    transactions = round(_rate(size, clients, tiers, persistent=persistent) * _SECONDS)
    factor = 1.0 + _KB_COST * size / 1024
    return {
        "document": "001",
        "connection": "direct" if tiers == 2 else "zCX",
        "x_tiers": str(tiers),
        "x_clients": str(clients),
        "x_persistent": "Y" if persistent else "N",
        "message_size_bytes": size,
        "machine": "z15",
        "cpus": _CPUS,
        "clients": clients if tiers == 2 else 2,
        "threads": clients,
        "by_harness": True,
        "tasks": _SERVERS,
        "persistent": persistent,
        "transactions": transactions,
        "seconds": _SECONDS,
        "spent": [
            {"system": SOURCE, "job": SPACES[space], "seconds": factor * us * transactions / 1e6,
             "eligible": 0.99 if space == "zCX" else 0.0}
            for space, us in _COST[tiers].items()
        ],
        "scope_spaces": list(SPACES.values()),
        "repetition": 1,
    }  # fmt: skip


def _outputs(run: pl.DataFrame) -> Outputs:
    return {"harness.txt": ("perf_harness", harness(run, run["threads"].item()))}


SCENARIO = Scenario(
    "zcx-tiers",
    "document 001: two and three tiers with more and more clients",
    datetime(2026, 2, 10, 14),
    _runs,
    _outputs,
)
