"""Shifts in the last runs of series, before there are enough of them for a level.

For each series and each k of the last runs, 1 to 5, the mean of these k is compared with the level
before them. That is the CUSUM of E. S. Page (Biometrika 41 (1954), 100-115) for every size of a
shift at once, limited to the last runs (FOCuS: G. Romano, I. A. Eckley, P. Fearnhead, G. Rigaill,
Journal of Machine Learning Research 24 (2023)). What is older is left to the detector of levels.

It alarms without a change once in RUN_LENGTH looks at a family, if noise is Gaussian. Noise with a
long tail has single runs that are far off, so the last run alone has to be much further off than
any run before it; of two or more, each has to be further off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from expectations.detector.significance import normal_score

__all__ = ["LEAST_BEFORE", "MOST_AFTER", "RUN_LENGTH", "Early", "early_shifts"]

RUN_LENGTH = 1000  # looks at a family until it alarms without a change, on average
LEAST_BEFORE = 12  # runs of the level before
MOST_AFTER = 5  # runs after a shift
_ALONE = 2.5  # times as far off as any run before: a run that alarms alone
_NINETIETH = 1.6449  # the 90 % point of |standard normal|
_LEAST = 4.0  # standard normal deviate of an alarm, in a small family too
_ROUNDING = 1e-9  # of the level: less is no noise

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Early:
    """A shift in the last runs of a series.

    index: 0-based, of the first run after it; before, after: means; error: standard error of their
    difference; noise: standard deviation of a run, all in the unit of the series; p_value: of any
    number of last runs in this series.
    """

    index: int
    before: float
    after: float
    error: float
    noise: float
    p_value: float


def early_shifts(
    series: Sequence[ArrayLike],
    starts: Sequence[int],
    memories: Sequence[float],
    signs: Sequence[float],
    family_sizes: Sequence[int],
) -> list[Early | None]:
    """Return the clearest shift in the last runs of each series, None without one.

    starts: index of the first run of the last level; memories: autocorrelation of its noise; signs:
    1 if larger is worse, -1 if smaller is; family_sizes: number of series judged with each. Series
    with fewer than LEAST_BEFORE runs at this level have none.
    """
    found: list[Early | None] = [None] * len(series)
    values = [np.asarray(row, dtype=float) for row in series]
    lengths = np.array([row.size - start for row, start in zip(values, starts, strict=True)])
    for length in np.unique(lengths):
        if length <= LEAST_BEFORE:
            continue
        members = np.flatnonzero(lengths == length).tolist()
        rows = np.array([values[i][starts[i] :] * signs[i] for i in members])
        memory = np.array([memories[i] for i in members])
        inflation = (1 + memory) / (1 - memory)
        best = np.full(len(members), np.inf)
        for k in range(1, min(MOST_AFTER, int(length) - LEAST_BEFORE) + 1):
            before, last = rows[:, :-k], rows[:, -k:]
            count = before.shape[1]
            level = np.median(before, axis=1)
            apart = np.abs(before - level[:, None])
            noise = np.quantile(apart, 0.9, axis=1) / _NINETIETH
            noise = np.maximum(noise, _ROUNDING * np.maximum(np.abs(level), 1e-300))
            clipped = np.clip(before, (level - 3 * noise)[:, None], (level + 3 * noise)[:, None])
            mean, after = clipped.mean(axis=1), last.mean(axis=1)
            error = noise * np.sqrt(_widening(memory, k) / k + inflation / count)
            # Squares of noise with memory rho have the memory rho**2.
            freedom = np.maximum(count * (1 - memory**2) / (1 + memory**2) - 1, 2.0)
            score = normal_score((after - mean) / error, freedom)
            p = MOST_AFTER * special.ndtr(-score)
            furthest = apart.max(axis=1) * (_ALONE if k == 1 else 1.0)
            clear = (after > mean) & (score >= _LEAST) & (last.min(axis=1) - level > furthest)
            clear &= p * np.array([family_sizes[i] for i in members]) <= 1 / RUN_LENGTH
            for j in np.flatnonzero(clear & (p < best)):
                i = members[j]
                sign = signs[i]
                found[i] = Early(
                    index=values[i].size - k,
                    before=float(sign * mean[j]),
                    after=float(sign * after[j]),
                    error=float(error[j]),
                    noise=float(noise[j]),
                    p_value=float(p[j]),
                )
            best = np.where(clear, np.minimum(best, p), best)
    return found


def _widening(memory: Floats, count: int) -> Floats:
    """Return how many times the variance of a mean of so many values is that without memory."""
    widening = np.ones_like(memory)
    for lag in range(1, count):
        widening += 2 * (1 - lag / count) * memory**lag
    return widening
