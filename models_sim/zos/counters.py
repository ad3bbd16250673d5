"""SMF 113: hardware counters, as increases (subtype 1) and as values so far (subtype 2).

Counters that the model does not count are zero. Subtype 2 is written at the beginning too, so that
the first interval is the difference of two records.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from models_sim.zos.log import OFFSET, Log, Row, local_time
from models_sim.zos.profile import MACHINE, START, System
from models_sim.zos.simulate import Frames

__all__ = ["SETS", "add_counters"]

# Kind of a set, its first counter and how many it has: z15 has extended counters from 128 on.
SETS = ((1, 0, 6), (2, 32, 2), (3, 64, 16), (4, 128, 142))
_CLASS = {"CP": 0, "zIIP": 4}
_MHZ = 5200
_BEGUN = START - timedelta(hours=11, minutes=2)
_WRITTEN = timedelta(milliseconds=55)


def add_counters(log: Log, system: System, frames: Frames, rng: np.random.Generator) -> None:
    """Add the records of a system: one a processor and interval of each subtype."""
    ends = {
        r["interval"]: (r["start"], r["end"])
        for r in frames["interval"].iter_rows(named=True)
        if r["system"] == system.name
    }
    increases: dict[tuple[int, int], dict[int, int]] = {}
    for r in frames["counter"].iter_rows(named=True):
        if r["system"] == system.name:
            of = increases.setdefault((r["processor"], r["interval"]), {})
            of[r["counter"]] = r["increase"]
    kinds = ["CP"] * system.cps + ["zIIP"] * system.ziips
    for processor, kind in enumerate(kinds):
        full = max(
            (v for (number, _), v in increases.items() if number == processor),
            key=lambda v: v[0],
        )
        so_far = {n: round(v * 40 * (1 + rng.random())) for n, v in full.items()}
        _add_values(log, processor, kind, so_far, START - timedelta(seconds=900), START)
        for interval, (begin, end) in sorted(ends.items()):
            increase = increases.get((processor, interval), {})
            so_far = {n: so_far.get(n, 0) + increase.get(n, 0) for n in so_far | increase}
            _add_increases(log, processor, kind, increase, begin, end)
            _add_values(log, processor, kind, so_far, begin, end)


def _common(subtype: int, begin: datetime, end: datetime) -> dict[str, list[Row]]:
    return {
        f"smf113_{subtype}_subsystem": [
            {"smf113rvn": "04", "smf113pnm": "HIS", "smf113osl": "SP7.2.4"}
        ],
        f"smf113_{subtype}_identification": [
            {
                "smf113jbn": "HIS",
                "smf113rst": local_time(_BEGUN),
                "smf113rsd": (_BEGUN + OFFSET).date(),
                "smf113stp": "HIS",
                "smf113intervalstart": begin,
                "smf113intervalend": end,
            }
        ],
    }


def _machine(subtype: int) -> Row:
    p = f"smf113_{subtype}_"
    return {
        f"{p}machtype": MACHINE,
        f"{p}machmodel": "507",
        f"{p}machseqcode": "000000000002A1B7",
        f"{p}cts": _BEGUN,
    }


def _add_increases(
    log: Log, processor: int, kind: str, values: dict[int, int], begin: datetime, end: datetime
) -> None:
    moment = end + _WRITTEN
    data = _machine(1) | {
        "smf113_1_ctm": moment,
        "smf113_1_cpuid": processor,
        "smf113_1_cpuprocclass": _CLASS[kind],
        "smf113_1_cpuspeed": _MHZ,
        "smf113_1_ctrversion1": 3,
        "smf113_1_ctrversion2": 6,
        "smf113_1_coreid": processor,
    }
    tables = _common(1, begin, end) | {
        "smf113_1_data": [data],
        "smf113_1_counter_set": [
            {"smf113_1_cstype": kind_of_set, "smf113_1_csuselcds": True}
            for kind_of_set, _, _ in SETS
        ],
        "smf113_1_long_counter_data": [
            {"smf113_1_lcr": values.get(first + i, 0), "parent_no": number}
            for number, (_, first, count) in enumerate(SETS, start=1)
            for i in range(count)
        ],
    }
    log.add(moment, 113, 1, tables, {"smf113wid": "STC", "smf113sdl": 24})


def _add_values(
    log: Log, processor: int, kind: str, values: dict[int, int], begin: datetime, end: datetime
) -> None:
    moment = end + _WRITTEN
    data = _machine(2) | {
        "smf113_2_ctm": moment,
        "smf113_2_cpuprocclass": _CLASS[kind],
        "smf113_2_cfm": True,
        "smf113_2_ctrvn1": 3,
        "smf113_2_ctrvn2": 6,
        "smf113_2_cpsp": _MHZ,
        "smf113_2_cpuid": processor,
    }
    tables = _common(2, begin, end) | {
        "smf113_2_data": [data],
        "smf113_2_counter_set": [
            {"smf113_2_cst": kind_of_set, "smf113_2_csn": count} for kind_of_set, _, count in SETS
        ],
        "smf113_2_counters": [
            {"smf113_2_cr": values.get(first + i, 0)}
            for _, first, count in SETS
            for i in range(count)
        ],
    }
    log.add(moment, 113, 2, tables, {"smf113wid": "STC", "smf113sdl": 24})
