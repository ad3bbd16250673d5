"""What the LPARs of a hard case did, in round figures, as the frames that records are made from.

An LPAR that works at level 1 uses, per second, what `JOBS` say: 0.47 seconds charged on CPs, of
which 0.06 could run on zIIPs, and 0.1455 on zIIPs. With what nobody is charged for, 0.5 and 0.15
are dispatched. Everything is invented; round figures make the truth of a case easy to check.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.systems.spaces import class_periods
from models_sim.simulator.zos.profile import DEDICATED, Goal, Partition, Sysplex, System, WorkClass
from models_sim.simulator.zos.simulate import Frames

__all__ = ["AGENT", "CAPTURE", "IDLE", "JOBS", "ZIIP_CAPTURE", "Job", "Lpar", "Plex", "Spans",
           "Threads", "Used", "busy", "every", "frames", "spans", "used"]  # fmt: skip

CAPTURE, ZIIP_CAPTURE = 0.94, 0.97  # shares of dispatched time that address spaces account for
IDLE = 0.1  # level outside the periods in `busy`
AGENT = "AGENT1"
_SECOND = 1_000_000
_MHZ = 5200
_UNIT = 301  # 16 * microseconds of a CPU service unit
_MANAGEMENT = 0.002  # PR/SM's own time, as a share of each physical processor
_CLASSES = (
    WorkClass("SYSTEM", "SYSTEM", (Goal("system"),)),
    WorkClass("SYSSTC", "SYSTEM", (Goal("system"),)),
    WorkClass("STCMQ", "STC", (Goal("velocity", 60, 1),)),
    WorkClass("STCMFT", "STC", (Goal("velocity", 40, 3),)),
)


class Job(NamedTuple):
    """An address space, and the seconds that it uses per second at level 1.

    `tcb`, `srb` and `interrupts` are on CPs; `on_cp` is the eligible part of `tcb`. `ziip` is time
    on zIIPs.
    """

    job: str
    program: str
    service_class: str
    report_class: str
    tcb: float
    srb: float
    interrupts: float = 0.0
    on_cp: float = 0.0
    ziip: float = 0.0
    system_space: bool = False


JOBS = (
    Job("*MASTER*", "IEEMB860", "SYSTEM", "RSYSTEM", 0.02, 0.01, system_space=True),
    Job("JES2", "HASJES20", "SYSSTC", "RSTC", 0.01, 0.005),
    Job("QMH1MSTR", "CSQYASCP", "STCMQ", "RMQ", 0.06, 0.04),
    Job("QMH1CHIN", "CSQXJST", "STCMQ", "RMQ", 0.045, 0.005),
    Job(AGENT, "BPXBATCH", "STCMFT", "RMFT", 0.215, 0.01, 0.05, 0.06, 0.1455),
)


class Threads(NamedTuple):
    """Multithreading of zIIPs, in 1/1024: capacity, maximum capacity, threads active on average.

    With `known` false, the service that measures them failed.
    """

    capacity: int = 1434
    maximum: int = 1495
    density: int = 1843
    known: bool = True


@dataclass(frozen=True, slots=True)
class Lpar:
    """An LPAR: its processors, and how PR/SM and z/OS count their time.

    With `allocated`, PR/SM dispatches the processors whether they work or wait, because they are
    dedicated or wait completion is on. `parked` is the share of time that the last CP is parked.
    `moved` is the share of work that is not eligible that ran on zIIPs nevertheless, `faster` the
    speed of CPs relative to the usual one: both are more than usual during a boost.
    """

    name: str
    cps: int = 2
    ziips: int = 1
    weight: int = 400
    allocated: bool = False
    parked: float = 0.0
    threads: Threads | None = None
    moved: float = 0.0
    faster: float = 1.0


@dataclass(frozen=True, slots=True)
class Plex:
    """The LPARs of a sysplex on one machine. `ziip_factor` is in 1/256, `local_hours` from UTC.

    With `system_spaces`, *MASTER* writes type 30 subtype 6, which counts since the IPL. `broken` is
    a system, an interval (from 0) and a class whose type 72 is in two records.
    """

    name: str
    lpars: tuple[Lpar, ...]
    ziip_factor: int = 384
    local_hours: float = -5
    serial: str = "0A51D2"
    ipl: datetime = datetime(2026, 4, 12, 6)
    others: tuple[Partition, ...] = ()
    system_spaces: bool = False
    broken: tuple[str, int, str] | None = None

    def lpar(self, name: str) -> Lpar:
        """Return the LPAR of that name."""
        return next(lpar for lpar in self.lpars if lpar.name == name)

    def site(self) -> Sysplex:
        """Return the description that the writers of records take."""
        dedicated = [p.cps for p in self.lpars if p.weight == DEDICATED]
        return Sysplex(
            self.name,
            tuple(_system(lpar, i, self.serial) for i, lpar in enumerate(self.lpars, 1)),
            _CLASSES,
            {},
            others=self.others,
            local_hours=self.local_hours,
            serial=self.serial,
            physical={"CP": 8 + sum(dedicated), "zIIP": sum(p.ziips for p in self.lpars)},
            ziip_factor=self.ziip_factor,
            ipl=self.ipl,
            policy=self.ipl,
            broken=self.broken,
        )


def _system(lpar: Lpar, number: int, serial: str) -> System:
    own = f"{number:02}{serial[2:]}"
    return System(lpar.name, number, lpar.cps, lpar.ziips, lpar.weight, _UNIT, CAPTURE,
                  ZIIP_CAPTURE, (), (), own)  # fmt: skip


#: Frames of system, start, end: intervals of records, or (with level) periods of work.
Spans = pl.DataFrame


def spans(*rows: tuple[str, datetime, datetime]) -> Spans:
    """Return intervals: of each row a system, the start and the end (UTC)."""
    return pl.DataFrame(rows, schema=["system", "start", "end"], orient="row")


def every(seconds: float, start: datetime, count: int, *systems: str) -> Spans:
    """Return intervals of equal length, one after another, the same on all systems."""
    step = timedelta(seconds=seconds)
    return spans(*((s, start + i * step, start + (i + 1) * step)
                   for s in systems for i in range(count)))  # fmt: skip


def busy(*rows: tuple[str, datetime, datetime, float]) -> Spans:
    """Return periods of work: of each row a system, start, end (UTC) and level."""
    return pl.DataFrame(rows, schema=["system", "start", "end", "level"], orient="row")


@dataclass(frozen=True, slots=True)
class Used:
    """CPU seconds: dispatched on CPs and on zIIPs, and what classes are charged with.

    zIIP seconds are those of cores with one thread each. `on_cp` is the eligible part of `charged`.
    """

    dispatched: float
    charged: float
    ziip: float
    charged_ziip: float
    on_cp: float


def used(lpar: Lpar, plex: Plex, seconds: float) -> Used:
    """Return what an LPAR uses in that many seconds at level 1."""
    rates = [_rates(job, lpar, plex.ziip_factor) for job in JOBS]
    charged = seconds * sum(r.tcb + r.srb + r.interrupts for r in rates)
    on_ziip = seconds * sum(r.ziip for r in rates)
    on_cp = seconds * sum(r.on_cp for r in rates)
    return Used(charged / CAPTURE, charged, on_ziip / ZIIP_CAPTURE, on_ziip, on_cp)


def _rates(job: Job, lpar: Lpar, ziip_factor: int) -> Job:
    """Return a job's rates on an LPAR, where a boost may move work or speed it up."""
    moved = lpar.moved * (job.tcb - job.on_cp)
    return job._replace(
        tcb=(job.tcb - moved) / lpar.faster,
        srb=job.srb / lpar.faster,
        interrupts=job.interrupts / lpar.faster,
        on_cp=job.on_cp / lpar.faster,
        ziip=job.ziip + moved * 256 / ziip_factor,
    )


