"""Find the shifts of one series, or of all series of a build."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from expectations.detector.changes import Change, Changes, Trend
from expectations.detector.dating import likely_places
from expectations.detector.memory import Belief, beliefs_of
from expectations.detector.piecewise_constant import (
    Levels,
    find_levels,
    judge_levels,
    least_points,
    memories_of,
)
from expectations.detector.piecewise_linear import LEAST, Lines, fit_lines, judge_lines
from expectations.detector.piecewise_linear import corners as visible_corners
from expectations.detector.prepare import Prepared, prepare
from expectations.detector.ranks import confirmed_shifts, is_confirmed_jump, is_confirmed_slope
from expectations.detector.season import find_periods, remove_season
from expectations.detector.significance import (
    ALPHA,
    LEVEL,
    normal_score,
    passes_in_families,
    search_p_value,
)
from expectations.detector.wandering import Movement, movements, standing_out

__all__ = ["ALPHA", "find_changes", "find_changes_many"]

_BATCH = 500  # series processed at once: their matrix fits in the cache
_SMOOTH = 0.5  # memory above which lines may describe a series better than levels
_STAIRS = 3  # number of shifts that may be the steps of a ramp
_WANDERING = 0.78  # memory above which a series without shifts counts as a random walk
_REDATED = 5  # points on either side within which a shift is dated
_MOST = 3.0  # largest distance, in deviations of the noise, that counts in dating
_EQUAL = 1e-9
_NINE_IN_TEN = (0.05, 0.95)
_JUMP = 2.0  # distance between lines, in deviations of the noise, that makes a new level

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def find_changes(values: ArrayLike, *, alpha: float = ALPHA) -> Changes:
    """Find the shifts of one series: numbers in order of time, NaN for missing ones.

    alpha: probability of a false shift in a series without any. Seasons are removed, and drifting
    series are fitted with lines. A random walk has no levels: its visible corners are returned with
    a p-value of one. Raises ValueError if a value is infinite.
    """
    prepared, periods = _prepared([np.asarray(values, dtype=float)])
    return _search(prepared, periods, [None], alpha=alpha, corners=True)[0][0]


def find_changes_many(
    series: Iterable[ArrayLike],
    *,
    alpha: float = ALPHA,
    level: float = LEVEL,
    families: Sequence[Hashable] | None = None,
) -> list[Changes]:
    """Find the shifts of all series of a build, with a controlled false discovery rate.

    series: a matrix (series x points) or series of any lengths; families: one name per series
    (None: all are one family). In addition to the conditions of find_changes, each shift must pass
    the Benjamini-Hochberg procedure at `level` over the shifts of its family; a series without
    shifts counts as one p-value of 1. Random walks have no shifts.
    """
    rows = [np.asarray(values, dtype=float) for values in series]
    names = list(families) if families is not None else [None] * len(rows)
    parts = [slice(i, i + _BATCH) for i in range(0, len(rows), _BATCH)]
    prepared, periods = list[Prepared](), list[int]()
    for part in parts:
        ready, seasons = _prepared(rows[part])
        prepared += ready
        periods += seasons
    memories = [memories_of([item.row for item in prepared[part]]) for part in parts]
    beliefs = beliefs_of(
        np.concatenate([*memories, []]), [item.row.size for item in prepared], names
    )

    def search(members: Sequence[int], alpha: float) -> list[tuple[Changes, float]]:
        return _search(
            [prepared[i] for i in members],
            [periods[i] for i in members],
            [beliefs[i] for i in members],
            alpha=alpha,
            corners=False,
        )

    places = range(len(rows))
    searched = [item for part in parts for item in search(places[part], alpha)]
    moving = movements([item.row for item in prepared], [steady for _, steady in searched], names)

    def stand_out(members: Sequence[int], alphas: Sequence[float]) -> None:
        again = _of_wandering(
            [prepared[i] for i in members],
            [result[i] for i in members],
            [moving[i] for i in members],
            alphas,
        )
        for i, item in zip(members, again, strict=True):
            result[i] = item

    result = [judged for judged, _ in searched]
    stand_out(of := [i for i in places if moving[i].wanders], [alpha] * len(of))
    results = list(result)
    critical = _critical(results, names, alpha, level)
    mixed: dict[float, list[int]] = {}
    weak = list[int]()
    for i, (change, name) in enumerate(zip(results, names, strict=True)):
        marks = [c.p_value <= critical[name] for c in change.changes]
        if marks and not any(marks):
            result[i] = replace(change, changes=())
        elif all(marks):
            continue
        elif moving[i].wanders:
            weak.append(i)
        else:
            mixed.setdefault(critical[name], []).append(i)
    stand_out(weak, [critical[names[i]] for i in weak])
    for least, members in mixed.items():
        # Without its weaker shifts a series has different levels.
        again = search(members, least)
        for i, (change, _) in zip(members, again, strict=True):
            result[i] = change
    return [
        replace(item, trend=None) if item.trend and item.trend.p_value > critical[name] else item
        for item, name in zip(result, names, strict=True)
    ]


def _critical(
    found: list[Changes], names: list[Hashable], alpha: float, level: float
) -> dict[Hashable, float]:
    """Return the largest p-value that passes among the shifts of all series of each family."""
    p_values: list[float] = []
    families: list[Hashable] = []
    sizes: dict[Hashable, int] = dict.fromkeys(names, 0)
    for item, name in zip(found, names, strict=True):
        of = [c.p_value for c in item.changes]
        of += [item.trend.p_value] if item.trend and item.trend.p_value <= alpha else []
        p_values += of
        families += [name] * len(of)
        sizes[name] += max(len(of), 1)
    critical = dict.fromkeys(names, 0.0)
    passing = passes_in_families(p_values, families, sizes, level)
    for p, name, passes in zip(p_values, families, passing, strict=True):
        if passes:
            critical[name] = max(critical[name], min(p, alpha))
    return critical


def _prepared(series: list[Floats]) -> tuple[list[Prepared], list[int]]:
    """Prepare each series without its season; return also the periods, 0 for no season."""
    prepared = prepare(series)
    series = list(series)
    periods = _periods(prepared)
    for i, period in enumerate(periods):
        if period:
            series[i] = series[i].copy()
            present = series[i][prepared[i].places]
            series[i][prepared[i].places] = remove_season(present, period)
            prepared[i] = prepare([series[i]])[0]
    return prepared, periods


def _search(
    prepared: list[Prepared],
    periods: list[int],
    beliefs: Sequence[Belief | None],
    *,
    alpha: float,
    corners: bool,
) -> list[tuple[Changes, float]]:
    """Return the changes of each series, and its least criterion if it is steady."""
    result = find_levels([item.row for item in prepared], alpha, beliefs)
    drifts = [
        _drift(item.row, levels, alpha, belief, corners=corners)
        for item, levels, belief in zip(prepared, result, beliefs, strict=True)
    ]
    flat = [i for i, (lines, _) in enumerate(drifts) if not lines and not corners]
    again = _confirmed(
        [prepared[i] for i in flat],
        [result[i] for i in flat],
        alpha,
        [beliefs[i] for i in flat],
    )
    for i, levels in zip(flat, again, strict=True):
        result[i] = levels
    return [
        (_from_lines(item, lines, period) if lines else _from_levels(item, levels, period), steady)
        for item, levels, period, (lines, steady) in zip(
            prepared, result, periods, drifts, strict=True
        )
    ]


def _periods(prepared: list[Prepared]) -> list[int]:
    """Return the period of each series; series of one length are processed together."""
    sizes = np.array([item.row.size for item in prepared])
    periods = np.zeros(sizes.size, dtype=np.int64)
    for size in np.unique(sizes):
        members = np.flatnonzero(sizes == size)
        periods[members] = find_periods(np.array([prepared[i].row for i in members]))
    return [int(period) for period in periods]


def _drift(
    row: Floats,
    levels: Levels,
    alpha: float,
    belief: Belief | None,
    *,
    corners: bool,
) -> tuple[Lines | None, float]:
    """Return the lines of a series, or None if levels describe it better.

    Return also the least criterion of levels and lines with a limited memory.
    """
    if row.size < LEAST:
        return None, levels.steady
    stairs = levels.starts.size >= _STAIRS
    if not (stairs or levels.memory > _SMOOTH or _slopes(row, levels.starts)):
        return None, levels.steady
    fits = fit_lines(row, belief)
    lines = judge_lines(row, fits, alpha, belief)
    better = lines.criterion < levels.criterion
    best = lines if better else levels
    if corners and best.memory > _WANDERING and not best.starts.size:
        return visible_corners(row, fits), lines.steady
    return lines if better else None, min(levels.steady, lines.steady)


def _of_wandering(
    prepared: Sequence[Prepared],
    found: Sequence[Changes],
    movements: Sequence[Movement],
    alphas: Sequence[float],
) -> list[Changes]:
    """Return series that wander with the shifts that stand out from their usual movement."""
    shifts = []
    for item, course, movement in zip(prepared, found, movements, strict=True):
        at = {int(start): i for i, start in enumerate(item.places)}
        clear = [at[c.index] for c in course.changes if c.kind == "level"]
        shifts.append(sorted({*clear, *movement.jumps}))
    standing = standing_out(
        [item.row for item in prepared], shifts, [motion.weights for motion in movements], alphas
    )
    results = []
    for item, course, (starts, p_values) in zip(prepared, found, standing, strict=True):
        levels = Levels(starts, p_values, 0.0, course.memory)
        low, high = (
            item.centre + item.unit * float(q) for q in np.quantile(item.raw, _NINE_IN_TEN)
        )
        results.append(replace(_from_levels(item, levels, course.period), wanders=(low, high)))
    return results


def _slopes(row: Floats, starts: Ints) -> bool:
    """Return whether the segments between `starts` slope, by Schwarz's criterion."""
    ends = np.concatenate([[0], starts, [row.size]])
    flat = sloped = 0.0
    for a, b in pairwise(ends):
        part = row[a:b] - row[a:b].mean()
        at = np.arange(b - a) - (b - a - 1) / 2
        squares = float(part @ part)
        flat += squares
        sloped += squares - float(at @ part) ** 2 / max(float(at @ at), 1e-300)
    if flat <= 0:
        return False
    return row.size * np.log(max(sloped / flat, 1e-9)) < -np.log(row.size) * (starts.size + 1)


