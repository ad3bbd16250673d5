"""Level shifts and slopes for the worse, found by the detector in all series of a build at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace

from expectations.detector import Change, Changes, Trend, find_changes_many
from expectations.detector.baseline import against_lasting
from expectations.detector.counts import confirm_counts, last_digit
from expectations.detector.dating import Dates
from expectations.detector.early import (
    LEAST_BEFORE,
    MOST_AFTER,
    Early,
    as_far,
    early_shifts,
    last_runs,
)
from expectations.detector.outliers import more_outliers
from expectations.detector.significance import LEVEL as FALSE_DISCOVERIES
from expectations.detector.significance import NIGHTLY, REACH
from expectations.metrics import four_digits, unit_label
from expectations.regressions.finding import CLEAR, LEVEL, SLOPE, Finding, Key
from expectations.regressions.matching import NEAR
from expectations.regressions.present import Level
from expectations.regressions.series import LEAST_RUNS, Series, mean_of
from expectations.regressions.together import date_together, find_early_together

__all__ = ["find_level_shifts", "is_clear", "is_worse", "shift_finding"]

_ALONE = 1.5  # units of the last digit that the last runs have to be off
_LONG_LINE = 3 * LEAST_RUNS  # runs of a slope that has no level before it
_AHEAD = 30  # days, or runs, of a projection


def find_level_shifts(
    series: Sequence[Series],
    least_percent: float,
    level: float = FALSE_DISCOVERIES,
    standing: Collection[Key] = (),
) -> tuple[list[Finding], list[list[Level]], list[float | None]]:
    """Find the shifts and slopes for the worse, the levels of each series, and how far it wanders.

    Shifts in the last runs, too few for a level, are among them (`is_early`). What can have begun
    together has one date.

    least_percent: smaller changes do not count; level: false discovery rate over the series of a
    campaign; standing: series with a suspicion that was told. Shifts of a figure of few different
    values must pass an exact test on counts, too. A slope has to be clear (see `is_clear`). How
    far: the range that nine in ten runs are in, relative to its middle; None of a steady series.
    """
    searched = find_changes_many(
        [item.values for item in series],
        alpha=NIGHTLY,
        level=level,
        families=[item.key.of_campaign for item in series],
    )
    findings, levels = [], []
    for item, changes in zip(series, searched, strict=True):
        shifts = [change for change in changes.changes if change.kind == "level"]
        shifts = confirm_counts(item.values, shifts, NIGHTLY)
        sign = -1.0 if item.more_is_better else 1.0
        often = [more_outliers(item.values, changes, sign, NIGHTLY)] if not shifts else []
        at = _levels(item, shifts or [of for of in often if of], changes.trend)
        ends, trend = [(level.start, level.value) for level in at], changes.trend
        if trend and not (
            is_clear(trend) and is_worse(item, trend.first, trend.last, least_percent)
        ):
            trend = None
        worse = [
            change
            for change in (
                *often,
                *(
                    against_lasting(item.values, shift, ends, changes, sign, NIGHTLY)
                    for shift in shifts
                ),
            )
            if change and is_worse(item, change.before, change.after, least_percent)
        ]
        if trend and worse and abs(worse[-1].index - trend.index) <= NEAR:
            # A line that begins with a jump is one change.
            trend = replace(trend, first=worse.pop().before)
        findings += [shift_finding(item, change, at) for change in worse]
        findings += [_slope_finding(item, trend)] if trend else []
        levels.append(at)
    findings = date_together(findings, {item.key: item for item in series})
    findings += _early_findings(series, searched, least_percent, standing)
    return findings, levels, [_range(changes) for changes in searched]


def _early_findings(
    series: Sequence[Series],
    searched: Sequence[Changes],
    least_percent: float,
    standing: Collection[Key],
) -> list[Finding]:
    """Return shifts for the worse in the last runs of series that keep a level."""
    sizes = Counter[Hashable](item.key.of_campaign for item in series)
    judged = [
        (item, changes.memory, start)
        for item, changes in zip(series, searched, strict=True)
        if changes.shape == "levels"
        and not changes.wanders
        and (start := _level_since(changes, len(item.values))) is not None
    ]
    series, starts = [early for early, *_ in judged], [start for *_, start in judged]
    signs = [-1.0 if item.more_is_better else 1.0 for item in series]
    memories = [memory for _, memory, _ in judged]
    runs = last_runs([item.values for item in series], starts, memories, signs)
    families = [item.key.of_campaign for item in series]
    alone = early_shifts(runs, [len(item.values) for item in series], signs, families, sizes)
    shifts = {i: (shift, 1) for i, shift in enumerate(alone) if shift}
    shifts |= find_early_together(series, starts, runs, signs, standing)
    findings = []
    for i, (shift, together) in shifts.items():
        moving, moved = series[i], abs(shift.after - shift.before)
        if is_worse(moving, shift.before, shift.after, least_percent) and (
            moved >= _ALONE * last_digit(moving.values)
        ):
            far = as_far(runs, i, len(moving.values) - shift.index)
            findings.append(_early_finding(moving, shift, starts[i], together, far))
    return findings


def _level_since(changes: Changes, count: int) -> int | None:
    """Return where the last level begins that is not of the last runs; None if it is too short."""
    starts = [0, *(change.index for change in changes.changes)]
    start = max(item for item in starts if item < max(count - MOST_AFTER, 1))
    return start if count - MOST_AFTER - start >= LEAST_BEFORE else None


def _early_finding(
    series: Series, shift: Early, start: int, together: int, far: Sequence[int]
) -> Finding:
    at, count, apart = shift.index, len(series.values), shift.after - shift.before
    places = [count - k for k in far]
    if MOST_AFTER in far:
        # It may be older than the last runs.
        levels = (shift.before, shift.after, abs(apart) / shift.noise)
        dates = Dates(series.values[start:], start, at, *levels)
        places += [item for item in dates.likely() if item < at]
    onset = series.onset(at, min(places), max(places))
    return Finding(
        kind=LEVEL,
        **onset | {"last_good_run_id": series.runs[at - 1][-1]},
        before=shift.before,
        after=shift.after,
        low=apart - REACH * shift.error,
        high=apart + REACH * shift.error,
        effect=abs(apart) / shift.noise,
        p_value=shift.p_value,
        runs_before=at - start,
        runs_after=count - at,
        run_ids=series.run_ids_of(at),
        is_early=True,
        together=together,
    )


def _range(changes: Changes) -> float | None:
    """Return how far a series wanders, None if it does not."""
    if changes.wanders is None:
        return None
    low, high = changes.wanders
    return (high - low) / max(abs(high + low) / 2, 1e-300)


def _levels(one: Series, shifts: Sequence[Change], trend: Trend | None) -> list[Level]:
    """Return the levels of a series; the end of a slope is a level of its last run."""
    first = shifts[0].before if shifts else trend.first if trend else mean_of(one.values)
    levels = [Level(0, first), *(Level(c.index, c.after) for c in shifts)]
    return [*levels, *([Level(len(one.values) - 1, trend.last)] if trend else [])]


def is_clear(trend: Trend) -> bool:
    """Whether a slope is at least twice the noise, and one that begins with its series long.

    Without a level before it nothing shows what the series does when it does not drift, and for
    some dozens of runs a series that wanders is as straight.
    """
    begins = trend.index < LEAST_RUNS
    return trend.effect >= CLEAR and not (begins and trend.points < _LONG_LINE)


def is_worse(series: Series, before: float, after: float, least_percent: float) -> bool:
    """Whether a level is worse than the one before by at least this share of it."""
    enough = abs(after - before) >= least_percent / 100 * series.measure.base(before)
    return enough and series.worse(before, after)


def shift_finding(series: Series, change: Change, levels: Sequence[Level]) -> Finding:
    """Return the finding of a shift; levels: of its series."""
    same = ("before", "after", "low", "high", "effect", "p_value", "runs_before", "runs_after")
    later = (level.start for level in levels if level.start > change.index)
    return Finding(
        kind=LEVEL,
        **series.onset(change.index, change.earliest, change.latest),
        **{name: getattr(change, name) for name in same},
        run_ids=series.run_ids_of(change.index, min(later, default=None)),
    )


def _slope_finding(series: Series, trend: Trend) -> Finding:
    """Return the finding of a series that gets worse run by run."""
    at, steps, unit = trend.index, trend.points - 1, unit_label(series.unit)
    days = (series.starts[-1] - series.starts[at]).total_seconds() / 86_400
    per, times = ("day", steps / days) if days > 0 else ("run", 1.0)
    percent = f", {100 * trend.slope * times / abs(trend.first):+.2g} %" if trend.first else ""
    text = (
        f"drifts from {four_digits(trend.first)} to {four_digits(trend.last)} {unit} in "
        f"{trend.points} runs: {trend.slope * times:+.3g} {unit} a {per}{percent} (95 % confidence "
        f"interval {trend.low * times:+.3g} to {trend.high * times:+.3g} {unit}); at this rate "
        f"{four_digits(trend.last + trend.slope * times * _AHEAD)} {unit} in {_AHEAD} {per}s"
    )
    return Finding(
        kind=SLOPE,
        **series.onset(at),
        before=trend.first,
        after=trend.last,
        low=trend.low * steps,
        high=trend.high * steps,
        effect=trend.effect,
        p_value=trend.p_value,
        runs_before=at,
        runs_after=trend.points,
        run_ids=series.run_ids_of(at),
        what=text,
    )