def frames(plex: Plex, intervals: Spans, work: Spans, seed: int) -> Frames:
    """Return the frames of intervals (see zos.simulate), with a number of its own for each."""
    numbered = intervals.sort("start", "system").with_row_index("interval")
    numbered = numbered.with_columns(pl.col("interval").cast(pl.Int64))
    interval = numbered.select(
        *("system", "interval", "start", "end"),
        planned_end="end",
        load=pl.lit(0.5),
        skipped=pl.lit(False),
    )
    processor, partition = _processors(plex, numbered, work)
    made = {
        "interval": interval,
        "address_space": _address_spaces(plex, numbered, work),
        "processor": processor,
        "partition": partition,
    }
    made["counter"] = _counters(processor)
    made["class_period"] = class_periods(made, np.random.default_rng([seed, *b"class"]))
    return made


def _worked(rows: pl.DataFrame, work: Spans) -> pl.Series:
    """Return, for rows with system, start and end, the seconds of work at level 1 in them."""
    numbered = rows.select("system", "start", "end").with_row_index("row")
    periods = work.select("system", "level", begin="start", stop="end")
    inside = pl.min_horizontal("end", "stop") - pl.max_horizontal("start", "begin")
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds() / _SECOND
    joined = numbered.join(periods, on="system", how="left").with_columns(
        inside=inside.dt.total_microseconds().clip(0).fill_null(0) / _SECOND
    )
    summed = joined.group_by("row").agg(
        length=length.first(),
        inside=pl.col("inside").sum(),
        work=(pl.col("inside") * pl.col("level")).sum(),
    )
    level = pl.col("work") + IDLE * (pl.col("length") - pl.col("inside"))
    return summed.sort("row").select(level.alias("worked")).to_series()


