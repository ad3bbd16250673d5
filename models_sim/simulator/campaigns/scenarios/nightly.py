"""120 nights of ten configurations, a new build each night, and changes of known size and cause.

`INJECTED` lists the changes, to check whatever looks for regressions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.driver import COMMITS, LOG_US, LOG_WAIT, transaction_us
from models_sim.simulator.campaigns.scenarios.changes import Injection, truth_text
from models_sim.simulator.campaigns.scenarios.definition import USUAL, Scenario, with_labels

__all__ = ["CONFIGURATIONS", "INJECTED", "NIGHTS", "SCENARIO", "START", "Injection", "night_of",
           "revision", "runs_with"]  # fmt: skip

NIGHTS = 120
#: When the first night began.
START = datetime(2025, 11, 3, 3)  # UTC; 22:00 local time, in winter until the last night

#: The configurations by a name of this module, with the factors that are not usual.
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "between": {"source": "z/OS", "target": "z/OS", "network": "10Gb", "file_size_mb": 100},
    "inbound": {"source": "xLinux", "target": "z/OS", "file_size_mb": 100},
    "outbound": {"source": "z/OS", "target": "xLinux", "network": "10Gb", "file_size_mb": 1024},
    "tls": {"source": "z/OS", "target": "z/OS", "tls": "TLS 1.2", "file_size_mb": 1024},
    "ziip": {"source": "z/OS", "target": "z/OS", "network": "10Gb", "file_size_mb": 1024,
             "x_ziips": "1", "offload": 0.95},
    "shared": {"source": "xLinux", "target": "z/OS", "queue": "Shared - SMDS",
               "file_size_mb": 100},
    "ams": {"source": "z/OS", "target": "z/OS", "ams": "Confidentiality", "file_size_mb": 10},
    "uss": {"source": "USS", "target": "USS", "network": "10Gb", "file_size_mb": 100},
    "persistent": {"document": "004", "machine": "z15", "message_size_bytes": 2048, "tasks": 2,
                   "persistent": True, "x_persistent": "Y"},
    # The last one: z/OS has no interval for it, which would otherwise leave a gap in its records.
    "linux": {"source": "Linux", "target": "Linux", "document": "002", "mode": "text",
              "file_size_mb": 100, "chunk_size": 262144, "md5": "N", "connection": "bindings",
              "transfer": "single"},
}  # fmt: skip


#: The changes. Rate and cost have a noise of 1 % between runs (see plan).
INJECTED = (
    Injection("agent code", "between", "step", 30, None, "cost_per_GB", 0.06, "address space",
              "MVS3", "AGNTA3"),
    Injection("slower volumes", "inbound", "step", 45, None, "rate", -0.05, "dasd", "MVS3"),
    Injection("agent code, better", "inbound", "step", 90, None, "cost_per_GB", -0.05,
              "address space", "MVS3", "AGNTA3"),
    Injection("cipher", "tls", "step", 60, None, "cost_per_GB", 0.04, "address space", "MVS1",
              "MQA1CHIN"),
    Injection("coupling facility", "shared", "step", 50, None, "rate", -0.06, "cf"),
    Injection("zIIP spill", "ziip", "step", 70, None, "general_purpose_seconds", 0.18, "ziip"),
    Injection("network", "outbound", "step", 40, 79, "rate", -0.08, "network"),
    Injection("put", "ams", "step", 55, None, "cost_per_GB", 0.03, "verb", "MVS1", "AGNTA1",
              "MQPUT"),
    Injection("partner's kernel", "linux", "step", 65, None, "rate", -0.05, "host"),
    Injection("small", "between", "step", 85, None, "rate", -0.01, "network"),
    Injection("small cost", "shared", "step", 95, None, "cost_per_GB", 0.01, "address space",
              "MVS3", "MQA3MSTR"),
    Injection("log", "persistent", "step", 35, None, "transactions_per_second", -0.06, "log",
              "MVS1"),
    Injection("latch", "persistent", "step", 80, None, "transactions_per_second", -0.05, "latch",
              "MVS1"),
    Injection("one bad night", "outbound", "spike", 20, 20, "rate", -0.15, "network"),
    Injection("SMF gap", "between", "data", 100, 100, "cpu_seconds", 1.0, "no SMF records"),
    Injection("missing LPAR", "tls", "data", 105, 105, "cpu_seconds", 0.5, "no SMF records",
              "MVS3"),
    Injection("half the files", "shared", "data", 110, 110, "files", 0.5, "files failed"),
)  # fmt: skip
_SYSTEMS = ("MVS1", "MVS2", "MVS3")
_SPILLED = 0.70  # share of the eligible work on zIIPs when they spill; 0.95 before
_WAITS = {
    "dasd": ("dasd_factor", 1.35),
    "cf": ("cf_factor", 1.4),
    "network": ("network_factor", 1.5),
}
_JAVA = 0.97  # eligible share of an agent's own code
_FILES = {"shared": 100}
# Microseconds of a transaction of "persistent": without waits, and waiting for latches; and its CPU
# time by address space. Invented, as is how much a write to the log varies between nights.
_OWN_US, _LATCH_US = 2200.0, 30.0
_CPU_US = {"MQA1MSTR": 200.0, "PERFSRV1": 1400.0}
_TRANSACTIONS = 26_000  # per run, so that each window is a minute even with all changes
_LOG_NOISE = 0.01


def revision(night: int) -> str:
    """Return the revision of the build that a night ran."""
    return hashlib.sha256(f"night {night}".encode()).hexdigest()[:7]


def night_of(night: int) -> datetime:
    """Return when a night's first run began, in UTC."""
    return START + timedelta(days=night)


