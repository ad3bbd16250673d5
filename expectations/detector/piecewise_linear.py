"""Changes in a series that drifts: a line per segment, joined or with a jump.

All segmentations with up to ten changes come from one matrix of least-squares costs over a grid of
about a hundred nodes at most; the places are then refined to single points. Two rules choose:

`judged`: the criterion of piecewise_constant, with 4 ln(count) per change because a change has a
slope too. The residuals are an autoregression, so a random walk counts as noise.

`corners`: the corners that a person would see in a random walk: each change must halve the sum of
squared residuals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from expectations.detector.memory import Belief, expected_memory
from expectations.detector.significance import FLOOR, normal_score, search_p_value
from expectations.detector.wandering import MOST_MEMORY, SLOPED

__all__ = ["LEAST", "Lines", "corners", "fit_lines", "judge_lines"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST = 12  # shorter series are not fitted with lines
_NODES = 100  # of the grid
_MOST = 10  # changes
_VISIBLE = 0.1  # smallest effect of a change on the fit, in standard deviations of the series
_HALF = np.log(2.0)  # penalty of a corner, on the logarithm of the squared residuals
_UNSEEN = 0.005  # share of the squares that nobody would see


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines in the segments of one prepared series.

    starts: indexes at which a new line begins (k); p_values (k); lines: value at the first point
    of each segment, and slope (k + 1, 2); rest: residuals (points); criterion and memory: as in
    piecewise_constant.Levels, as is steady, of these lines; instead: for a curve, which has no
    changes, the lines nearest to it.
    """

    starts: Ints
    p_values: Floats
    lines: Floats
    rest: Floats
    criterion: float
    memory: float
    steady: float
    instead: Lines | None = None

    @property
    def squares(self) -> float:
        """Sum of squared residuals."""
        return float(self.rest @ self.rest)


def fit_lines(row: Floats, belief: Belief | None = None) -> list[Lines]:
    """Fit the best lines with 0, 1, 2... changes on the grid; all p-values are one."""
    return [_fit(row, starts, belief) for starts in _segmentations(_Sums(row), _least(row.size))]


def judge_lines(
    row: Floats, fits: list[Lines], alpha: float, belief: Belief | None = None
) -> Lines:
    """Choose the lines with the smallest criterion; drop insignificant or small changes.

    A series that is described better by one parabola has no changes.
    """
    fit, sums = _refined(row, min(fits, key=lambda item: item.criterion), belief), _Sums(row)
    bend, memory, steady = _weigh(_bend(row), [0, row.size], 3, belief)
    bend += 2 * np.log(row.size)
    least = min(steady + 2 * float(np.log(row.size)), *(item.steady for item in fits))
    if bend < fit.criterion:
        return replace(fits[0], criterion=bend, memory=memory, steady=least, instead=fit)
    while fit.starts.size:
        ends = np.concatenate([[0], fit.starts, [row.size]])
        a, m, b = ends[:-2], fit.starts, ends[2:]
        gain = sums.cost(a, b) - sums.cost(a, m) - sums.cost(m, b)
        freedom = max(row.size - 2 * len(fit.lines), 1)
        variance = max(fit.squares / freedom, 1e-12)
        inflation = (1 + fit.memory) / (1 - fit.memory)
        score = normal_score(np.sqrt(gain / variance / inflation), max(freedom / inflation, 2.0))
        p = search_p_value(score, row.size, _least(row.size), terms=2)
        effect = np.sqrt(gain / (b - a))
        # The distance of two levels to their common line is half of the step between them.
        bad = (p > alpha) | (effect < FLOOR / 2 * np.sqrt(variance))
        bad |= effect < _VISIBLE * row.std()
        if not bad.any():
            return replace(fit, p_values=p, steady=least)
        weakest = np.argmin(np.where(bad, effect, np.inf))
        fit = _fit(row, np.delete(fit.starts, weakest), belief)
    return replace(fit, steady=least)


def corners(row: Floats, fits: list[Lines]) -> Lines:
    """Choose the lines in which each change halves the squared residuals; ignore a mere curve."""
    total = float(np.sum((row - row.mean()) ** 2))
    if total <= 0:
        return fits[0]
    left = np.array([fit.squares for fit in fits]) / total
    score = np.log(left + _UNSEEN) + _HALF * np.arange(len(fits))
    bend = _bend(row)
    score[0] = min(score[0], np.log(float(bend @ bend) / total + _UNSEEN) + _HALF / 2)
    return _refined(row, fits[int(np.argmin(score))], None)