def _address_spaces(plex: Plex, intervals: pl.DataFrame, work: Spans) -> pl.DataFrame:
    rates = pl.DataFrame(
        [
            {"system": lpar.name, "address_space_id": 40 + i}
            | _rates(job, lpar, plex.ziip_factor)._asdict()
            for lpar in plex.lpars
            for i, job in enumerate(JOBS)
        ]
    )
    rows = intervals.with_columns(_worked(intervals, work)).join(
        rates, on="system", maintain_order="left_right"
    )

    def us(rate: str) -> pl.Expr:
        return (pl.col(rate) * pl.col("worked") * _SECOND).round().cast(pl.Int64)

    nothing = pl.lit(0, pl.Int64)
    return rows.select(
        *("system", "interval", "job", "address_space_id", "program"),
        work=pl.lit("STC"),
        system_space=pl.col("system_space") & pl.lit(plex.system_spaces),
        step_start=pl.lit(plex.ipl),
        service_class="service_class",
        report_class="report_class",
        start="start",
        end="end",
        ends=pl.lit(False),
        tcb_us=us("tcb"),
        srb_us=us("srb"),
        initiator_tcb_us=nothing,
        io_interrupt_us=us("interrupts"),
        region_control_us=nothing,
        hiperspace_us=nothing,
        ziip_us=us("ziip"),
        ziip_on_cp_us=us("on_cp"),
        enclave_us=nothing,
        enclave_ziip_us=nothing,
        enclave_ziip_on_cp_us=nothing,
        java_on_ziip_us=us("ziip"),
        storage_mb=pl.lit(256, pl.Int64),
        requests=(pl.col("worked") * 20).round().cast(pl.Int64),
    )


