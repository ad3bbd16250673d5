"""Hard cases of records that are missing, or elsewhere, while others of their time are there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import polars as pl

from ingest.formats.binary.compose import compose
from ingest.formats.layouts.zos_7 import SMF7_RECORD
from models_sim.simulator.campaigns.hard_cases.case import (
    Made,
    Run,
    finding,
    manifest,
    share,
    truth,
)
from models_sim.simulator.campaigns.hard_cases.clocks import merged
from models_sim.simulator.campaigns.hard_cases.records import Part, dump, put, records_of
from models_sim.simulator.campaigns.hard_cases.work import AGENT, Lpar, Plex, busy, every

__all__ = ["TOLD", "lost_records", "nth", "scattered_parts", "suspect_records"]

_INTERVAL = timedelta(minutes=5)
_IN_RUN = 3  # intervals
_TYPE_AT = 5
_CLASS = "STCMFT"
TOLD = ("cpu_seconds", "general_purpose_seconds", "ziip_seconds", "rate", "cost_per_GB",
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
        nth(records, 72, _CLASS, 2 * (1 * _IN_RUN + 1)),
        nth(records, 30, AGENT, 3 * _IN_RUN + 1),
    }
    left = [record for number, record in enumerate(records) if number not in lost]
    kinds: list[tuple[str, ...]] = [(), ("class_missing",), ("class_missing",), ()]
    runs = [
        Run(f"lst-{number}", begins[number], begins[number + 1], ("LST1",),
            (share(plex, "LST1", 900),), issues, TOLD if issues else None, "lost-records",
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


def suspect_records(start: datetime, seed: int) -> Made:
    """Return runs at whose time something happened to records: one in each run but the first.

    SMF lost some, a policy is activated, so that an interval has two sets of classes, a class is
    charged with a fifth of its time, and the records of an address space stop.
    """
    plex = Plex("SUSPLEX", (Lpar("SUS1"),))
    length = _IN_RUN * _INTERVAL
    begins = [start + n * length for n in range(6)]
    middles = [begin + _INTERVAL for begin in begins]
    little = put(
        "smf72_3_service_report_class_period",
        "SUS1",
        middles[3],
        middles[3] + _INTERVAL,
        pl.col("r723csup") > 0,
        r723ccpu=pl.col("r723ccpu") // 5,
        r723csrb=pl.col("r723csrb") // 5,
        r723ciit=pl.col("r723ciit") // 5,
        r723csup=pl.col("r723csup") // 5,
        r723csuc=pl.col("r723csuc") // 5,
    )
    activated = put(
        "smf72_3_workload_manager_control", "SUS1", r723mtpa=middles[2] + timedelta(minutes=2)
    )
    whole = busy(("SUS1", start, begins[5], 1.0))
    # Each of two policies has a part of an interval.
    before, after = (busy(("SUS1", start, begins[5], level)) for level in (0.4, 0.6))
    first, later = every(300, start, 7, "SUS1"), every(300, middles[2] + _INTERVAL, 7, "SUS1")
    middle = every(300, middles[2], 1, "SUS1")
    parts = [
        Part(plex, first, whole),
        Part(plex, middle, whole, types=(30, 70)),
        Part(plex, middle, before, types=(72,)),
        Part(plex, middle, after, types=(72,), changes=(activated,)),
        Part(plex, later, whole, changes=(activated, little)),
    ]
    records = records_of(parts, seed)["SUS1"]
    stopped = {nth(records, 30, AGENT, number) for number in range(4 * _IN_RUN + 1, 15)}
    left = [record for place, record in enumerate(records) if place not in stopped]
    offset = timedelta(hours=plex.local_hours)
    lost = _data_lost("SUS1", middles[1] + offset, 1234)
    kinds: list[tuple[str, ...]] = [
        (), ("data_lost",), (), ("classes_and_address_spaces_differ", "uncaptured_unusual"), (),
    ]  # fmt: skip
    runs = [
        Run(f"sus-{number}", begins[number], begins[number + 1], ("SUS1",),
            (share(plex, "SUS1", 900),), issues, TOLD if number == 3 else None, "suspect-records",
            {"x_suspect": str(number)})
        for number, issues in enumerate(kinds)
    ]  # fmt: skip
    findings = [
        finding(kind, "SUS1", at, at + _INTERVAL, found, sysplex=plex.name, fields=fields)
        for kind, at, found, fields in (
            ("data_lost", middles[1], "1234 records", ("smf7nro",)),
            ("address_space_records_missing", middles[4], f"{AGENT} stops", ("smf30iet",)),
            ("uncaptured_unusual", middles[3], "a class has a fifth", ("r723ccpu",)),
            ("classes_and_address_spaces_differ", middles[3], "a fifth", ("r723ccpu",)),
        )
    ]
    files = {"manifest.json": manifest(runs), "smf/SUS1.smf": dump(merged(left, [lost]))}
    return Made(files, truth(runs, findings))


def _data_lost(system: str, local: datetime, records: int) -> bytes:
    """Return a record of type 7: records were lost for a minute from that local time on."""
    row = {"smf7sid": system, "smf7nro": records, "smf7std": local.date(),
           "smf7stm": _of_day(local)}  # fmt: skip
    end = local + timedelta(minutes=1)
    row |= {"smf7dte": end.date(), "smf7tme": _of_day(end), "smf7nrf": False, "smf7lsd": False}
    (record,) = compose(SMF7_RECORD, {"smf7_header": [row]})
    return record


def _of_day(moment: datetime) -> int:
    """Return the microseconds since midnight."""
    return (moment - datetime.combine(moment.date(), datetime.min.time())) // timedelta(
        microseconds=1
    )


def scattered_parts(start: datetime, seed: int) -> Made:
    """Return a class whose record is in two parts: the second comes first, in another dump."""
    plex = Plex("PRSPLEX", (Lpar("PRS1"),), broken=("PRS1", 1, _CLASS))
    end = start + _IN_RUN * _INTERVAL
    part = Part(plex, every(300, start, _IN_RUN, "PRS1"), busy(("PRS1", start, end, 1.0)))
    records = records_of([part], seed)["PRS1"]
    # After the records of its interval; the second part does not name the class.
    second = nth(records, 72, _CLASS, 3) + 1
    run = Run("prs-1", start, end, ("PRS1",), (share(plex, "PRS1", 900),),
              campaign="scattered-parts")  # fmt: skip
    files = {
        "manifest.json": manifest([run]),
        "smf/0.smf": dump([records[0], records[second], records[-1]]),
        "smf/1.smf": dump([record for place, record in enumerate(records) if place != second]),
    }
    return Made(files, truth([run]))


def nth(records: Sequence[bytes], record_type: int, name: str, number: int) -> int:
    """Return the place of a record: counted from 0 among those of a type that have a name."""
    text = name.encode("cp037")
    return [
        place
        for place, record in enumerate(records)
        if record[_TYPE_AT] == record_type and text in record
    ][number]
