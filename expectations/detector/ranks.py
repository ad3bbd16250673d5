"""Shifts and slopes confirmed by the ranks of the values, which outliers cannot move far.

The mean of a level of few points follows its outliers, and noise with a long tail, or with a rare
mode, has outliers in clusters. A shift is confirmed if the normal scores of the ranks on both sides
differ too (B. L. van der Waerden, Indagationes Mathematicae 14 (1952), 453-458; for Gaussian noise
this test is as powerful as t), or if the two levels do not overlap: then ranks cannot say more. A
slope is confirmed if the ranks follow the time (H. B. Mann, Econometrica 13 (1945), 245-259). Both
p-values are corrected for the search for the best place. The level is less strict than that of the
shift itself, because ranks of few points cannot be extreme.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import special

from expectations.detector.significance import search_p_value

__all__ = ["confirmed_shifts", "is_confirmed_jump", "is_confirmed_slope"]

Floats = NDArray[np.float64]

_LEVEL = 0.01
_NEXT, _BESIDE = 5, 15  # points on either side of a jump between two lines, which may slope


def confirmed_shifts(raw: Floats, starts: Sequence[int], least: int) -> list[int]:
    """Return which starts of levels are confirmed; the weakest is left out first.

    raw: the series with its outliers; least: minimum number of points of a level.
    """
    kept = list(starts)
    while kept:
        ends = [0, *kept, raw.size]
        scores = [
            _score(raw[a:m], raw[m:b])
            for (a, m), (_, b) in zip(pairwise(ends), pairwise(ends[1:]), strict=False)
        ]
        weakest = int(np.argmin(scores))
        if search_p_value(scores[weakest], raw.size, least) <= _LEVEL:
            break
        del kept[weakest]
    return kept


def is_confirmed_jump(before: Floats, after: Floats, count: int, least: int) -> bool:
    """Whether the values beside a jump from one line to the next differ.

    Those next to it must not overlap, or more of them have to differ by their ranks. count: points
    of the whole series; least: minimum number of points of a level.
    """
    near, far = (_score(before[-item:], after[:item]) for item in (_NEXT, _BESIDE))
    return near == np.inf or bool(search_p_value(far, count, least) <= _LEVEL)


def is_confirmed_slope(raw: Floats, slope: float, count: int, least: int) -> bool:
    """Whether the values of a line rise or fall with time as its slope does.

    count: points of the whole series.
    """
    size = raw.size
    concordant = sum(float(np.sign(raw[i:] - raw[:-i]).sum()) for i in range(1, size))
    error = np.sqrt(size * (size - 1) * (2 * size + 5) / 18)
    score = concordant * np.sign(slope) / max(error, 1e-12)
    return score > 0 and bool(search_p_value(score, count, least) <= _LEVEL)


def _score(before: Floats, after: Floats) -> float:
    """Return the normal deviate of the difference of normal scores, infinity without overlap."""
    if before.max() < after.min() or after.max() < before.min():
        return float("inf")
    both = np.concatenate([before, after])
    _, at, counts = np.unique(both, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[at]  # equal values share the mean of their ranks
    scores = special.ndtri((ranks - 0.375) / (both.size + 0.25))
    scores -= scores.mean()
    variance = float(scores @ scores) / (both.size - 1) * (1 / after.size - 1 / both.size)
    return abs(float(scores[before.size :].mean())) / max(variance, 1e-300) ** 0.5
