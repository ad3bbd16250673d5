"""Many comparisons at once: a difference counts if it stands out among all that were looked at.

Y. Benjamini and Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995), 289-300: of the
differences that are reported, at most the share alpha is to be chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from expectations.detector.pairs import BETTER, WORSE, Comparison, compare, logs
from expectations.detector.permutation import p_values

__all__ = ["compare_matched"]


def compare_matched(
    baselines: Sequence[ArrayLike],
    candidates: Sequence[ArrayLike],
    more_is_better: Sequence[bool],
    *,
    tolerance: float = 0.02,
    alpha: float = 0.05,
) -> list[Comparison]:
    """Judge each candidate against the baseline at its position; see `pairs.compare`.

    The intervals are each of its own, 1 - alpha; verdicts hold for all comparisons together.
    ValueError: as `pairs.compare`, or sequences of different lengths.
    """
    pairs = list(zip(baselines, candidates, more_is_better, strict=True))
    permuted = p_values([(logs(x, "baseline"), logs(y, "candidate")) for x, y, _ in pairs])
    judged = [
        compare(x, y, more_is_better=more, tolerance=tolerance, permuted=p)
        for (x, y, more), p in zip(pairs, permuted, strict=True)
    ]
    level = _level(np.array([c.p_value for c in judged]), alpha)
    for i, (x, y, more) in enumerate(pairs):
        if judged[i].verdict in {BETTER, WORSE} and judged[i].p_value > level:
            strict = compare(
                x, y, more_is_better=more, tolerance=tolerance, alpha=level, permuted=permuted[i]
            )
            judged[i] = _with_interval(strict, judged[i])
    return judged


def _level(p_values: np.ndarray, alpha: float) -> float:
    """The largest p-value that still counts; the strictest level where none does."""
    ordered, count = np.sort(p_values), p_values.size
    below = np.flatnonzero(ordered <= alpha * np.arange(1, count + 1) / count)
    return float(ordered[below[-1]]) if below.size else alpha / max(count, 1)


def _with_interval(verdict: Comparison, interval: Comparison) -> Comparison:
    """The verdict of one comparison with the interval of another."""
    return replace(verdict, low=interval.low, high=interval.high)
