"""Document 001, section 4: the full repository of a cluster, on z/OS and in a container.

    load       six million cluster queues go to the repository: until the command queue is
               empty; the deepest queue, and the space it takes in the container
    open       1,000 queues are opened that the partial repository does not know, by way of either
               full repository, and again when it knows them

The document gives the times, depths and sizes; the CPU times are invented.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.predict import predict
from models_sim.simulator.campaigns.scenarios.definition import Outputs, Scenario, labelled
from models_sim.simulator.campaigns.site import SOURCE, gateway, manager

__all__ = ["SCENARIO"]

_QUEUES, _OPENS = 6_000_000, 1000
#: Messages on the command queue at its deepest: document 001, section 4.
_DEPTHS = {"z/OS": 50_000, "zCX": 500_000}
_COMMANDS = "SYSTEM.CLUSTER.COMMAND.QUEUE"
_LOAD_BYTES = 1.2e9  # of the command queue in the container while it loads
#: Where the disk of 10 GB ran full: the command queue and the repository queue.
_FULL = {_COMMANDS: 1.7e9, "SYSTEM.CLUSTER.REPOSITORY.QUEUE": 100e6}
_WARM_SECONDS = 1.8  # less than 2
_LOAD_US, _OPEN_US = {"z/OS": 60.0, "zCX": 4.0}, 900.0  # CPU per queue and per open: invented


def _runs(_: np.random.Generator) -> pl.DataFrame:
    rows = [_load(where) for where in _DEPTHS]
    rows += [_open(where, known=False) for where in _DEPTHS]
    rows.append(_open("z/OS", known=True))
    return labelled(pl.DataFrame(rows, infer_schema_length=None), mq_level="9.2.4")


def _stated(metric: str, connection: str) -> float:
    cells = pl.DataFrame({"document": ["001"], "metric": [metric], "connection": [connection]})
    return float(predict(normalise(cells))["predicted"][0])


def _load(where: str) -> dict[str, Any]:
    return _run(where, "repository load", _QUEUES, _stated("repo_init", where), _LOAD_US[where])


def _open(where: str, *, known: bool) -> dict[str, Any]:
    seconds = _WARM_SECONDS if known else _OPENS * _stated("mqopen_resolution", where)
    return _run(where, "queue open again" if known else "queue open", _OPENS, seconds, _OPEN_US)


def _run(where: str, work: str, count: int, seconds: float, us: float) -> dict[str, Any]:
    spaces = {"z/OS": f"{manager(SOURCE)}CHIN", "zCX": gateway(SOURCE)}
    return {
        "document": "001",
        "connection": where,
        "x_transaction": work,
        "machine": "z15",
        "transactions": count,
        "seconds": seconds,
        "counted": True,
        "spent": [{"system": SOURCE, "job": spaces[where], "seconds": us * count / 1e6,
                   "eligible": 0.98 if where == "zCX" else 0.0}],
        "scope_spaces": list(spaces.values()),
        "repetition": 1,
    }  # fmt: skip


def _outputs(run: pl.DataFrame) -> Outputs:
    """Return the deepest command queue; in the container also the space that it takes."""
    where, work = run.select("connection", "x_transaction").row(0)
    if work != "repository load":
        return {}
    made: dict[str, tuple[str, dict[str, pl.DataFrame]]] = {
        "qstatus.txt": ("mqsc_display", _depth(where))
    }
    if where == "zCX":
        made["docker-df.txt"] = ("docker", _space())
        made["du.txt"] = ("du", _directories())
    return made


def _depth(where: str) -> dict[str, pl.DataFrame]:
    """Return DISPLAY QSTATUS of the command queue at its deepest."""
    name = f"!{manager(SOURCE)}" if where == "z/OS" else "ZCXREPOS"
    row = {"record_no": 1, "queue_manager": name, "queue": _COMMANDS, "depth": _DEPTHS[where],
           "input_handles": 1, "output_handles": 8, "monitoring": "HIGH"}  # fmt: skip
    return {"bench_mqsc_qstatus": pl.DataFrame([row])}


def _space() -> dict[str, pl.DataFrame]:
    """Return docker system df -v: the volume of the queue manager's data."""
    row = {"record_no": 1, "kind": "volume", "name": "mqdatazcxrepos", "users": 1,
           "size_bytes": _LOAD_BYTES}  # fmt: skip
    return {"bench_docker_object": pl.DataFrame([row])}


def _directories() -> dict[str, pl.DataFrame]:
    """Return du -h in the container whose disk ran full."""
    root = "/mnt/mqm/data/qmgrs/ZCXREPOS/queues"
    rows = [
        {"record_no": number, "path": f"{root}/{name.replace('.', '!')}", **_human(size)}
        for number, (name, size) in enumerate(_FULL.items(), start=1)
    ]
    return {"bench_du": pl.DataFrame(rows)}


def _human(size: float) -> dict[str, Any]:
    unit, scale = ("G", 1e9) if size >= 1e9 else ("M", 1e6)
    return {"value": size / scale, "unit": unit}


SCENARIO = Scenario(
    "zcx-cluster",
    "document 001: loading and using the full repository of a cluster, on z/OS and in a container",
    datetime(2026, 2, 12, 14),
    _runs,
    _outputs,
)
