"""Document 004: how much a queue manager and a structure can take, by machine and processors.

    peak       non-persistent messages of 2 KB, out of syncpoint and in syncpoint, on 4 to 32
               processors: the rate rises with the processors up to the printed peak
    log        persistent messages of 2 KB to 4 MB: the tasks wait for the log, up to its maximum of
               bytes per second
    capacity   messages of 1 to 63 KB that fill a structure of 4 GB, from one queue manager and from
               two

Peaks, the ceiling of the log, the gains in cost of z16 over z15 and the capacity come from the
document. The costs on z15, the tasks, and the rates at which a structure is filled are invented.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.predict import predict
from models_sim.simulator.campaigns.driver import (
    COMMITS,
    LOG_US,
    LOG_WAIT,
    LOGGED,
    SERVED,
    WRITE_BYTES,
)
from models_sim.simulator.campaigns.plan import MB
from models_sim.simulator.campaigns.scenarios.definition import Outputs, Scenario, harness, labelled
from models_sim.simulator.campaigns.site import SOURCE, TARGET, driver, manager

__all__ = ["CPUS", "LOG_MB", "SCENARIO"]

CPUS = (4, 8, 10, 16, 24, 28, 30, 32)
MACHINES = ("z15", "z16")
_SIZE, _EACH = 2048, 2  # bytes per message, messages per transaction
_SECONDS = 48.0  # makes a run a minute
_USED = 0.95  # of the processors, if they limit the rate
#: The peaks in syncpoint, from the text: messages per second (document 004, section 4).
_IN_SYNCPOINT = {"z15": 571_600.0, "z16": 636_460.0}
#: Processors above which z16 gets slower again, and its rate then relative to its peak: invented.
_MOST_CPUS, _BEYOND = {"N": 28, "Y": 32}, 0.95
#: CPU microseconds per transaction on z15, and the factors of z16 from that many processors on
#: (document 004, section 4: -5.7 %, +10 %; 9 to 14 %, -13 to -7 %).
_COST_US = {"N": 37.1, "Y": 60.0}
_GAINS = {"N": ((0, 0.943), (30, 1.10)), "Y": ((0, 0.95), (8, 1.115), (12, 0.96), (24, 0.90))}
#: Processors of the peaks on older machines, as on z15: invented. Without accounting class 3, z16
#: reached 1.7 million messages a second (document 004, section 4).
_OLDER = {"z13": datetime(2026, 1, 6, 14), "z14": datetime(2026, 1, 8, 14)}
_OLDER_CPUS, _WITHOUT_ACCOUNTING = 32, 1.7e6
LOG_MB = 380.0  # maximum MB/s of the log, on 4 stripes: document 004, section 4
_LOG_CPUS, _LOG_TASKS = 8, 16
#: Bytes of a persistent message, and the largest saving on z16 in %.
_LOG_SIZES = {2048: 10.0, 16_384: 10.0, 65_536: 17.0, 1_048_576: 28.0, 4_194_304: 28.0}
_LOG_COST_US, _LOG_KB_US, _LOG_OWN_US = 95.0, 0.35, 1200.0
_CAPACITY_SIZES = (1164, 2048, 4096, 8192, 16_384, 32_768, 64_512)
_FILLED, _FILL_BYTES, _FILL_US = 14_000.0, 300e6, 34.0  # puts and bytes per second, CPU per put
_START, _LATER = datetime(2026, 2, 23, 14), datetime(2026, 3, 9, 14)


def _runs(_: np.random.Generator) -> pl.DataFrame:
    peaks = _peaks()
    part = peaks["N"]["z16"] / _WITHOUT_ACCOUNTING  # the processors are as busy as with it
    rows = [
        _peak(machine, syncpoint, cpus, peaks[syncpoint][machine])
        for machine in MACHINES
        for syncpoint in ("N", "Y")
        for cpus in CPUS
    ]
    rows += [_peak(machine, "N", _OLDER_CPUS, peaks["N"][machine]) for machine in _OLDER]
    rows.append(
        _peak("z16", "N", _MOST_CPUS["N"], _WITHOUT_ACCOUNTING, part)
        | {"accounting": False, "x_accounting": "N"}
    )
    rows += [_log(machine, size) for machine in MACHINES for size in _LOG_SIZES]
    rows += [
        _capacity(size, count, managers)
        for size, count in zip(_CAPACITY_SIZES, _room(), strict=True)
        for managers in (1, 2)
    ]
    runs = labelled(pl.DataFrame(rows, infer_schema_length=None), mq_level="9.3.0")
    begin = pl.when(pl.col("machine") == "z15").then(_START).otherwise(_LATER)
    is_older = pl.col("machine").is_in(list(_OLDER))
    return runs.with_columns(
        document=pl.lit("004"),
        repetition=1,
        by_harness=pl.lit(value=True),
        label_machine=pl.col("machine"),
        # The number of an LPAR's processors changes only between days.
        session=pl.when(is_older)
        .then(pl.col("machine").replace_strict(_OLDER, default=None))
        .otherwise(begin + pl.duration(days=pl.col("cpus").rank("dense").cast(pl.Int64) - 1)),
    ).sort("session", maintain_order=True)


def _peaks() -> dict[str, dict[str, float]]:
    """Return the messages per second at the peak, by syncpoint and machine."""
    every = (*_OLDER, *MACHINES)
    cells = pl.DataFrame({"machine": every}).with_columns(
        document=pl.lit("004"), table_id=pl.lit("peak"), metric=pl.lit("peak_messages"),
        message_size_bytes=pl.lit(_SIZE),
    )  # fmt: skip
    million = predict(normalise(cells))["predicted"]
    return {"N": dict(zip(every, million * 1e6, strict=True)), "Y": _IN_SYNCPOINT}


def _peak(
    machine: str, syncpoint: str, cpus: int, peak: float, part: float = 1.0
) -> dict[str, Any]:
    """Return a run with as many transactions as the processors can do, up to the machine's peak."""
    gain = [g for least, g in _GAINS[syncpoint] if cpus >= least][-1] if machine == "z16" else 1.0
    cost = _COST_US[syncpoint] * gain * part
    rate = min(_USED * cpus * 1e6 / cost, peak / _EACH)
    if machine == "z16" and cpus > _MOST_CPUS[syncpoint]:
        rate *= _BEYOND
    return _driven(machine, cpus, cpus, _SIZE, rate * _SECONDS, cost) | {
        "each": _EACH,
        "gives_messages": True,
        "syncpoint": syncpoint == "Y",
        "x_syncpoint": syncpoint,
        "x_persistent": "N",
    }


