"""Hard cases of the speed of a CPU second: it changes, differs by system, or is another label's."""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl

from models_sim.simulator.campaigns.hard_cases.case import (
    Made,
    Run,
    files_of,
    finding,
    share,
    truth,
)
from models_sim.simulator.campaigns.hard_cases.records import Change, Part, put
from models_sim.simulator.campaigns.hard_cases.work import Lpar, Plex, busy, every

__all__ = ["speeds"]

_INTERVAL, _RUN = timedelta(minutes=5), timedelta(minutes=15)
_MACHINE, _CLASS = "smf70_1_cpu_control", "smf72_3_workload_manager_control"
_PERIOD = "smf72_3_service_report_class_period"
_SERVICE = ("r723ccpu", "r723csrb", "r723csup", "r723csuc")
_ADJUSTMENT = 301  # sixteenths of a microsecond per service unit
_KINDS: tuple[tuple[str, ...], ...] = (
    (),
    ("capacity_changed",),
    ("machines_differ",),
    ("machine_label_differs",),
    (),
    (),
    ("capacity_changed", "capacity_changed_in_interval"),
    ("capacity_changed",),
)
#: What does not need service units.
_TOLD = ("cpu_seconds", "general_purpose_seconds", "ziip_seconds", "rate", "cost_per_GB",
         "cost_per_transaction_us")  # fmt: skip
_LATER = 320  # the adjustment of the last run
_SAME = 4  # from this run on, all have the same factors


def speeds(start: datetime, seed: int) -> Made:
    """Return runs of two systems whose machine is not the same, in another way each time.

    Two are of one configuration, but for the speed. In the next one it falls by 6 % in the middle
    of an interval of the first system, and in the last one the capacity of the machine falls.
    """
    names = ("SPD1", "SPD2")
    plex = Plex("SPDPLEX", tuple(Lpar(name) for name in names))
    begins = [start + n * _RUN for n in range(len(_KINDS) + 1)]
    changing = begins[6] + _INTERVAL
    changes: list[Change] = [
        # Its second interval and those after it are of a slower machine.
        *_slower("SPD1", begins[1] + _INTERVAL, begins[2], 2 * _ADJUSTMENT),
        put(_MACHINE, "SPD2", begins[2], begins[3], smf70mdl="A04"),
        *(put(_MACHINE, name, begins[3], begins[4], smf70cpc_type="3931") for name in names),
        *(
            change
            for name in names
            for change in _slower(name, begins[5], begins[6], 2 * _ADJUSTMENT)
        ),
        *_slower("SPD1", changing, changing + _INTERVAL, _LATER, whole=False),
        *_slower("SPD1", changing + _INTERVAL, begins[7], _LATER),
        # From its second interval on, the machine has less capacity, for both systems.
        *(
            put(
                _MACHINE,
                name,
                begins[7] + _INTERVAL,
                begins[8],
                smf70cpa_actual=2 * pl.col("smf70cpa_actual"),
            )
            for name in names
        ),
    ]
    work = busy(*((name, start, begins[-1], 1.0) for name in names))
    parts = [Part(plex, every(300, start, 3 * len(_KINDS), *names), work, changes=tuple(changes))]
    runs = [
        Run(f"spd-{number}", begins[number], begins[number + 1], names,
            [share(plex, name, 900) for name in names], issues,
            _TOLD if "capacity_changed_in_interval" in issues else None, "speeds",
            {"x_speed": str(min(number, _SAME) if number < 6 else number)})
        for number, issues in enumerate(_KINDS)
    ]  # fmt: skip
    findings = [
        finding(kind, None, run.start, run.stop, "in type 70", sysplex=None, run=run.name,
                fields=("smf70cpc_type", "smf70mdl", "smf70adj"), affects=("cpu_seconds",))
        for run in runs
        for kind in run.issues
        if kind != "capacity_changed_in_interval"
    ]  # fmt: skip
    findings.append(
        finding("capacity_changed_in_interval", "SPD1", changing, changing + _INTERVAL,
                "service units of two speeds", sysplex=plex.name,
                fields=("smf70adc", "smf70adj", "r723madj"), affects=("eligible_seconds",))
    )  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs, findings))


def _slower(
    system: str, start: datetime, end: datetime, adjustment: int, *, whole: bool = True
) -> list[Change]:
    """Return the same work in service units of a slower machine: in all of the time, or in half."""
    units = _ADJUSTMENT / adjustment if whole else (1 + _ADJUSTMENT / adjustment) / 2
    fewer = {name: (pl.col(name) * units).round().cast(pl.Int64) for name in _SERVICE}
    return [
        put(_MACHINE, system, start, end, smf70adj=adjustment, smf70adc=not whole),
        put(_CLASS, system, start, end, r723madj=adjustment),
        put(_PERIOD, system, start, end, **fewer),
    ]