def _least(count: int) -> int:
    """Return the minimum number of points of a line: 4 to 10, or 2 % of a long series."""
    return max(min(max(count // 12, 4), 10), count // 50)


class _Sums:
    """Sums over any part of a series, from cumulative sums."""

    def __init__(self, row: Floats) -> None:
        self.size = row.size
        at = (np.arange(row.size) - (row.size - 1) / 2) / row.size
        held = (row, row * row, at, at * at, at * row)
        self.sums = [np.concatenate([[0.0], np.cumsum(item)]) for item in held]

    def cost(self, a: Ints, b: Ints) -> Floats:
        """Return the squared residuals of the best line in [a, b); shapes broadcast."""
        y, yy, t, tt, ty = (item[b] - item[a] for item in self.sums)
        n = np.maximum(b - a, 1)
        across = np.maximum(tt - t * t / n, 1e-12 / self.size)  # two points: 1 / (2 size**2)
        along = ty - t * y / n
        return np.asarray(np.maximum(yy - y * y / n - along * along / across, 0.0))


def _segmentations(sums: _Sums, least: int) -> list[Ints]:
    """Return the best starts for 0, 1, 2... changes on the grid."""
    step = -(-sums.size // _NODES)
    nodes = np.append(np.arange(0, sums.size, step), sums.size)
    lengths = nodes[None, :] - nodes[:, None]
    cost = np.where(lengths < least, np.inf, sums.cost(nodes[:, None], nodes[None, :]))
    reach = cost[0]
    back: list[Ints] = []
    result = [np.empty(0, dtype=np.int64)]
    for _ in range(min(_MOST, sums.size // least - 1)):
        total = reach[:, None] + cost
        back.append(np.argmin(total, axis=0))
        reach = total[back[-1], np.arange(nodes.size)]
        if not np.isfinite(reach[-1]):
            break
        places, at = [], nodes.size - 1
        for pointers in reversed(back):
            at = int(pointers[at])
            places.append(int(nodes[at]))
        result.append(np.array(places[::-1], dtype=np.int64))
    return result


def _refined(row: Floats, fit: Lines, belief: Belief | None) -> Lines:
    """Move each start to its best place between its neighbours."""
    if row.size <= _NODES:
        return fit
    sums, least = _Sums(row), _least(row.size)
    ends = np.concatenate([[0], fit.starts, [row.size]])
    for i in range(1, ends.size - 1):
        a, b = ends[i - 1], ends[i + 1]
        places = np.arange(a + least, b - least + 1)
        if places.size:
            ends[i] = places[np.argmin(sums.cost(a, places) + sums.cost(places, b))]
    return _fit(row, ends[1:-1], belief)


def _fit(row: Floats, starts: Ints, belief: Belief | None) -> Lines:
    ends = [0, *starts.tolist(), row.size]
    lines, rest = np.zeros((len(ends) - 1, 2)), np.empty(row.size)
    for i, (a, b) in enumerate(pairwise(ends)):
        at = np.arange(b - a) - (b - a - 1) / 2
        mean = row[a:b].mean()
        slope = float(at @ row[a:b] / max(at @ at, 1e-300))
        lines[i] = mean + slope * at[0], slope
        rest[a:b] = row[a:b] - mean - slope * at
    criterion, memory, steady = _weigh(rest, ends, 2 * len(lines), belief)
    penalty = float(np.log(row.size)) * (4 * starts.size + 1)
    ones = np.ones(starts.size)
    return Lines(starts, ones, lines, rest, criterion + penalty, memory, steady + penalty)


def _weigh(
    rest: Floats, ends: list[int], fitted: int, belief: Belief | None
) -> tuple[float, float, float]:
    """Return the criterion, the memory and the steady criterion of residuals, without penalties.

    fitted: number of coefficients.
    """
    before = np.concatenate([[0.0], rest[:-1]])
    products = rest * before
    products[ends[:-1]] = 0.0
    memory = float(products.sum() / max(rest @ rest, 1e-12))
    # A fit to few points hides memory: a line about twice as much as a mean.
    memory += (1 + 2 * min(max(memory, 0.0), 1.0)) * fitted / rest.size
    limited = min(max(memory, 0.0), MOST_MEMORY)
    memory = float(expected_memory([memory], [rest.size], [belief])[0])

    def surprise(of: float) -> float:
        news = rest - of * before
        return rest.size * float(np.log(max(float(news @ news) / rest.size, 1e-9)))

    steady = min(surprise(0.0), surprise(limited) + float(np.log(rest.size)))
    return surprise(memory), memory, steady + SLOPED


def _bend(row: Floats) -> Floats:
    """Return the residuals of the best parabola."""
    at = np.linspace(-1, 1, row.size)
    parabola = np.polynomial.polynomial.polyfit(at, row, 2)
    return np.asarray(row - np.polynomial.polynomial.polyval(at, parabola))
