"""Document 001: a client concentrator in a z/OS Container Extension, and its surroundings.

8,000 clients each put and get a 4 KB message every other second, directly to the queue manager on
z/OS or through one in a container, without zIIPs and with one; and channels over five distances.
"""

from __future__ import annotations

from datetime import datetime
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
    labelled,
    noise_of,
)
from models_sim.simulator.campaigns.site import SITE, SOURCE, gateway, manager

__all__ = ["SCENARIO"]

# Clients, and requests per client and second: the site has fewer processors than document 001.
_CLIENTS, _EACH = 8000, 0.5
_SECONDS, _REPETITIONS = 108.0, 3  # makes each window two minutes, whatever the lead
_MESSAGE = 4096
_SPACES = {
    "MSTR": f"{manager(SOURCE)}MSTR",
    "CHIN": f"{manager(SOURCE)}CHIN",
    "TCPIP": "TCPIP",
    "Server application": f"PERFSRV{SOURCE[-1]}",
    "zCX": gateway(SOURCE),
}
#: Connection, and whether the LPAR's zIIP is online.
_WAYS = (("direct", False), ("zCX", False), ("zCX", True))
#: One-way latency in ms: the distances N0 to N4 of document 001.
_PATHS = (0.5, 5.0, 25.0, 40.0, 50.0)
_GB = 2.0**30


def _runs(_: np.random.Generator) -> pl.DataFrame:
    costs = _costs()
    rows = [
        _concentrator(connection, repetition, costs, ziip=ziip)
        for repetition in range(1, _REPETITIONS + 1)
        for connection, ziip in _WAYS
    ]
    rows += [_path(latency, protocol) for latency in _PATHS for protocol in ("TCP", "FASP")]
    return labelled(pl.DataFrame(rows, infer_schema_length=None), mq_level="9.2.4")


def _costs() -> dict[tuple[str, str, str], float]:
    """Return CPU microseconds per transaction by connection, address space and offload."""
    keys = [(c, a, o) for c in ("direct", "zCX") for a in _SPACES for o in ("N", "Y")]
    cells = pl.DataFrame(keys, schema=["connection", "address_space", "ziip_offload"], orient="row")
    cells = cells.with_columns(
        document=pl.lit("001"),
        metric=pl.lit("cost_per_transaction"),
        message_size_bytes=pl.lit(_MESSAGE),
    )
    found = predict(normalise(cells))["predicted"].fill_null(0.0)
    return dict(zip(keys, found, strict=True))


def _concentrator(
    connection: str, repetition: int, costs: dict[tuple[str, str, str], float], *, ziip: bool
) -> dict[str, Any]:
    """Return a run of all clients: what each address space spends, and what zIIPs could take."""
    transactions = round(_CLIENTS * _EACH * _SECONDS)
    spent = []
    for space, job in _SPACES.items():
        cost = costs[connection, space, "N"]
        left = costs[connection, space, "Y"] if connection == "zCX" else cost
        if cost > 0:
            spent.append({"system": SOURCE, "job": job, "seconds": cost * transactions / 1e6,
                          "eligible": 1.0 - min(left, cost) / cost})  # fmt: skip
    return {
        "document": "001",
        "connection": connection,
        "x_ziips": "1" if ziip else "0",
        "message_size_bytes": _MESSAGE,
        "machine": "z15",
        "transactions": transactions,
        "seconds": _SECONDS,
        "spent": spent,
        "offload": 1.0 if ziip else None,
        "scope_spaces": list(_SPACES.values()),
        "repetition": repetition,
    }


def _path(latency: float, protocol: str) -> dict[str, Any]:
    """Return a run of a channel over a distance: one message per transaction, 200 per second."""
    transactions = 200 * 48
    spent = [
        {"system": SOURCE, "job": _SPACES[space], "seconds": us * transactions / 1e6,
         "eligible": 0.0}
        for space, us in (("MSTR", 6.0), ("CHIN", 45.0), ("TCPIP", 18.0))
    ]  # fmt: skip
    return {
        "document": "001",
        "protocol": protocol,
        "latency_ms_oneway": latency,
        "message_size_bytes": 32_768,
        "machine": "z15",
        "transactions": transactions,
        "seconds": 48.0,
        "spent": spent,
        "scope_spaces": [_SPACES[space] for space in ("MSTR", "CHIN", "TCPIP")],
        "repetition": 1,
    }


def _outputs(run: pl.DataFrame) -> Outputs:
    """Return what tools show of a channel over a distance, or of clients and their container."""
    connection = run["connection"].item()
    if connection is None:
        return {"chstatus.txt": ("mqsc_display", _statuses(run))}
    made: dict[str, tuple[str, dict[str, pl.DataFrame]]] = {
        "harness.txt": ("perf_harness", harness(run, _CLIENTS)),
        "csm.txt": ("zos_syslog", _storage(run)),
    }
    if connection == "zCX":
        rng = noise_of(run)
        made |= {
            "ioping.txt": ("ioping", _ioping(rng)),
            "free.txt": ("free", _free(rng)),
            "docker.txt": ("docker", _docker(rng)),
        }
    return made


