"""Hard cases of processors: threads, dedicated LPARs, boosts, and different zIIP factors."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from models_sim.simulator.campaigns.hard_cases.case import (
    Made,
    Run,
    files_of,
    finding,
    share,
    truth,
)
from models_sim.simulator.campaigns.hard_cases.records import (
    Change,
    Part,
    drop,
    put,
    put_logical,
)
from models_sim.simulator.campaigns.hard_cases.work import (
    Lpar,
    Plex,
    Threads,
    Used,
    busy,
    every,
    used,
)
from models_sim.simulator.zos.profile import DEDICATED

__all__ = ["boosts", "dedicated", "smt_ziips", "ziip_factors"]

_QUARTER = timedelta(minutes=15)
#: Of a boost: the flag in product sections, and the word in the names of other flags.
_FLAGS = {"zIIP": ("iip", "ziip"), "speed": ("eed", "speed")}
_SECONDS = 900.0  # seconds of an interval, and of a run


def smt_ziips(start: datetime, seed: int) -> Made:
    """Return zIIPs with two threads: well used, with the second one idle, and not measured."""
    plex = Plex("SMTPLEX", (Lpar("SMT1", cps=3, ziips=2), Lpar("SMT2")))
    kinds = (
        ("both threads", Threads(), (), None),
        ("second thread idle", Threads(capacity=1024, density=1024), (), None),
        ("not measured", Threads(known=False), ("multithreading_unknown",),
         ("general_purpose_seconds", "eligible_seconds", "ziips_needed", "rate")),
    )  # fmt: skip
    parts, runs, findings = [], [], []
    for number, (kind, threads, issues, exact) in enumerate(kinds):
        begin = start + number * _QUARTER
        end = begin + _QUARTER
        here = replace(plex, lpars=(replace(plex.lpars[0], threads=threads), plex.lpars[1]))
        work = busy(("SMT1", begin, end, 4.0), ("SMT2", begin, end, 1.0))
        parts.append(Part(here, every(_SECONDS, begin, 1, "SMT1", "SMT2"), work))
        run = Run(
            f"smt-{number + 1}",
            begin,
            end,
            ("SMT1", "SMT2"),
            (share(here, "SMT1", 4 * _SECONDS), share(here, "SMT2", _SECONDS)),
            issues,
            exact,
            "smt-ziips",
            {"x_threads": kind},
        )
        runs.append(run)
        if issues:
            findings.append(
                finding(
                    issues[0], "SMT1", begin, end,
                    "two threads per zIIP, and no capacity factor: service HisMT failed",
                    sysplex=plex.name, run=run.name, fields=("smf70hif", "smf70cfs", "r723mcfs"),
                    affects=("ziip_seconds", "cpu_seconds", "cost_per_GB"),
                )
            )  # fmt: skip
    cores = [
        {
            "run_id": run.name,
            "system_id": "SMT1",
            "core_seconds": run.shares[0].ziip * 1024 / threads.capacity,
            "one_thread_seconds": run.shares[0].ziip,
            "charged_one_thread_seconds": run.shares[0].eligible_on_ziip,
            "capacity": threads.capacity / 1024,
            "maximum_capacity": threads.maximum / 1024,
            "is_capacity_known": threads.known,
        }
        for run, (_, threads, _, _) in zip(runs, kinds, strict=True)
    ]
    return Made(files_of(parts, runs, seed), truth(runs, findings, multithreading=cores))


def dedicated(start: datetime, seed: int) -> Made:
    """Return a dedicated LPAR, one with wait completion and a parked processor, a shared one."""
    lpars = (
        Lpar("DED1", cps=3, weight=DEDICATED, allocated=True),
        Lpar("DED2", cps=3, allocated=True, parked=0.5),
        Lpar("DED3"),
    )
    plex = Plex("DEDPLEX", lpars, ziip_factor=256)
    end = start + 2 * _QUARTER
    names = [lpar.name for lpar in lpars]
    work = busy(*((name, start, end, 2.0) for name in names))
    whole = _SECONDS * 2
    changes = (put_logical("DED2", smf70wsa=True),)
    parts = [Part(plex, every(_SECONDS, start, 2, *names), work, changes=changes)]
    factors = {"x_lpars": "each alone"}
    runs = [
        Run(
            f"ded-{number}",
            start,
            end,
            (name,),
            (share(plex, name, 2 * whole),),
            campaign="dedicated",
            factors=factors,
        )
        for number, name in enumerate(names, 1)
    ]
    processors = [
        {
            "system_id": lpar.name,
            "start_utc": (start + i * _QUARTER).isoformat(),
            "processor_type": kind,
            "online_seconds": count * _SECONDS,
            "parked_seconds": parked,
            "busy_seconds": seconds,
            "wait_seconds": count * _SECONDS - parked - seconds,
            "dispatched_seconds": count * _SECONDS - parked if lpar.allocated else seconds,
        }
        for lpar in lpars
        for i in range(2)
        for kind, count, parked, seconds in _kinds(lpar, used(lpar, plex, whole))
    ]
    return Made(files_of(parts, runs, seed), truth(runs, processors=processors))


def _kinds(lpar: Lpar, one: Used) -> tuple[tuple[str, int, float, float], ...]:
    """Return each kind of processor: its number, and the seconds that it was parked and busy."""
    cp = ("CP", lpar.cps, lpar.parked * _SECONDS, one.dispatched)
    return cp, ("zIIP", lpar.ziips, 0.0, one.ziip)


def boosts(start: datetime, seed: int) -> Made:
    """Return runs without a boost, and in zIIP and speed boosts of all and of half an interval.

    In a zIIP boost, half of the work that is not eligible runs on zIIPs. In a speed boost, CPs are
    as fast as zIIPs.
    """
    slow = 569
    # The boost, the LPAR, whether it lasts the whole interval, its class, the zIIP factor then.
    kinds = (
        ("none", Lpar("BST1", ziips=2), False, 0, slow),
        ("zIIP", Lpar("BST1", ziips=2, moved=0.5), True, 1, slow),
        ("zIIP", Lpar("BST1", ziips=2, moved=0.25), False, 3, slow),
        ("none", Lpar("BST2"), False, 0, slow),
        ("speed", Lpar("BST2", faster=slow / 256), True, 1, 256),
        ("speed", Lpar("BST2", faster=2 / (1 + 256 / slow)), False, 3, slow),
    )
    parts, runs, findings = [], [], []
    for number, (kind, lpar, is_whole, boost_class, factor) in enumerate(kinds):
        begin = start + number % 3 * _QUARTER
        end = begin + _QUARTER
        serial = "0C4411" if lpar.name == "BST1" else "0C9F73"
        here = Plex("BSTPLEX", (lpar,), factor, serial=serial)
        changes = _boosted(kind, lpar.name, boost_class, is_whole=is_whole)
        work = busy((lpar.name, begin, end, 1.0))
        parts.append(Part(here, every(_SECONDS, begin, 1, lpar.name), work, changes=changes))
        usual = replace(lpar, moved=0.0)
        what = f"{kind} boost in {'all' if is_whole else 'half'} of the interval"
        issue = {"zIIP": "ziip_boost", "speed": "speed_boost"}.get(kind)
        run = Run(
            f"bst-{number + 1}", begin, end, (lpar.name,),
            (share(here, lpar, _SECONDS, eligible_of=usual),),
            (issue,) if issue else (),
            ("cpu_seconds", "general_purpose_seconds", "ziip_seconds", "rate") if issue else None,
            "boosts", {"x_boost": what if issue else kind},
        )  # fmt: skip
        runs.append(run)
        if issue:
            affects = {
                "zIIP": ("eligible_seconds", "ziips_needed", "cost_per_GB_after_offload"),
                "speed": ("cpu_seconds", "cost_per_GB", "cost_per_transaction_us"),
            }[kind]
            findings.append(
                finding(issue, lpar.name, begin, end, what, sysplex=here.name, run=run.name,
                        fields=_boost_fields(kind, is_whole=is_whole), affects=affects)
            )  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs, findings))


def _boost_fields(kind: str, *, is_whole: bool) -> tuple[str, ...]:
    """Return the flags of a boost: those of some of the interval, and those of all of it."""
    flag, word = _FLAGS[kind]
    some = (f"smf70_boostinfo_{word}", f"smf30_{word}boost_active")
    return (*some, f"smf70{flag}", f"smf72{flag}") if is_whole else some


def _boosted(kind: str, system: str, boost_class: int, *, is_whole: bool) -> tuple[Change, ...]:
    """Return the changes that mark the records of a boosted system."""
    if kind not in _FLAGS:
        return ()
    flag, word = _FLAGS[kind]
    seen: dict[str, Any] = {f"smf70_boostinfo_{word}": True}
    of_space: dict[str, Any] = {f"smf30_{word}boost_active": True, "smf30_boostclass": boost_class}
    mine = pl.col("smf70lpm") == system
    some = (
        put("smf70_1_prsm_partition", system, where=mine, **seen),
        put("smf30_processor_accounting", system, **of_space),
    )
    if not is_whole:
        return some
    in_product: list[tuple[str, dict[str, Any]]] = [
        (f"{p}_{subtype}_product", {f"{p}{flag}": True, f"{p}boo": boost_class})
        for p, subtype in (("smf70", 1), ("smf72", 3))
    ]
    return (*some, *(put(table, system, **fields) for table, fields in in_product))


def ziip_factors(start: datetime, seed: int) -> Made:
    """Return LPARs of one sysplex on two machines with different factors from zIIP to CP time."""
    full = Plex("FACPLEX", (Lpar("FAC1"),), ziip_factor=256)
    slow = Plex("FACPLEX", (Lpar("FAC2"), Lpar("FAC3")), ziip_factor=569, serial="0B77E4")
    end = start + _QUARTER
    parts = [
        Part(full, every(_SECONDS, start, 1, "FAC1"), busy(("FAC1", start, end, 1.0))),
        Part(
            slow,
            every(_SECONDS, start, 1, "FAC2", "FAC3"),
            busy(("FAC2", start, end, 1.0), ("FAC3", start, end, 1.0)),
            changes=(drop(72, "FAC3"),),
        ),
    ]
    known = ("cpu_seconds", "general_purpose_seconds", "ziip_seconds", "rate", "cost_per_GB",
             "cost_per_transaction_us")  # fmt: skip
    runs = [
        Run(
            "fac-1", start, end, ("FAC1", "FAC2"),
            (share(full, "FAC1", _SECONDS), share(slow, "FAC2", _SECONDS)),
            campaign="ziip-factors", factors={"x_types": "all"},
        ),
        Run(
            "fac-2", start, end, ("FAC3",), (share(slow, "FAC3", _SECONDS),), ("no_type_72",),
            known, "ziip-factors", {"x_types": "without 72"},
        ),
    ]  # fmt: skip
    missing = finding(
        "no_type_72", "FAC3", start, end, "no workload activity; the factor is that of type 70",
        sysplex="FACPLEX", run="fac-2", fields=("smf70nrm",),
        affects=("eligible_seconds", "ziips_needed", "cost_per_GB_after_offload"),
    )  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs, [missing]))
