"""Hard cases of clocks: offsets, nights, an IPL, leap seconds, the year 2042, two of one name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

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
from models_sim.simulator.campaigns.hard_cases.records import Change, Part, dump, put, records_of
from models_sim.simulator.campaigns.hard_cases.work import (
    AGENT,
    JOBS,
    Lpar,
    Plex,
    busy,
    every,
    spans,
)
from models_sim.simulator.mq.profile import BATCH, Flow, Pool, QueueManager, Task
from models_sim.simulator.mq.samples import MQ_935
from models_sim.simulator.mq.samples import records_of as mq_records_of

__all__ = ["after_2042", "dst_night", "hundredths", "ipl", "leap_seconds", "merged", "midnight",
           "other_offsets", "overlapping_managers", "queue_manager"]  # fmt: skip

_MINUTE = timedelta(minutes=1)
_QUARTER = 15 * _MINUTE
_LEAP = 27  # seconds that UTC is behind the clocks of processors since 2017
_TIME, _DATE = slice(6, 10), slice(10, 14)  # in a record after its descriptor word


def queue_manager(system: str, start: datetime, seconds: float, hours: float) -> QueueManager:
    """Return a small queue manager: one queue, one task that puts and one that gets."""
    flow = Flow("HARD.QUEUE", 2048, 1.0, ("put",), ("get",), rate=20.0)
    tasks = (Task("put", "HARDPUT", BATCH, "HARDUSR"), Task("get", "HARDGET", BATCH, "HARDUSR"))
    pools = (Pool(0, 5_000, 1_000), Pool(1, 20_000, 10_000))
    return QueueManager(system, system, MQ_935, start, ((0.0, seconds),), (flow,),
                        tasks, pools, offset_hours=hours, interval=300.0, accounting=1)  # fmt: skip


def merged(records: Sequence[bytes], more: Sequence[bytes]) -> list[bytes]:
    """Return a dump with more records, in the order of their local times."""
    header, *own, trailer = records
    inner = sorted([*own, *more], key=lambda r: (r[_DATE], r[_TIME]))
    return [header, *inner, trailer]


def other_offsets(start: datetime, seed: int) -> Made:
    """Return a sysplex with one system at UTC+5:30 and one at UTC-5."""
    east = Plex("GMTPLEX", (Lpar("GMT1"),), local_hours=5.5, serial="0E1155")
    west = Plex("GMTPLEX", (Lpar("GMT2"),), local_hours=-5, serial="0E1255")
    end = start + 2 * _QUARTER
    both, files = (east, west), {}
    for plex in both:
        (lpar,) = plex.lpars
        part = Part(plex, every(900, start, 2, lpar.name), busy((lpar.name, start, end, 1.0)))
        manager = queue_manager(lpar.name, start, 1800.0, plex.local_hours)
        own = records_of([part], seed)[lpar.name]
        files[f"smf/{lpar.name}.smf"] = dump(merged(own, mq_records_of(manager, seed)[1:-1]))
    shares = [share(plex, plex.lpars[0], 1800) for plex in both]
    run = Run("gmt-1", start, end, ("GMT1", "GMT2"), shares, campaign="other-offsets")
    offsets = [
        {"system_id": plex.lpars[0].name, "utc_offset_minutes": round(60 * plex.local_hours)}
        for plex in both
    ]
    files["manifest.json"] = manifest([run])
    return Made(files, truth([run], offsets=offsets))


def dst_night(start: datetime, seed: int) -> Made:
    """Return the night in which the clocks go back from 2:00 to 1:00: at `start`, 06:00 UTC."""
    summer = Plex("DSTPLEX", (Lpar("DST1"),), local_hours=-4)
    winter = replace(summer, local_hours=-5)
    hour, half = 4 * _QUARTER, 2 * _QUARTER
    begins = {
        "1:15 of summer": start - 3 * _QUARTER,
        "clocks go back": start - _QUARTER,
        "1:15 of winter": start + _QUARTER,
    }
    runs = [
        Run(f"dst-{number}", begin, begin + half, ("DST1",), (share(summer, "DST1", 1800),),
            campaign="dst-night", factors={"x_when": when})
        for number, (when, begin) in enumerate(begins.items(), 1)
    ]  # fmt: skip
    work = busy(("DST1", start - hour, start + hour, 1.0))
    manager = queue_manager("DST1", start - hour, 7200.0, -4)
    mq = {plex: mq_records_of(replace(manager, offset_hours=plex.local_hours), seed)[1:-1]
          for plex in (summer, winter)}  # fmt: skip
    switch = (start + timedelta(hours=-4)).hour * 360_000  # hundredths since midnight, of summer
    is_early = [hundredths(record) < switch for record in mq[summer]]
    pieces = []
    for plex, begin, is_early_half in ((summer, start - hour, True), (winter, start, False)):
        part = Part(plex, every(900, begin, 4, "DST1"), work)
        chosen = [r for r, early in zip(mq[plex], is_early, strict=True) if early == is_early_half]
        pieces.append(merged(records_of([part], seed)["DST1"], chosen))
    (header, *early), (*late, trailer) = pieces[0][:-1], pieces[1][1:]
    files = {
        "manifest.json": manifest(runs),
        "smf/DST1.smf": dump([header, *early, *late, trailer]),
    }
    offsets = [
        {"system_id": "DST1", "start_utc": begin.isoformat(), "end_utc": (begin + hour).isoformat(),
         "utc_offset_minutes": minutes}
        for begin, minutes in ((start - hour, -240), (start, -300))
    ]  # fmt: skip
    return Made(files, truth(runs, offsets=offsets))


def hundredths(record: bytes) -> int:
    """Return when a record was written: hundredths of a second since local midnight."""
    return int.from_bytes(record[_TIME])


def midnight(start: datetime, seed: int) -> Made:
    """Return runs, each in one interval, across midnight in UTC (`start`) and at UTC-5."""
    plex = Plex("MIDPLEX", (Lpar("MID1"),))
    length = 20 * _MINUTE
    begins = {"UTC": start - length / 2, "local": start + timedelta(hours=5) - length / 2}
    runs = [
        Run(f"mid-{number}", begin, begin + length, ("MID1",), (share(plex, "MID1", 1200),),
            campaign="midnight", factors={"x_midnight": where})
        for number, (where, begin) in enumerate(begins.items(), 1)
    ]  # fmt: skip
    parts = [
        Part(plex, every(1200, begin, 1, "MID1"), busy(("MID1", begin, begin + length, 1.0)))
        for begin in begins.values()
    ]
    records = records_of(parts, seed)["MID1"]
    for begin in begins.values():
        manager = queue_manager("MID1", begin, length.total_seconds(), plex.local_hours)
        records = merged(records, mq_records_of(manager, seed)[1:-1])
    return Made({"manifest.json": manifest(runs), "smf/MID1.smf": dump(records)}, truth(runs))


def ipl(start: datetime, seed: int) -> Made:
    """Return a run in which one of two systems stops after 12 minutes and is loaded again.

    In the next run, what *MASTER* of the other one counts since its IPL falls by 20 s.
    """
    stop, load, again = (start + minutes * _MINUTE for minutes in (12, 15, 16.5))
    end = start + 40 * _MINUTE
    later = end + 20 * _MINUTE
    before = Plex("IPLPLEX", (Lpar("IPL1"), Lpar("IPL2")), system_spaces=True)
    after = replace(before, ipl=load)
    work = busy(
        ("IPL1", start, stop, 1.0),
        ("IPL1", stop, load, 0.0),
        ("IPL1", load, later, 1.0),
        ("IPL2", start, later, 1.0),
    )
    five = 5 * _MINUTE
    ends = [start + n * five for n in range(4, 13)]
    fall = end + five
    up = [("IPL1", start, start + five), ("IPL1", start + five, start + 2 * five),
          ("IPL1", start + 2 * five, stop)]  # fmt: skip
    back = [("IPL1", begin, finish) for begin, finish in zip([again, *ends], ends, strict=False)]
    parts = [
        Part(before, spans(*up), work),
        Part(before, every(300, start, 12, "IPL2"), work, changes=(_falls("IPL2", fall),)),
        Part(after, spans(*back), work),
    ]
    recorded = (stop - start) + (end - again)
    first = [share(before, "IPL1", ((stop - start) + (end - load)).total_seconds()),
             share(before, "IPL2", 2400)]  # fmt: skip
    second = [share(before, name, 1200) for name in ("IPL1", "IPL2")]
    names = ("IPL1", "IPL2")
    runs = [
        Run("ipl-1", start, end, names, first, ("restarted", "not_covered"), ("rate",), "ipl",
            {"x_minutes": "40"}),
        Run("ipl-2", end, later, names, second, (), None, "ipl", {"x_minutes": "20"}),
    ]  # fmt: skip
    found = finding(
        "restarted", "IPL1", stop, again, f"loaded at {load:%H:%M} UTC, during the run",
        sysplex=before.name, run="ipl-1", fields=("smf70_ipl_time",),
        affects=("cpu_seconds", "cost_per_GB"),
    )  # fmt: skip
    fallen = finding(
        "counters_decreased", "IPL2", fall, fall + five, "*MASTER*", sysplex=before.name,
        fields=("smf30cpt",), affects=("address spaces",),
    )  # fmt: skip
    coverage = {"run_id": "ipl-1", "system_id": "IPL1", "seconds": recorded.total_seconds(),
                "share": recorded / (end - start)}  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs, [found, fallen], coverage=[coverage]))


def _falls(system: str, start: datetime) -> Change:
    """Return a change after which counts since the IPL are 20 s less."""
    less = put("smf30_processor_accounting", system, start, smf30cpt=pl.max_horizontal(
        pl.col("smf30cpt") - 20_000_000, 0
    ))  # fmt: skip

    def change(
        record_type: int, subtype: int, records: pl.DataFrame, tables: dict[str, pl.DataFrame]
    ) -> dict[str, pl.DataFrame]:
        is_since_ipl = (record_type, subtype) == (30, 6)
        return less(record_type, subtype, records, tables) if is_since_ipl else tables

    return change


def leap_seconds(start: datetime, seed: int) -> Made:
    """Return a system whose clock counts leap seconds, with intervals of one minute."""
    plex = Plex("LEPPLEX", (Lpar("LEP1"),))
    begin, end = start + 5 * _MINUTE, start + 10 * _MINUTE
    leap = timedelta(seconds=_LEAP)
    changes = (
        put("smf30_identification", "LEP1", smf30iss=pl.col("smf30iss") + leap,
            smf30iet=pl.col("smf30iet") + leap),
        put("smf70_1_product", "LEP1", smf70iet=pl.col("smf70iet") + leap),
        put("smf72_3_product", "LEP1", smf72iet=pl.col("smf72iet") + leap),
        put("smf113_1_identification", "LEP1",
            smf113intervalstart=pl.col("smf113intervalstart") + leap,
            smf113intervalend=pl.col("smf113intervalend") + leap),
        put("smf113_2_identification", "LEP1",
            smf113intervalstart=pl.col("smf113intervalstart") + leap,
            smf113intervalend=pl.col("smf113intervalend") + leap),
        put("smf113_1_data", "LEP1", smf113_1_ctm=pl.col("smf113_1_ctm") + leap,
            smf113_1_cts=pl.col("smf113_1_cts") + leap),
        put("smf113_2_data", "LEP1", smf113_2_ctm=pl.col("smf113_2_ctm") + leap,
            smf113_2_cts=pl.col("smf113_2_cts") + leap),
    )  # fmt: skip
    work = busy(("LEP1", begin, end, 1.0))
    part = Part(plex, every(60, start, 15, "LEP1"), work, types=(30, 70, 72, 113), changes=changes)
    # MQ's clock is ahead, and so many seconds more before local time.
    manager = queue_manager(
        "LEP1", start + leap, 900.0, plex.local_hours - leap.total_seconds() / 3600
    )
    records = merged(records_of([part], seed)["LEP1"], mq_records_of(manager, seed)[1:-1])
    run = Run("lep-1", begin, end, ("LEP1",), (share(plex, "LEP1", 300),), campaign="leap-seconds")
    found = finding(
        "leap_seconds", "LEP1", start, start + 15 * _MINUTE, f"{_LEAP} s", sysplex=plex.name,
        fields=("smf30iss", "smf30iet", "smf30ist"),
    )  # fmt: skip
    files = {"manifest.json": manifest([run]), "smf/LEP1.smf": dump(records)}
    tasks = {"system_id": "LEP1", "start_utc": start.isoformat(), "seconds": 900.0}
    # Cycles count what is dispatched, on CPs and on zIIPs.
    (own,) = run.shares
    counted = {"start_utc": begin.isoformat(), "end_utc": end.isoformat(),
               "cycles": (own.general_purpose + own.ziip) * 5.2e9}  # fmt: skip
    more = {"agent": _agent(run), "tasks": [tasks], "counted": counted}
    return Made(files, truth([run], [found, found | {"sysplex": None}], **more))


def _agent(run: Run) -> dict[str, object]:
    """Return what the agent used on CPs, all of it in the run."""
    (agent,) = (job for job in JOBS if job.job == AGENT)
    used = agent.tcb + agent.srb + agent.interrupts
    return {"run_id": run.name, "general_purpose_seconds": used * run.seconds}


def after_2042(start: datetime, seed: int) -> Made:
    """Return an ordinary run at a time when the clock of processors has started again."""
    plex = Plex("LATPLEX", (Lpar("LAT1"),), ipl=start - timedelta(days=3))
    end = start + 2 * _QUARTER
    part = Part(plex, every(900, start, 2, "LAT1"), busy(("LAT1", start, end, 1.0)))
    manager = queue_manager("LAT1", start, 1800.0, plex.local_hours)
    records = merged(records_of([part], seed)["LAT1"], mq_records_of(manager, seed)[1:-1])
    run = Run("lat-1", start, end, ("LAT1",), (share(plex, "LAT1", 1800),), campaign="after-2042")
    files = {"manifest.json": manifest([run]), "smf/LAT1.smf": dump(records)}
    return Made(files, truth([run], agent=_agent(run)))


def overlapping_managers(start: datetime, seed: int) -> Made:
    """Return statistics of one queue manager whose intervals begin at two moments."""
    plex = Plex("TWOPLEX", (Lpar("TWO1"),))
    end = start + 2 * _QUARTER
    part = Part(plex, every(900, start, 2, "TWO1"), busy(("TWO1", start, end, 1.0)))
    records = records_of([part], seed)["TWO1"]
    for begin, seconds in ((start, 1800.0), (start + 100 * _MINUTE / 60, 900.0)):
        manager = queue_manager("TWO1", begin, seconds, plex.local_hours)
        records = merged(records, mq_records_of(manager, seed)[1:-1])
    run = Run("two-1", start, end, ("TWO1",), (share(plex, "TWO1", 1800),),
              campaign="overlapping-managers")  # fmt: skip
    found = finding(
        "overlapping_queue_manager_intervals", "TWO1", start, end, "200 s", sysplex=None,
        fields=("qwhstime", "qwhsdurn"),
    )  # fmt: skip
    files = {"manifest.json": manifest([run]), "smf/TWO1.smf": dump(records)}
    return Made(files, truth([run], [found]))
