"""Level shifts and slopes for the worse, found by the detector in all series of a build at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import polars as pl

from expectations.detector import Change, Changes, Trend, find_changes_many
from expectations.detector.significance import LEVEL as FALSE_DISCOVERIES
from expectations.detector.significance import NIGHTLY
from expectations.regressions.accepted import Adjusted, without_accepted
from expectations.regressions.finding import LEVEL, SLOPE, Finding, Key, Recovery
from expectations.regressions.series import Series, mean_of
from expectations.regressions.store import Row

__all__ = ["LEAST_RUNS", "Level", "back_since", "find_level_shifts", "recovered"]

#: With fewer runs, builds are compared instead.
LEAST_RUNS = 12
_STEPS = 2.0  # smaller changes, in units of the resolution, are no shifts
_FINE = 0.1  # largest relative difference of two values that can be a last digit
_ON_GRID = 0.01  # of a unit: larger remainders are no grid
_CLEAR_SLOPE = 2.0  # smallest change along a slope, in standard deviations of the noise
_AHEAD = 30  # days, or runs, of a projection
_SAME = 5  # runs between the dates of a jump and of the line that begins with it
_LEAST_BACK = 3  # smallest number of runs of a recovery
_ONE_PERCENT = 2.326  # one-sided, standard normal
_BACK = 0.5  # share of a shift that must have disappeared for a recovery


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a series: index of its first run, and its value in the series' unit."""

    start: int
    value: float


def find_level_shifts(
    series: Sequence[Series],
    least_percent: float,
    accepted: Mapping[Key, Sequence[Row]] | None = None,
    level: float = FALSE_DISCOVERIES,
) -> tuple[list[Finding], list[list[Level]], list[float | None]]:
    """Find the shifts and slopes for the worse, the levels of each series, and how far it wanders.

    least_percent: smaller changes do not count; accepted: changes that are taken out first, by
    series; level: false discovery rate over the series of a campaign. Shifts of less than two
    units of a coarse figure's last digit are ignored. A slope counts from twice the noise on. How
    far: the range that nine in ten runs are in, relative to its middle; None of a steady series.
    """
    adjusted = [without_accepted(one, (accepted or {}).get(one.key, ())) for one in series]
    found = find_changes_many(
        [one.series.values for one in adjusted],
        alpha=NIGHTLY,
        level=level,
        families=[(one.key.origin, one.key.campaign) for one in series],
    )
    findings, levels = [], []
    for one, changes in zip(adjusted, found, strict=True):
        shifts = [c for c in changes.changes if c.kind == "level"]
        finest = _STEPS * _resolution(one.series, shifts)
        shifts = [
            c
            for c in shifts
            if abs(c.after - c.before) >= finest
            and not one.is_part_of_accepted(c.index, c.after - c.before)
        ]
        at = _levels(one, shifts, changes.trend)
        trend = changes.trend
        if trend and not _matters(one.series, trend, least_percent):
            trend = None
        worse = [
            change
            for change in shifts
            if one.series.worse(change.before, change.after)
            and abs(change.after - change.before) >= least_percent / 100 * abs(change.before)
        ]
        if trend and worse and abs(worse[-1].index - trend.index) <= _SAME:
            # A line that begins with a jump is one change.
            trend = replace(trend, first=worse.pop().before)
        findings += [_finding(one, change, at) for change in worse]
        if trend:
            findings.append(_slope(one, trend))
        levels.append(sorted(
            [
                *(Level(of.start, one.shown(of.value, of.start)) for of in at),
                *(Level(r.place, one.shown(_level_at(at, r.place), r.place)) for r in one.resets),
            ],
            key=lambda level: level.start,
        ))  # fmt: skip
    return findings, levels, [_range(changes) for changes in found]


def _range(changes: Changes) -> float | None:
    """Return how far a series wanders, None if it does not."""
    if changes.wanders is None:
        return None
    low, high = changes.wanders
    return (high - low) / max(abs(high + low) / 2, 1e-300)


def _levels(one: Adjusted, shifts: Sequence[Change], trend: Trend | None) -> list[Level]:
    """Return the levels of an adjusted series; the end of a slope is a level of its last run."""
    first = shifts[0].before if shifts else mean_of(one.series.values)
    if trend and not shifts:
        first = trend.first
    levels = [Level(0, first), *(Level(c.index, c.after) for c in shifts)]
    if trend:
        levels.append(Level(len(one.series.values) - 1, trend.last))
    return levels


def _level_at(levels: Sequence[Level], place: int) -> float:
    return next(level.value for level in reversed(levels) if level.start <= place)


def _matters(series: Series, trend: Trend, least_percent: float) -> bool:
    change = abs(trend.last - trend.first)
    return (
        series.worse(trend.first, trend.last)
        and trend.effect >= _CLEAR_SLOPE
        and change >= least_percent / 100 * abs(trend.first)
    )


