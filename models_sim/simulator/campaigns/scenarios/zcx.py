"""Document 001, section 3: a client concentrator in a z/OS Container Extension.

8,000 clients put and get a 4 KB message every second, directly to the queue manager on z/OS or
through one in a container, without zIIPs and with them; 12,000 clients go through the container.
Persistent messages of 32 KB show what its log does, with zHPF and without. An application stays
connected, or connects for each message, to z/OS or to a concentrator that is not on z/OS.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.base.family import Floats
from models_sim.predict import predict
from models_sim.simulator.campaigns.scenarios.definition import (
    Outputs,
    Scenario,
    harness,
    noise_of,
    with_labels,
)
from models_sim.simulator.campaigns.site import SITE, SOURCE, driver, gateway, manager
from models_sim.simulator.outputs import tools

__all__ = ["SCENARIO", "SPACES"]

_CLIENTS, _MOST_CLIENTS = 8000, 12_000
_CPUS, _MOST_CPUS = 3, 5  # document 001, Appendix A; for 12,000 clients: invented
_SECONDS, _REPETITIONS = 106.0, 3  # makes each window two minutes, whatever the lead
_MESSAGE, _LOGGED_MESSAGE = 4096, 32_768
_SERVERS = 4  # batch server tasks: invented
_THROUGH = 2  # channels between the container and z/OS
SPACES = {
    "MSTR": f"{manager(SOURCE)}MSTR",
    "CHIN": f"{manager(SOURCE)}CHIN",
    "TCPIP": "TCPIP",
    "Server application": driver(SOURCE),
    "zCX": gateway(SOURCE),
}
#: Connection, and whether the LPAR's zIIPs are online.
_WAYS = (("direct", False), ("zCX", False), ("zCX", True))
#: Sizes of ioping's requests: document 001, section 3.
_REQUESTS = {"4K": 4096, "32K": 32_768, "256K": 262_144}
#: amqsrua with persistent messages of 32 KB (document 001, section 3), and the cost of a
#: transaction through the container relative to 4 KB: invented.
_LOG_BYTES, _LOG_RATE, _LOGICAL_BYTES, _LOGICAL_RATE = (
    703_823_872,
    35_840_850,
    659_445_800,
    33_580_984,
)
_WRITE_US, _WRITE_BYTES = 700.0, 34_716.0
_LARGER_COST = 3.1
#: 600,000 messages are put and got (document 001, section 3). By application: its connection, and
#: its CPU time relative to staying connected: more than 5, and an eighth of that through a
#: concentrator. Their rate, the number of clients and the size of a message are invented.
_INVOKED, _INVOKED_RATE, _FEW, _INVOKED_MESSAGE = 600_000, 2000.0, 50, 1024
_CONNECTING = {
    "stays connected": ("direct", 1.0),
    "connects for each message": ("direct", 5.3),
    "connects to a concentrator for each message": ("concentrator on Linux", 5.3 / 8),
}
_START = datetime(2026, 2, 4, 14)


def _runs(_: np.random.Generator) -> pl.DataFrame:
    costs = _costs()
    rows = [
        _concentrator(connection, repetition, costs, ziip=ziip)
        for repetition in range(1, _REPETITIONS + 1)
        for connection, ziip in _WAYS
    ]
    rows += [_persistent(zhpf, costs) for zhpf in ("Y", "N")]
    rows.append(_concentrator("zCX", 1, costs, ziip=False, clients=_MOST_CLIENTS))
    rows += [_application(how, costs) for how in _CONNECTING]
    return with_labels(pl.DataFrame(rows, infer_schema_length=None), mq_level="9.2.4")


def _costs() -> dict[tuple[str, str, str], float]:
    """Return CPU microseconds per transaction by connection, address space and offload."""
    keys = [(c, a, o) for c in ("direct", "zCX") for a in SPACES for o in ("N", "Y")]
    cells = pl.DataFrame(keys, schema=["connection", "address_space", "ziip_offload"], orient="row")
    cells = cells.with_columns(
        document=pl.lit("001"),
        metric=pl.lit("cost_per_transaction"),
        message_size_bytes=pl.lit(_MESSAGE),
    )
    costs = predict(normalise(cells))["predicted"].fill_null(0.0)
    return dict(zip(keys, costs, strict=True))


def _concentrator(
    connection: str,
    repetition: int,
    costs: dict[tuple[str, str, str], float],
    *,
    ziip: bool,
    clients: int = _CLIENTS,
) -> dict[str, Any]:
    """Return a run of all clients: what each address space spends, and what zIIPs could take."""
    transactions = round(clients * _SECONDS)  # one per client and second
    return {
        "document": "001",
        "connection": connection,
        "x_clients": str(clients),
        "x_ziips": "2" if ziip else "0",
        "zhpf": "Y",
        "message_size_bytes": _MESSAGE,
        "machine": "z15",
        "cpus": _CPUS if clients == _CLIENTS else _MOST_CPUS,
        "clients": clients if connection == "direct" else _THROUGH,
        "x_application": None,
        "counted": True,
        "tasks": _SERVERS,
        "transactions": transactions,
        "seconds": _SECONDS,
        "spent": _cpu_by_space(connection, transactions, costs),
        "offload": 1.0 if ziip else None,
        "scope_spaces": list(SPACES.values()),
        "repetition": repetition,
        # The number of an LPAR's processors changes only between days.
        "session": _START if clients == _CLIENTS else _START + timedelta(days=1),
    }


def _application(how: str, costs: dict[tuple[str, str, str], float]) -> dict[str, Any]:
    """Return a run of an application that stays connected, or connects for each message.

    It connects to z/OS, or to a concentrator that is not on z/OS; the connections of the latter do
    not end. The costs relative to a client that stays connected are the document's.
    """
    connection, factor = _CONNECTING[how]
    return _concentrator("direct", 1, costs, ziip=False, clients=_FEW) | {
        "x_application": how,
        "message_size_bytes": _INVOKED_MESSAGE,
        "connection": connection,
        "clients": _FEW if connection == "direct" else _THROUGH,
        "cpus": _CPUS,
        "session": _START,
        "transactions": _INVOKED,
        "seconds": _INVOKED / _INVOKED_RATE,
        "spent": _cpu_by_space("direct", _INVOKED, costs, factor),
    }


def _cpu_by_space(
    connection: str, transactions: int, costs: dict[tuple[str, str, str], float], factor: float = 1
) -> list[dict[str, Any]]:
    spent = []
    for space, job in SPACES.items():
        cost = costs[connection, space, "N"]
        left = costs[connection, space, "Y"] if connection == "zCX" else cost
        if cost > 0:
            seconds = factor * cost * transactions / 1e6
            eligible = 1.0 - min(left, cost) / cost
            spent.append({"system": SOURCE, "job": job, "seconds": seconds, "eligible": eligible})
    return spent


def _persistent(zhpf: str, costs: dict[tuple[str, str, str], float]) -> dict[str, Any]:
    """Return a run whose persistent messages fill the container's log at the printed rate.

    Each message is logged once in the container. Without zHPF, its disks are slower (ioping), and
    so is the log.
    """
    slower = 1.0 if zhpf == "Y" else _response(zhpf, 32_768) / _response("Y", 32_768)
    transactions = round(_LOGICAL_RATE / _LOGGED_MESSAGE / slower * _SECONDS)
    made = _concentrator("zCX", 1, costs, ziip=False)
    return made | {
        "zhpf": zhpf,
        "message_size_bytes": _LOGGED_MESSAGE,
        "persistent": True,
        "transactions": transactions,
        "spent": _cpu_by_space("zCX", transactions, costs, _LARGER_COST),
    }


def _response(zhpf: str, size: int) -> float:
    return float(_responses(zhpf, [size])[0])


def _responses(zhpf: str, sizes: list[int]) -> Floats:
    """Return microseconds of a request to the container's disks."""
    cells = pl.DataFrame({"message_size_bytes": sizes}).with_columns(
        document=pl.lit("001"), metric=pl.lit("response_time"), zhpf=pl.lit(zhpf)
    )
    return predict(normalise(cells))["predicted"].to_numpy()


