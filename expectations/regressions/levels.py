"""Level shifts for the worse, found by the detector in all series of a build at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from expectations.detector import Change, find_changes_many
from expectations.regressions.finding import LEVEL, Finding, Recovery
from expectations.regressions.series import Series, mean_of

__all__ = ["LEAST_RUNS", "Level", "find_level_shifts", "recovered"]

#: With fewer runs, builds are compared instead.
LEAST_RUNS = 12
_STEPS = 2.0  # smaller changes, in units of the resolution, are no shifts
_BACK = 0.5  # share of a shift that must have disappeared for a recovery


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a series: index of its first run, and its value in the series' unit."""

    start: int
    value: float


def find_level_shifts(
    series: Sequence[Series], least_percent: float
) -> tuple[list[Finding], list[list[Level]]]:
    """Find the shifts for the worse of at least `least_percent`, and the levels of each series.

    Slopes do not count, because they have no size. The false discovery rate is limited over all
    series together. Shifts of less than two units of the last printed digit are ignored.
    """
    found = find_changes_many([of.values for of in series])
    findings, levels = [], []
    for of, changes in zip(series, found, strict=True):
        finest = _STEPS * _resolution(of)
        shifts = [
            c for c in changes.changes if c.kind == "level" and abs(c.after - c.before) >= finest
        ]
        first = shifts[0].before if shifts else mean_of(of.values)
        levels.append([Level(0, first), *(Level(c.index, c.after) for c in shifts)])
        findings += [
            _finding(of, change, levels[-1])
            for change in shifts
            if of.worse(change.before, change.after)
            and abs(change.after - change.before) >= least_percent / 100 * abs(change.before)
        ]
    return findings, levels


def _resolution(of: Series) -> float:
    """Return the smallest difference between two values, 0 if all are equal except for rounding.

    For figures with many digits it is far below their noise.
    """
    gaps = pl.Series(of.values).sort().diff().drop_nulls()
    rounding = 1e-9 * max(abs(mean_of(of.values)), 1e-300)
    least = gaps.filter(gaps > rounding).min()
    return least if isinstance(least, float) else 0.0


def _finding(of: Series, change: Change, levels: list[Level]) -> Finding:
    ends = [level.start for level in levels] + [len(of.run_ids)]
    end = next(b for a, b in pairwise(ends) if a == change.index)
    return Finding(
        kind=LEVEL,
        key=of.key,
        configuration=of.configuration,
        onset_run_id=of.run_ids[change.index],
        onset_utc=of.starts[change.index],
        onset_build=of.builds[change.index],
        onset_no=of.build_nos[change.index],
        last_good=of.run_ids[change.index - 1],
        unit=of.unit,
        more_is_better=of.more_is_better,
        before=change.before,
        after=change.after,
        low=change.low,
        high=change.high,
        effect=change.effect,
        p_value=change.p_value,
        runs_before=change.runs_before,
        runs_after=change.runs_after,
        run_ids=tuple(of.run_ids[change.index : end]),
        recovery=recovered(of, levels, change.index, change.before, change.after),
    )


def recovered(
    of: Series, levels: list[Level], onset: int, before: float, after: float
) -> Recovery | None:
    """Return the first level after index `onset` at which at least half of the shift is gone."""
    for level in levels:
        if level.start > onset and (level.value - after) / (before - after) >= _BACK:
            return Recovery(of.run_ids[level.start], of.starts[level.start], level.value)
    return None
