"""Hard cases of intervals: some do not count, some are cut short, and names and clocks change."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import polars as pl

from models_sim.simulator.campaigns.hard_cases.case import (
    Made,
    Run,
    files_of,
    finding,
    manifest,
    share,
    truth,
)
from models_sim.simulator.campaigns.hard_cases.clocks import hundredths, merged, queue_manager
from models_sim.simulator.campaigns.hard_cases.lost import TOLD, nth
from models_sim.simulator.campaigns.hard_cases.records import Part, dump, put, records_of
from models_sim.simulator.campaigns.hard_cases.work import Lpar, Plex, busy, every, spans
from models_sim.simulator.mq.samples import records_of as mq_records_of

__all__ = ["clocks_forward", "empty_mq_interval", "left_out", "long_mq_intervals", "renamed",
           "shortened"]  # fmt: skip

_MINUTE = timedelta(minutes=1)
_FIVE = 5 * _MINUTE
_RUN = 3 * _FIVE
_SECOND = timedelta(seconds=1)
_PRODUCT_LENGTH, _WITHOUT_OFFSET = 32, 60  # where it is in a record, and what it was
_CLASS = "STCMFT"
_CONTROL = "smf72_3_workload_manager_control"
_PERIOD = "smf72_3_service_report_class_period"


def left_out(start: datetime, seed: int) -> Made:
    """Return runs in whose second interval something of RMF does not count.

    Its samples are not valid, Monitor III wrote it, a class has a part of its record only, the
    policy gives SRB service no weight, or it lacks the difference to UTC: one in each run but the
    first.
    """
    plex = Plex("OUTPLEX", (Lpar("OUT1"),), broken=("OUT1", 10, _CLASS))
    begins = [start + n * _RUN for n in range(7)]
    middles = [begin + _FIVE for begin in begins]
    skipped, monitor_iii, weightless = ((at, at + _FIVE) for at in (middles[1], middles[2],
                                                                    middles[4]))  # fmt: skip
    changes = [
        put("smf70_1_product", "OUT1", *skipped, smf70iss=True),
        put("smf72_3_product", "OUT1", *skipped, smf72iss=True),
        put("smf70_1_product", "OUT1", *monitor_iii, smf70m3r=True),
        put("smf72_3_product", "OUT1", *monitor_iii, smf72m3r=True),
        put(_CONTROL, "OUT1", *weightless, r723msrb=0),
        put(_PERIOD, "OUT1", *weightless, r723csrb=0),
    ]
    work = busy(("OUT1", start, begins[6], 1.0))
    part = Part(plex, every(300, start, 18, "OUT1"), work, changes=tuple(changes))
    records = records_of([part], seed)["OUT1"]
    # Each interval has two records with the name of the class; the second part has none.
    second = nth(records, 72, _CLASS, 2 * 10 + 1) + 1
    local = middles[5] + timedelta(hours=plex.local_hours)
    left = [
        _without_offset(record, local, local + _FIVE)
        for place, record in enumerate(records)
        if place != second
    ]
    kinds: list[tuple[tuple[str, ...], tuple[str, ...] | None]] = [
        ((), None),
        (("interval_left_out", "not_covered"), ("rate",)),
        (("interval_left_out", "not_covered"), ("rate",)),
        (("class_missing", "interval_left_out"), TOLD),
        (("unweighted_service",), TOLD),
        (("interval_left_out", "not_covered"), ("rate",)),
    ]
    runs = [
        Run(f"out-{number}", begins[number], begins[number + 1], ("OUT1",),
            (share(plex, "OUT1", 900),), issues, exact, "left-out", {"x_fault": str(number)})
        for number, (issues, exact) in enumerate(kinds)
    ]  # fmt: skip
    findings = [
        finding(kind, "OUT1", middles[number], middles[number] + _FIVE, found, sysplex=plex.name,
                fields=fields, affects=("cpu_seconds", "eligible_seconds"))
        for number, kind, found, fields in (
            (1, "interval_left_out", "samples are not valid", ("smf70iss", "smf72iss")),
            (2, "interval_left_out", "Monitor III", ("smf70m3r", "smf72m3r")),
            (3, "interval_left_out", "a part is missing", ("smf72rsq", "smf72rbr")),
            (3, "class_missing", f"{_CLASS} has no usable record", ("r723mcnm",)),
            (4, "unweighted_service", "SRB service is not counted", ("r723msrb",)),
            (5, "interval_left_out", "without the difference to UTC", ("smf70lgo", "smf72lgo")),
        )
    ]  # fmt: skip
    files = {"manifest.json": manifest(runs), "smf/OUT1.smf": dump(left)}
    return Made(files, truth(runs, findings))


def _without_offset(record: bytes, begin: datetime, end: datetime) -> bytes:
    """Return a record of RMF with less of its product section, if it is of a local time.

    As releases wrote it that did not know the difference to UTC.
    """
    moment = begin.replace(hour=0, minute=0) + timedelta(milliseconds=10 * hundredths(record))
    if record[5] not in (70, 72) or not begin + _SECOND < moment <= end + _SECOND:
        return record
    return record[:_PRODUCT_LENGTH] + _WITHOUT_OFFSET.to_bytes(2) + record[_PRODUCT_LENGTH + 2 :]


def shortened(start: datetime, seed: int) -> Made:
    """Return a run before which SETSMF ends the interval of an LPAR that is idle around it.

    Intervals are of 15 minutes, then one of 7, and from there on of 5.
    """
    plex = Plex("CUTPLEX", (Lpar("CUT1"),))
    cut = start + 22 * _MINUTE
    end = cut + 2 * _FIVE
    times = [start, start + 15 * _MINUTE, *(cut + n * _FIVE for n in range(4))]
    intervals = spans(*(("CUT1", a, b) for a, b in pairwise(times)))
    part = Part(plex, intervals, busy(("CUT1", cut, end, 1.0)))
    runs = [Run("cut-1", cut, end, ("CUT1",), (share(plex, "CUT1", 600),), campaign="shortened")]
    return Made(files_of([part], runs, seed), truth(runs))


def renamed(start: datetime, seed: int) -> Made:
    """Return a run during which a policy is activated that gives a class another name."""
    plex = Plex("RENPLEX", (Lpar("REN1"),))
    switch = start + _FIVE
    changes = (
        put(_CONTROL, "REN1", switch, r723mtpa=switch),
        put(_CONTROL, "REN1", switch, None, pl.col("r723mcnm") == _CLASS, r723mcnm="STCNEW"),
    )
    end = start + _RUN
    part = Part(plex, every(300, start, 3, "REN1"), busy(("REN1", start, end, 1.0)),
                changes=changes)  # fmt: skip
    runs = [Run("ren-1", start, end, ("REN1",), (share(plex, "REN1", 900),), campaign="renamed")]
    return Made(files_of([part], runs, seed), truth(runs))


def clocks_forward(start: datetime, seed: int) -> Made:
    """Return a run across the moment (`start`) at which the clocks go forward in New York."""
    winter = Plex("FWDPLEX", (Lpar("FWD1"),))
    summer = replace(winter, local_hours=-4)
    hour, quarter = 60 * _MINUTE, 15 * _MINUTE
    work = busy(("FWD1", start - hour, start + hour, 1.0))
    parts = [
        Part(winter, every(900, start - hour, 4, "FWD1"), work),
        Part(summer, every(900, start, 4, "FWD1"), work),
    ]
    runs = [Run("fwd-1", start - quarter, start + quarter, ("FWD1",),
                (share(winter, "FWD1", 1800),), campaign="clocks-forward")]  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs))


def long_mq_intervals(start: datetime, seed: int) -> Made:
    """Return a run of 5 minutes within a half hour of a queue manager; RMF's are of 5, too."""
    plex = Plex("HLFPLEX", (Lpar("HLF1"),))
    begin = start + 2 * _FIVE
    part = Part(plex, every(300, start, 12, "HLF1"), busy(("HLF1", begin, begin + _FIVE, 1.0)))
    usual = queue_manager("HLF1", start, 3600.0, plex.local_hours)
    manager = replace(usual, interval=1800.0)
    records = merged(records_of([part], seed)["HLF1"], mq_records_of(manager, seed)[1:-1])
    run = Run("hlf-1", begin, begin + _FIVE, ("HLF1",), (share(plex, "HLF1", 300),),
              campaign="long-mq-intervals")  # fmt: skip
    found = finding(
        "part_of_mq_interval", None, run.start, run.stop, "a sixth of an interval", sysplex=None,
        run=run.name, fields=("qwhstime", "qwhsdurn"), affects=("mq",),
    )  # fmt: skip
    files = {"manifest.json": manifest([run]), "smf/HLF1.smf": dump(records)}
    return Made(files, truth([run], [found]))