def _outputs(run: pl.DataFrame) -> Outputs:
    """Return what tools show of the clients and of their container."""
    stop = run["stop"].item() + SITE.offset
    made = {
        "harness.txt": harness(run),
        # Storage of the communications server at the end of a run: document 001.
        "csm.txt": tools.csm(SOURCE, stop, (19_284, 29_120)),
    }
    if run["connection"].item() == "zCX":
        rng = noise_of(run)
        zhpf = run["zhpf"].item()
        made |= {f"ioping-{name}.txt": _ioping(rng, zhpf, size)
                 for name, size in _REQUESTS.items()}  # fmt: skip
        made |= {"free.txt": _free(rng), "docker.txt": _docker(rng)}
    if run["persistent"].item():
        made["amqsrua.txt"] = _log_usage(run)
    return made


def _ioping(rng: np.random.Generator, zhpf: str, size: int) -> bytes:
    """Return ioping -c 20 -D of one request size in the container."""
    longest, spread = rng.uniform(1.8, 2.6), rng.uniform(0.15, 0.25)  # invented
    us = float((_responses(zhpf, [size]) * _vary(rng, 1))[0])
    bounds = (round(us * 0.7), round(us * longest), round(us * spread, 1))
    return tools.ioping("/var/mqm (ext4 /dev/vdb1)", 20, size, us, bounds)


