"""Document 002's matrix: transfers between Linux agents, which leave logs and `top`, but no SMF.

Each machine of a run has a `top -b -c` of its own: those of the two agents, the coordination queue
manager's and, if the agents are clients, that of their queue manager. The document's percentages
are those of a machine; the command lines show which machine it is.

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
from models_sim.simulator.campaigns.plan import predict_runs, with_defaults
from models_sim.simulator.campaigns.scenarios.definition import Outputs, Scenario, with_labels
from models_sim.simulator.campaigns.transfers import ON_LINUX
from models_sim.simulator.outputs import tools

__all__ = ["REPEATED", "REPETITIONS", "SCENARIO"]

Bools = NDArray[np.bool_]

SIZES = (1, 10, 100)
CHUNKS = (65_536, 131_072, 262_144, 524_288)  # bytes
#: Connection, mode, and whether MD5 is calculated.
GRID = tuple(product(("bindings", "client"), ("binary", "text"), ("N", "Y")))
#: The configuration that is run REPETITIONS times: connection, mode, MD5, chunk size, transfer.
REPEATED, REPETITIONS = ("bindings", "binary", "Y", 262_144, "multi"), 10
#: The coordination queue manager.
COORDINATION = "XQM3"
#: The document's figures of CPU, each of one machine.
_AGENTS = ("Agent1-CPU", "Agent2-CPU", "AgentQ-CPU", "Coord-CPU")
_CPUS, _MEMORY_MIB = 4, 16.0 * 1024  # of a machine: section 4.4
#: KiB of a process, virtual, resident and shared: invented.
_JAVA, _NATIVE = (7.5 * 2**20, 410 * 1024, 24 * 1024), (1.5 * 2**20, 96 * 1024, 24 * 1024)
_AGENT = (
    "/opt/mqm/java/jre64/jre/bin/java -Dcom.ibm.tools.attach.enable=no -Xmx2048M -Xms2048M "
    f"-Dwmqfte.lock.file=/var/mqm/mqft/logs/{COORDINATION}/agents/{{0}}/agent.lck "
    f"-Dcom.ibm.wmqfte.agent.name={{0}} -Dcom.ibm.wmqfte.coord.name={COORDINATION} "
    "-Dcom.ibm.wmqfte.product.root=/opt/mqm/mqft "
    "com.ibm.wmqfte.agent.bootstrap.impl.BootstrapMain com.ibm.wmqfte.agent.Agent"
)
_CHANNELS, _QUEUES = "/opt/mqm/bin/amqrmppa -m {}", "/opt/mqm/bin/amqzlaa0 -m{} -fip0"


def _runs(rng: np.random.Generator) -> pl.DataFrame:
    rows = [
        {
            "document": "002",
            "source": "Linux",
            "target": "Linux",
            "connection": connection,
            "mode": mode,
            "md5": md5,
            "chunk_size": chunk,
            "transfer": transfer,
            "file_size_mb": size,
            "repetition": repetition,
        }
        for connection, mode, md5 in GRID
        for chunk in CHUNKS
        for transfer in ("single", "multi")
        for size in SIZES
        for repetition in range(1, _repetitions(connection, mode, md5, chunk, transfer) + 1)
    ]
    runs = _with_stalls(pl.DataFrame(rows).sort("repetition", maintain_order=True), rng)
    return with_labels(runs, machine="x86-64", mq_level="9.0.5")


def _repetitions(*configuration: object) -> int:
    return REPETITIONS if configuration == REPEATED else 1


def _with_stalls(runs: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Return the runs with `label_stalled`, and the rate and the agents' CPU of their state."""
    cells = normalise(runs.with_columns(metric=pl.lit("rate")))
    f, p = factors(cells), load(BINDINGS.file)
    many = runs.select((pl.col("connection") == "bindings") & (pl.col("transfer") == "multi"))
    multi = many.to_series().to_numpy()
    chance = stall_weights(stall_classes(f), p) @ np.arange(STALL_RUNS + 1.0) / STALL_RUNS
    stalled = multi & (rng.random(runs.height) < chance)
    seconds = np.where(stalled, p["multi stalled"], multi_run_time(f, p))
    factor = VOLUME_MB / seconds / predict_runs(with_defaults(runs))["rate"].to_numpy()
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
        share = (moving + opening) / multi_run_time(f, p)
        state = 100.0 * np.where(stalled, opening / p["multi stalled"], share)
        shares[:, i] = np.where(multi, np.rint(state), shares[:, i])
    return np.asarray(shares)


def _outputs(run: pl.DataFrame) -> Outputs:
    """Return a display of each machine's `top` in the middle of the run, with its predicted CPU."""
    begin, end, connection, shares = run.select("begin", "end", "connection", "agents_cpu").row(0)
    middle = begin + (end - begin) / 2
    return {
        f"top-{HOSTS[name]}.txt": tools.top([_display(name, connection, share, begin, middle)])
        for name, share in zip(_AGENTS, shares, strict=True)
        if not np.isnan(share)
    }


def _processes(name: str, connection: str) -> list[tuple[str, float]]:
    """Return the command lines of a machine, and their shares of its CPU, which are invented."""
    if name == "Coord-CPU":
        return [(_QUEUES.format(COORDINATION), 0.6), (_CHANNELS.format(COORDINATION), 0.4)]
    agent, manager = ON_LINUX["destination" if name == "Agent2-CPU" else "source"]
    queues = [(_CHANNELS.format(manager), 0.6), (_QUEUES.format(manager), 0.4)]
    if name == "AgentQ-CPU":
        return queues
    process = _AGENT.format(agent)
    if connection == "client":
        return [(process, 1.0)]
    return [(process, 0.7), *((command, 0.3 * part) for command, part in queues)]


def _display(
    name: str, connection: str, busy: float, begin: datetime, moment: datetime
) -> tools.Display:
    """Return one display of a machine that is `busy` percent; `begin`: when it began to work."""
    of_one = busy * _CPUS  # percent of one CPU
    processes = [
        tools.Process(
            4101 + 101 * number,
            "mqm",
            _JAVA if "java" in command else _NATIVE,
            of_one * part,
            2.5 if "java" in command else 0.6,
            round(of_one * part / 100 * (moment - begin).total_seconds(), 2),
            command,
        )
        for number, (command, part) in enumerate(_processes(name, connection))
    ]
    return tools.Display(moment, of_one / 100, 140, busy, 0.2, _MEMORY_MIB,
                         (1 / 2, 1 / 8, 3 / 8, 3 / 4), processes)  # fmt: skip


SCENARIO = Scenario(
    "mft-linux",
    "document 002: bindings and client, chunk sizes, MD5, single and multiple transfers",
    datetime(2026, 2, 2, 14),
    _runs,
    _outputs,
)
