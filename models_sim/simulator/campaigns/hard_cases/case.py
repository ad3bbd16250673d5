"""A hard case: its files, and the truth about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import polars as pl

from models_sim.simulator.campaigns.hard_cases.records import Part, dump, records_of
from models_sim.simulator.campaigns.hard_cases.work import Lpar, Plex, used
from models_sim.simulator.outputs import write_output

__all__ = ["FIGURES", "HardCase", "Made", "Run", "Share", "files_of", "finding", "manifest",
           "share", "truth"]  # fmt: skip

_BYTES, _TRANSACTIONS = 64 << 20, 100  # of a run, per second
_GB = 1 << 30
#: The figures of a run, all of which its records tell unless the case is that they do not.
FIGURES = ("cpu_seconds", "general_purpose_seconds", "ziip_seconds", "eligible_seconds",
           "ziips_needed", "rate", "cost_per_GB", "cost_per_GB_after_offload",
           "cost_per_transaction_us")  # fmt: skip

Truth = dict[str, Any]


class Made(NamedTuple):
    """What a case consists of: its input files by path, and the truth about them."""

    files: Mapping[str, bytes]
    truth: Truth


@dataclass(frozen=True, slots=True)
class HardCase:
    """A case by name: what its records hold, what must come out of them, and how it is made.

    `make` takes the case's start (UTC) and a seed.
    """

    name: str
    holds: str
    must: str
    start: datetime
    make: Callable[[datetime, int], Made]


class Share(NamedTuple):
    """What a run used of one system, in CPU seconds; see work.Used."""

    sysplex: str
    system: str
    general_purpose: float
    ziip: float
    eligible_on_ziip: float
    eligible_on_cp: float
    ziip_factor: float


def share(
    plex: Plex, lpar: str | Lpar, seconds: float, *, eligible_of: Lpar | None = None
) -> Share:
    """Return what a system uses in that many seconds of work at level 1.

    `eligible_of` is the LPAR without a boost, whose work is what really is eligible.
    """
    one = plex.lpar(lpar) if isinstance(lpar, str) else lpar
    whole = used(one, plex, seconds)
    eligible = used(eligible_of or one, plex, seconds)
    return Share(
        plex.name,
        one.name,
        whole.dispatched,
        whole.ziip,
        eligible.charged_ziip,
        eligible.on_cp,
        plex.ziip_factor / 256,
    )


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a case: what its manifest says, and the truth about it.

    Without `lpars`, it may have used any. `shares` are what it really used. `issues` are the kinds
    of issues that it must show; a run with any is excluded from comparisons. `exact` names the
    figures that its records tell (None: all); the others must be null, or are flagged by the
    issues. `units` are those in which the manifest gives its work, with their sizes.
    """

    name: str
    start: datetime
    stop: datetime
    lpars: Sequence[str]
    shares: Sequence[Share]
    issues: Sequence[str] = ()
    exact: Sequence[str] | None = None
    campaign: str = ""
    factors: Mapping[str, str] = field(default_factory=dict)
    agents: Sequence[str] = ()
    transferred: Mapping[str, float] | None = None
    units: Mapping[str, tuple[str, float]] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Return how long the run lasts."""
        return (self.stop - self.start).total_seconds()

    def work(self) -> Mapping[str, float]:
        """Return bytes, transactions and the seconds that they took."""
        given = {"bytes": _BYTES * self.seconds, "transactions": _TRANSACTIONS * self.seconds,
                 "transfer_time": self.seconds}  # fmt: skip
        return given if self.transferred is None else self.transferred


def truth(runs: Iterable[Run], findings: Iterable[Truth] = (), **more: Any) -> Truth:
    """Return the truth about runs, the findings that must be reported, and more."""
    return {"runs": [_true(run) for run in runs], "findings": list(findings), **more}


def finding(
    kind: str,
    system: str | None,
    start: datetime,
    end: datetime,
    found: str,
    *,
    sysplex: str | None,
    run: str | None = None,
    fields: Sequence[str] = (),
    affects: Sequence[str] = (),
) -> Truth:
    """Return something in records that must be reported: where, when, and what it affects."""
    return {
        "kind": kind,
        "sysplex": sysplex,
        "system_id": system,
        "start_utc": start.isoformat(),
        "end_utc": end.isoformat(),
        "run_id": run,
        "fields": list(fields),
        "found": found,
        "affects": list(affects),
    }


def _true(run: Run) -> Truth:
    work = run.work()
    known = [name for name in FIGURES if run.exact is None or name in run.exact]
    return {
        "run_id": run.name,
        "campaign": run.campaign,
        "start_utc": run.start.isoformat(),
        "stop_utc": run.stop.isoformat(),
        "seconds": run.seconds,
        "lpars": list(run.lpars),
        "figures": _figures(run.shares, run.seconds, work),
        "by_system": [_by_system(one, run.seconds) for one in run.shares],
        "exact": known,
        "issues": list(run.issues),
        "is_compared": not run.issues,
        "is_refused": False,
        **{name: work[name] for name in ("bytes", "transactions", "files") if name in work},
    }


def _by_system(one: Share, seconds: float) -> Truth:
    keys = {"sysplex": one.sysplex, "system_id": one.system, "ziip_factor": one.ziip_factor}
    return keys | _cpu([one], seconds)


def _cpu(shares: Sequence[Share], seconds: float) -> dict[str, float]:
    """Return the CPU seconds of systems; each has its own factor from zIIP to CP time."""
    eligible = [s.eligible_on_ziip * s.ziip_factor + s.eligible_on_cp for s in shares]
    return {
        "cpu_seconds": sum(s.general_purpose + s.ziip * s.ziip_factor for s in shares),
        "general_purpose_seconds": sum(s.general_purpose for s in shares),
        "ziip_seconds": sum(s.ziip for s in shares),
        "eligible_seconds": sum(eligible),
        "ziips_needed": sum(e / s.ziip_factor / seconds
                            for e, s in zip(eligible, shares, strict=True)),
    }  # fmt: skip


def _figures(
    shares: Sequence[Share], seconds: float, work: Mapping[str, float]
) -> dict[str, float]:
    cpu = _cpu(shares, seconds)
    gb = work["bytes"] / _GB
    after = cpu["cpu_seconds"] - cpu["eligible_seconds"]
    costs = {
        "rate": work["bytes"] / (1 << 20) / work["transfer_time"],
        "cost_per_GB": cpu["cpu_seconds"] / gb,
        "cost_per_GB_after_offload": after / gb,
    }
    if "transactions" in work:
        costs["cost_per_transaction_us"] = 1e6 * cpu["cpu_seconds"] / work["transactions"]
    return cpu | costs


def files_of(parts: Sequence[Part], runs: Sequence[Run], seed: int) -> dict[str, bytes]:
    """Return the manifest of the runs, and a dump of each system."""
    dumps = {f"smf/{name}.smf": dump(own) for name, own in records_of(parts, seed).items()}
    return {"manifest.json": manifest(runs), **dumps}


_UNITS = {"bytes": "B", "transactions": "count", "transfer_time": "s"}


def manifest(runs: Sequence[Run]) -> bytes:
    """Return the manifest of runs; those with a log of transfers give no measurements."""
    keys = [{"run_id": run.name, "campaign": run.campaign} for run in runs]
    times = [{"start_utc": run.start, "stop_utc": run.stop, "repetition": 1} for run in runs]
    declared = pl.DataFrame([key | time for key, time in zip(keys, times, strict=True)])
    factors = [
        {"run_id": run.name, "factor": name, "value": value}
        for run in runs
        for name, value in {"x_case": run.campaign, **run.factors}.items()
    ]
    labels = [
        {"run_id": run.name, "label": name, "value": value}
        for run in runs
        for name, value in {"machine": "z15", "mq_level": "9.3.5"}.items()
    ]
    scope = [
        {"run_id": run.name, "kind": kind, "name": name}
        for run in runs
        for kind, names in (("lpar", run.lpars), ("address_space", run.agents))
        for name in names
    ]
    measured = [
        {"run_id": run.name, "metric": name, "value": float(value / size), "unit": unit}
        for run in runs
        if run.transferred is None
        for name, value in run.work().items()
        for unit, size in [run.units.get(name, (_UNITS[name], 1))]
    ]
    return write_output(
        "run_manifest",
        {
            "bench_run": declared,
            "bench_run_factor": pl.DataFrame(factors),
            "bench_run_label": pl.DataFrame(labels),
            **_table("bench_run_scope", scope),
            **_table("bench_measurement", measured),
        },
    )


def _table(name: str, rows: list[dict[str, Any]]) -> dict[str, pl.DataFrame]:
    return {name: pl.DataFrame(rows)} if rows else {}