def _log(machine: str, size: int) -> dict[str, Any]:
    """Return a run of tasks whose commits each force the log, up to its maximum."""
    logged = size + LOGGED
    written = min(logged * (1.0 + SERVED * _LOG_TASKS) / COMMITS, WRITE_BYTES)
    log_us = max(LOG_US, written / (LOG_MB * MB) * 1e6)
    rate = _LOG_TASKS * 1e6 / (_LOG_OWN_US + COMMITS * LOG_WAIT * log_us)
    rate = min(rate, LOG_MB * MB / logged)
    gain = 1.0 - _LOG_SIZES[size] / 100 if machine == "z16" else 1.0
    cost = (_LOG_COST_US + _LOG_KB_US * size / 1024) * gain
    return _driven(machine, _LOG_CPUS, _LOG_TASKS, size, rate * _SECONDS, cost) | {
        "persistent": True,
        "log_us": log_us,
        "syncpoint": True,
        "x_syncpoint": "Y",
        "x_persistent": "Y",
    }


def _room() -> list[float]:
    """Return the messages that a structure of 4 GB holds, by size."""
    cells = pl.DataFrame({"message_size_bytes": _CAPACITY_SIZES}).with_columns(
        document=pl.lit("004"), table_id=pl.lit("cf-capacity"), machine=pl.lit("z16"),
        metric=pl.lit("messages_in_4GB_structure"),
    )  # fmt: skip
    return predict(normalise(cells))["predicted"].to_list()


def _capacity(size: int, count: float, managers: int) -> dict[str, Any]:
    """Return a run that fills the structure; the number of queue managers makes no difference."""
    rate = managers * min(_FILLED, _FILL_BYTES / 2 / size)
    made = _driven("z16", _LOG_CPUS, 4, size, count, _FILL_US)
    return made | {
        "seconds": count / rate,
        "fills": managers,
        "counted": True,
        "x_queue_managers": str(managers),
        "queue": "Shared",
        "spent": [_spent(system, count / managers, _FILL_US, job)
                  for system in (SOURCE, TARGET)[:managers] for job in _JOBS],
        "scope_spaces": [_job(system, job)
                         for system in (SOURCE, TARGET)[:managers] for job in _JOBS],
    }  # fmt: skip


_JOBS = {"MSTR": 0.06, "driver": 0.94}  # shares of a transaction's CPU time: invented


def _job(system: str, job: str) -> str:
    return driver(system) if job == "driver" else f"{manager(system)}{job}"


def _spent(system: str, transactions: float, cost: float, job: str) -> dict[str, Any]:
    seconds = _JOBS[job] * cost * transactions / 1e6
    return {"system": system, "job": _job(system, job), "seconds": seconds, "eligible": 0.0}


def _driven(
    machine: str, cpus: int, tasks: int, size: int, transactions: float, cost: float
) -> dict[str, Any]:
    return {
        "machine": machine,
        "cpus": cpus,
        "tasks": tasks,
        "message_size_bytes": size,
        "transactions": round(transactions),
        "seconds": _SECONDS,
        "persistent": False,
        "each": 1,
        "syncpoint": False,
        "counted": False,
        "log_us": LOG_US,
        "accounting": True,
        "gives_messages": False,
        "spent": [_spent(SOURCE, transactions, cost, job) for job in _JOBS],
        "scope_spaces": [_job(SOURCE, job) for job in _JOBS],
    }


def _outputs(run: pl.DataFrame) -> Outputs:
    return {"harness.txt": ("perf_harness", harness(run, run["tasks"].item()))}


SCENARIO = Scenario(
    "z16-peak",
    "document 004: peaks by processors, persistent messages up to the log's limit, full structure",
    _START,
    _runs,
    _outputs,
)