def _confirmed(
    prepared: Sequence[Prepared],
    levels_of_rows: list[Levels],
    alpha: float,
    beliefs: Sequence[Belief | None],
) -> list[Levels]:
    """Return the levels whose shifts are in the ranks of the values too.

    What remains without the others is judged again, as its neighbours are others.
    """
    kept_levels = list(levels_of_rows)
    left = [i for i, levels in enumerate(kept_levels) if levels.starts.size]
    while left:
        places = {}
        for i in left:
            starts = _dated(prepared[i], kept_levels[i])[0].starts.tolist()
            kept = confirmed_shifts(prepared[i].raw, starts, least_points(prepared[i].row.size))
            if len(kept) < len(starts):
                places[i] = kept_levels[i].starts[[starts.index(start) for start in kept]]
        left = list(places)
        rows = [prepared[i].row for i in left]
        again = judge_levels(rows, list(places.values()), alpha, [beliefs[i] for i in left])
        for i, levels in zip(left, again, strict=True):
            kept_levels[i] = levels
        left = [i for i in left if kept_levels[i].starts.size]
    return kept_levels


def _dated(prepared: Prepared, levels: Levels) -> tuple[Levels, list[tuple[int, int]]]:
    """Date each shift on the values with their spikes; return also its first and last likely place.

    Clipping moves points beside a spike towards it, and a step next to it seems to begin there. So
    the levels are kept and their boundary is placed again.
    """
    if not levels.starts.size:
        return levels, []
    ends = [0, *levels.starts.tolist(), prepared.row.size]
    means = [float(prepared.row[a:b].mean()) for a, b in pairwise(ends)]
    starts, likely = list[int](), list[tuple[int, int]]()
    for i, start in enumerate(levels.starts.tolist()):
        low = max(starts[-1] if starts else 0, start - _REDATED - 1) + 1
        high = min(ends[i + 2] - 1, start + _REDATED)
        best, first, last = _placed(prepared.raw[low:high], means[i], means[i + 1])
        starts.append(low + best)
        likely.append((low + first, low + last))
    return replace(levels, starts=np.array(starts, dtype=np.int64)), likely