def empty_mq_interval(start: datetime, seed: int) -> Made:
    """Return statistics of a queue manager that, right after an interval, has one of no length."""
    plex = Plex("NOLPLEX", (Lpar("NOL1"),))
    end = start + 2 * _FIVE
    part = Part(plex, every(300, start, 2, "NOL1"), busy(("NOL1", start, end, 1.0)))
    manager = queue_manager("NOL1", start, 600.0, plex.local_hours)
    empty = replace(manager, start=end, runs=((0.0, 1.0),))
    second = (1_000_000).to_bytes(8)  # QWHSDURN
    more = [
        record.replace(second, bytes(8))
        for record in mq_records_of(empty, seed)[1:-1]
        if record[5] == 115 and second in record
    ]
    records = records_of([part], seed)["NOL1"]
    records = merged(merged(records, mq_records_of(manager, seed)[1:-1]), more)
    run = Run("nol-1", start, end, ("NOL1",), (share(plex, "NOL1", 600),),
              campaign="empty-mq-interval")  # fmt: skip
    files = {"manifest.json": manifest([run]), "smf/NOL1.smf": dump(records)}
    found = finding(
        "statistics_without_interval", "NOL1", end, end + _MINUTE, "no interval", sysplex=None,
        fields=("qwhsdurn",),
    )  # fmt: skip
    return Made(files, truth([run], [found], queue_manager_intervals=2))
