"""A production day of two systems and two queue managers: work that is not a benchmark run.

The sysplex is PLEX1 of simulator.zos and the queue managers are those of simulator.mq.samples, from
midnight to midnight local time: applications that people use by day, with a dip at lunch; jobs and
a settlement at night; a restart of a queue manager when nobody works; and a backup in the evening.
Shape and figures are invented.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.scenarios.definition import Production, Scenario
from models_sim.simulator.mq import samples as synthetic
from models_sim.simulator.mq.profile import QueueManager
from models_sim.simulator.zos.profile import (
    INTERVAL_SECONDS,
    PLEX1,
    DataSet,
    Space,
    Sysplex,
    System,
)
from models_sim.simulator.zos.simulate import simulate

__all__ = ["HOURS", "SCENARIO", "START", "day_of"]

START = datetime(2024, 2, 29, 5)  # UTC; midnight local time
#: Share of the peak load at each hour of the day, local time, from 0 to 24.
HOURS = (0.05, 0.04, 0.04, 0.04, 0.04, 0.05, 0.08, 0.22, 0.58, 0.88, 1.0, 0.94, 0.62,
         0.60, 0.86, 0.93, 0.82, 0.52, 0.30, 0.20, 0.15, 0.12, 0.09, 0.06, 0.05)  # fmt: skip
_DAY = timedelta(days=1)
_HOUR = 3600.0
# Jobs by system: program, CPU seconds per second, from and to (hours), data set, reads per second.
_JOBS = {
    "SY1": (
        ("SYNLOAD", "SYNLOAD", 0.14, 1.1671, 1.4966, "SYN.BATCH.SYNLOAD.IN", 36.0),
        ("SYNPOST", "SYNPOST", 0.10, 1.1684, 1.7557, "SYN.BATCH.SYNPOST.IN", 26.0),
        ("SYNPAY", "SYNBATCH", 0.85, 1.5123, 3.8846, "SYN.BATCH.SYNPOST.IN", 180.0),
        ("SYNGL", "SYNBATCH", 0.60, 2.0317, 4.4402, "SYN.BATCH.SYNLOAD.IN", 140.0),
        ("SYNRPT1", "SYNREPT", 0.30, 5.2531, 5.9148, "SYN.BATCH.SYNRPT1.IN", 78.0),
        ("SYNRPT2", "SYNREPT", 0.22, 12.5108, 12.7716, "SYN.BATCH.SYNRPT2.IN", 57.0),
        ("SYNDUMP1", "ADRDSSU", 0.12, 21.0042, 22.6879, "SYN.DBS1.DSNDBD.ORDERS.A001", 650.0),
        ("SYNDUMP2", "ADRDSSU", 0.10, 21.0063, 22.2194, "SYN.CICS.ACCOUNTS.DATA", 520.0),
    ),
    "SY2": (
        ("SYNARCH", "SYNARCH", 0.20, 0.5069, 1.4411, "SYN.BATCH.SYNARCH.IN", 52.0),
        ("SYNCLEAR", "SYNBATCH", 0.75, 1.6158, 4.1013, "SYN.BATCH.SYNARCH.IN", 160.0),
        ("SYNDUMP3", "ADRDSSU", 0.11, 22.0072, 23.3908, "SYN.DBS2.DSNDBD.ORDERS.A001", 600.0),
    ),
}
_VOLUMES = {"BATCH": "SYBT01", "DBS1": "SYDB01", "DBS2": "SYDB01", "CICS": "SYAP01"}
_TRACKS = 27_998  # bytes per block that jobs and backups read
_RESTART = (5 * _HOUR, 5 * _HOUR + 161.0)  # seconds of the day in which SYQ1 is down
_STATISTICS = 1800.0  # seconds per interval of MQ's statistics and accounting
_SETTLED = (2, 2)  # intervals in which the settlement's file is loaded and posted
_LOCAL = 5  # hours that UTC is ahead of local time


def day_of(seed: int) -> Production:
    """Return the sysplex, what it did, and the records of its queue managers."""
    site = _site()
    records = {m.system: synthetic.records_of(m, seed)[1:-1] for m in _managers()}
    return Production(site, simulate(seed, site, START, skipped=None), records)


def _site() -> Sysplex:
    return replace(PLEX1, systems=tuple(map(_system, PLEX1.systems)),
                   ipl=START - timedelta(days=4, hours=2))  # fmt: skip


def _system(system: System) -> System:
    """Return the system with the loads of a day and its jobs.

    The second one is half an hour later.
    """
    count = int(_DAY.total_seconds()) // INTERVAL_SECONDS
    middle = (np.arange(count) + 0.5) * INTERVAL_SECONDS / _HOUR
    late = 0.0 if system.name == "SY1" else 0.5
    load = np.interp((middle - late) % 24, range(len(HOURS)), HOURS)
    jobs = [_job(*row) for row in _JOBS[system.name]]
    spaces = [space for space in system.spaces if space.active is None]
    return replace(system, load=tuple(load.round(4).tolist()), spaces=(*spaces, *jobs))


def _job(
    name: str, program: str, tcb: float, begin: float, end: float, data_set: str, reads: float
) -> Space:
    volume = _VOLUMES[data_set.split(".")[1]]
    read = DataSet(data_set, volume, reads, 380, 95, 30, 1, 0.9, _TRACKS)
    return Space(name, program, "BATCH", "RBATCH", tcb, 0.06 * tcb, idle=0.0, work="JES2",
                 active=(begin * _HOUR, end * _HOUR), data_sets=(read,))  # fmt: skip


def _managers() -> tuple[QueueManager, ...]:
    """Return the queue managers for a day."""
    end = _DAY.total_seconds()
    hours = np.roll(HOURS[:-1], _LOCAL).tolist()
    common: dict[str, Any] = {"interval": _STATISTICS, "accounting": 1, "day": (*hours, hours[0])}
    first = replace(
        synthetic.SYQ1,
        system="SY1",
        start=START + timedelta(milliseconds=20),
        runs=((0.0, _RESTART[0]), (_RESTART[1], end)),
        flows=tuple(replace(f, active=_SETTLED) if f.active else f for f in synthetic.SYQ1.flows),
        tasks=tuple(replace(t, active=_SETTLED) if t.active else t for t in synthetic.SYQ1.tasks),
        **common,
    )
    second = replace(synthetic.SYQ2, system="SY2", start=START + timedelta(seconds=37),
                     runs=((0.0, end),), **common)  # fmt: skip
    return first, second


def _runs(_: np.random.Generator) -> pl.DataFrame:
    return pl.DataFrame()


SCENARIO = Scenario(
    "busy-day",
    "a day of the sysplex PLEX1 from night batch to backup, with MQ records and no runs",
    START,
    _runs,
    production=day_of,
)
