"""SMF 72 subtype 3: what each service class and report class used and waited for.

One record of SY1 is written in two parts, as RMF does with records that are too long.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import groupby

import numpy as np

from models_sim.zos.log import Log, Row
from models_sim.zos.profile import (
    CLASSES,
    CPU_COEFFICIENT,
    SRB_COEFFICIENT,
    START,
    ZIIP_FACTOR,
    Goal,
    System,
    WorkClass,
)
from models_sim.zos.rmf import broken, product
from models_sim.zos.simulate import Frames

__all__ = ["BUCKETS", "add_workload"]

# Ends of the response time buckets, percent of the midpoint; the last one has no end.
BUCKETS = (50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 200, 400, 0xFFFF_FFFF)
_RATE = 250_000  # microseconds from sample to sample
_SCALE = 10_000
_KINDS_OF_SECTIONS = 7  # beside the product section
_BROKEN = ("SY1", 2, "BATCH")  # system, interval and service class


def add_workload(log: Log, system: System, interval: Row, frames: Frames) -> None:
    """Add the records of one interval: one for each class with address spaces."""
    rows = [
        r
        for r in frames["class_period"].iter_rows(named=True)
        if (r["system"], r["interval"]) == (system.name, interval["interval"])
    ]
    for (name, report), group in groupby(rows, key=lambda r: (r["class"], r["report"])):
        periods = list(group)
        work = next(c for c in CLASSES if c.name == periods[0]["contributes"])
        tables = _tables(system, interval, work, periods)
        if (system.name, interval["interval"], name) == _BROKEN and not report:
            _add_broken(log, system, interval, tables)
        else:
            log.add(interval["end"], 72, 3, product(72, 3, system, interval) | tables, {})


def _tables(
    system: System, interval: Row, work: WorkClass, periods: list[Row]
) -> dict[str, list[Row]]:
    sections: list[Row] = []
    distribution: list[Row] = []
    for row in periods:
        goal = _goal_of(row, work)
        first = 0
        if row["transactions"] and goal.kind in {"percentile", "average"}:
            if not distribution:
                distribution.append({"r723trdb": list(BUCKETS)})
            distribution.append({"r723trdb": _distribution(row, goal.value)})
            first = len(distribution) - 1
        sections.append(_period(system, row, goal, work, first))
    tables = {
        "smf72_3_workload_manager_control": [_control(system, interval, work, periods)],
        "smf72_3_service_report_class_period": sections,
        "smf72_3_response_time_distribution": distribution,
    }
    return {table: rows for table, rows in tables.items() if rows}


def _add_broken(log: Log, system: System, interval: Row, tables: dict[str, list[Row]]) -> None:
    """Two parts: the control section and all periods but the last, and that one alone."""
    name = "smf72_3_service_report_class_period"
    periods = tables[name]
    kept = len(periods) - 1
    parts = (tables | {name: periods[:kept]}, {name: periods[kept:]})
    number = [
        1,
        0,
        0,
        len(periods),
        len(tables.get("smf72_3_response_time_distribution", [])),
        0,
        0,
    ]
    first = ([1, 0, 0, 1, 1 if number[4] else 0, 0, 0], [0, 0, 0, kept + 1, 0, 0, 0])
    for i, (part, places) in enumerate(zip(parts, first, strict=True), start=1):
        area = broken(72, 3, i, len(parts), list(zip(number, places, strict=True)))
        whole = product(72, 3, system, interval) | area | part
        log.add(interval["end"] + timedelta(microseconds=i), 72, 3, whole, {})


def _control(system: System, interval: Row, work: WorkClass, periods: list[Row]) -> Row:
    row = periods[0]
    seconds = (interval["end"] - interval["start"]).total_seconds()
    return {
        "r723mrcl": row["report"],
        "r723mhpz": True,
        "r723mnsp": "SYNPOL",
        "r723mtpa": START - timedelta(days=20),
        "r723mcpu": round(_SCALE * CPU_COEFFICIENT),
        "r723msrb": round(_SCALE * SRB_COEFFICIENT),
        "r723mtvl": _RATE,
        "r723mtv_no": round(seconds * 1e6 / _RATE / (2 if interval["skipped"] else 1)),
        "r723mopt": "00",
        "r723mwnm": "" if row["report"] else work.workload,
        "r723mcnm": row["class"],
        "r723mcpg": len(periods),
        "r723madj": system.adjustment,
        "r723midn": "SYNDEF",
        "r723mtdi": START - timedelta(days=20),
        "r723midu": "SYNADM",
        "r723clsc": work.name if row["report"] else "",
        "r723nffi": 256,
        "r723nffs": ZIIP_FACTOR,
        "r723nadj": system.adjustment,
        "r723mcf": 1024,
        "r723mcfs": 1024,
    }


def _period(system: System, row: Row, goal: Goal, work: WorkClass, first: int) -> Row:
    unit = system.adjustment / 1600 / _SCALE  # seconds of a service unit, coefficients aside
    task = (row["tcb_us"] + row["initiator_tcb_us"]) / 1e6
    ziip = row["ziip_us"] / 1e6
    cpu = (task + ziip * ZIIP_FACTOR / 256) / unit * CPU_COEFFICIENT
    srb = row["srb_us"] / 1e6 / unit * SRB_COEFFICIENT
    waits = row["delayed_cpu"] + row["delayed_ziip"]
    using = row["using_cpu"] + row["using_ziip"]
    samples = using + waits + row["idle"] + row["unknown"]
    made: Row = {
        "r723crtx": first,
        "r723crph": row["heterogeneous"],
        "r723crca": True,
        "r723crta": bool(first),
        "r723ceda": True,
        "r723cper": row["period"],
        "r723cdur": work.durations[row["period"] - 1] if not row["report"] else 0,
        "r723csrv": cpu + srb,
        "r723ccpu": cpu,
        "r723csrb": srb,
        "r723crct": row["region_control_us"],
        "r723ciit": row["io_interrupt_us"],
        "r723chst": row["hiperspace_us"],
        "r723csup": ziip / unit * CPU_COEFFICIENT,
        "r723csuc": row["ziip_on_cp_us"] / 1e6 / unit * CPU_COEFFICIENT,
        "r723ctrr": row["spaces"] * 900e6 / 1024,
        "r723ctat": row["spaces"] * 900e6 / 1024,
        "r723crcp": row["transactions"],
        "r723ctet": row["response_us"] / 1024,
        "r723cxet": row["execution_us"] / 1024,
        "r723cets": row["response_squared_us"] / 1024**2,
        "r723ctetx": row["response_us"],
        "r723cxetx": row["execution_us"],
        "r723cetsx": row["response_squared_us"],
        "r723ccus": row["using_cpu"],
        "r723ctot": waits,
        "r723ccde": row["delayed_cpu"],
        "r723ctou": using,
        "r723ciou": row["using_io"],
        "r723ciod": row["delayed_io"],
        "r723supu": row["using_ziip"],
        "r723sucu": row["using_ziip_on_cp"],
        "r723supd": row["delayed_ziip"],
        "r723cunk": row["unknown"],
        "r723cidl": row["idle"],
        "r723ctsa": samples,
        "r723csac": row["spaces"] * 3600,
        "r723cict": row["requests"] * 190 / 128,
        "r723ciwt": row["requests"] * 95 / 128,
        "r723cidt": row["requests"] * 30 / 128,
        "r723circ": row["requests"],
        "r723plsc": work.name if row["report"] else "",
    }
    return made | _goal(goal)


def _goal_of(row: Row, work: WorkClass) -> Goal:
    """A report class has the goal of its only service class period, if it has but one."""
    if row["report"] and (row["heterogeneous"] or len(work.goals) > 1):
        return Goal("none")
    return work.goals[row["period"] - 1]


def _goal(goal: Goal) -> Row:
    if goal.kind == "none":
        return {}
    flag = {
        "system": "r723cstm",
        "velocity": "r723cvel",
        "average": "r723cavg",
        "percentile": "r723cprc",
        "discretionary": "r723cdsc",
    }[goal.kind]
    timed = goal.kind in {"average", "percentile"}
    return {
        flag: True,
        "r723cmil": timed,
        "r723cval": goal.value,
        "r723cpct": goal.percent,
        "r723cimp": goal.importance,
        "r723rtdm": goal.value * 1000 if timed else 0,
    }


def _distribution(row: Row, midpoint_ms: int) -> list[int]:
    """Transactions by bucket, of which the row has the quantiles of the response times."""
    quantiles = np.array(row["response_quantiles"])
    ends = np.array(BUCKETS[:-1]) / 100 * midpoint_ms / 1000
    part = np.interp(ends, quantiles, np.linspace(0, 1, len(quantiles)), left=0, right=1)
    below = np.rint(part * row["transactions"]).astype(int)
    counts = np.diff(np.concatenate([[0], below, [row["transactions"]]]))
    return [int(n) for n in counts]