def _placed(values: Floats, before: Floats | float, after: Floats | float) -> tuple[int, int, int]:
    """Return the best place of a boundary among values, and its first and last likely place.

    before, after: the level of each side. The sum of the squared distances to it is least, with at
    most three deviations for any point. A place counts as likely if its weight exp(-sum / 2) is
    among those that make up 95 % of all weights.
    """
    # A spike changes sides at no cost.
    off, on = (np.minimum((values - level) ** 2, _MOST**2) for level in (before, after))
    costs = np.cumsum(np.concatenate([[on.sum()], off - on]))
    costs -= costs.min()
    _, first, last = likely_places(costs)
    # Between equally good places, such as beside a spike, the shift is dated at the later one.
    return int(np.flatnonzero(costs <= _EQUAL)[-1]), first, last


def _from_levels(prepared: Prepared, levels: Levels, period: int) -> Changes:
    levels, likely = _dated(prepared, levels)
    result = _at_levels(prepared, levels, period)
    changes = [
        replace(
            change,
            earliest=int(prepared.places[first]),
            latest=int(prepared.places[last]),
        )
        for change, (first, last) in zip(result.changes, likely, strict=True)
    ]
    return replace(result, changes=tuple(changes))


def _at_levels(prepared: Prepared, levels: Levels, period: int) -> Changes:
    ends = [0, *levels.starts.tolist(), prepared.row.size]
    parts = [prepared.row[a:b] for a, b in pairwise(ends)]
    means = [float(part.mean()) if part.size else 0.0 for part in parts]
    rest = np.concatenate([part - mean for part, mean in zip(parts, means, strict=True)])
    shifts = list(pairwise(means))
    return _changes(prepared, "levels", ["level"] * len(shifts), shifts, levels, rest, period)