def _processors(
    plex: Plex, intervals: pl.DataFrame, work: Spans
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames of processors, as z/OS sees them, and of partitions, as PR/SM does.

    Each system reports all partitions of its machine in its own intervals.
    """
    described = [_described(plex, lpar) for lpar in plex.lpars]
    logical = pl.concat(described)
    each = intervals.rename({"system": "reporter"}).join(
        pl.DataFrame({"system": [lpar.name for lpar in plex.lpars]}),
        how="cross",
        maintain_order="left_right",
    )
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    rows = (
        each.with_columns(_worked(each, work), online_us=length)
        .join(logical, on="system", maintain_order="left_right")
        .with_columns(
            effective_us=(pl.col("rate") * pl.col("worked") * _SECOND).round().cast(pl.Int64),
            parked_us=(pl.col("parked") * pl.col("online_us")).round().cast(pl.Int64),
        )
        .with_columns(wait_us=pl.col("online_us") - pl.col("parked_us") - pl.col("effective_us"))
    )
    place = {"polarization": pl.lit(0, pl.Int64), "chip": pl.lit(1, pl.Int64),
             "drawer": pl.lit(1, pl.Int64)}  # fmt: skip
    kept = ["interval", "processor", "processor_type", "online_us"]
    own = rows.filter(pl.col("reporter") == pl.col("system")).select(
        "system", *kept, "parked_us", "effective_us", "wait_us", **place
    )
    held = pl.col("online_us") - pl.col("parked_us")
    dispatched = pl.when("allocated").then(held).otherwise("effective_us")
    seen = rows.select(
        pl.col("system").alias("partition"),
        *kept,
        effective_us=dispatched,
        dispatched_us=dispatched,
        **place,
    )
    idle = intervals.select("interval", online_us=length)
    return own, pl.concat([seen, _others(plex, idle).select(seen.columns)])


def _counters(processor: pl.DataFrame) -> pl.DataFrame:
    """Return what processors count in type 113: cycles, and half as many instructions."""
    return pl.concat(
        processor.select(
            *("system", "processor", "processor_type", "interval"),
            counter=pl.lit(counter, pl.Int64),
            increase=(pl.col("effective_us") * _MHZ * share).cast(pl.Int64),
        )
        for counter, share in ((0, 1.0), (1, 0.5))
    )


def _described(plex: Plex, lpar: Lpar) -> pl.DataFrame:
    """Return an LPAR's logical processors with the seconds dispatched per second at level 1."""
    one = used(lpar, plex, 1.0)
    core = one.ziip * 1024 / (lpar.threads.capacity if lpar.threads else 1024)
    kinds = ((lpar.cps, "CP", one.dispatched), (lpar.ziips, "zIIP", core))
    rows = [
        (lpar.name, i, kind, rate / count, lpar.allocated)
        for count, kind, rate in kinds
        for i in range(count)
    ]
    made = pl.DataFrame(
        rows, schema=["system", "of_kind", "processor_type", "rate", "allocated"], orient="row"
    )
    last = (pl.col("processor_type") == "CP") & (pl.col("of_kind") == lpar.cps - 1)
    return made.with_columns(
        processor=pl.int_range(pl.len()),
        parked=pl.when(last).then(lpar.parked).otherwise(0.0),
    )


def _others(plex: Plex, intervals: pl.DataFrame) -> pl.DataFrame:
    """Return the partitions without records, and PR/SM's own time."""
    site = plex.site()
    rows = [
        (o.name, kind, i, o.busy)
        for o in plex.others
        for kind, count in (("CP", o.cps), ("zIIP", o.ziips))
        for i in range(count)
    ]
    rows += [
        ("PHYSICAL", kind, i, _MANAGEMENT)
        for kind, count in site.physical.items()
        for i in range(count)
    ]
    described = pl.DataFrame(
        rows, schema=["partition", "processor_type", "processor", "part"], orient="row"
    )
    dispatched = (pl.col("part") * pl.col("online_us")).round().cast(pl.Int64)
    mine = pl.when(pl.col("partition") == "PHYSICAL").then(0).otherwise(dispatched)
    return intervals.join(described, how="cross", maintain_order="left_right").with_columns(
        effective_us=mine,
        dispatched_us=dispatched,
        polarization=pl.lit(0, pl.Int64),
        chip=pl.lit(1, pl.Int64),
        drawer=pl.lit(1, pl.Int64),
    )
