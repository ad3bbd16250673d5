"""Document 004, sections 1, 2 and 4: what moving from z15 to z16 changes.

    lspr         work of low, average and high Relative Nest Intensity on 3, 16 and 32 processors
    chips        32 KB over channels with TLS on 10 processors of each machine, and on 6 of z16,
                 which are on one chip
    compression  channels without compression, with ZLIBFAST and with ZLIBHIGH
    shared       messages on a shared queue: a request to the coupling facility takes longer on z16
    monopolizing tasks whose requests to the structure are so many that z/OS holds some of them back

The changes come from the document; levels of rate and cost are invented.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.predict import predict
from models_sim.simulator.campaigns.scenarios.definition import Outputs, Scenario, labelled
from models_sim.simulator.campaigns.site import (
    CF_REQUESTS_OF_GET,
    SITE,
    SOURCE,
    TARGET,
    driver,
    manager,
)

__all__ = ["CLASSES", "CPUS", "SCENARIO"]

MACHINES = ("z15", "z16")
CLASSES, CPUS = ("low", "average", "high"), (3, 16, 32)
_SECONDS = 48.0
_USED = 0.8  # of the processors
#: CPU microseconds of a transaction on z15 by class: invented.
_COST_US = {"low": 40.0, "average": 90.0, "high": 260.0}
#: 32 KB with ECDHE_RSA_AES_256_CBC_SHA384: cost relative to z15 with 10 processors, and rate
#: relative to z16 with 10 (document 004, section 2). The rate of z15 is invented.
_CIPHER = "ECDHE_RSA_AES_256_CBC_SHA384"
_CHIPS = {("z15", 10): (1.0, 1.02), ("z16", 10): (1.035, 1.0), ("z16", 6): (0.89, 1.15)}
#: Compression: cost and rate of z16 over z15, at most (document 004, section 4); without it, the
#: lower end of LSPR. Percent saved, and CPU microseconds and transactions per second on z15 of
#: messages of 64 KB: invented.
_COMPRESSION = {"N": (0.92, 1.03), "ZLIBFAST": (0.85, 1.10), "ZLIBHIGH": (0.94, 1.05)}
_COMPRESSED = {"N": (None, 300.0, 900.0), "ZLIBFAST": (78.0, 420.0, 1100.0),
               "ZLIBHIGH": (84.0, 3900.0, 180.0)}  # fmt: skip
_SHARED_US, _SHARED_RATE = 75.0, 4000.0
_CF_WAIT = (1 + CF_REQUESTS_OF_GET) * 1e-6  # seconds more of a transaction on z16
_PLACES = {"CHIN": 0.5, "MSTR": 0.15, "TCPIP": 0.15, "application": 0.2}
_START, _LATER = datetime(2026, 4, 13, 14), datetime(2026, 4, 27, 14)


def _runs(_: np.random.Generator) -> pl.DataFrame:
    gains = _gains()
    rows = [
        _lspr(machine, rni, cpus, gains[rni, cpus] if machine == "z16" else 0.0)
        for machine in MACHINES
        for cpus in CPUS
        for rni in CLASSES
    ]
    rows += [_chips(machine, cpus, *factors) for (machine, cpus), factors in _CHIPS.items()]
    rows += [_compressed(machine, kind) for machine in MACHINES for kind in _COMPRESSION]
    rows += [_shared(machine) for machine in MACHINES]
    rows.append(_monopolizing())
    runs = labelled(pl.DataFrame(rows, infer_schema_length=None), mq_level="9.3.0")
    number = pl.col("cpus").rank("dense").cast(pl.Int64) - 1
    day = pl.when(pl.col("machine") == "z15").then(_START).otherwise(_LATER)
    return runs.with_columns(
        document=pl.lit("004"),
        repetition=1,
        counted=True,
        label_machine=pl.col("machine"),
        # The number of an LPAR's processors changes only between days.
        session=day + number * timedelta(days=1),
    ).sort("session", maintain_order=True)


def _gains() -> dict[tuple[str, int], float]:
    """Return the improvement in percent that LSPR expects, by class and processors."""
    keys = [(rni, cpus) for rni in CLASSES for cpus in CPUS]
    cells = pl.DataFrame(keys, schema=["rni", "cpus"], orient="row").with_columns(
        document=pl.lit("004"), table_id=pl.lit("lspr"), metric=pl.lit("expected_improvement"),
        machine=pl.lit("z16"), compared_with=pl.lit("z15"),
    )  # fmt: skip
    return dict(zip(keys, predict(normalise(cells))["predicted"], strict=True))


def _run(machine: str, cpus: int, per_second: float) -> dict[str, Any]:
    transactions = round(per_second * _SECONDS)
    return {
        "machine": machine,
        "cpus": cpus,
        "transactions": transactions,
        "seconds": transactions / per_second,
    }


def _lspr(machine: str, rni: str, cpus: int, gain: float) -> dict[str, Any]:
    """Return a run of work that uses most of the processors."""
    cost = _COST_US[rni] / (1.0 + gain / 100)
    made = _run(machine, cpus, _USED * cpus * 1e6 / cost)
    return made | {
        "rni": rni,
        "tasks": 3,
        "message_size_bytes": 2048,
        **_at_source(made, cost),
    }


def _at_source(made: dict[str, Any], cost: float) -> dict[str, Any]:
    jobs = {f"{manager(SOURCE)}MSTR": 0.06, driver(SOURCE): 0.94}
    seconds = cost * made["transactions"] / 1e6
    return {
        "spent": [{"system": SOURCE, "job": job, "seconds": part * seconds, "eligible": 0.0}
                  for job, part in jobs.items()],
        "scope_spaces": list(jobs),
    }  # fmt: skip


def _job(place: str, system: str) -> str:
    named = {"application": driver(system), "TCPIP": "TCPIP"}
    return named.get(place, f"{manager(system)}{place}")


def _at_both(made: dict[str, Any], cost: float) -> dict[str, Any]:
    places = [(system, place) for system in (SOURCE, TARGET) for place in _PLACES]
    return {
        "streams": True,
        "spent": [{"system": system, "job": _job(place, system), "eligible": 0.0,
                   "seconds": _PLACES[place] * cost * made["transactions"] / 2e6}
                  for system, place in places],
        "scope_spaces": [_job(place, system) for system, place in places],
    }  # fmt: skip


def _chips(machine: str, cpus: int, cheaper: float, faster: float) -> dict[str, Any]:
    made = _run(machine, cpus, 1500.0 * faster)
    return made | {
        "x_transaction": "request/reply",
        "cipher": _CIPHER,
        "message_size_bytes": 32 * 1024,
        **_at_both(made, 500.0 * cheaper),
    }


def _compressed(machine: str, kind: str) -> dict[str, Any]:
    saved, cost, rate = _COMPRESSED[kind]
    cheaper, faster = _COMPRESSION[kind] if machine == "z16" else (1.0, 1.0)
    assert cost is not None
    assert rate is not None
    made = _run(machine, 3, rate * faster)
    return made | {
        "compmsg": kind,
        "compressed_pct": saved,
        "message_size_bytes": 64 * 1024,
        **_at_both(made, cost * cheaper),
    }


def _shared(machine: str) -> dict[str, Any]:
    """Return a run on a shared queue, whose two tasks wait for the coupling facility."""
    longer = _CF_WAIT if machine == "z16" else 0.0
    made = _run(machine, 3, 1.0 / (1.0 / _SHARED_RATE + longer / 2))
    return made | {
        "queue": "Shared",
        "tasks": 2,
        "message_size_bytes": 2048,
        **_at_source(made, _SHARED_US),
    }


def _monopolizing() -> dict[str, Any]:
    """Return a run whose structure monopolizes the coupling facility: rates are invented."""
    made = _run("z16", 16, 8 * _SHARED_RATE)
    return made | {
        "queue": "Shared",
        "tasks": 32,
        "message_size_bytes": 2048,
        "monopolized": 0.6,
        **_at_source(made, _SHARED_US),
    }


def _outputs(run: pl.DataFrame) -> Outputs:
    """Return, for the shared queue on z16, the job log of a queue manager that did not start."""
    if run.select("machine", "queue", "tasks").row(0) != ("z16", "Shared", 2):
        return {}
    text = (
        "STRUCTURE ALLOCATION INFORMATION FOR STRUCTURE MQPGCSQSYSAPPL, CONNECTOR NAME "
        f"CSQEMQPG{manager(SOURCE)}01, CONNECTIVITY=DEFAULT CFNAME ALLOCATION STATUS/FAILURE "
        "REASON -------- ---------------------------------- CF1 INVALID STRUCTURE SIZE: 20 M "
        "INITSIZE MUST BE AT LEAST: 41 M"
    )
    row = {"record_no": 1, "time_printed": "14.55.43", "job_id": "STC48092",
           "message_id": "IXL015I", "text": text, "system_id": SOURCE,
           "time_local": run["start"].item() + SITE.offset}  # fmt: skip
    return {"joblog.txt": ("zos_syslog", {"bench_syslog_message": pl.DataFrame([row])})}


SCENARIO = Scenario(
    "z16-move",
    "document 004: nest intensity, chips, compression and shared queues on z15 and z16",
    _START,
    _runs,
    _outputs,
)