def _from_lines(prepared: Prepared, lines: Lines, period: int) -> Changes:
    ends = [0, *lines.starts.tolist(), prepared.row.size]
    shifts, kinds = [], []
    noise, least = _noise(lines.rest, 2 * len(lines.lines)), least_points(prepared.row.size)
    for i, (a, b) in enumerate(pairwise(ends[:-1])):
        before = float(lines.lines[i, 0] + lines.lines[i, 1] * (b - a))  # extrapolated to b
        after = float(lines.lines[i + 1, 0])
        shifts.append((before, after))
        jumps = abs(after - before) > _JUMP * noise and is_confirmed_jump(
            prepared.raw[a:b], prepared.raw[b : ends[i + 2]], prepared.row.size, least
        )
        kinds.append("level" if jumps else "slope")
    result = _changes(prepared, "lines", kinds, shifts, lines, lines.rest, period)
    dated = tuple(
        _dated_jump(prepared, lines, ends, i, change) if change.kind == "level" else change
        for i, change in enumerate(result.changes)
    )
    return replace(result, changes=dated, trend=_trend(prepared, lines))


def _dated_jump(
    prepared: Prepared, lines: Lines, ends: Sequence[int], i: int, change: Change
) -> Change:
    """Date a jump from one line to the next, which the grid of their ends places coarsely."""
    a, b, c = ends[i : i + 3]
    low, high = max(a + 1, b - _REDATED), min(c - 1, b + _REDATED)
    at = np.arange(low, high)
    before = lines.lines[i, 0] + lines.lines[i, 1] * (at - a)
    after = lines.lines[i + 1, 0] + lines.lines[i + 1, 1] * (at - b)
    best, first, last = _placed(prepared.raw[low:high], before, after)
    places = (int(prepared.places[low + item]) for item in (best, first, last))
    index, earliest, latest = places
    return replace(change, index=index, earliest=earliest, latest=latest)


