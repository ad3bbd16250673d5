"""SMF 30 and 42 subtype 6: what address spaces used, and their data sets.

Address spaces that run on write subtype 2 at the end of every interval, jobs subtype 3 for their
last one, subtype 4 for the step and 5 for the job. Subtype 6, of system address spaces, is written
at the end of every interval too, but counts since the address space started: so there is one at
the beginning, from which the first interval is told.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import groupby

import numpy as np

from models_sim.zos.log import OFFSET, Log, Row, local_time
from models_sim.zos.profile import (
    CLASSES,
    CPU_COEFFICIENT,
    SRB_COEFFICIENT,
    START,
    SYSPLEX,
    VOLUMES,
    ZIIP_FACTOR,
    Space,
    System,
)
from models_sim.zos.simulate import Frames

__all__ = ["add_data_sets", "add_jobs"]

_IPL = START - timedelta(days=3, hours=4)
_SUMMED = (
    *("tcb_us", "srb_us", "initiator_tcb_us", "io_interrupt_us", "region_control_us"),
    *("hiperspace_us", "ziip_us", "ziip_on_cp_us", "enclave_us", "enclave_ziip_us"),
    *("enclave_ziip_on_cp_us", "java_on_ziip_us", "requests"),
)
_CONNECT_US = 190  # of a request, in the address space's sums
_WRITTEN = timedelta(milliseconds=30)  # after the interval's end


def add_jobs(log: Log, system: System, frames: Frames, rng: np.random.Generator) -> None:
    """Add the records of type 30 of a system."""
    spaces = {s.job: s for s in system.spaces}
    rows = [r for r in frames["address_space"].iter_rows(named=True) if r["system"] == system.name]
    rows.sort(key=lambda r: (r["job"], r["interval"]))
    for job, group in groupby(rows, key=lambda r: r["job"]):
        space, intervals = spaces[job], list(group)
        if space.system_space:
            _add_system_space(log, system, space, intervals, rng)
            continue
        for row in intervals:
            _add(log, system, space, row, 3 if row["ends"] else 2)
        if intervals[-1]["ends"]:
            total = intervals[-1] | {k: sum(r[k] for r in intervals) for k in _SUMMED}
            total["start"] = intervals[0]["start"]
            for subtype in (4, 5):
                _add(log, system, space, total, subtype)


def _add_system_space(
    log: Log, system: System, space: Space, intervals: list[Row], rng: np.random.Generator
) -> None:
    """Records that count since IPL: three days at an unhurried rate, then the intervals."""
    first = intervals[0]
    before = (START - _IPL) / (first["end"] - first["start"]) * (1 + rng.random())
    so_far = first | {k: round(first[k] * before) for k in _SUMMED}
    so_far |= {"start": _IPL, "end": first["start"]}
    _add(log, system, space, so_far, 6)
    for row in intervals:
        so_far = so_far | {k: so_far[k] + row[k] for k in _SUMMED} | {"end": row["end"]}
        _add(log, system, space, so_far, 6)


def _add(log: Log, system: System, space: Space, row: Row, subtype: int) -> None:
    tables: dict[str, list[Row]] = {
        "smf30_subsystem": [
            {
                "smf30typ": subtype,
                "smf30rvn": "05",
                "smf30pnm": "SMF",
                "smf30osl": "SP7.2.4",
                "smf30syn": system.name,
                "smf30syp": SYSPLEX,
            }
        ],
        "smf30_identification": [_identification(space, row, subtype)],
        "smf30_processor_accounting": [_processor(row)],
        "smf30_io_activity": [_io(row)],
        "smf30_storage": [_storage(row)],
        "smf30_performance": [_performance(system, space, row)],
    }
    if subtype in {4, 5}:
        tables["smf30_completion"] = [{"smf30scc": 0}]
    moment = row["end"] + _WRITTEN + timedelta(milliseconds=subtype)
    log.add(moment, 30, subtype, tables, {"smf30wid": space.work})


def _identification(space: Space, row: Row, subtype: int) -> Row:
    identity: Row = {"smf30jbn": space.job, "smf30asi": row["address_space_id"]}
    if subtype == 6:
        return identity | {"smf30iet": row["end"]}
    begin = START + timedelta(seconds=space.active[0]) if space.active else _IPL
    job = space.work == "JES2"
    identity |= {
        "smf30pgm": space.program,
        "smf30stm": "STEP1" if job else space.job,
        "smf30jnm": f"{'JOB' if job else 'STC'}{4000 + row['address_space_id']:05}",
        "smf30stn": 1,
        "smf30rst": local_time(begin - timedelta(seconds=3)),
        "smf30rsd": (begin + OFFSET).date(),
        "smf30ret": local_time(begin - timedelta(seconds=2)),
        "smf30red": (begin + OFFSET).date(),
        "smf30sit": local_time(begin),
        "smf30std": (begin + OFFSET).date(),
        "smf30rud": "SYNBATCH" if job else "SYNSTC",
        "smf30cl8": "A" if job else "",
    }
    if subtype in {2, 3}:
        identity |= {"smf30iss": row["start"], "smf30iet": row["end"]}
    return identity


def _processor(row: Row) -> Row:
    return {
        "smf30tfo": True,
        "smf30cpt": row["tcb_us"],
        "smf30cps": row["srb_us"],
        "smf30icu": row["initiator_tcb_us"],
        "smf30ist": local_time(row["start"]),
        "smf30idt": (row["start"] + OFFSET).date(),
        "smf30iip": row["io_interrupt_us"],
        "smf30rct": row["region_control_us"],
        "smf30hpt": row["hiperspace_us"],
        "smf30enc": row["enclave_us"],
        "smf30_time_on_ziip": row["ziip_us"],
        "smf30_enclave_time_on_ziip": row["enclave_ziip_us"],
        "smf30_time_ziip_on_cp": row["ziip_on_cp_us"],
        "smf30_enclave_time_ziip_on_cp": row["enclave_ziip_on_cp_us"],
        "smf30_time_java_on_ziip": row["java_on_ziip_us"],
    }


def _io(row: Row) -> Row:
    requests = row["requests"]
    return {
        "smf30tep": min(requests, 0xFFFF_FFFF),
        "smf30tex": requests,
        "smf30tcn": requests * _CONNECT_US,
        "smf30aic": requests * _CONNECT_US,
        "smf30aid": requests * 30,
        "smf30aiw": requests * 95,
        "smf30ais": requests,
    }


def _storage(row: Row) -> Row:
    used = row["storage_mb"]
    return {
        "smf30spk": 0x80,
        "smf30prv": 1200,
        "smf30sys": 640,
        "smf30rgb": 9 << 20,
        "smf30erg": 1500 << 20,
        "smf30mem": 16_384,
        "smf30hvr": used * 200,
        "smf30hvh": used << 20,
        "smf30hvo": (used + 24) << 20,
        "smf30_hwmhvreal1m": used,
        "smf30_sumreal1m": used * 60,
        "smf30_numsamples": 60,
    }


def _performance(system: System, space: Space, row: Row) -> Row:
    unit_us = system.adjustment / 16
    cpu_us = row["tcb_us"] + row["initiator_tcb_us"] + row["ziip_us"] * ZIIP_FACTOR / 256
    cpu = round(cpu_us / unit_us * CPU_COEFFICIENT)
    srb = round(row["srb_us"] / unit_us * SRB_COEFFICIENT)
    workload = next(c.workload for c in CLASSES if c.name == space.service_class)
    service = {"srv": cpu + srb, "csu": cpu, "srb": srb}
    return {
        **{f"smf30{k}": v & 0xFFFF_FFFF for k, v in service.items()},
        **{f"smf30{k}_inv": v > 0xFFFF_FFFF for k, v in service.items()},
        **{f"smf30{k}_l": v for k, v in service.items()},
        "smf30sus": system.adjustment,
        "smf30wlm": workload,
        "smf30scn": space.service_class,
        "smf30rcn": space.report_class,
        "smf30cpc": round(10 * CPU_COEFFICIENT),
        "smf30src": round(10 * SRB_COEFFICIENT),
        "smf30znf": 256,
        "smf30snf": ZIIP_FACTOR,
        "smf30_capacity_adjustment_ind": 100,
    }


def add_data_sets(log: Log, system: System, frames: Frames) -> None:
    """Add the records of type 42 subtype 6 of a system: one an address space and interval."""
    spaces = {s.job: s for s in system.spaces}
    ends = {
        (r["job"], r["interval"]): (r["end"], r["ends"])
        for r in frames["address_space"].iter_rows(named=True)
        if r["system"] == system.name
    }
    rows = [r for r in frames["data_set"].iter_rows(named=True) if r["system"] == system.name]
    for key, group in groupby(rows, key=lambda r: (r["job"], r["interval"])):
        end, closed = ends[key]
        _add_data_sets(log, spaces[key[0]], list(group), end, closed=closed)


def _add_data_sets(log: Log, space: Space, rows: list[Row], end: datetime, *, closed: bool) -> None:
    begin = START + timedelta(seconds=space.active[0]) if space.active else _IPL
    workload = next(c.workload for c in CLASSES if c.name == space.service_class)
    tables: dict[str, list[Row]] = {
        "smf42_6_job_header": [
            {
                "s42jdjnm": space.job,
                "s42jdrst": local_time(begin - timedelta(seconds=3)),
                "s42jdrsd": (begin + OFFSET).date(),
                "s42jdcod": 0 if closed else 1,
                "s42jdver": 1,
                "s42jdst1": 1,
                "s42jdgmo": round(OFFSET.total_seconds() / 1.048576),
                "s42jdwsc": space.service_class,
                "s42jdwld": workload,
                "s42jdstn": "STEP1" if space.work == "JES2" else space.job,
            }
        ],
        "smf42_6_data_set_header": [_data_set_header(r) for r in rows],
        "smf42_6_data_set_io_statistics": [
            _data_set_statistics(r) | {"parent_no": i} for i, r in enumerate(rows, start=1)
        ],
        "smf42_6_data_access_method_statistics": [
            _access_method(r) | {"parent_no": i}
            for i, r in enumerate(rows, start=1)
            if r["organization"] == 1
        ],
    }
    log.add(end + _WRITTEN + timedelta(milliseconds=10), 42, 6, tables, {"smf42nt": 2})


def _data_set_header(row: Row) -> Row:
    return {
        "s42dsn": row["data_set"],
        "s42dstyp": row["organization"],
        "s42dsvol": row["volume"],
        "s42dsdev": VOLUMES[row["volume"]],
        "s42dssc": "SCFAST",
        "s42dsbsz": row["block"],
    }


def _data_set_statistics(row: Row) -> Row:
    requests = row["requests"]
    average = {
        name: row[f"{what}_us"] // requests
        for name, what in (
            ("r", "response"),
            ("c", "connect"),
            ("p", "pending"),
            ("d", "disconnect"),
            ("q", "queue"),
        )
    }
    hits = row["reads"] if not average["d"] else round(row["reads"] * 0.85)
    return {
        **{f"s42dsio{name}": us for name, us in average.items()},
        **{f"s42ds{name}1u": us for name, us in average.items()},
        "s42dsion": requests,
        "s42dscnd": row["reads"],
        "s42dsshts": hits,
        "s42dswcn": requests - row["reads"],
        "s42dswhi": requests - row["reads"],
        "s42dsrdt": row["reads"],
        "s42dshrd": row["reads"],
        "s42dshwr": requests - row["reads"],
        "s42dsmxr": row["longest_us"],
        "s42dsmxs": row["longest_us"],
    }


def _access_method(row: Row) -> Row:
    reads, writes = row["reads"], row["requests"] - row["reads"]
    return {
        "s42amsrb": reads,
        "s42amsrr": reads * 60,
        "s42amswb": writes,
        "s42amswr": writes * 75,
        "s42amrib": reads * row["block"],
        "s42amwib": writes * row["block"],
    }
