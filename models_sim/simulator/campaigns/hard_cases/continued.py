"""Hard cases of MQ's accounting: records of tasks whose queues do not fit into one."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from models_sim.simulator.campaigns.hard_cases.case import (
    Made,
    Run,
    finding,
    manifest,
    share,
    truth,
)
from models_sim.simulator.campaigns.hard_cases.clocks import merged, queue_manager
from models_sim.simulator.campaigns.hard_cases.records import Part, dump, records_of
from models_sim.simulator.campaigns.hard_cases.work import Lpar, Plex, busy, every
from models_sim.simulator.mq.activity import simulate
from models_sim.simulator.mq.profile import Flow
from models_sim.simulator.mq.samples import records_of as mq_records_of

__all__ = ["continued_tasks"]

_INTERVAL = timedelta(minutes=5)
_INTERVALS, _QUEUES = (
    6,
    25,
)  # of which 10 fit into a task's record, and 11 into one that continues it
_TYPE_AT, _SUBTYPE_AT = 5, slice(22, 24)  # in a record after its descriptor word
_TASK = ("put", "HARDPUT")


def continued_tasks(start: datetime, seed: int) -> Made:
    """Return a task with 25 queues, of whose records some are lost or in another dump."""
    plex = Plex("CONPLEX", (Lpar("CON1"),))
    usual = queue_manager("CON1", start, _INTERVALS * 300.0, plex.local_hours)
    flows = tuple(
        Flow(f"HARD.QUEUE.{n:02}", 2048, 1.0, ("put",), ("get",), rate=20.0) for n in range(_QUEUES)
    )
    manager = replace(usual, flows=flows)
    name = _TASK[1].encode("cp037")
    records = mq_records_of(manager, seed)[1:-1]
    own = [
        place
        for place, record in enumerate(records)
        if record[_TYPE_AT] == 116 and record[_SUBTYPE_AT] != b"\0\0" and name in record
    ]
    pieces = len(own) // _INTERVALS
    second, fourth, fifth = (own[pieces * n : pieces * (n + 1)] for n in (1, 3, 4))
    lost, other = {second[0], fourth[1]}, {fifth[2]}
    here = [record for place, record in enumerate(records) if place not in lost | other]
    there = [records[place] for place in sorted(other)]
    end = start + _INTERVALS * _INTERVAL
    part = Part(plex, every(300, start, _INTERVALS, "CON1"), busy(("CON1", start, end, 1.0)))
    header, *_, trailer = usual_records = records_of([part], seed)["CON1"]
    run = Run("con-1", start, end, ("CON1",), (share(plex, "CON1", _INTERVALS * 300),),
              campaign="continued-tasks")  # fmt: skip
    findings = [
        finding(kind, "CON1", *_around(start, number), found, sysplex=None, fields=("wtaswqct",))
        for kind, number, found in (
            ("queues_without_task", 1, "the task's own record is lost"),
            ("task_queues_missing", 3, "11 of its 25 queues are lost"),
        )
    ]
    files = {
        "manifest.json": manifest([run]),
        "smf/CON1.smf": dump(merged(usual_records, here)),
        "smf/there.smf": dump([header, *there, trailer]),
    }
    periods = simulate(manager, np.random.default_rng([seed, *manager.name.encode()]))
    messages = [period.of_task(_TASK[0]).puts for period in periods]
    tasks = [
        {"connection_name": _TASK[1], "start_utc": (start + number * _INTERVAL).isoformat(),
         "queues": _QUEUES, "messages": None if number == 3 else put}
        for number, put in enumerate(messages)
        if number != 1
    ]  # fmt: skip
    return Made(files, truth([run], findings, tasks=tasks))


def _around(start: datetime, number: int) -> tuple[datetime, datetime]:
    """Return a time that contains what is written at the end of an interval."""
    end = start + (number + 1) * _INTERVAL
    return end - _INTERVAL, end + timedelta(seconds=1)