def _trend(prepared: Prepared, lines: Lines) -> Trend:
    """Return the slope of the last line, for a curve too."""
    lines = lines.instead or lines
    rest, count = lines.rest, prepared.row.size
    start = int(lines.starts[-1]) if lines.starts.size else 0
    first, slope = (float(line) for line in lines.lines[-1])
    points = count - start
    freedom = max(count - 2 * len(lines.lines), 1)
    noise = _noise(rest, 2 * len(lines.lines))
    # The sum of squares of the places of n points around their mean is n (n**2 - 1) / 12.
    spread = np.sqrt(max(points * (points**2 - 1) / 12, 0.5))
    inflation = (1 + lines.memory) / (1 - lines.memory)
    error = max(noise, 1e-12) * float(np.sqrt(inflation)) / spread
    thin = max(freedom / inflation, 2.0)
    score = normal_score(slope / error, thin)
    reach = float(special.stdtrit(thin, 0.975)) * error
    last = first + slope * (points - 1)
    p = float(search_p_value(score, count, least_points(count)))
    if not is_confirmed_slope(prepared.raw[start:], slope, count, least_points(count)):
        p = 1.0
    return Trend(
        index=int(prepared.places[start]),
        first=prepared.centre + prepared.unit * first,
        last=prepared.centre + prepared.unit * last,
        slope=prepared.unit * slope,
        low=prepared.unit * (slope - reach),
        high=prepared.unit * (slope + reach),
        effect=abs(last - first) / max(noise, 1e-12),
        p_value=p,
        points=points,
    )


def _noise(rest: Floats, fitted: int) -> float:
    return float(np.sqrt(np.sum(rest**2) / max(rest.size - fitted, 1)))


def _changes(
    prepared: Prepared,
    shape: str,
    kinds: list[str],
    shifts: list[tuple[float, float]],
    found: Levels | Lines,
    rest: Floats,
    period: int,
) -> Changes:
    """Convert results to the unit and indexes of the series; shape: "levels" or "lines"."""
    terms = 1 if shape == "levels" else 2
    fitted = terms * (len(shifts) + 1)
    noise = _noise(rest, fitted)
    inflation = (1 + found.memory) / (1 - found.memory)
    quantile = float(special.stdtrit(max(rest.size - fitted, 1), 0.975))
    ends = [0, *found.starts.tolist(), prepared.row.size]
    changes = []
    for i, (kind, (before, after)) in enumerate(zip(kinds, shifts, strict=True)):
        left, right = ends[i + 1] - ends[i], ends[i + 2] - ends[i + 1]
        # The end of a line of n points has 4 / n of the variance, a mean 1 / n.
        error = noise * np.sqrt(inflation * terms**2 * (1 / left + 1 / right))
        shift = after - before
        changes.append(
            Change(
                index=int(prepared.places[ends[i + 1]]),
                earliest=int(prepared.places[ends[i + 1]]),
                latest=int(prepared.places[ends[i + 1]]),
                kind=kind,
                before=prepared.centre + prepared.unit * before,
                after=prepared.centre + prepared.unit * after,
                low=prepared.unit * (shift - quantile * error),
                high=prepared.unit * (shift + quantile * error),
                effect=abs(shift) / noise if noise else float("inf"),
                p_value=float(found.p_values[i]),
                runs_before=left,
                runs_after=right,
            )
        )
    return Changes(
        changes=tuple(changes),
        count=prepared.row.size,
        missing=prepared.count - prepared.row.size,
        noise=prepared.unit * noise,
        memory=found.memory,
        shape=shape,
        period=period,
    )