def _runs(rng: np.random.Generator) -> pl.DataFrame:
    return runs_with(INJECTED, rng)


def runs_with(injected: Sequence[Injection], rng: np.random.Generator) -> pl.DataFrame:
    """Return the runs of all nights with these changes, in order of night and configuration."""
    rows = [_run(name, night, injected) for night in range(NIGHTS) for name in CONFIGURATIONS]
    runs = with_labels(pl.DataFrame(rows, infer_schema_length=None))
    revisions = pl.Series([revision(night) for night in range(NIGHTS)])
    varied = pl.Series(np.exp(_LOG_NOISE * rng.standard_normal(runs.height)))
    return _with_driver(
        runs.with_columns(
            label_git_revision=revisions.gather(runs["night"]), log_us=pl.col("log_us") * varied
        ).drop("night")
    )


def _with_driver(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the runs with the duration of a driver's runs and what they spend."""
    driven = pl.col("tasks").is_not_null()
    each = transaction_us(pl.lit(_OWN_US), pl.col("log_us"), pl.col("latch_us"))
    made = runs.with_columns(
        counted=driven,
        transactions=pl.when(driven).then(_TRANSACTIONS),
        seconds=pl.when(driven).then(_TRANSACTIONS * each / pl.col("tasks") / 1e6),
        scope_spaces=pl.when(driven).then(pl.lit(list(_CPU_US))),
    )
    spent = [
        pl.struct(
            system=pl.lit("MVS1"),
            job=pl.lit(job),
            seconds=pl.col("transactions") * us / 1e6,
            eligible=pl.lit(0.0),
        )
        for job, us in _CPU_US.items()
    ]
    return made.with_columns(spent=pl.when(driven).then(pl.concat_list(spent)).otherwise([]))


def _run(name: str, night: int, injected: Sequence[Injection]) -> dict[str, Any]:
    """Return a run of a configuration in a night, with the changes put into it."""
    factors = CONFIGURATIONS[name]
    usual = USUAL if "document" not in factors else {}
    row: dict[str, Any] = {"document": "000", "offload": None, "x_ziips": None} | usual | factors
    row |= {"night": night, "session": night_of(night), "repetition": 1, "rate_factor": 1.0,
            "dasd_factor": 1.0, "cf_factor": 1.0, "network_factor": 1.0, "failed": 0,
            "log_us": LOG_US, "latch_us": _LATCH_US}  # fmt: skip
    holding = [i for i in injected if i.configuration == name and i.holds(night)]
    row["more"] = list(_extra_cpu(holding, night))
    row["lost"] = _lost_systems(holding)
    for injection in holding:
        if injection.metric == "rate":
            row["rate_factor"] *= 1.0 + injection.size_in(night)
        if injection.cause in {"log", "latch"}:
            row |= _longer_waits(row["log_us"], row["latch_us"], injection)
        if injection.cause in _WAITS:
            column, factor = _WAITS[injection.cause]
            row[column] = factor
        if injection.cause == "ziip":
            row["offload"] = _SPILLED
        if injection.cause == "files failed":
            row["failed"] = round(_FILES[name] * injection.size)
    return row


def _longer_waits(log_us: float, latch_us: float, injection: Injection) -> dict[str, float]:
    """Return the longer waits of each transaction that lower the rate by the injection's size."""
    usual = _OWN_US + COMMITS * LOG_WAIT * log_us + latch_us
    more = usual / (1.0 + injection.size) - usual
    if injection.cause == "latch":
        return {"latch_us": latch_us + more}
    return {"log_us": log_us + more / (COMMITS * LOG_WAIT)}


def _extra_cpu(held: list[Injection], night: int) -> Iterator[dict[str, Any]]:
    """Yield the CPU time that changes cost, with its place."""
    for injection in held:
        if injection.metric == "cost_per_GB":
            eligible = _JAVA if injection.address_space.startswith("AGNT") else 0.0
            yield {
                "system": injection.system,
                "job": injection.address_space,
                "part": injection.size_in(night),
                "eligible": 0.0 if injection.verb else eligible,
                "verb": injection.verb,
            }


def _lost_systems(held: list[Injection]) -> list[str]:
    faults = [i for i in held if i.cause == "no SMF records"]
    return sorted({s for i in faults for s in ([i.system] if i.system else _SYSTEMS)})


SCENARIO = Scenario(
    "nightly",
    f"{NIGHTS} nights of {len(CONFIGURATIONS)} configurations, with injected changes",
    START,
    _runs,
    truth=lambda _: truth_text(
        INJECTED, [(night_of(night).isoformat(), revision(night)) for night in range(NIGHTS)]
    ),
)
