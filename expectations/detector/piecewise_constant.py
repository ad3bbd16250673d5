"""Level shifts of series with constant levels, for all series of a build at once.

ruptures' KernelCPD (linear kernel) proposes least-squares segmentations; this module judges them.
Series of any lengths are concatenated into one vector, so that each step is one numpy call.

The candidates of a series are removed one by one, the weakest first. At each stage the residuals
are modelled as an autoregression of order one, and the stage with the smallest

    count * ln(innovation variance) + 3 ln(count) * changes

is chosen (the penalty per change of the modified BIC: N. R. Zhang and D. O. Siegmund, Biometrics
63 (2007)). The remaining shifts must be significant and not smaller than the floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from expectations.detector.memory import Belief, expected_memory
from expectations.detector.significance import (
    FLOOR,
    excursion_p_value,
    normal_score,
    search_p_value,
)
from expectations.detector.wandering import CHANGED, LEAST_VARIANCE, MOST_MEMORY

__all__ = ["Levels", "find_levels", "judge_levels", "least_points", "memories_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SHRINK = 10.0  # weight, in points, of the whole series' variance in that of a segment


@dataclass(frozen=True, slots=True)
class Levels:
    """Accepted level shifts of one series.

    starts: indexes at which a new level begins (k); p_values: corrected for the search (k);
    criterion: penalised likelihood of the stage, for comparison with other shapes; memory:
    autocorrelation of the residuals at lag one; steady: the least criterion of all stages if the
    memory is limited, for comparison with a level that wanders.
    """

    starts: Ints
    p_values: Floats
    criterion: float
    memory: float
    steady: float = 0.0


def least_points(count: int) -> int:
    """Return the minimum number of points of a level, by the length of the series: 3 to 5."""
    return min(max(count // 25, 3), 5)  # plain numbers: called thousands of times


def find_levels(rows: list[Floats], alpha: float, beliefs: Sequence[Belief | None]) -> list[Levels]:
    """Find the level shifts of each prepared series (unit noise, no spikes, no missing points).

    alpha: probability of a false shift in a series without any; beliefs: what is known of the
    memory of each series.
    """
    long = _long(rows)
    result = [Levels(np.empty(0, dtype=np.int64), np.empty(0), 0.0, 0.0)] * len(rows)
    if long:
        stack = _Stack.of([rows[i] for i in long], [beliefs[i] for i in long])
        starts, steady = stack.least_criterion()
        judged = stack.judge(starts, alpha)
        for i, levels, least in zip(long, judged, steady.tolist(), strict=True):
            result[i] = replace(levels, steady=least)
    return result


def judge_levels(
    rows: list[Floats],
    starts: list[Ints],
    alpha: float,
    beliefs: Sequence[Belief | None],
) -> list[Levels]:
    """Judge given levels of each series, as find_levels does; they are kept or left out."""
    stack = _Stack.of(rows, beliefs, starts) if rows else None
    return stack.judge(stack.first, alpha) if stack else []


def memories_of(rows: list[Floats]) -> Floats:
    """Return the autocorrelation of each series around its levels; NaN if it is too short."""
    memories, long = np.full(len(rows), np.nan), _long(rows)
    if long:
        stack = _Stack.of([rows[i] for i in long], [None] * len(long))
        memories[long] = stack.stage(stack.least_criterion()[0]).estimate
    return memories


def _long(rows: list[Floats]) -> list[int]:
    return [i for i, row in enumerate(rows) if row.size >= 2 * least_points(row.size)]


def _candidates(row: Floats) -> Ints:
    import ruptures  # takes a second, and only a long series needs it

    search = ruptures.KernelCPD(kernel="linear", min_size=least_points(row.size))
    result = search.fit(row.reshape(-1, 1)).predict(pen=2.0 * np.log(row.size))
    return np.array(result[:-1], dtype=np.int64)


@dataclass(slots=True)
class _Stage:
    """One segmentation of all series, and its statistics."""

    starts: Ints  # of all segments, including the starts of the series
    inner: NDArray[np.bool_]  # per segment: whether it begins a new level, not a series
    score: Floats  # per segment: normal deviate from the previous segment; inf if not inner
    size: Floats  # per segment: shift in standard deviations of the noise
    excursion: Floats  # per segment: normal deviate from both sides, if both are on one; or inf
    criterion: Floats  # per series
    steady: Floats  # per series: the criterion with a limited memory
    estimate: Floats  # per series: autocorrelation of the residuals, without bias
    memory: Floats  # per series: what is believed of it


@dataclass(slots=True)
class _Stack:
    values: Floats
    begins: Ints  # first index of each series
    counts: Ints  # points of each series
    least: Ints  # least_points of each series
    first: Ints  # candidates and begins, sorted
    beliefs: Sequence[Belief | None]  # of each series

    @classmethod
    def of(
        cls,
        rows: list[Floats],
        beliefs: Sequence[Belief | None],
        given: list[Ints] | None = None,
    ) -> _Stack:
        counts = np.array([row.size for row in rows], dtype=np.int64)
        begins = np.concatenate([[0], np.cumsum(counts)[:-1]])
        starts = [
            begin + np.append(0, item).astype(np.int64)
            for begin, item in zip(begins, given or [_candidates(row) for row in rows], strict=True)
        ]
        least = np.array([least_points(int(count)) for count in counts], dtype=np.int64)
        return cls(np.concatenate(rows), begins, counts, least, np.concatenate(starts), beliefs)

    def series_of(self, starts: Ints) -> Ints:
        """Return the number of the series of each index."""
        return np.searchsorted(self.begins, starts, side="right") - 1

    def stage(self, starts: Ints) -> _Stage:
        """Fit a mean to every segment and score every boundary."""
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
        estimate = np.add.reduceat(products, self.begins) / total
        # A mean of few points hides memory: first-order bias correction (M. S. Bartlett).
        estimate = estimate + (1 + 3 * np.clip(estimate, 0, 1)) * segments / self.counts
        memory = expected_memory(estimate, self.counts, self.beliefs)
        penalty = np.asarray(3 * np.log(self.counts) * (segments - 1), dtype=float)
        criterion = self._surprise(rest, before, memory) + penalty
        limited = np.clip(estimate, 0.0, MOST_MEMORY)
        without = self._surprise(rest, before, np.zeros_like(limited))
        steady = (
            np.minimum(without, self._surprise(rest, before, limited) + np.log(self.counts))
            + penalty
        )

        freedom = np.maximum(self.counts - segments, 1)
        pooled = (total / freedom)[owner]
        variances = (squares + _SHRINK * pooled) / (lengths - 1 + _SHRINK)
        inflation = ((1 + memory) / (1 - memory))[owner]
        left = np.concatenate([[0], np.arange(starts.size - 1)])
        gap = np.abs(means - means[left])
        error = np.sqrt(inflation * (variances / lengths + variances[left] / lengths[left]))
        inner = ~np.isin(starts, self.begins)
        score = np.full(starts.size, np.inf)
        thin = np.maximum(freedom[owner] / inflation, 2.0)
        score[inner] = normal_score((gap / error)[inner], thin[inner])
        size = np.asarray(gap / np.sqrt((variances + variances[left]) / 2))
        return _Stage(
            starts,
            inner,
            score,
            size,
            self._excursions(means, lengths, variances, inner, inflation, thin),
            criterion,
            steady,
            estimate,
            memory,
        )

    def _excursions(
        self,
        means: Floats,
        lengths: Ints,
        own: Floats,
        inner: NDArray[np.bool_],
        inflation: Floats,
        thin: Floats,
    ) -> Floats:
        """Return how far each segment is off the two beside it, infinity if it is between them."""
        score = np.full(means.size, np.inf)
        i = np.flatnonzero(inner[:-1] & inner[1:])
        i = i[(means[i] - means[i - 1]) * (means[i] - means[i + 1]) > 0]
        sides = lengths[i - 1] + lengths[i + 1]
        rest = (lengths[i - 1] * means[i - 1] + lengths[i + 1] * means[i + 1]) / sides
        noise = (lengths[i - 1] * own[i - 1] + lengths[i + 1] * own[i + 1]) / sides
        error = np.sqrt(inflation[i] * (own[i] / lengths[i] + noise / sides))
        score[i] = normal_score((means[i] - rest) / error, thin[i])
        return score

    def _surprise(self, rest: Floats, before: Floats, memory: Floats) -> Floats:
        """Return count * ln(variance of the innovations) of each series."""
        innovations = rest - memory[self._owners()] * before
        variance = np.add.reduceat(innovations * innovations, self.begins) / self.counts
        return np.asarray(self.counts * np.log(np.maximum(variance, LEAST_VARIANCE)))

    def least_criterion(self) -> tuple[Ints, Floats]:
        """Remove candidates until none is left.

        Return the starts of the best stage per series, and the least criterion of a steady series.
        """
        starts = self.first
        steady = np.full(self.counts.size, np.inf)
        best = np.full(self.counts.size, np.inf)
        kept: list[Ints] = []
        chosen = np.zeros(self.counts.size, dtype=np.int64)
        step = 0
        while True:
            stage = self.stage(starts)
            kept.append(starts)
            segments = np.bincount(self.series_of(starts), minlength=self.counts.size)
            steady = np.minimum(steady, stage.steady + np.where(segments > 1, CHANGED, 0.0))
            better = stage.criterion < best - 1e-9
            best[better], chosen[better] = stage.criterion[better], step
            if not stage.inner.any():
                break
            weight = np.where(stage.size < FLOOR, stage.score * 1e-3, stage.score)
            starts = starts[~self._weakest(starts, np.where(stage.inner, weight, np.inf))]
            step += 1
        of_best = [s[chosen[self.series_of(s)] == i] for i, s in enumerate(kept)]
        return np.sort(np.concatenate(of_best)), steady

    def judge(self, starts: Ints, alpha: float) -> list[Levels]:
        """Remove shifts that are not significant or too small, the weakest first."""
        while True:
            stage = self.stage(starts)
            owner = self.series_of(starts)
            counts, least = self.counts[owner], self.least[owner]
            p = search_p_value(stage.score, counts, least)
            # Both ends of an excursion were searched: it has to stand out as a whole.
            both = np.zeros(p.size)
            some = np.isfinite(stage.excursion)
            both[some] = excursion_p_value(stage.excursion[some], counts[some], least[some])
            p = np.maximum(p, np.maximum(both, np.concatenate([[0.0], both[:-1]])))
            p = np.where(stage.inner, p, 0.0)
            bad = stage.inner & ((p > alpha) | (stage.size < FLOOR))
            if not bad.any():
                return self._levels(stage, p)
            drop = self._weakest(starts, np.where(bad, np.minimum(stage.score, 1e6), np.inf))
            starts = starts[~drop]

    def _weakest(self, starts: Ints, score: Floats) -> NDArray[np.bool_]:
        """Mark the segment with the smallest finite score of each series."""
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
