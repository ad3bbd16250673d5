"""Document 002's matrix: transfers between agents on Linux, which leave logs and `top`, no SMF."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import polars as pl

from models_sim.campaign.scenarios.scenario import Outputs, Scenario, labelled
from models_sim.cells import normalise
from models_sim.predict import predict

__all__ = ["GRID", "SCENARIO"]

SIZES = (1, 10, 100)
#: Connection, mode, whether MD5 is reckoned, and the chunk sizes (bytes) that were measured.
GRID = (
    ("bindings", "binary", "N", (65_536, 262_144, 524_288)),
    ("bindings", "binary", "Y", (65_536, 131_072, 262_144, 524_288)),
    ("bindings", "text", "N", (65_536, 131_072, 262_144, 524_288)),
    ("bindings", "text", "Y", (65_536, 131_072, 524_288)),
    ("client", "binary", "N", (65_536, 131_072, 524_288)),
    ("client", "binary", "Y", (65_536, 131_072, 262_144, 524_288)),
    ("client", "text", "N", (65_536, 131_072, 262_144, 524_288)),
    ("client", "text", "Y", (65_536, 262_144, 524_288)),
)
_AGENTS = ("Agent1-CPU", "Agent2-CPU", "AgentQ-CPU", "Coord-CPU")
_PROCESSES = {"Agent1-CPU": 4101, "Agent2-CPU": 4202, "AgentQ-CPU": 4303, "Coord-CPU": 4404}
_MEMORY = 64 * 2.0**30


def _runs(_: np.random.Generator) -> pl.DataFrame:
    rows = [
        {"document": "002", "source": "Linux", "target": "Linux", "connection": connection,
         "mode": mode, "md5": md5, "chunk_size": chunk, "transfer": transfer,
         "file_size_mb": size, "repetition": 1}
        for connection, mode, md5, chunks in GRID
        for chunk in chunks
        for transfer in ("single", "multi")
        for size in SIZES
    ]  # fmt: skip
    return labelled(pl.DataFrame(rows), machine="x86", mq_level="9.2.0")


def _outputs(runs: pl.DataFrame) -> Outputs:
    """One display of `top` in the middle of each run: the CPU of the agents as predicted."""
    factors = ["document", "source", "target", "connection", "mode", "md5", "chunk_size",
               "transfer", "file_size_mb"]  # fmt: skip
    cells = pl.concat([runs.select(factors).with_columns(metric=pl.lit(a)) for a in _AGENTS])
    shares = predict(normalise(cells))["predicted"].to_numpy().reshape(len(_AGENTS), -1)
    middle = runs.select(pl.col("begin") + (pl.col("end") - pl.col("begin")) / 2).to_series()
    shown = middle.dt.strftime("%H:%M:%S")
    busy = np.nansum(shares, axis=0)
    displays = pl.DataFrame(
        {
            "iteration": np.arange(1, runs.height + 1),
            "time_printed": shown,
            **{f"load_average_{n}min": np.round(busy / 60, 2) for n in (1, 5, 15)},
            "tasks": 240,
            "tasks_running": 2,
            "cpu_us_pct": np.round(busy * 0.8 / 12, 1),
            "cpu_sy_pct": np.round(busy * 0.2 / 12, 1),
            **{f"cpu_{share}_pct": 0.0 for share in ("ni", "wa", "hi", "si", "st")},
            "cpu_id_pct": np.round(100 - busy / 12, 1),
            "memory_total_bytes": _MEMORY,
            "memory_free_bytes": _MEMORY / 2,
            "memory_used_bytes": _MEMORY / 8,
            "memory_buff_cache_bytes": 3 * _MEMORY / 8,
            "memory_avail_bytes": 3 * _MEMORY / 4,
            **{f"swap_{kind}_bytes": 0.0 for kind in ("total", "free", "used")},
        }
    )
    processes = pl.concat(
        pl.DataFrame(
            {
                "iteration": np.arange(1, runs.height + 1),
                "time_printed": shown,
                "pid": pid,
                "user": "mqm",
                "priority": "20",
                "nice": 0,
                "virtual_bytes": 7.5 * 2.0**30,
                "resident_bytes": 410 * 2.0**20,
                "shared_bytes": 24 * 2.0**20,
                "state": "S",
                "cpu_pct": np.round(shares[i], 1),
                "memory_pct": 0.6,
                "cpu_seconds": np.round(np.nancumsum(shares[i]) * 0.3, 2),
                "command": "java" if name != "Coord-CPU" else "amqzmuc0",
            }
        )
        for i, (name, pid) in enumerate(_PROCESSES.items())
    ).filter(pl.col("cpu_pct").is_not_nan())
    ordered = processes.sort("iteration", "cpu_pct", descending=[False, True])
    return {"bench/top.txt": ("top", {"bench_top": displays, "bench_top_process": ordered})}


SCENARIO = Scenario(
    "mft-linux",
    "document 002: bindings and client, chunk sizes, MD5, single and multiple transfers",
    datetime(2026, 2, 2, 14),
    _runs,
    _outputs,
)
