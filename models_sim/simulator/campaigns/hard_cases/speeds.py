"""Hard cases of the speed of a CPU second: it changes, differs by system, or is another label's."""

from __future__ import annotations

from datetime import datetime, timedelta

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
_MACHINE = "smf70_1_cpu_control"
_KINDS: tuple[tuple[str, ...], ...] = (
    (),
    ("capacity_changed",),
    ("machines_differ",),
    ("machine_label_differs",),
    (),
    (),
)
_SAME = 4  # from this run on, all have the same factors


def speeds(start: datetime, seed: int) -> Made:
    """Return runs of two systems whose machine is not the same, in another way each time.

    The last two are of one configuration, but for the speed.
    """
    names = ("SPD1", "SPD2")
    plex = Plex("SPDPLEX", tuple(Lpar(name) for name in names))
    begins = [start + n * _RUN for n in range(len(_KINDS) + 1)]
    changes: list[Change] = [
        # Its second interval and those after it are of a slower machine.
        put(_MACHINE, "SPD1", begins[1] + _INTERVAL, begins[2], smf70adj=602),
        put(_MACHINE, "SPD2", begins[2], begins[3], smf70mdl="A04"),
        *(put(_MACHINE, name, begins[3], begins[4], smf70cpc_type="3931") for name in names),
        *(put(_MACHINE, name, begins[5], begins[6], smf70adj=602) for name in names),
    ]
    work = busy(*((name, start, begins[-1], 1.0) for name in names))
    parts = [Part(plex, every(300, start, 3 * len(_KINDS), *names), work, changes=tuple(changes))]
    runs = [
        Run(f"spd-{number}", begins[number], begins[number + 1], names,
            [share(plex, name, 900) for name in names], issues, None, "speeds",
            {"x_speed": str(min(number, _SAME))})
        for number, issues in enumerate(_KINDS)
    ]  # fmt: skip
    findings = [
        finding(kind, None, run.start, run.stop, "in type 70", sysplex=None, run=run.name,
                fields=("smf70cpc_type", "smf70mdl", "smf70adj"), affects=("cpu_seconds",))
        for run in runs
        for kind in run.issues
    ]  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs, findings))