def _log_usage(run: pl.DataFrame) -> bytes:
    """Return the log of the container's queue manager, as printed with zHPF."""
    factor = run["transactions"].item() / run["seconds"].item() * _LOGGED_MESSAGE / _LOGICAL_RATE
    figures = {
        "physical bytes written": (_LOG_BYTES * factor, "", _LOG_RATE * factor),
        "logical bytes written": (_LOGICAL_BYTES * factor, "", _LOGICAL_RATE * factor),
        "write latency": (_WRITE_US / factor, " uSec", None),
        "write size": (_WRITE_BYTES, "", None),
    }
    return tools.amqsrua_log(run["end"].item(), _LOG_BYTES / _LOG_RATE, figures)


def _vary(rng: np.random.Generator, count: int) -> Floats:
    """Return factors on what a tool shows, with an invented variation of 3 %."""
    return np.exp(0.03 * rng.standard_normal(count))


def _free(rng: np.random.Generator) -> bytes:
    """Return the memory of the container host (document 001, table free); the used part varies."""
    total, used, unused, shared, available = 7782, 3789, 152, 670, 3174
    more = round(used * (_vary(rng, 1)[0] - 1))
    swap, swapped = 1946, 53
    return tools.free({
        "Mem": {"total": total, "used": used + more, "free": unused, "shared": shared,
                "buff/cache": total - used - more - unused, "available": available - more},
        "Swap": {"total": swap, "used": swapped, "free": swap - swapped},
        "Total": {"total": total + swap, "used": used + more + swapped,
                  "free": unused + swap - swapped},
    })  # fmt: skip


def _docker(rng: np.random.Generator) -> bytes:
    cpu = round(121.5 * _vary(rng, 1)[0], 2)
    containers = (("9f3a1c", "mq-concentrator", cpu, "2.5GiB", 31.25, "412"),
                  ("9f3a1d", "fasp-gateway", 0.5, "512MiB", 6.25, "22"))  # fmt: skip
    return tools.docker_stats(
        (f"000000{number}", name, f"{busy:.2f}%", f"{memory} / 8GiB", f"{share:.2f}%",
         "3.2GB / 3.4GB", "1.2MB / 810MB", pids)
        for number, name, busy, memory, share, pids in containers
    )  # fmt: skip


SCENARIO = Scenario(
    "zcx",
    "document 001: 8,000 and 12,000 clients, directly and through a concentrator",
    _START,
    _runs,
    _outputs,
)
