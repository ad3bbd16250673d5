"""The season of a series: found in its differences, taken off by the phases' medians."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["find_period", "without_season"]

Floats = NDArray[np.float64]

_CYCLES = 4  # fewest cycles that show a season
_CLEAR = 0.5  # least autocorrelation of the differences at the period
_CHANCE = 3.2  # standard errors of an autocorrelation that chance does not reach


def find_period(row: Floats) -> int:
    """Points in a season, 0 where there is none.

    Differences hide levels and trends (one outlier a shift), but repeat with a season.
    """
    steps = np.diff(row)
    most = row.size // _CYCLES
    if most <= 3:
        return 0
    bound = 3 * np.median(np.abs(steps)) + 1e-12
    steps = np.clip(steps, -4 * bound, 4 * bound)
    steps = steps - steps.mean()
    size = 1 << (2 * steps.size - 1).bit_length()
    power = np.abs(np.fft.rfft(steps, size)) ** 2
    held = np.fft.irfft(power, size)[: 2 * most + 1]
    if held[0] <= 0:
        return 0
    held = held / held[0] * steps.size / (steps.size - np.arange(held.size))
    best = int(np.argmax(held[3 : most + 1])) + 3
    clear = max(_CLEAR, _CHANCE / np.sqrt(steps.size))
    if held[best] < clear or held[2 * best] < 0.7 * held[best] or held[best - 1] > held[best]:
        return 0
    for period in range(3, best):  # the shortest that is nearly as clear
        if best % period == 0 and held[period] > 0.85 * held[best]:
            return period
    return best


def without_season(row: Floats, period: int) -> Floats:
    """The series less its season of `period` points.

    Phases are compared around a moving mean of one season. Where every value is above zero and
    the season grows with the level, phases are factors instead of terms.
    """
    weights = np.ones(period) / period
    if period % 2 == 0:
        weights = np.concatenate([[0.5], np.ones(period - 1), [0.5]]) / period
    half = weights.size // 2
    inner = np.convolve(row, weights, mode="valid")
    level = np.pad(inner, half, mode="edge")
    phase = np.arange(row.size) % period
    core = slice(half, row.size - half)
    added = _phases((row - level)[core], phase[core], period)
    plain = row - added[phase]
    if not (np.all(row > 0) and np.all(level > 0)):
        return plain
    times = _phases(((row - level) / level)[core], phase[core], period)
    grown = row / np.maximum(1 + times[phase], 0.05)
    left = [np.sum((of - level)[core] ** 2) for of in (plain, grown)]
    return grown if left[1] < left[0] else plain


def _phases(rest: Floats, phase: NDArray[np.int64], period: int) -> Floats:
    """Median of each phase, less their mean."""
    medians = np.array([np.median(rest[phase == k]) for k in range(period)])
    return np.asarray(medians - medians.mean())
