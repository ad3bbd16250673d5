"""Find the shifts of one series, or of all series of a build."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from expectations.detector.changes import Change, Changes, Trend
from expectations.detector.piecewise_constant import Levels, find_levels, least_points
from expectations.detector.piecewise_linear import LEAST, Lines, fit_lines, judged
from expectations.detector.piecewise_linear import corners as visible_corners
from expectations.detector.prepare import Prepared, prepare
from expectations.detector.season import find_periods, without_season
from expectations.detector.significance import (
    ALPHA,
    adjust_for_many,
    normal_score,
    search_p_value,
)

__all__ = ["ALPHA", "FLOOR", "find_changes", "find_changes_many"]

FLOOR = 0.5  # smallest shift, in standard deviations of the noise
_BATCH = 500  # series processed at once: their matrix fits in the cache
_SMOOTH = 0.5  # memory above which lines may describe a series better than levels
_STAIRS = 3  # number of shifts that may be the steps of a ramp
_WANDERING = 0.78  # memory above which a series without shifts counts as a random walk
_JUMP = 2.0  # distance between lines, in deviations of the noise, that makes a new level

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def find_changes(values: ArrayLike, *, alpha: float = ALPHA, floor: float = FLOOR) -> Changes:
    """Find the shifts of one series: numbers in order of time, NaN for missing ones.

    alpha: probability of a false shift in a series without any; floor: smallest shift in standard
    deviations of the noise. Seasons are removed, and drifting series are fitted with lines. A
    random walk has no levels: its visible corners are returned with a p-value of one. Raises
    ValueError if a value is infinite.
    """
    return _search([np.asarray(values, dtype=float)], alpha=alpha, floor=floor, corners=True)[0]


def find_changes_many(
    series: Iterable[ArrayLike], *, alpha: float = ALPHA, floor: float = FLOOR
) -> list[Changes]:
    """Find the shifts of all series of a build, with a controlled false discovery rate.

    series: a matrix (series x points) or series of any lengths. In addition to the conditions of
    find_changes, each shift must pass the Benjamini-Yekutieli procedure at level `alpha` over the
    shifts of all series; a series without shifts counts as one p-value of 1. Random walks have no
    shifts.
    """
    rows = [np.asarray(values, dtype=float) for values in series]
    search = partial(_search, alpha=alpha, floor=floor, corners=False)
    parts = [rows[i : i + _BATCH] for i in range(0, len(rows), _BATCH)]
    found = [one for part in parts for one in search(part)]
    critical = _critical(found, alpha)
    passing = [[c.p_value <= critical for c in one.changes] for one in found]
    mixed = [i for i, marks in enumerate(passing) if any(marks) and not all(marks)]
    # Without its weaker shifts a series has different levels.
    again = _search([rows[i] for i in mixed], alpha=critical, floor=floor, corners=False)
    found = [
        one if all(marks) else replace(one, changes=())
        for one, marks in zip(found, passing, strict=True)
    ]
    for i, one in zip(mixed, again, strict=True):
        found[i] = one
    return [
        replace(one, trend=None) if one.trend and one.trend.p_value > critical else one
        for one in found
    ]


def _critical(found: list[Changes], alpha: float) -> float:
    """Return the largest p-value that passes among the shifts of all series."""
    trends = [one.trend.p_value for one in found if one.trend and one.trend.p_value <= alpha]
    p = np.array([*(c.p_value for one in found for c in one.changes), *trends], dtype=float)
    none = sum(not one.changes and one.trend is None for one in found)
    passes = adjust_for_many(np.concatenate([p, np.ones(none)]))[: p.size] <= alpha
    return float(p[passes].max(initial=0.0))


def _search(series: list[Floats], *, alpha: float, floor: float, corners: bool) -> list[Changes]:
    prepared = prepare(series)
    series = list(series)
    periods = _periods(prepared)
    for i, period in enumerate(periods):
        if period:
            series[i] = series[i].copy()
            present = series[i][prepared[i].places]
            series[i][prepared[i].places] = without_season(present, period)
            prepared[i] = prepare([series[i]])[0]
    found = find_levels([one.row for one in prepared], alpha, floor)
    results = []
    for one, levels, period in zip(prepared, found, periods, strict=True):
        lines = _drift(one.row, levels, alpha, floor, corners=corners)
        results.append(
            _from_lines(one, lines, period) if lines else _from_levels(one, levels, period)
        )
    return results


def _periods(prepared: list[Prepared]) -> list[int]:
    """Return the period of each series; series of one length are processed together."""
    sizes = np.array([one.row.size for one in prepared])
    periods = np.zeros(sizes.size, dtype=np.int64)
    for size in np.unique(sizes):
        members = np.flatnonzero(sizes == size)
        periods[members] = find_periods(np.array([prepared[i].row for i in members]))
    return [int(period) for period in periods]


def _drift(
    row: Floats, levels: Levels, alpha: float, floor: float, *, corners: bool
) -> Lines | None:
    """Return the lines of a series, or None if levels describe it better."""
    if row.size < LEAST:
        return None
    stairs = levels.starts.size >= _STAIRS
    if not (stairs or levels.memory > _SMOOTH or _slopes(row, levels.starts)):
        return None
    fits = fit_lines(row)
    lines = judged(row, fits, alpha, floor)
    better = lines.criterion < levels.criterion
    best = lines if better else levels
    if corners and best.memory > _WANDERING and not best.starts.size:
        return visible_corners(row, fits)
    return lines if better else None


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


def _from_levels(prepared: Prepared, levels: Levels, period: int) -> Changes:
    ends = [0, *levels.starts.tolist(), prepared.row.size]
    parts = [prepared.row[a:b] for a, b in pairwise(ends)]
    means = [float(part.mean()) if part.size else 0.0 for part in parts]
    rest = np.concatenate([part - mean for part, mean in zip(parts, means, strict=True)])
    shifts = list(pairwise(means))
    return _changes(prepared, "levels", ["level"] * len(shifts), shifts, levels, rest, period)


def _from_lines(prepared: Prepared, lines: Lines, period: int) -> Changes:
    ends = [0, *lines.starts.tolist(), prepared.row.size]
    shifts, kinds = [], []
    noise = _noise(lines.rest, 2 * len(lines.lines))
    for i, (a, b) in enumerate(pairwise(ends[:-1])):
        before = float(lines.lines[i, 0] + lines.lines[i, 1] * (b - a))  # extrapolated to b
        after = float(lines.lines[i + 1, 0])
        shifts.append((before, after))
        kinds.append("level" if abs(after - before) > _JUMP * noise else "slope")
    found = _changes(prepared, "lines", kinds, shifts, lines, lines.rest, period)
    return replace(found, trend=_trend(prepared, lines))


def _trend(prepared: Prepared, lines: Lines) -> Trend:
    """Return the slope of the last line, for a curve too."""
    lines = lines.instead or lines
    rest, count = lines.rest, prepared.row.size
    start = int(lines.starts[-1]) if lines.starts.size else 0
    first, slope = (float(of) for of in lines.lines[-1])
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
    return Trend(
        index=int(prepared.places[start]),
        first=prepared.centre + prepared.unit * first,
        last=prepared.centre + prepared.unit * last,
        slope=prepared.unit * slope,
        low=prepared.unit * (slope - reach),
        high=prepared.unit * (slope + reach),
        effect=abs(last - first) / max(noise, 1e-12),
        p_value=float(search_p_value(score, count, least_points(count))),
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
