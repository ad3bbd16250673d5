"""Hard cases of records that are missing where the others of their interval are there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import polars as pl

from models_sim.simulator.campaigns.hard_cases.case import (
    Made,
    Run,
    finding,
    manifest,
    share,
    truth,
)
from models_sim.simulator.campaigns.hard_cases.records import Part, dump, put, records_of
from models_sim.simulator.campaigns.hard_cases.work import AGENT, Lpar, Plex, busy, every

__all__ = ["lost_records"]

_INTERVAL = timedelta(minutes=5)
_IN_RUN = 3  # intervals
_TYPE_AT = 5
_CLASS = "STCMFT"
_TOLD = ("cpu_seconds", "general_purpose_seconds", "ziip_seconds", "rate", "cost_per_gb",
         "cost_per_transaction_us")  # fmt: skip


def lost_records(start: datetime, seed: int) -> Made:
    """Return runs that lack one record each: of a class, of a class's data, of an address space."""
    plex = Plex("LSTPLEX", (Lpar("LST1"),))
    begins = [start + n * _IN_RUN * _INTERVAL for n in range(5)]
    middles = [begin + _INTERVAL for begin in begins]
    without_data = put(
        "smf72_3_workload_manager_control",
        "LST1",
        middles[2],
        middles[2] + _INTERVAL,
        pl.col("r723mcnm") == _CLASS,
        r723mcaa=True,
    )
    part = Part(
        plex,
        every(300, start, 4 * _IN_RUN, "LST1"),
        busy(("LST1", start, begins[4], 1.0)),
        changes=(without_data,),
    )
    records = records_of([part], seed)["LST1"]
    # In each interval, the record of its report class names the class, too, and comes later.
    lost = {
        _nth(records, 72, _CLASS, 2 * (1 * _IN_RUN + 1)),
        _nth(records, 30, AGENT, 3 * _IN_RUN + 1),
    }
    left = [record for number, record in enumerate(records) if number not in lost]
    kinds: list[tuple[str, ...]] = [(), ("class_missing",), ("class_missing",), ()]
    runs = [
        Run(f"lst-{number}", begins[number], begins[number + 1], ("LST1",),
            (share(plex, "LST1", 900),), issues, _TOLD if issues else None, "lost-records",
            {"x_lost": str(number)})
        for number, issues in enumerate(kinds)
    ]  # fmt: skip
    findings = [
        finding(kind, "LST1", middle, middle + _INTERVAL, found, sysplex=plex.name, fields=fields)
        for kind, middle, found, fields in (
            ("class_missing", middles[1], f"no record of {_CLASS}", ("r723mcnm",)),
            ("class_missing", middles[2], f"no data of {_CLASS}", ("r723mcaa",)),
            ("address_space_records_missing", middles[3], f"no record of {AGENT}", ("smf30iet",)),
        )
    ]
    files = {"manifest.json": manifest(runs), "smf/LST1.smf": dump(left)}
    return Made(files, truth(runs, findings))


def _nth(records: Sequence[bytes], record_type: int, name: str, number: int) -> int:
    """Return the place of a record: counted from 0 among those of a type that have a name."""
    text = name.encode("cp037")
    return [
        place
        for place, record in enumerate(records)
        if record[_TYPE_AT] == record_type and text in record
    ][number]
