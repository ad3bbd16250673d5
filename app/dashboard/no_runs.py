"""What a page says that needs benchmark runs when there are none."""

from __future__ import annotations

import shlex
from datetime import datetime, timedelta

from app.dashboard import components, units
from app.pipeline.publication import TO_READERS
from app.results.queries.recorded import Recorded, recorded
from app.results.reader import Reader
from app.results.words import listed

__all__ = ["no_runs", "run_add"]

_HOUR = timedelta(hours=1)


def no_runs(reader: Reader, why: str, *, builds: tuple[str, ...] = ()) -> None:
    """Say how to declare a run over the records that are loaded; `why`: what for, a sentence.

    builds: the names of builds to declare a run of each (default: one run without a build).
    """
    records = recorded(reader)
    if records is None:
        components.empty(
            f"No benchmark runs are loaded. {why} Load a manifest with the dumps and logs of its "
            "runs, or the SMF of your systems: then runs can be declared over its records."
        )
        return
    named = builds or ("",)
    components.empty(
        f"No benchmark runs are loaded. {why} Declare {'runs' if builds else 'a run'} over the "
        f"records that are loaded: {listed(records.systems)}, {units.moment(records.first)} to "
        f"{units.moment(records.last)} UTC. Filled in: the last of it; put the times of your work, "
        "and what it did, instead.",
        *(
            run_add(records, records.last - hours * _HOUR, build)
            for hours, build in zip(range(len(named), 0, -1), named, strict=True)
        ),
        *TO_READERS,
    )
    components.link("usage", "What needs no runs: CPU time, MSU, zIIP and MQ by hour and day")


def run_add(known: Recorded, start: datetime, build: str = "") -> str:
    """Return the command that declares a run of an hour, without the word `perfhouse`."""
    words = ["run-add", "--campaign", "production"]
    words += ["--start", f"{start:%Y-%m-%dT%H:%M:%SZ}"]
    words += ["--stop", f"{start + _HOUR:%Y-%m-%dT%H:%M:%SZ}"]
    for system in known.systems if known.has_cpu else ():  # a run needs SMF 70 of its LPARs
        words += ["--lpar", system]
    if build:
        words += ["--label", f"git_revision={build}"]
    if known.origin != "measured":
        words += ["--origin", known.origin]
    return shlex.join(words)
