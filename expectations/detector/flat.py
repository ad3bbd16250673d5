"""Level shifts in series that stay on levels: the path for all series of a build at once.

Candidates are the least-squares segmentations that ruptures' KernelCPD (linear kernel) finds; the
judgement is this module's. Series of any lengths lie behind each other in one vector, so that
each step is one numpy call for all of them.

A series' candidates are taken back one by one, the weakest first. At each stage the residuals
are taken as an autoregression of order one, and the stage with the least

    count * ln(innovation variance) + 3 ln(count) * changes

wins (the penalty of N. R. Zhang and D. O. Siegmund's modified BIC, Biometrics 63 (2007), for one
change). What is left must be significant, and no smaller than the floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import ruptures
from numpy.typing import ArrayLike, NDArray

from expectations.detector.significance import normal_score, search_p_value

__all__ = ["Levels", "find_levels", "least_points", "most_memory"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SHRINK = 10.0  # points by which a segment's own variance leans on the whole series'


@dataclass(frozen=True, slots=True)
class Levels:
    """Accepted level shifts of one series.

    starts: indexes at which a new level begins (k); p_values: each counts the search (k);
    criterion: the penalised likelihood of the stage, for comparison with other shapes;
    memory: autocorrelation of the residuals at lag one.
    """

    starts: Ints
    p_values: Floats
    criterion: float
    memory: float


def least_points(count: int) -> int:
    """Fewest points that make a level, by the length of the series: 3 to 5."""
    return min(max(count // 25, 3), 5)  # plain numbers: it is asked thousands of times


def most_memory(count: ArrayLike) -> Floats:
    """The greatest autocorrelation that `count` points can tell from a random walk's."""
    return np.maximum(0.95, 1 - 20 / np.asarray(count, float))


def find_levels(rows: list[Floats], alpha: float, floor: float) -> list[Levels]:
    """Level shifts of each prepared series (about unit noise, no spikes, nothing missing).

    alpha: chance of a shift in a series that has none; floor: least shift in standard deviations
    of the noise around it.
    """
    long = [i for i, row in enumerate(rows) if row.size >= 2 * least_points(row.size)]
    found = [Levels(np.empty(0, dtype=np.int64), np.empty(0), 0.0, 0.0)] * len(rows)
    if long:
        stack = _Stack.of([rows[i] for i in long])
        judged = stack.judge(stack.least_criterion(floor), alpha, floor)
        for i, levels in zip(long, judged, strict=True):
            found[i] = levels
    return found


def _candidates(row: Floats) -> list[int]:
    search = ruptures.KernelCPD(kernel="linear", min_size=least_points(row.size))
    found = search.fit(row.reshape(-1, 1)).predict(pen=2.0 * np.log(row.size))
    return [int(end) for end in found[:-1]]


@dataclass(slots=True)
class _Stage:
    """One segmentation of all series: where segments start, and what follows from it."""

    starts: Ints  # of all segments, series' own starts included
    inner: NDArray[np.bool_]  # per segment: it begins a new level, not a series
    score: Floats  # per segment: normal deviate against the segment before; inf if not inner
    size: Floats  # per segment: shift in standard deviations of the noise around it
    criterion: Floats  # per series
    memory: Floats  # per series