def _resolution(series: Series, shifts: Sequence[Change]) -> float:
    """Return the unit of the last digit of coarse figures, 0 without evidence of one.

    The evidence is a grid: at least three different values, each on average seen twice, all of
    them whole multiples of the smallest difference apart; and this difference within a level,
    because between two levels it may be the shift itself. Two values are a grid only if they are
    within a tenth of each other.
    """
    values = pl.Series(series.values)
    rounding = 1e-9 * max(abs(mean_of(series.values)), 1e-300)
    different = _different(values, rounding)
    if not 2 <= different.len() <= values.len() / 2:
        return 0.0
    if different.len() == 2 and different[1] - different[0] > _FINE * abs(different[1]):
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


def _finding(one: Adjusted, change: Change, levels: list[Level]) -> Finding:
    series, at = one.series, change.index
    ends = sorted({level.start for level in levels} | {len(series.run_ids)})
    end = next(b for a, b in pairwise(ends) if a == at)
    recovery = recovered(series, levels, at, change.before, change.after)
    before, after = one.shown(change.before, at), one.shown(change.after, at)
    # The interval is in proportion to the level.
    scale = (after - before) / (change.after - change.before)
    return Finding(
        kind=LEVEL,
        key=series.key,
        configuration=series.configuration,
        onset_run_id=series.run_ids[at],
        onset_utc=series.starts[at],
        onset_build=series.builds[at],
        onset_no=series.build_nos[at],
        last_good=series.run_ids[max(change.earliest - 1, 0)],
        uncertain=(
            series.build_nos[at] - series.build_nos[change.earliest],
            series.build_nos[change.latest] - series.build_nos[at],
        ),
        unit=series.unit,
        more_is_better=series.more_is_better,
        before=before,
        after=after,
        low=change.low * scale,
        high=change.high * scale,
        effect=change.effect,
        p_value=change.p_value,
        runs_before=min(change.runs_before, at - one.since(at)),
        runs_after=change.runs_after,
        run_ids=tuple(series.run_ids[at:end]),
        recovery=one.recovery(recovery),
    )


def _slope(one: Adjusted, trend: Trend) -> Finding:
    """Return the finding of a series that gets worse run by run."""
    series, at = one.series, trend.index
    steps = trend.points - 1
    first, last = one.shown(trend.first, at), one.shown(trend.last, len(series.values) - 1)
    scale = (last - first) / (trend.last - trend.first)
    slope, low, high = (scale * of for of in (trend.slope, trend.low, trend.high))
    days = (series.starts[-1] - series.starts[at]).total_seconds() / 86_400
    per, times, ahead = ("day", steps / days, _AHEAD) if days > 0 else ("run", 1.0, _AHEAD)
    base = abs(first) or 1.0
    percent = f", {100 * slope * times / base:+.2g} %" if first else ""
    low, high = sorted((low, high))
    what = (
        f"drifts from {first:.4g} to {last:.4g} {series.unit} in {trend.points} runs: "
        f"{slope * times:+.3g} {series.unit} a {per}{percent} (95 % confidence interval "
        f"{low * times:+.3g} to {high * times:+.3g} {series.unit}); at this rate "
        f"{last + slope * times * ahead:.4g} {series.unit} in {ahead} {per}s"
    )
    return Finding(
        kind=SLOPE,
        key=series.key,
        configuration=series.configuration,
        onset_run_id=series.run_ids[at],
        onset_utc=series.starts[at],
        onset_build=series.builds[at],
        onset_no=series.build_nos[at],
        last_good=series.run_ids[at - 1] if at else "",
        unit=series.unit,
        more_is_better=series.more_is_better,
        before=first,
        after=last,
        low=low * steps,
        high=high * steps,
        effect=trend.effect,
        p_value=trend.p_value,
        runs_before=at - one.since(at),
        runs_after=trend.points,
        run_ids=tuple(series.run_ids[at:]),
        what=what,
    )


def back_since(
    series: Series, onset: int, before: float, after: float, effect: float
) -> Recovery | None:
    """Return the run from which on the level is back: at least half of a shift is gone.

    onset: index of the first run of the shift; effect: its size in standard deviations of the
    noise. The runs since then are on the better side of the middle between the two levels; at
    least three, and by a one-sided test of their mean at 1 %.
    """
    shift = after - before
    if not shift:
        return None
    # 0.5 for a run on the old level, -0.5 for one on the new level.
    better = [0.5 - (value - before) / shift for value in series.values[onset:]]
    sums = list(accumulate(reversed(better)))
    if not sums:
        return None
    runs = max(range(len(sums)), key=lambda i: sums[i]) + 1
    if not _LEAST_BACK <= runs < len(better):
        return None
    noise = 1 / max(effect, 1e-9)
    if sums[runs - 1] < _ONE_PERCENT * noise * runs**0.5:
        return None
    at = onset + len(better) - runs
    return Recovery(series.run_ids[at], series.starts[at], mean_of(series.values[at:]))


def recovered(
    series: Series, levels: list[Level], onset: int, before: float, after: float
) -> Recovery | None:
    """Return the first level after index `onset` at which at least half of the shift is gone."""
    for level in levels:
        if level.start > onset and (level.value - after) / (before - after) >= _BACK:
            return Recovery(series.run_ids[level.start], series.starts[level.start], level.value)
    return None
