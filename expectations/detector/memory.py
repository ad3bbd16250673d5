"""What is believed of the memory of a series: its own estimate, and what its family shows.

Memory is the autocorrelation of the noise at lag one. A few dozen points tell it badly: its
standard error is sqrt((1 - r**2) / n), and an excursion of noise with memory looks like a level. So
it is estimated by empirical Bayes (B. Efron, C. Morris, Journal of the American Statistical
Association 70 (1975), 311-319): the memories of a family are normal with mean m and variance s**2,
and the estimate r of a series with error e becomes

    w r + (1 - w) m,  w = s**2 / (s**2 + e**2),  with the error sqrt(w) e.

One error is added: too much memory costs power, too little makes false shifts. A few usual series
count as if they were in every family, so that a small one is judged with caution.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["USUAL", "Belief", "beliefs_of", "expected_memory", "most_memory"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Belief:
    """Mean and standard deviation of the memories of a family."""

    mean: float
    spread: float


#: What is believed of a series that stands alone.
USUAL = Belief(0.3, 0.2)
_USUAL_SERIES = 5  # that count as in every family
_LEAST_SQUARE = 0.1  # of the error times the points: noise is seldom a random walk


def most_memory(count: ArrayLike) -> Floats:
    """Return the largest autocorrelation that `count` points distinguish from a random walk."""
    return np.maximum(0.95, 1 - 20 / np.asarray(count, float))


def expected_memory(
    estimates: ArrayLike, counts: ArrayLike, beliefs: Sequence[Belief | None]
) -> Floats:
    """Return the memory of each series to judge it with; its own estimate without a belief."""
    memories, points = np.asarray(estimates, float), np.asarray(counts, float)
    square = _square_error(memories, points)
    mean = np.array([0.0 if belief is None else belief.mean for belief in beliefs])
    spread = np.array([np.inf if belief is None else belief.spread for belief in beliefs])
    weight = np.where(np.isinf(spread), 1.0, 1 / (1 + square / np.square(spread)))
    error = np.where(np.isinf(spread), 0.0, np.sqrt(weight * square))
    return np.clip(weight * memories + (1 - weight) * mean + error, 0.0, most_memory(points))


def beliefs_of(
    estimates: ArrayLike, counts: ArrayLike, families: Sequence[Hashable]
) -> list[Belief]:
    """Return the belief of each series' family; an estimate of NaN counts for nothing."""
    memories, points = np.asarray(estimates, float), np.asarray(counts, float)
    square = _square_error(memories, points)
    members: dict[Hashable, list[int]] = {}
    for i, family in enumerate(families):
        members.setdefault(family, [])
        if np.isfinite(memories[i]):
            members[family].append(i)
    result = {family: _belief(memories[of], square[of]) for family, of in members.items()}
    return [result[family] for family in families]


def _belief(own: Floats, square: Floats) -> Belief:
    usual = _USUAL_SERIES / (_USUAL_SERIES + own.size)
    if own.size < 2:
        return USUAL
    mean = usual * USUAL.mean + (1 - usual) * float(own.mean())
    among = max(float(own.var() - square.mean()), 0.0)
    return Belief(mean, (usual * USUAL.spread**2 + (1 - usual) * among) ** 0.5)


def _square_error(own: Floats, points: Floats) -> Floats:
    return np.asarray(np.maximum(1 - np.clip(own, 0, 1) ** 2, _LEAST_SQUARE) / points)