@dataclass(slots=True)
class _Stack:
    values: Floats
    begins: Ints  # first index of each series
    counts: Ints  # points of each series
    least: Ints  # least_points of each series
    first: Ints  # candidates and begins, sorted

    @classmethod
    def of(cls, rows: list[Floats]) -> _Stack:
        counts = np.array([row.size for row in rows], dtype=np.int64)
        begins = np.concatenate([[0], np.cumsum(counts)[:-1]])
        starts = [
            begin + np.array([0, *_candidates(row)], dtype=np.int64)
            for begin, row in zip(begins, rows, strict=True)
        ]
        least = np.array([least_points(int(count)) for count in counts], dtype=np.int64)
        return cls(np.concatenate(rows), begins, counts, least, np.concatenate(starts))

    def series_of(self, starts: Ints) -> Ints:
        """Number of the series that holds each index."""
        return np.searchsorted(self.begins, starts, side="right") - 1

    def stage(self, starts: Ints) -> _Stage:
        """Fit a mean to every segment and weigh every boundary."""
        y, owner = self.values, self.series_of(starts)
        lengths = np.diff(np.append(starts, y.size))
        means = np.add.reduceat(y, starts) / lengths
        rest = y - np.repeat(means, lengths)
        squares = np.add.reduceat(rest * rest, starts)
        before = np.concatenate([[0.0], rest[:-1]])
        before[self.begins] = 0.0
        products = rest * before
        products[starts] = 0.0

        segments = np.bincount(owner, minlength=self.counts.size)
        total = np.maximum(np.add.reduceat(squares, self._heads(owner)), 1e-12)
        memory = np.add.reduceat(products, self.begins) / total
        # A mean taken from few points hides memory: M. S. Bartlett's and others' first order.
        memory = memory + (1 + 3 * np.clip(memory, 0, 1)) * segments / self.counts
        memory = np.clip(memory, 0.0, most_memory(self.counts))
        news = rest - memory[self._owners()] * before
        innovation = np.add.reduceat(news * news, self.begins) / self.counts
        criterion: Floats = self.counts.astype(float) * np.log(np.maximum(innovation, 1e-9))
        criterion += 3 * np.log(self.counts) * (segments - 1)

        freedom = np.maximum(self.counts - segments, 1)
        pooled = (total / freedom)[owner]
        own = (squares + _SHRINK * pooled) / (lengths - 1 + _SHRINK)
        inflation = ((1 + memory) / (1 - memory))[owner]
        left = np.concatenate([[0], np.arange(starts.size - 1)])
        gap = np.abs(means - means[left])
        error = np.sqrt(inflation * (own / lengths + own[left] / lengths[left]))
        inner = ~np.isin(starts, self.begins)
        score = np.full(starts.size, np.inf)
        thin = np.maximum(freedom[owner] / inflation, 2.0)
        score[inner] = normal_score((gap / error)[inner], thin[inner])
        size = np.asarray(gap / np.sqrt((own + own[left]) / 2))
        return _Stage(starts, inner, score, size, criterion, memory)

    def least_criterion(self, floor: float) -> Ints:
        """Take candidates back until none is left; the starts of each series' best stage."""
        starts = self.first
        best = np.full(self.counts.size, np.inf)
        kept: list[Ints] = []
        chosen = np.zeros(self.counts.size, dtype=np.int64)
        step = 0
        while True:
            stage = self.stage(starts)
            kept.append(starts)
            better = stage.criterion < best - 1e-9
            best[better], chosen[better] = stage.criterion[better], step
            if not stage.inner.any():
                break
            weight = np.where(stage.size < floor, stage.score * 1e-3, stage.score)
            starts = starts[~self._weakest(starts, np.where(stage.inner, weight, np.inf))]
            step += 1
        return np.sort(
            np.concatenate([s[chosen[self.series_of(s)] == i] for i, s in enumerate(kept)])
        )

    def judge(self, starts: Ints, alpha: float, floor: float) -> list[Levels]:
        """Take back what is not significant or too small, weakest first."""
        while True:
            stage = self.stage(starts)
            owner = self.series_of(starts)
            p = search_p_value(stage.score, self.counts[owner], self.least[owner])
            p = np.where(stage.inner, p, 0.0)
            bad = stage.inner & ((p > alpha) | (stage.size < floor))
            if not bad.any():
                return self._levels(stage, p)
            drop = self._weakest(starts, np.where(bad, np.minimum(stage.score, 1e6), np.inf))
            starts = starts[~drop]

    def _weakest(self, starts: Ints, score: Floats) -> NDArray[np.bool_]:
        """Of each series the segment with the least finite score."""
        owner = self.series_of(starts)
        least = np.minimum.reduceat(score, self._heads(owner))
        marked = (score == least[owner]) & np.isfinite(score)
        places = np.flatnonzero(marked)
        _, first = np.unique(owner[places], return_index=True)
        drop = np.zeros(starts.size, dtype=bool)
        drop[places[first]] = True
        return drop

    def _heads(self, owner: Ints) -> Ints:
        return np.flatnonzero(np.diff(owner, prepend=-1))

    def _owners(self) -> Ints:
        return np.repeat(np.arange(self.counts.size), self.counts)

    def _levels(self, stage: _Stage, p: Floats) -> list[Levels]:
        owner = self.series_of(stage.starts)
        edges = np.append(self._heads(owner), owner.size)
        return [
            Levels(
                stage.starts[a + 1 : b] - self.begins[i],
                p[a + 1 : b],
                float(stage.criterion[i]),
                float(stage.memory[i]),
            )
            for i, (a, b) in enumerate(pairwise(edges))
        ]
