"""Runs that a manifest declares: no two at the same time in one place, and their figures."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from ingest.formats.bench.values import FaultError
from ingest.formats.text.table import Output

__all__ = [
    "DeclaredRun",
    "Directions",
    "Interval",
    "Scope",
    "TakenTimes",
    "configuration_of",
    "measurement_rows",
    "overlap",
]


class Interval(NamedTuple):
    """When a run ran, and on which LPARs; if none are named, on any."""

    run_id: str
    start_utc: datetime
    stop_utc: datetime
    lpars: frozenset[str]


class Scope(NamedTuple):
    """The configuration and scope of a run, with the file's values where it has none."""

    factors: dict[str, str]
    labels: dict[str, str]
    scope: dict[str, list[str]]
    workload: list[str]


class DeclaredRun(NamedTuple):
    """A valid run: its rows by table, and what other runs are compared with."""

    interval: Interval
    row: dict[str, object]
    said: Scope


class _Apart:
    """Intervals that do not overlap, in the order of time."""

    def __init__(self) -> None:
        self.stops: list[datetime] = []
        self.intervals: list[Interval] = []

    def add(self, run: Interval) -> None:
        """Add one more."""
        at = bisect_right(self.stops, run.start_utc)
        self.stops.insert(at, run.stop_utc)
        self.intervals.insert(at, run)

    def near(self, run: Interval) -> list[Interval]:
        """Return the only one that can be the first to overlap `run`."""
        at = bisect_right(self.stops, run.start_utc)
        return self.intervals[at : at + 1]


class TakenTimes:
    """The runs of a file so far, to check further ones against."""

    def __init__(self, apart: bool) -> None:
        self.apart = apart  # whether runs must not overlap
        self.names: set[str] = set()
        self.same: Counter[tuple[object, ...]] = Counter()
        self.on_any = _Apart()  # runs that name no LPAR
        self.by_lpar: dict[str, _Apart] = {}

    def add(self, run: DeclaredRun) -> None:
        """Add one more run."""
        self.names.add(run.interval.run_id)
        self.same[configuration_of(run.row["campaign"], run.said)] += 1
        for lpar in run.interval.lpars:
            self.by_lpar.setdefault(lpar, _Apart()).add(run.interval)
        if not run.interval.lpars:
            self.on_any.add(run.interval)

    def check(self, run: Interval) -> None:
        """Raise FaultError if a run has the name of an earlier one, or overlaps it."""
        if run.run_id in self.names:
            raise FaultError(f"key run_id is {run.run_id[:60]!r}, which an earlier run has too")
        if not self.apart:
            return
        named = run.lpars & self.by_lpar.keys() if run.lpars else self.by_lpar
        places = [self.on_any, *(self.by_lpar[lpar] for lpar in named)]
        near = {interval for run_place in places for interval in run_place.near(run)}
        if other := overlap(run, sorted(near, key=_start)):
            raise FaultError(
                f"overlaps run {other.run_id[:60]!r}, {other.start_utc} to {other.stop_utc} UTC: "
                "name the LPARs that each had to itself, or correct start and stop"
            )


def _start(interval: Interval) -> datetime:
    return interval.start_utc


def configuration_of(campaign: object, said: Scope) -> tuple[object, ...]:
    """Return what runs must have in common to be repetitions of each other."""
    return campaign, frozenset(said.factors.items()), frozenset(said.labels.items())


def overlap(run: Interval, others: Iterable[Interval]) -> Interval | None:
    """Return the first of `others` at the same time, on an LPAR that `run` may have used too."""
    for other in others:
        apart = run.lpars and other.lpars and not run.lpars & other.lpars
        if not apart and run.start_utc < other.stop_utc and other.start_utc < run.stop_utc:
            return other
    return None


def measurement_rows(
    out: Output, record_no: int, run_id: str, run: Mapping[str, Any], better: Directions
) -> list[str]:
    """Add a run's measurements; return why others are left out."""
    from ingest.formats.bench.declared import Measurement, validated

    measured = run.get("measurement", [])
    if not isinstance(measured, list):
        return ["key measurement is not a list of measurements"]
    reasons = []
    first: dict[object, int] = {}  # metric and address space -> where it is given
    for position, item in enumerate(measured, 1):
        try:
            row = validated(Measurement, item, "the measurement").model_dump()
            earlier = first.setdefault((row["metric"], row["address_space"]), position)
            if earlier < position:
                raise FaultError(f"{row['metric'][:60]!r} is measurement {earlier} of the run, too")
            better.check(row)
        except FaultError as error:
            reasons.append(f"measurement {position}: {error}")
            continue
        out.add("bench_measurement", row | {"record_no": record_no, "run_id": run_id})
    return reasons


class Directions:
    """Whether more is better, by metric: as its first measurement says, or its name and unit."""

    def __init__(self) -> None:
        self._said: dict[str, bool] = {}

    def check(self, row: dict[str, Any]) -> None:
        """Complete a measurement. Raises FaultError if an earlier one says the opposite."""
        from ingest.formats.bench.results import direction  # which reads manifests

        metric, more = row["metric"], row["more_is_better"]
        if more is None:
            row["more_is_better"] = self._said.get(metric, direction(metric, row["unit"]))
        elif self._said.setdefault(metric, more) is not more:
            raise FaultError(
                f"key more_is_better is {str(more).lower()}, and an earlier measurement of "
                f"{metric[:60]!r} says the opposite"
            )