def _statuses(runs: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return DISPLAY CHSTATUS of a run over a distance."""
    cells = runs.select("document", "protocol", "latency_ms_oneway", metric=pl.lit("NETTIME"))
    nettime = (predict(normalise(cells))["predicted"] * 1000).round()
    return {
        "bench_mqsc_chstatus": runs.select(
            record_no=pl.int_range(1, pl.len() + 1),
            queue_manager=pl.lit(f"!{manager(SOURCE)}"),
            channel=pl.lit(f"{manager(SOURCE)}.TO.XQM1"),
            channel_type=pl.lit("SDR"),
            connection_name=pl.lit("192.0.2.40"),
            status=pl.lit("RUNNING"),
            remote_queue_manager=pl.lit("XQM1"),
            transmission_queue=pl.lit("XQM1"),
            monitoring=pl.lit("HIGH"),
            messages=pl.col("transactions"),
            batches=pl.col("transactions") // 20,
            batch_size=pl.lit(50),
            nettime_us_short=nettime,
            nettime_us_long=nettime,
            xbatchsz_short=pl.lit(20.0),
            xbatchsz_long=pl.lit(20.0),
        )
    }


def _ioping(rng: np.random.Generator) -> dict[str, pl.DataFrame]:
    """Return the disk response of the container's volumes, by request size."""
    cells = pl.DataFrame({"document": "001", "metric": "response_time",
                          "message_size_bytes": [4096, 262_144]})  # fmt: skip
    mean = predict(normalise(cells))["predicted"].to_numpy() * _varied(rng, 2)
    count = 100
    rows = [
        {"record_no": i, "target": "/var/mqm/data", "file_system": "ext4", "device": "/dev/vdb1",
         "requests": count, "request_seconds": count * us / 1e6, "bytes": float(count * size),
         "iops": 1e6 / us, "bytes_per_second": size * 1e6 / us, "min_us": round(us * 0.7),
         "avg_us": round(us), "max_us": round(us * 2.2), "mdev_us": round(us * 0.2),
         "all_requests": count, "all_seconds": 100.0}
        for i, (size, us) in enumerate(zip((4096, 262_144), mean, strict=True), start=1)
    ]  # fmt: skip
    return {"bench_ioping": pl.DataFrame(rows)}


def _varied(rng: np.random.Generator, count: int) -> Floats:
    """Return factors on what a tool shows, with an invented variation of 3 %."""
    return np.exp(0.03 * rng.standard_normal(count))


def _free(rng: np.random.Generator) -> dict[str, pl.DataFrame]:
    """Return the memory of the container host in MB (document 001, table free).

    The used part varies.
    """
    total, used, unused, shared, available = 7782, 3789, 152, 670, 3174
    more = round(used * (_varied(rng, 1)[0] - 1))
    kinds = {
        "Mem": {"total": total, "used": used + more, "free": unused, "shared": shared,
                "buff/cache": total - used - more - unused, "available": available - more},
        "Swap": {"total": 1946, "used": 53, "free": 1893},
    }  # fmt: skip
    rows = [
        {"record_no": i, "report": 1, "kind": kind, "measure": measure, "unit": "Ki",
         "value": float(value * 1024), "bytes": float(value * 2**20)}
        for i, (kind, values) in enumerate(kinds.items(), start=2)
        for measure, value in values.items()
    ]  # fmt: skip
    return {"bench_free": pl.DataFrame(rows)}


def _docker(rng: np.random.Generator) -> dict[str, pl.DataFrame]:
    rows = [
        {"record_no": 2 + i, "sample": 1, "container_id": f"{0x9F3A1C + i:012x}", "name": name,
         "cpu_pct": round(cpu * varied, 2), "memory_bytes": memory * _GB,
         "memory_limit_bytes": 8 * _GB, "memory_pct": round(100 * memory / 8, 2),
         "network_received_bytes": 3.2e9, "network_sent_bytes": 3.4e9,
         "block_read_bytes": 1.2e6, "block_written_bytes": 8.1e8, "pids": pids}
        for i, (name, cpu, memory, pids, varied) in enumerate(
            (("mq-concentrator", 121.5, 2.5, 412, _varied(rng, 1)[0]),
             ("fasp-gateway", 0.5, 0.5, 22, 1.0))
        )
    ]  # fmt: skip
    return {"bench_docker_stats": pl.DataFrame(rows)}


def _storage(runs: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return D NET,CSM at the end of a run: storage of the communications server, document 001."""
    used, free = 19_284 * 1024.0, 29_120 * 1024.0
    rows = [
        {"record_no": i, "system_id": SOURCE, "time_local": stop + SITE.offset,
         "buffer_size": "TOTAL", "source": "ALL SOURCES", "in_use_bytes": used,
         "free_bytes": free, "total_bytes": used + free}
        for i, stop in enumerate(runs["stop"], start=1)
    ]  # fmt: skip
    return {"bench_csm_pool": pl.DataFrame(rows)}


SCENARIO = Scenario(
    "zcx",
    "document 001: a concentrator of 8,000 clients by address space, and channels over distance",
    datetime(2026, 2, 4, 14),
    _runs,
    _outputs,
)
