"""Document 002's matrix: transfers between Linux agents, which leave logs and `top`, but no SMF.

Multi transfers in bindings mode may stall (see models.linux). This is drawn for each run, and the
label `stalled` shows it. One configuration with MD5 is run ten times to show both outcomes.
"""

from __future__ import annotations

from datetime import datetime
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from models_sim.base.cells import normalise
from models_sim.base.family import Floats
from models_sim.base.parameters import load
from models_sim.models.linux.family import BINDINGS
from models_sim.models.linux.mechanism import (
    HOSTS,
    VOLUME_MB,
    cpu_seconds,
    factors,
    multi_run_time,
    stall_classes,
    stall_weights,
)
from models_sim.models.linux.mechanism import RUNS as STALL_RUNS
from models_sim.predict import predict
from models_sim.simulator.campaigns.plan import predicted, with_defaults
from models_sim.simulator.campaigns.scenarios.definition import Outputs, Scenario, labelled

__all__ = ["REPEATED", "REPETITIONS", "SCENARIO"]

Bools = NDArray[np.bool_]

SIZES = (1, 10, 100)
CHUNKS = (65_536, 131_072, 262_144, 524_288)  # bytes
#: Connection, mode, and whether MD5 is calculated.
GRID = tuple(product(("bindings", "client"), ("binary", "text"), ("N", "Y")))
#: The configuration that is run REPETITIONS times: connection, mode, MD5, chunk size, transfer.
REPEATED, REPETITIONS = ("bindings", "binary", "Y", 262_144, "multi"), 10
_AGENTS = ("Agent1-CPU", "Agent2-CPU", "AgentQ-CPU", "Coord-CPU")
_PROCESSES = {"Agent1-CPU": 4101, "Agent2-CPU": 4202, "AgentQ-CPU": 4303, "Coord-CPU": 4404}
_MEMORY = 64 * 2.0**30


def _runs(rng: np.random.Generator) -> pl.DataFrame:
    rows = [
        {"document": "002", "source": "Linux", "target": "Linux", "connection": connection,
         "mode": mode, "md5": md5, "chunk_size": chunk, "transfer": transfer,
         "file_size_mb": size, "repetition": repetition}
        for connection, mode, md5 in GRID
        for chunk in CHUNKS
        for transfer in ("single", "multi")
        for size in SIZES
        for repetition in range(1, _repetitions(connection, mode, md5, chunk, transfer) + 1)
    ]  # fmt: skip
    runs = _stalling(pl.DataFrame(rows).sort("repetition", maintain_order=True), rng)
    return labelled(runs, machine="x86", mq_level="9.2.0")


def _repetitions(*configuration: object) -> int:
    return REPETITIONS if configuration == REPEATED else 1


def _stalling(runs: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Return the runs with `label_stalled`, and the rate and the agents' CPU of their state."""
    cells = normalise(runs.with_columns(metric=pl.lit("rate")))
    f, p = factors(cells), load(BINDINGS.file)
    many = runs.select((pl.col("connection") == "bindings") & (pl.col("transfer") == "multi"))
    multi = many.to_series().to_numpy()
    chance = stall_weights(stall_classes(f), p) @ np.arange(STALL_RUNS + 1.0) / STALL_RUNS
    stalled = multi & (rng.random(runs.height) < chance)
    seconds = np.where(stalled, p["multi stalled"], multi_run_time(f, p))
    factor = VOLUME_MB / seconds / predicted(with_defaults(runs))["rate"].to_numpy()
    label = pl.when(pl.Series(multi)).then(
        pl.when(pl.Series(stalled)).then(pl.lit("Y")).otherwise(pl.lit("N"))
    )
    return runs.with_columns(
        label_stalled=label,
        rate_factor=pl.Series(np.where(multi, factor, 1.0)),
        agents_cpu=pl.Series(_shares(runs, multi, stalled)),
    )


def _shares(runs: pl.DataFrame, multi: Bools, stalled: Bools) -> Floats:
    """Return the percentage of a machine that each of `_AGENTS` uses (rows x agents).

    A stalled run uses CPU only for opening files.
    """
    cells = pl.concat([runs.with_columns(metric=pl.lit(name)) for name in _AGENTS])
    shares = predict(normalise(cells))["predicted"].to_numpy().reshape(len(_AGENTS), -1).T
    f = factors(normalise(runs.with_columns(metric=pl.lit("rate"))))
    p = load(BINDINGS.file)
    for i, host in ((i, HOSTS[name]) for i, name in enumerate(_AGENTS[:2])):
        moving, opening = cpu_seconds(f, p, f"multi {host}")
        own = (moving + opening) / multi_run_time(f, p)
        state = 100.0 * np.where(stalled, opening / p["multi stalled"], own)
        shares[:, i] = np.where(multi, np.rint(state), shares[:, i])
    return np.asarray(shares)


def _outputs(run: pl.DataFrame) -> Outputs:
    """Return one display of `top` in the middle of the run, with the agents' predicted CPU."""
    begin, end, shares = run.select("begin", "end", "agents_cpu").row(0)
    known = {name: cpu for name, cpu in zip(_AGENTS, shares, strict=True) if not np.isnan(cpu)}
    busy = sum(known.values())
    shown = {"iteration": 1, "time_printed": f"{begin + (end - begin) / 2:%H:%M:%S}"}
    display = shown | {
        **{f"load_average_{n}min": round(busy / 60, 2) for n in (1, 5, 15)},
        "tasks": 240,
        "tasks_running": 2,
        "cpu_us_pct": round(busy * 0.8 / 12, 1),
        "cpu_sy_pct": round(busy * 0.2 / 12, 1),
        **{f"cpu_{share}_pct": 0.0 for share in ("ni", "wa", "hi", "si", "st")},
        "cpu_id_pct": round(100 - busy / 12, 1),
        "memory_total_bytes": _MEMORY,
        "memory_free_bytes": _MEMORY / 2,
        "memory_used_bytes": _MEMORY / 8,
        "memory_buff_cache_bytes": 3 * _MEMORY / 8,
        "memory_avail_bytes": 3 * _MEMORY / 4,
        **{f"swap_{kind}_bytes": 0.0 for kind in ("total", "free", "used")},
    }
    seconds = (end - begin).total_seconds() / 2
    processes = [
        shown
        | {
            "pid": _PROCESSES[name],
            "user": "mqm",
            "priority": "20",
            "nice": 0,
            "virtual_bytes": 7.5 * 2.0**30,
            "resident_bytes": 410 * 2.0**20,
            "shared_bytes": 24 * 2.0**20,
            "state": "S",
            "cpu_pct": round(cpu, 1),
            "memory_pct": 0.6,
            "cpu_seconds": round(cpu / 100 * seconds, 2),
            "command": "java" if name != "Coord-CPU" else "amqzmuc0",
        }
        for name, cpu in sorted(known.items(), key=lambda of: -of[1])
    ]
    tables = {"bench_top": pl.DataFrame([display]), "bench_top_process": pl.DataFrame(processes)}
    return {"top.txt": ("top", tables)}


SCENARIO = Scenario(
    "mft-linux",
    "document 002: bindings and client, chunk sizes, MD5, single and multiple transfers",
    datetime(2026, 2, 2, 14),
    _runs,
    _outputs,
)
