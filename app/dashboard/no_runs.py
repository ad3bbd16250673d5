"""What a page says that needs benchmark runs when there are none."""

from __future__ import annotations

import shlex
from datetime import timedelta

from app.dashboard import components, units
from app.pipeline.publication import TO_READERS
from app.results.queries.recorded import Hour, Recorded, recorded
from app.results.reader import Reader
from app.results.words import listed

__all__ = ["no_runs", "run_add"]

_HOUR = timedelta(hours=1)


def no_runs(reader: Reader, why: str, *, builds: tuple[str, ...] = ()) -> None:
    """Say how to declare a run over the records that are loaded; `why`: what for, a sentence.

    builds: the names of builds to declare a run of each (default: one run without a build).
    """
    known = recorded(reader)
    if known is None:
        components.empty(
            f"No benchmark runs are loaded. {why} Load a manifest with the dumps and logs of its "
            "runs, or the SMF of your systems: then runs can be declared over its records."
        )
        return
    hours = sorted(known.hours[: max(len(builds), 1)])
    named = builds[: len(hours)] if builds else ("",)
    components.empty(
        f"No benchmark runs are loaded. {why} Declare {'runs' if builds else 'a run'} over the "
        "records that are loaded: "
        f"{listed(known.systems)}, {units.moment(known.first)} to "
        f"{units.moment(known.last + _HOUR)} UTC. Filled in: the busiest "
        f"{'hours' if len(hours) > 1 else 'hour'} of the last day"
        + (", and the messages that MQ got then. " if hours[0].messages else ". ")
        + "Put the times of your work instead.",
        *(run_add(known, hour, build) for hour, build in zip(hours, named, strict=True)),
        *TO_READERS,
    )
    components.link("usage", "What needs no runs: CPU time, MSU, zIIP and MQ by hour and day")


def run_add(known: Recorded, hour: Hour, build: str = "") -> str:
    """Return the command that declares a run over an hour, without the word `perfhouse`."""
    words = ["run-add", "--campaign", "production"]
    words += ["--start", f"{hour.start:%Y-%m-%dT%H:%M:%SZ}"]
    words += ["--stop", f"{hour.stop:%Y-%m-%dT%H:%M:%SZ}"]
    for system in known.systems if known.has_cpu else ():  # a run needs SMF 70 of its LPARs
        words += ["--lpar", system]
    if hour.messages:
        words += ["--measurement", f"transactions={hour.messages}:count"]
    if build:
        words += ["--label", f"git_revision={build}"]
    if known.origin != "measured":
        words += ["--origin", known.origin]
    return shlex.join(words)
