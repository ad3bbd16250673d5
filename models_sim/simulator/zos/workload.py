"""SMF 72 subtype 3: what each service class and report class used and waited for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl

from models_sim.simulator.log import Log, section
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import CPU_COEFFICIENT, SRB_COEFFICIENT, Sysplex
from models_sim.simulator.zos.rmf import intervals_of, product, reassembly_area, seconds

__all__ = ["BUCKETS", "IO_US", "POLICY", "add_workload", "class_rows", "delays", "service_units"]

# Ends of the response time buckets in percent of the midpoint; the last bucket is open.
BUCKETS = (50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 200, 400, 0xFFFF_FFFF)
POLICY = "SYNPOL"
#: Times of a request by kind, in microseconds; those of volumes are in type 74.
IO_US = {"connect": 190, "wait": 95, "disconnect": 30, "queue": 4}
# Delays that are simulated as a share of those for CPs: for the cap, swap-in, the multiprogramming
# level, a server's queue, cryptographic cards and contention.
_DELAYS = {"r723ccca": 12, "r723cswi": 30, "r723cmpl": 40, "r723cq": 15, "r723apd": 25,
           "r723rcod": 20}  # fmt: skip
# Parts of the response time before transactions run: queued, for a resource of another system, in
# JCL conversion, not eligible.
_QUEUED = {"cqdt": 50, "cadt": 400, "ccvt": 900, "ciqt": 700}
_RATE = 250_000  # microseconds between samples
_SCALE = 10_000
_PERIODS = "smf72_3_service_report_class_period"
_DISTRIBUTIONS = "smf72_3_response_time_distribution"
_GOAL_FLAGS = {
    "system": "r723cstm",
    "velocity": "r723cvel",
    "average": "r723cavg",
    "percentile": "r723cprc",
    "discretionary": "r723cdsc",
}
_CLASS = ["system", "interval", "class", "report"]


def add_workload(log: Log, site: Sysplex, frames: Frames) -> None:
    """Add the records of all intervals, one for each class with address spaces."""
    intervals = intervals_of(site, frames["interval"]).drop("record_no")
    rows = class_rows(site, frames["class_period"])
    records = (
        rows.group_by(_CLASS, maintain_order=True)
        .agg(pl.col("contributes", "workload").first(), periods=pl.len())
        .join(intervals, on=["system", "interval"], how="left", maintain_order="left")
        .with_row_index("record_no")
        .with_columns(pl.col("record_no").cast(pl.Int64))
    )
    more = ["record_no", "adjustment", "start", "end"]
    rows = rows.join(records.select(*_CLASS, *more), on=_CLASS, maintain_order="left")
    rows = rows.sort("record_no", maintain_order=True)
    distributions, index = _distributions(rows)
    tables = {
        "smf72_3_workload_manager_control": _control(site, records),
        _PERIODS: _period(site, rows.with_columns(index)),
        _DISTRIBUTIONS: distributions,
        **product(72, 3, site, records),
    }
    written = records.select("record_no", "system", "moment")
    split = pl.lit(False)
    if site.broken:
        values = dict(zip(("system", "interval", "class"), site.broken, strict=True))
        split = pl.all_horizontal(pl.col(k) == v for k, v in values.items()) & ~pl.col("report")
    whole = records.filter(~split)
    log.add(72, 3, written.join(whole.select("record_no"), on="record_no"), tables)
    for number in records.filter(split)["record_no"]:
        of_record = {t: f.filter(pl.col("record_no") == number) for t, f in tables.items()}
        _add_broken(log, written.filter(pl.col("record_no") == number), of_record)


def class_rows(site: Sysplex, periods: pl.DataFrame) -> pl.DataFrame:
    """Return the class periods with workloads and goals.

    Service classes come before report classes.
    """
    return (
        periods.join(_goals(site), on=["contributes", "period"], how="left", maintain_order="left")
        .with_columns(_goal_of_report_class())
        .sort("report", "interval", "system", maintain_order=True)
    )


def _goals(site: Sysplex) -> pl.DataFrame:
    """Return one row per service class and period: its goal."""
    return pl.DataFrame(
        [
            {
                "contributes": c.name,
                "workload": c.workload,
                "period": number,
                "goals": len(c.goals),
                "goal": goal.kind,
                "goal_value": goal.value,
                "importance": goal.importance,
                "percent": goal.percent,
                "duration": duration,
            }
            for c in site.classes
            for number, (goal, duration) in enumerate(
                zip(c.goals, (*c.durations, *(0,) * len(c.goals)), strict=False), start=1
            )
        ]
    )


def _goal_of_report_class() -> list[pl.Expr]:
    """Return the goal of a report class: that of its service class period, if it has only one."""
    no_goal = pl.col("report") & (pl.col("heterogeneous") | (pl.col("goals") > 1))
    numbers = ("goal_value", "importance", "percent")
    return [
        pl.when(no_goal).then(pl.lit("none")).otherwise("goal").alias("goal"),
        *(pl.when(no_goal).then(0).otherwise(name).alias(name) for name in numbers),
    ]


def _add_broken(log: Log, record: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> None:
    """Add a record in two parts.

    The first part has the control section and all periods but the last, the second the last period.
    """
    periods, distributions = tables[_PERIODS].height, tables[_DISTRIBUTIONS].height
    kept = periods - 1
    number = [1, 0, 0, periods, distributions, 0, 0]
    first = ([1, 0, 0, 1, 1 if distributions else 0, 0, 0], [0, 0, 0, kept + 1, 0, 0, 0])
    shared = {t: f for t, f in tables.items() if t.endswith("product")}
    parts = (
        tables | {_PERIODS: tables[_PERIODS].head(kept)},
        shared | {_PERIODS: tables[_PERIODS].tail(1)},
    )
    for i, (part, places) in enumerate(zip(parts, first, strict=True), start=1):
        area = reassembly_area(72, 3, i, len(parts), list(zip(number, places, strict=True)))
        renumbered = {t: f.with_columns(record_no=pl.lit(i, pl.Int64)) for t, f in part.items()}
        later = record.with_columns(
            pl.col("moment") + timedelta(microseconds=i), record_no=pl.lit(i, pl.Int64)
        )
        log.add(72, 3, later, renumbered | area)


def _control(site: Sysplex, records: pl.DataFrame) -> pl.DataFrame:
    report = pl.col("report")
    samples = seconds() * 1e6 / _RATE / pl.when("skipped").then(2).otherwise(1)
    return section(
        records,
        r723mrcl=report,
        r723mhpz=True,
        r723mnsp=POLICY,
        r723mtpa=pl.lit(site.policy),
        r723mcpu=round(_SCALE * CPU_COEFFICIENT),
        r723msrb=round(_SCALE * SRB_COEFFICIENT),
        r723mtvl=_RATE,
        r723mtv_no=samples.round(),
        r723mopt="00",
        r723mwnm=pl.when(report).then(pl.lit("")).otherwise("workload"),
        r723mcnm=pl.col("class"),
        r723mcpg=pl.col("periods"),
        r723madj=pl.col("adjustment"),
        r723midn="SYNDEF",
        r723mtdi=pl.lit(site.policy),
        r723midu="SYNADM",
        r723clsc=pl.when(report).then("contributes").otherwise(pl.lit("")),
        r723nffi=256,
        r723nffs=site.ziip_factor,
        r723nadj=pl.col("adjustment"),
        r723mcf=1024,
        r723mcfs=1024,
    )


def _unit() -> pl.Expr:
    """Return the seconds of a service unit, without coefficients."""
    return pl.col("adjustment") / 1600 / _SCALE


def service_units(site: Sysplex) -> tuple[pl.Expr, pl.Expr]:
    """Return CPU and SRB service units of class periods, with zIIP time counted as CP time."""
    task = pl.col("tcb_us") / 1e6 + pl.col("initiator_tcb_us") / 1e6
    cpu = (task + pl.col("ziip_us") / 1e6 * site.ziip_factor / 256) / _unit() * CPU_COEFFICIENT
    return cpu, pl.col("srb_us") / 1e6 / _unit() * SRB_COEFFICIENT


def delays() -> pl.Expr:
    """Return the samples of class periods in which something delayed them."""
    others = [pl.col("delayed_cpu") // share for share in _DELAYS.values()]
    return pl.sum_horizontal("delayed_cpu", "delayed_ziip", *others)


def _period(site: Sysplex, rows: pl.DataFrame) -> pl.DataFrame:
    def second(name: str) -> pl.Expr:
        return pl.col(f"{name}_us") / 1e6

    unit = _unit()
    cpu, srb = service_units(site)
    using = pl.col("using_cpu") + pl.col("using_ziip")
    requests = pl.col("requests")
    timed = pl.col("goal").is_in(["average", "percentile"])
    length = seconds().round()
    resident = pl.col("spaces") * length * 1e6 / 1024
    return section(
        rows,
        r723crtx=pl.col("distribution"),
        r723crph=pl.col("heterogeneous"),
        r723crca=True,
        r723crta=pl.col("distribution") > 0,
        r723ceda=True,
        r723cper=pl.col("period"),
        r723cdur=pl.when("report").then(0).otherwise("duration"),
        r723csrv=cpu + srb,
        r723ccpu=cpu,
        r723csrb=srb,
        r723crct=pl.col("region_control_us"),
        r723ciit=pl.col("io_interrupt_us"),
        r723chst=pl.col("hiperspace_us"),
        r723csup=second("ziip") / unit * CPU_COEFFICIENT,
        r723csuc=second("ziip_on_cp") / unit * CPU_COEFFICIENT,
        r723ctrr=resident,
        r723ctat=resident,
        r723crcp=pl.col("transactions"),
        r723carc=pl.col("transactions") // 250,
        **{f"r723{field}x": pl.col("response_us") // share for field, share in _QUEUED.items()},
        **{
            f"r723{field}": pl.col("response_us") // share / 1024
            for field, share in _QUEUED.items()
        },
        r723ciea=pl.when(timed).then(pl.col("execution_us") * 0.3 / 1024).otherwise(0),
        r723ctet=pl.col("response_us") / 1024,
        r723cxet=pl.col("execution_us") / 1024,
        r723cets=pl.col("response_squared_us") / 1024**2,
        r723ctetx=pl.col("response_us"),
        r723cxetx=pl.col("execution_us"),
        r723cetsx=pl.col("response_squared_us"),
        r723ccus=pl.col("using_cpu"),
        r723ctot=delays(),
        r723ccde=pl.col("delayed_cpu"),
        r723ctou=using,
        r723ciou=pl.col("using_io"),
        r723ciod=pl.col("delayed_io"),
        r723supu=pl.col("using_ziip"),
        r723sucu=pl.col("using_ziip_on_cp"),
        r723supd=pl.col("delayed_ziip"),
        r723cunk=pl.col("unknown"),
        r723cidl=pl.col("idle"),
        **{field: pl.col("delayed_cpu") // share for field, share in _DELAYS.items()},
        r723ctsa=using + delays() + pl.col("idle") + pl.col("unknown"),
        r723csac=pl.col("spaces") * length * 1e6 / _RATE,
        r723cict=requests * IO_US["connect"] / 128,
        r723ciwt=requests * IO_US["wait"] / 128,
        r723ciot=requests * IO_US["queue"] / 128,
        r723cidt=requests * IO_US["disconnect"] / 128,
        r723circ=requests,
        r723plsc=pl.when("report").then("contributes").otherwise(pl.lit("")),
        **{flag: pl.col("goal") == kind for kind, flag in _GOAL_FLAGS.items()},
        r723cmil=timed,
        r723cval=pl.col("goal_value"),
        r723cpct=pl.col("percent"),
        r723cimp=pl.col("importance"),
        r723rtdm=pl.when(timed).then(pl.col("goal_value") * 1000).otherwise(0),
    )


def _distributions(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Return response time distributions, preceded by the bucket ends, and each row's distribution.

    Only classes with response time goals have one, so there are few.
    """
    has = (rows["transactions"] > 0) & rows["goal"].is_in(["average", "percentile"])
    index = np.zeros(rows.height, np.int64)
    made: list[dict[str, Any]] = []
    of_record = 0
    for i in np.flatnonzero(has.to_numpy()).tolist():
        row = rows.row(i, named=True)
        if not made or made[-1]["record_no"] != row["record_no"]:
            made.append({"record_no": row["record_no"], "r723trdb": list(BUCKETS)})
            of_record = 0
        of_record += 1
        made.append({"record_no": row["record_no"], "r723trdb": _distribution(row)})
        index[i] = of_record
    types = {"record_no": pl.Int64(), "r723trdb": pl.Array(pl.Int64, len(BUCKETS))}
    return pl.DataFrame(made, schema=types), pl.Series("distribution", index)


def _distribution(row: dict[str, Any]) -> list[int]:
    """Return the transactions by bucket that match the row's quantiles of response times."""
    quantiles = np.array(row["response_quantiles"])
    ends = np.array(BUCKETS[:-1]) / 100 * row["goal_value"] / 1000
    part = np.interp(ends, quantiles, np.linspace(0, 1, len(quantiles)), left=0, right=1)
    below = np.rint(part * row["transactions"]).astype(int)
    counts = np.diff(np.concatenate([[0], below, [row["transactions"]]]))
    return [int(n) for n in counts]
