"""Changes in a series that drifts or wanders: a line in each segment, joined or with a jump.

All segmentations of up to ten changes come from one matrix of least-squares costs over a grid of
at most some hundred nodes; the places are then refined to the point. Two rules choose among them:

`judged`: the criterion of flat.py, 4 ln(count) a change, since a change has a slope too. The
residuals are an autoregression, so that a wandering series is noise to it.

`corners`: what an eye sets in a series that wanders so much that `judged` takes all of it for
noise: a change must halve the squares that the lines leave.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from expectations.detector.flat import most_memory
from expectations.detector.significance import normal_score, search_p_value

__all__ = ["LEAST", "Lines", "corners", "fit_lines", "judged"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST = 12  # points below which a series has no lines
_NODES = 100  # of the grid
_MOST = 10  # changes
_VISIBLE = 0.1  # least effect of a change on the fit, in standard deviations of the series
_HALF = np.log(2.0)  # what a corner is worth, of the logarithm of the squares left
_UNSEEN = 0.005  # share of the squares that no eye sees


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines in the segments of one prepared series.

    starts: indexes at which a new line begins (k); p_values (k); lines: value at a segment's
    first point and slope (k + 1, 2); rest: residuals (points); criterion and memory: as in
    flat.Levels.
    """

    starts: Ints
    p_values: Floats
    lines: Floats
    rest: Floats
    criterion: float
    memory: float

    @property
    def squares(self) -> float:
        """Sum of the squares that the lines leave."""
        return float(self.rest @ self.rest)


def fit_lines(row: Floats) -> list[Lines]:
    """The best lines of 0, 1, 2... changes on the grid, not judged: all p-values are one."""
    return [_fit(row, starts) for starts in _segmentations(_Sums(row), _least(row.size))]


def judged(row: Floats, fits: list[Lines], alpha: float, floor: float) -> Lines:
    """The lines of least criterion, without changes that are not significant or too small.

    None of a series that one parabola tells better.
    """
    fit, sums = _refined(row, min(fits, key=lambda of: of.criterion)), _Sums(row)
    bend, memory = _weigh(_bend(row), [0, row.size], 3)
    bend += 2 * np.log(row.size)
    if bend < fit.criterion:
        return replace(fits[0], criterion=bend, memory=memory)
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
        # Two levels a step apart lie half a step from their common line.
        bad = (p > alpha) | (effect < floor / 2 * np.sqrt(variance))
        bad |= effect < _VISIBLE * row.std()
        if not bad.any():
            return replace(fit, p_values=p)
        fit = _fit(row, np.delete(fit.starts, np.argmin(np.where(bad, effect, np.inf))))
    return fit


def corners(row: Floats, fits: list[Lines]) -> Lines:
    """The lines of which each change halves the squares left; a mere bend of the whole is none."""
    total = float(np.sum((row - row.mean()) ** 2))
    if total <= 0:
        return fits[0]
    left = np.array([fit.squares for fit in fits]) / total
    score = np.log(left + _UNSEEN) + _HALF * np.arange(len(fits))
    bend = _bend(row)
    score[0] = min(score[0], np.log(float(bend @ bend) / total + _UNSEEN) + _HALF / 2)
    return _refined(row, fits[int(np.argmin(score))])


def _least(count: int) -> int:
    """Fewest points that make a line: 4 to 10 by the length of the series, of long ones 2 %."""
    return max(min(max(count // 12, 4), 10), count // 50)


class _Sums:
    """Sums over any stretch of a series, from running sums."""

    def __init__(self, row: Floats) -> None:
        self.size = row.size
        at = (np.arange(row.size) - (row.size - 1) / 2) / row.size
        held = (row, row * row, at, at * at, at * row)
        self.sums = [np.concatenate([[0.0], np.cumsum(of)]) for of in held]

    def cost(self, a: Ints, b: Ints) -> Floats:
        """Squares that the best line leaves in [a, b); shapes broadcast."""
        y, yy, t, tt, ty = (of[b] - of[a] for of in self.sums)
        n = np.maximum(b - a, 1)
        across = np.maximum(tt - t * t / n, 1e-12 / self.size)  # of two points 1 / (2 size**2)
        along = ty - t * y / n
        return np.asarray(np.maximum(yy - y * y / n - along * along / across, 0.0))


def _segmentations(sums: _Sums, least: int) -> list[Ints]:
    """The best starts of 0, 1, 2... changes, on the grid."""
    step = -(-sums.size // _NODES)
    nodes = np.append(np.arange(0, sums.size, step), sums.size)
    lengths = nodes[None, :] - nodes[:, None]
    cost = np.where(lengths < least, np.inf, sums.cost(nodes[:, None], nodes[None, :]))
    reach = cost[0]
    back: list[Ints] = []
    found = [np.empty(0, dtype=np.int64)]
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
        found.append(np.array(places[::-1], dtype=np.int64))
    return found


def _refined(row: Floats, fit: Lines) -> Lines:
    """Each start moved to its best place between its neighbours."""
    if row.size <= _NODES:
        return fit
    sums, least = _Sums(row), _least(row.size)
    ends = np.concatenate([[0], fit.starts, [row.size]])
    for i in range(1, ends.size - 1):
        a, b = ends[i - 1], ends[i + 1]
        places = np.arange(a + least, b - least + 1)
        if places.size:
            ends[i] = places[np.argmin(sums.cost(a, places) + sums.cost(places, b))]
    return _fit(row, ends[1:-1])


def _fit(row: Floats, starts: Ints) -> Lines:
    ends = [0, *starts.tolist(), row.size]
    lines, rest = np.zeros((len(ends) - 1, 2)), np.empty(row.size)
    for i, (a, b) in enumerate(pairwise(ends)):
        at = np.arange(b - a) - (b - a - 1) / 2
        mean = row[a:b].mean()
        slope = float(at @ row[a:b] / max(at @ at, 1e-300))
        lines[i] = mean + slope * at[0], slope
        rest[a:b] = row[a:b] - mean - slope * at
    criterion, memory = _weigh(rest, ends, 2 * len(lines))
    criterion += np.log(row.size) * (4 * starts.size + 1)
    return Lines(starts, np.ones(starts.size), lines, rest, criterion, memory)


def _weigh(rest: Floats, ends: list[int], fitted: int) -> tuple[float, float]:
    """Criterion without its penalty, and memory, of residuals after `fitted` coefficients."""
    before = np.concatenate([[0.0], rest[:-1]])
    products = rest * before
    products[ends[:-1]] = 0.0
    memory = float(products.sum() / max(rest @ rest, 1e-12))
    # What is fitted to few points hides memory: a line about twice as much as a mean.
    memory += (1 + 2 * min(max(memory, 0.0), 1.0)) * fitted / rest.size
    memory = min(max(memory, 0.0), float(most_memory(rest.size)))
    news = rest - memory * before
    return rest.size * float(np.log(max(float(news @ news) / rest.size, 1e-9))), memory


def _bend(row: Floats) -> Floats:
    """What the best parabola leaves of a series."""
    at = np.linspace(-1, 1, row.size)
    parabola = np.polynomial.polynomial.polyfit(at, row, 2)
    return np.asarray(row - np.polynomial.polynomial.polyval(at, parabola))
