"""Level shifts and slopes for the worse, found by the detector in all series of a build at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import polars as pl

from expectations.detector import Change, Changes, Trend, find_changes_many
from expectations.detector.counts import count_p_value, last_digit
from expectations.detector.dating import Dates
from expectations.detector.drift import line_start
from expectations.detector.early import (
    LEAST_BEFORE,
    MOST_AFTER,
    Early,
    as_far,
    early_shifts,
    last_runs,
)
from expectations.detector.significance import LEVEL as FALSE_DISCOVERIES
from expectations.detector.significance import NIGHTLY, search_p_value
from expectations.metrics import four_digits, unit_label
from expectations.regressions.accepted import Adjusted, drop_accepted
from expectations.regressions.finding import LEVEL, SLOPE, Finding, Key
from expectations.regressions.present import Level, find_recovery
from expectations.regressions.series import Series, mean_of
from expectations.regressions.store import Row
from expectations.regressions.together import date_together, find_early_together

__all__ = ["LEAST_RUNS", "find_level_shifts", "is_clear"]

#: With fewer runs, builds are compared instead.
LEAST_RUNS = 12
_STEPS = 2.0  # smaller changes, in units of the resolution, are judged by counts
_ALONE = 1.5  # units of the last digit that the last runs have to be off
_FINE = 0.1  # largest relative difference of two values that can be a last digit
_ON_GRID = 0.01  # of a unit: larger remainders are no grid
_CLEAR_SLOPE = 2.0  # smallest change along a slope, in standard deviations of the noise
_LONG_LINE = 3 * LEAST_RUNS  # runs of a slope that has no level before it
_AHEAD = 30  # days, or runs, of a projection
_SAME = 5  # runs between the dates of a jump and of the line that begins with it
_REACH = 1.96  # standard errors of a 95 % confidence interval
_LEAST_LEVEL = 3  # runs, for the correction of a search


def find_level_shifts(
    series: Sequence[Series],
    least_percent: float,
    accepted: Mapping[Key, Sequence[Row]] | None = None,
    level: float = FALSE_DISCOVERIES,
    standing: Collection[Key] = (),
) -> tuple[list[Finding], list[list[Level]], list[float | None]]:
    """Find the shifts and slopes for the worse, the levels of each series, and how far it wanders.

    Shifts in the last runs, too few for a level, are among them (`is_early`). What can have begun
    together has one date.

    least_percent: smaller changes do not count; accepted: changes that are taken out first, by
    series; level: false discovery rate over the series of a campaign; standing: series with a
    suspicion that was told. Shifts of less than two units of a coarse figure's last digit must pass
    an exact test on counts, too. A slope has to be clear (see `is_clear`). How far: the range that
    nine in ten runs are in, relative to its middle; None of a steady series.
    """
    adjusted = [drop_accepted(one, (accepted or {}).get(one.key, ())) for one in series]
    found = find_changes_many(
        [one.series.values for one in adjusted],
        alpha=NIGHTLY,
        level=level,
        families=[(one.key.origin, one.key.campaign) for one in series],
    )
    findings, levels = [], []
    for one, changes in zip(adjusted, found, strict=True):
        shifts = [c for c in changes.changes if c.kind == "level"]
        shifts = [
            c
            for c in _counted(one.series, shifts)
            if not one.is_part_of_accepted(c.index, c.after - c.before)
        ]
        lasting = _against_lasting_levels(one.series, shifts, changes)
        at = _levels(one, shifts, changes.trend)
        trend = changes.trend
        if trend and not _matters(one.series, trend, least_percent):
            trend = None
        worse = [
            change
            for change in lasting
            if one.series.worse(change.before, change.after)
            and _is_enough(one.series, change.before, change.after, least_percent)
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
    findings = date_together(findings, {one.key: one for one in series})
    findings += _early(adjusted, found, least_percent, standing)
    return findings, levels, [_range(changes) for changes in found]


def _early(
    adjusted: Sequence[Adjusted],
    found: Sequence[Changes],
    least_percent: float,
    standing: Collection[Key],
) -> list[Finding]:
    """Return shifts for the worse in the last runs of series that keep a level."""
    sizes = Counter[Hashable]((one.series.key.origin, one.series.key.campaign) for one in adjusted)
    judged = [
        (one, changes, start)
        for one, changes in zip(adjusted, found, strict=True)
        if changes.shape == "levels"
        and not changes.wanders
        and (start := _level_since(changes, len(one.series.values))) is not None
    ]
    series, starts = [one.series for one, *_ in judged], [start for *_, start in judged]
    signs = [-1.0 if one.more_is_better else 1.0 for one in series]
    runs = last_runs(
        [one.values for one in series], starts, [of.memory for _, of, _ in judged], signs
    )
    families = [(one.key.origin, one.key.campaign) for one in series]
    alone = early_shifts(runs, [len(one.values) for one in series], signs, families, sizes)
    shifts = {i: (shift, 1) for i, shift in enumerate(alone) if shift}
    shifts |= find_early_together(series, starts, runs, signs, standing)
    return [
        _early_finding(
            judged[i][0],
            shift,
            starts[i],
            together,
            as_far(runs, i, len(series[i].values) - shift.index),
        )
        for i, (shift, together) in shifts.items()
        if _is_enough(series[i], shift.before, shift.after, least_percent)
        and abs(shift.after - shift.before) >= _ALONE * last_digit(series[i].values)
    ]


def _level_since(changes: Changes, count: int) -> int | None:
    """Return where the last level begins that is not of the last runs; None if it is too short."""
    starts = [0, *(one.index for one in changes.changes)]
    start = max(of for of in starts if of < max(count - MOST_AFTER, 1))
    return start if count - MOST_AFTER - start >= LEAST_BEFORE else None


def _early_finding(
    one: Adjusted, shift: Early, start: int, together: int, as_far: Sequence[int]
) -> Finding:
    series, at = one.series, shift.index
    begins = [series.build_nos[-k] for k in as_far]
    effect = abs(shift.after - shift.before) / shift.noise
    if MOST_AFTER in as_far:
        # It may be older than the last runs.
        dates = Dates(series.values[start:], start, at, shift.before, shift.after, effect)
        begins += [series.build_nos[place] for place in dates.likely() if place < at]
    before, after = one.shown(shift.before, at), one.shown(shift.after, at)
    scale = (after - before) / (shift.after - shift.before)
    reach, apart = _REACH * shift.error * abs(scale), after - before
    return Finding(
        kind=LEVEL,
        **series.onset(at),
        last_good=series.runs[at - 1][-1],
        uncertain=(
            series.build_nos[at] - min(begins),
            max(begins) - series.build_nos[at],
        ),
        before=before,
        after=after,
        low=apart - reach,
        high=apart + reach,
        effect=effect,
        p_value=shift.p_value,
        runs_before=at - start,
        runs_after=len(series.values) - at,
        run_ids=series.run_ids_of(at),
        is_early=True,
        together=together,
    )


def _against_lasting_levels(
    series: Series, shifts: Sequence[Change], changes: Changes
) -> list[Change]:
    """Return the shifts after short improvements against the level before these.

    A level of fewer than LEAST_RUNS runs that is better than the last longer one is a dip, not a
    baseline: what ends it is worse only if it is worse than that longer level. If none was longer,
    it has to be worse than all levels so far. An improvement along a line is judged likewise: what
    ends it has to be worse than the line was LEAST_RUNS runs before.
    """
    ends = [0, *(change.index for change in shifts), len(series.values)]
    kept = list[Change]()
    for i, change in enumerate(shifts):
        long = next((j for j in range(i, -1, -1) if ends[j + 1] - ends[j] >= LEAST_RUNS), None)
        if changes.shape == "lines" and long == i:
            ended = _after_line(series, change, changes)
            kept += [ended] if ended else []
            continue
        base = i if long is None else long
        if long is None:
            for j in range(i):
                base = j if series.worse(shifts[base].before, shifts[j].before) else base
        level = shifts[base].before
        if not series.worse(change.before, level):
            kept.append(change)
        elif series.worse(level, change.after):
            runs = ends[base + 1] - ends[base]
            rebased = _rebased(change, level, runs, changes)
            if rebased.p_value <= NIGHTLY:
                kept.append(rebased)
    return kept


def _after_line(series: Series, change: Change, changes: Changes) -> Change | None:
    """Return a jump at the end of a line of LEAST_RUNS and more, None if it only ends a dip."""
    part = series.values[change.index - LEAST_RUNS : change.index]
    first = line_start(part)
    if not series.worse(change.before, first):
        return change
    if not series.worse(first, change.after):
        return None
    rebased = _rebased(change, first, len(part), changes)
    return rebased if rebased.p_value <= NIGHTLY else None


def _rebased(change: Change, before: float, runs: int, changes: Changes) -> Change:
    """Return a shift with another level before it, which has so many runs."""
    moved = change.before - before
    share = abs((change.after - before) / (change.after - change.before))
    effect = change.effect * share
    memory = (1 + changes.memory) / (1 - changes.memory)
    score = effect / (memory * (1 / runs + 1 / change.runs_after)) ** 0.5
    return replace(
        change,
        before=before,
        low=change.low + moved,
        high=change.high + moved,
        effect=effect,
        runs_before=runs,
        p_value=float(search_p_value(score, changes.count, _LEAST_LEVEL)),
    )


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


def is_clear(trend: Trend) -> bool:
    """Whether a slope is at least twice the noise, and one that begins with its series long.

    Without a level before it nothing shows what the series does when it does not drift, and for
    some dozens of runs a series that wanders is as straight.
    """
    begins = trend.index < LEAST_RUNS
    return trend.effect >= _CLEAR_SLOPE and not (begins and trend.points < _LONG_LINE)


def _matters(series: Series, trend: Trend, least_percent: float) -> bool:
    return (
        series.worse(trend.first, trend.last)
        and is_clear(trend)
        and _is_enough(series, trend.first, trend.last, least_percent)
    )


def _is_enough(series: Series, before: float, after: float, least_percent: float) -> bool:
    return abs(after - before) >= least_percent / 100 * series.measure.base(before)


def _counted(series: Series, shifts: Sequence[Change]) -> list[Change]:
    """Return the shifts; those of a coarse figure by less than two units if counts show them too.

    The least clear one is left out first, and those beside it are counted again.
    """
    finest = _STEPS * _resolution(series, shifts)
    kept = list(shifts)
    while finest:
        ends = [0, *(change.index for change in kept), len(series.values)]
        judged = [
            replace(
                change,
                p_value=max(
                    change.p_value,
                    count_p_value(series.values[a:b], series.values[b:c], len(series.values)),
                ),
            )
            if abs(change.after - change.before) < finest
            else change
            for change, a, b, c in zip(kept, ends, ends[1:], ends[2:], strict=False)
        ]
        weakest = max(judged, key=lambda change: change.p_value, default=None)
        if weakest is None or weakest.p_value <= NIGHTLY:
            return judged
        del kept[judged.index(weakest)]
    return kept


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
    ends = sorted({level.start for level in levels} | {len(series.values)})
    end = next(b for a, b in pairwise(ends) if a == at)
    recovery = find_recovery(
        series, levels, at, change.before, change.after, change.effect, change.runs_before
    )
    before, after = one.shown(change.before, at), one.shown(change.after, at)
    # The interval is in proportion to the level.
    scale = (after - before) / (change.after - change.before)
    return Finding(
        kind=LEVEL,
        **series.onset(at),
        last_good=series.runs[max(change.earliest - 1, 0)][-1],
        uncertain=(
            series.build_nos[at] - series.build_nos[change.earliest],
            series.build_nos[change.latest] - series.build_nos[at],
        ),
        before=before,
        after=after,
        low=change.low * scale,
        high=change.high * scale,
        effect=change.effect,
        p_value=change.p_value,
        runs_before=min(change.runs_before, at - one.since(at)),
        runs_after=change.runs_after,
        run_ids=series.run_ids_of(at, end),
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
    unit = unit_label(series.unit)
    what = (
        f"drifts from {four_digits(first)} to {four_digits(last)} {unit} in {trend.points} runs: "
        f"{slope * times:+.3g} {unit} a {per}{percent} (95 % confidence interval "
        f"{low * times:+.3g} to {high * times:+.3g} {unit}); at this rate "
        f"{four_digits(last + slope * times * ahead)} {unit} in {ahead} {per}s"
    )
    return Finding(
        kind=SLOPE,
        **series.onset(at),
        last_good=series.runs[at - 1][-1] if at else "",
        before=first,
        after=last,
        low=low * steps,
        high=high * steps,
        effect=trend.effect,
        p_value=trend.p_value,
        runs_before=at - one.since(at),
        runs_after=trend.points,
        run_ids=series.run_ids_of(at),
        what=what,
    )
