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
_ON_GRID = 0.01  # of a unit: larger remainders are no grid
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
    series together. Shifts of less than two units of a coarse figure's last digit are ignored.
    """
    found = find_changes_many([one.values for one in series])
    findings, levels = [], []
    for one, changes in zip(series, found, strict=True):
        shifts = [c for c in changes.changes if c.kind == "level"]
        finest = _STEPS * _resolution(one, shifts)
        shifts = [c for c in shifts if abs(c.after - c.before) >= finest]
        first = shifts[0].before if shifts else mean_of(one.values)
        levels.append([Level(0, first), *(Level(c.index, c.after) for c in shifts)])
        findings += [
            _finding(one, change, levels[-1])
            for change in shifts
            if one.worse(change.before, change.after)
            and abs(change.after - change.before) >= least_percent / 100 * abs(change.before)
        ]
    return findings, levels


def _resolution(series: Series, shifts: Sequence[Change]) -> float:
    """Return the unit of the last digit of coarse figures, 0 without evidence of one.

    The evidence is a grid: at least three different values, each on average seen twice, all of
    them whole multiples of the smallest difference apart; and this difference within a level,
    because between two levels it may be the shift itself.
    """
    values = pl.Series(series.values)
    rounding = 1e-9 * max(abs(mean_of(series.values)), 1e-300)
    different = _different(values, rounding)
    if not 3 <= different.len() <= values.len() / 2:
        return 0.0
    ends = [0, *(change.index for change in shifts), values.len()]
    within = [_different(values[a:b], rounding).diff().drop_nulls() for a, b in pairwise(ends)]
    least = pl.concat(within).min()
    if not isinstance(least, float):
        return 0.0
    steps = (different - different[0]) / least
    return least if ((steps - steps.round()).abs() < _ON_GRID).all() else 0.0


def _different(values: pl.Series, rounding: float) -> pl.Series:
    """Return the values that differ by more than rounding, sorted."""
    ordered = values.cast(pl.Float64).sort()
    return ordered.filter((ordered.diff() > rounding).fill_null(value=True))


def _finding(series: Series, change: Change, levels: list[Level]) -> Finding:
    ends = [level.start for level in levels] + [len(series.run_ids)]
    end = next(b for a, b in pairwise(ends) if a == change.index)
    return Finding(
        kind=LEVEL,
        key=series.key,
        configuration=series.configuration,
        onset_run_id=series.run_ids[change.index],
        onset_utc=series.starts[change.index],
        onset_build=series.builds[change.index],
        onset_no=series.build_nos[change.index],
        last_good=series.run_ids[change.index - 1],
        unit=series.unit,
        more_is_better=series.more_is_better,
        before=change.before,
        after=change.after,
        low=change.low,
        high=change.high,
        effect=change.effect,
        p_value=change.p_value,
        runs_before=change.runs_before,
        runs_after=change.runs_after,
        run_ids=tuple(series.run_ids[change.index : end]),
        recovery=recovered(series, levels, change.index, change.before, change.after),
    )


def recovered(
    series: Series, levels: list[Level], onset: int, before: float, after: float
) -> Recovery | None:
    """Return the first level after index `onset` at which at least half of the shift is gone."""
    for level in levels:
        if level.start > onset and (level.value - after) / (before - after) >= _BACK:
            return Recovery(series.run_ids[level.start], series.starts[level.start], level.value)
    return None
