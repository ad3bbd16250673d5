"""Hard cases of RMF intervals: two lengths for one LPAR, different lengths, longer than a run."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

from models_sim.simulator.campaigns.hard_cases.case import (
    Made,
    Run,
    files_of,
    finding,
    share,
    truth,
)
from models_sim.simulator.campaigns.hard_cases.records import Part
from models_sim.simulator.campaigns.hard_cases.work import Lpar, Plex, busy, every, spans

__all__ = ["doubled_rmf", "partial_intervals", "short_runs", "unequal_intervals"]

_WIDE = ("bounds_too_wide",)

_MINUTE = timedelta(minutes=1)


def doubled_rmf(start: datetime, seed: int) -> Made:
    """Return an LPAR with intervals of 1 and of 15 minutes that cover the same time."""
    plex = Plex("OVLPLEX", (Lpar("OVL1"),))
    middle, end = start + 15 * _MINUTE, start + 30 * _MINUTE
    work = busy(("OVL1", start, middle, 1.0), ("OVL1", middle, middle + 5 * _MINUTE, 1.0))
    parts = [
        Part(plex, every(900, start, 2, "OVL1"), work),
        Part(plex, every(60, start, 30, "OVL1"), work, types=(70, 72)),
    ]
    issue, one = ("overlapping_intervals",), ("OVL1",)
    runs = [
        Run("ovl-1", start, middle, one, (share(plex, "OVL1", 900),), issue,
            campaign="doubled-rmf", factors={"x_minutes": "15"}),
        Run("ovl-2", middle, middle + 5 * _MINUTE, one, (share(plex, "OVL1", 300),), issue,
            ("rate",), campaign="doubled-rmf", factors={"x_minutes": "5"}),
    ]  # fmt: skip
    findings = [
        finding(issue[0], "OVL1", begin, begin + 15 * _MINUTE,
                "intervals of 15 minutes and of 1 minute cover the same time", sysplex=plex.name,
                fields=("smf70ist", "smf70int", "smf72ist", "smf72int"),
                affects=("cpu_seconds", "cost_per_GB", "eligible_seconds"))
        for begin in (start, middle)
    ]  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs, findings, lpar_seconds=[
        {"system_id": "OVL1", "start_utc": start.isoformat(), "end_utc": end.isoformat(),
         "seconds": 1800.0, "intervals_of_900": 2, "intervals_of_60": 30},
    ]))  # fmt: skip


def unequal_intervals(start: datetime, seed: int) -> Made:
    """Return LPARs of one sysplex with intervals of 5, 10 and 15 minutes."""
    plex = Plex("LENPLEX", (Lpar("LEN1"), Lpar("LEN2"), Lpar("LEN3")))
    names = ("LEN1", "LEN2", "LEN3")
    middle, end = start + 30 * _MINUTE, start + 60 * _MINUTE
    lengths = {"LEN1": 300, "LEN2": 600, "LEN3": 900}
    work = busy(*((name, start, end, 1.0) for name in names))
    parts = [
        Part(plex, every(seconds, start, 3600 // seconds, name), work)
        for name, seconds in lengths.items()
    ]
    runs = [
        Run("len-1", start, middle, names, [share(plex, n, 1800) for n in names],
            campaign="unequal-intervals", factors={"x_minutes": "30"}),
        # No interval of LEN3 begins and ends with it; all of them work equally until 60.
        Run("len-2", middle, middle + 10 * _MINUTE, names, [share(plex, n, 600) for n in names],
            _WIDE, campaign="unequal-intervals", factors={"x_minutes": "10"}),
    ]  # fmt: skip
    together = [share(plex, name, 1800) for name in names]
    whole = {
        "sysplex": plex.name,
        "lengths": lengths,
        "half_hours": [
            {
                "start_utc": begin.isoformat(),
                "general_purpose_seconds": sum(s.general_purpose for s in together),
                "ziip_seconds": sum(s.ziip for s in together),
            }
            for begin in (start, middle)
        ],
    }
    found = finding(
        "interval_lengths_differ", None, start, end,
        "intervals of 300, 600 and 900 seconds: the systems' intervals do not begin together",
        sysplex=plex.name, fields=("smf70ist", "smf70int"), affects=("sysplex intervals",),
    )  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs, [found], sysplex=whole))


def short_runs(start: datetime, seed: int) -> Made:
    """Return runs of a third, of two thirds, and of all of an interval."""
    plex = Plex("SHTPLEX", (Lpar("SHT1"),))
    first, second, third = (start + n * 15 * _MINUTE for n in range(3))
    periods = (
        (first + 5 * _MINUTE, first + 10 * _MINUTE),
        (second, second + 10 * _MINUTE),
        (third, third + 15 * _MINUTE),
    )
    # Before and after the first run the LPAR is nearly idle; after the second it works on.
    work = busy(
        ("SHT1", *periods[0], 1.0),
        ("SHT1", second, third, 1.0),
        ("SHT1", *periods[2], 1.0),
    )
    parts = [Part(plex, every(900, start, 3, "SHT1"), work)]
    runs = []
    for number, (begin, end) in enumerate(periods, 1):
        minutes = round((end - begin) / _MINUTE)
        runs.append(
            Run(
                f"sht-{number}", begin, end, ("SHT1",),
                (share(plex, "SHT1", 60 * minutes),), _WIDE if minutes < 15 else (),
                ("rate",) if minutes < 10 else None, "short-runs", {"x_minutes": str(minutes)},
            )
        )  # fmt: skip
    found = finding(
        _WIDE[0], None, first, second,
        "the run is 300 of the 900 seconds of its interval", sysplex=None, run="sht-1",
        fields=("smf70int", "smf72int"), affects=("cpu_seconds", "cost_per_GB"),
    )  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs, [found]))


def partial_intervals(start: datetime, seed: int) -> Made:
    """Return runs that begin within intervals of an LPAR that is idle around them.

    The second run has type 30 for its own time: what address spaces used in it is known.
    """
    plex = Plex("PRTPLEX", (Lpar("PRT1"),))
    quarter = 15 * _MINUTE
    first = (start + quarter / 2, start + 5 * quarter / 2)
    second = (start + 3 * quarter + 2 * _MINUTE, start + 3 * quarter + 12 * _MINUTE)
    end = start + 4 * quarter
    work = busy(("PRT1", *first, 1.0), ("PRT1", *second, 1.0))
    own = [("PRT1", start + n * quarter, start + (n + 1) * quarter) for n in range(3)]
    times = [start + 3 * quarter, *second, end]
    own += [("PRT1", begin, stop) for begin, stop in pairwise(times)]
    parts = [
        Part(plex, every(900, start, 4, "PRT1"), work, types=(70, 72)),
        Part(plex, spans(*own), work, types=(30,)),
    ]
    runs = [
        Run(f"prt-{number}", *period, ("PRT1",),
            (share(plex, "PRT1", (period[1] - period[0]).total_seconds()),), issues, ("rate",),
            "partial-intervals", {"x_minutes": str((period[1] - period[0]) // _MINUTE)})
        for number, (period, issues) in enumerate([(first, _WIDE), (second, ())], 1)
    ]  # fmt: skip
    found = finding(
        _WIDE[0], None, *first, "the run has half of its first and last interval", sysplex=None,
        run="prt-1", fields=("smf70ist", "smf70int"), affects=("cpu_seconds", "cost_per_GB"),
    )  # fmt: skip
    return Made(files_of(parts, runs, seed), truth(runs, [found]))
