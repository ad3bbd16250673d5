"""Data that cannot be: negative and excessive times, and intervals that overlap."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from models_sim.simulator.campaigns.hard_cases.case import (
    FIGURES,
    Made,
    Run,
    files_of,
    finding,
    share,
    truth,
)
from models_sim.simulator.campaigns.hard_cases.records import Change, Part, put
from models_sim.simulator.campaigns.hard_cases.work import AGENT, Lpar, Plex, busy, every, spans

__all__ = ["FAULTS", "Fault", "impossible"]

_SYSTEM = "IMP1"
_FIVE = timedelta(minutes=5)
_PERIOD = "smf72_3_service_report_class_period"
_NEGATIVE_US = (2**32 - 100) * 10_000  # what -1.00 s looks like in an unsigned field
_WITHOUT_CLASSES = ("cpu_seconds", "general_purpose_seconds", "ziip_seconds", "rate",
                    "cost_per_GB", "cost_per_transaction_us")  # fmt: skip
_WITHOUT_PROCESSORS = ("ziip_seconds", "eligible_seconds", "ziips_needed", "rate")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that cannot be, in one interval of its own, which is also a run.

    `exact` names the figures of the run that do not depend on it.
    """

    kind: str
    found: str
    fields: tuple[str, ...]
    exact: tuple[str, ...]
    affects: tuple[str, ...]


#: The faults by run, after a first run without any.
FAULTS = (
    Fault("negative_cpu_time", "CPU service of a class is less than its zIIP service",
          ("r723ccpu", "r723csup"), _WITHOUT_CLASSES, ("general_purpose_seconds",)),
    Fault("negative_cpu_time", "SRB service of a class is below zero", ("r723csrb",),
          _WITHOUT_CLASSES, ("general_purpose_seconds",)),
    Fault("cpu_exceeds_elapsed", f"{AGENT} used more CPU time than its interval allows",
          ("smf30cpt",), FIGURES, ("address spaces",)),
    Fault("wait_exceeds_online", "CPs waited longer than they were online", ("smf70wat",),
          FIGURES, ("busy_seconds",)),
    Fault("captured_exceeds_dispatched", "classes were charged with more than was dispatched",
          ("smf70edt", "r723ccpu", "r723csrb", "r723ciit"), ("rate",),
          ("cpu_seconds", "eligible_seconds", "uncaptured")),
    Fault("dispatch_exceeds_online", "CPs were dispatched longer than they were online",
          ("smf70edt", "smf70pdt", "smf70ont"), _WITHOUT_PROCESSORS,
          ("cpu_seconds", "cost_per_GB")),
    Fault("interval_ends_before_start", f"an interval of {AGENT} ends before it starts",
          ("smf30iss", "smf30iet"), FIGURES, ("address spaces",)),
    Fault("overlapping_intervals", "an RMF interval begins in the middle of another one",
          ("smf70ist", "smf70int", "smf72ist", "smf72int"), ("rate",),
          ("cpu_seconds", "cost_per_GB")),
)  # fmt: skip


def impossible(start: datetime, seed: int) -> Made:
    """Return runs of five minutes: one without a fault, and one with each of `FAULTS`.

    A quiet interval separates them.
    """
    plex = Plex("IMPPLEX", (Lpar(_SYSTEM),))
    begins = [start + 2 * number * _FIVE for number in range(len(FAULTS) + 1)]
    work = busy(*((_SYSTEM, begin, begin + _FIVE, 1.0) for begin in begins))
    changes = _changes(*((begin, begin + _FIVE) for begin in begins[1:]))
    overlap = begins[-1] + timedelta(minutes=3)
    parts = [
        Part(plex, every(300, start, 2 * len(begins), _SYSTEM), work, changes=changes),
        Part(plex, spans((_SYSTEM, overlap, overlap + _FIVE)), work, types=(70, 72)),
    ]
    runs, findings = [], []
    for number, (begin, fault) in enumerate(zip(begins, (None, *FAULTS), strict=True)):
        # What type 30 says of an address space does not make a run's totals wrong.
        issue = (fault.kind,) if fault and fault.exact != FIGURES else ()
        run = Run(
            f"imp-{number}", begin, begin + _FIVE, (_SYSTEM,), (share(plex, _SYSTEM, 300),), issue,
            fault.exact if fault else None, "impossible",
            {"x_fault": fault.found if fault else "none"},
        )  # fmt: skip
        runs.append(run)
        if fault:
            findings.append(
                finding(fault.kind, _SYSTEM, run.start, run.stop, fault.found, sysplex=plex.name,
                        run=run.name, fields=fault.fields, affects=fault.affects)
            )  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs, findings))


def _changes(*periods: tuple[datetime, datetime]) -> tuple[Change, ...]:
    """Return the change that makes each fault but the last, which is an interval too many."""
    on_ziip = pl.col("r723csup") > 0  # the agent's classes
    agent = pl.col("smf30_time_on_ziip") > 0
    is_cp = (pl.col("smf70cix") == 1) & (pl.col("smf70ont") > 0)
    too_much = pl.col("smf70ont") * 6 // 5
    more = {name: pl.col(name) * 3 / 2 for name in ("r723ccpu", "r723csrb", "r723csup")}
    made: tuple[tuple[str, pl.Expr | None, dict[str, Any]], ...] = (
        (_PERIOD, on_ziip, {"r723ccpu": pl.col("r723csup") / 2}),
        (_PERIOD, on_ziip, {"r723csrb": -pl.col("r723csrb")}),
        ("smf30_processor_accounting", agent, {"smf30cpt": _NEGATIVE_US}),
        ("smf70_1_cpu_data", pl.col("smf70typ") == 0, {"smf70wat": 330_000_000}),
        (_PERIOD, None, {**more, "r723ciit": pl.col("r723ciit") * 3 // 2}),
        ("smf70_1_prsm_logical_processor", is_cp, {"smf70edt": too_much, "smf70pdt": too_much}),
        ("smf30_identification", pl.col("smf30jbn") == AGENT,
         {"smf30iet": pl.col("smf30iss") - timedelta(minutes=1)}),
    )  # fmt: skip
    return tuple(
        put(table, _SYSTEM, start, end, where, **fields)
        for (table, where, fields), (start, end) in zip(made, periods, strict=False)
    )
