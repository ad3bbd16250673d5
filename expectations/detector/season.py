"""The season of a series: found in its differences, taken off by the phases' medians."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["find_periods", "without_season"]

Floats = NDArray[np.float64]

_CYCLES = 4  # fewest cycles that show a season
_CLEAR = 0.5  # least autocorrelation of the differences at the period
_OUTLYING = 12  # median differences beyond which one is a shift or a spike
_REPEATS = 64  # a difference over many points must fit this often into the series
_STEADY = 0.7  # of which as much must hold over all repetitions
_NEARLY = 0.85  # of the clearest period's: clear enough for a shorter one
_CHANCE = 3.2  # standard errors of an autocorrelation that chance does not reach


def find_periods(rows: Floats) -> NDArray[np.int64]:
    """Points in the season of each row of a matrix (series x points), 0 where there is none.

    Differences hide levels and trends (one outlier a shift), but repeat with a season: first
    those to the next point, then, for slow seasons in noise, those over 4, 16... points.
    """
    periods = np.zeros(len(rows), dtype=np.int64)
    apart = 1
    while apart == 1 or apart <= rows.shape[1] // _REPEATS:
        left = np.flatnonzero(periods == 0)
        periods[left] = _periods(rows[left, apart:] - rows[left, :-apart], 2 * apart)
        apart *= 4
    return periods


def _periods(steps: Floats, shortest: int) -> NDArray[np.int64]:
    """The period of each row of differences, at least three and longer than `shortest`, or 0."""
    periods = np.zeros(len(steps), dtype=np.int64)
    first, points = max(shortest + 1, 3), steps.shape[1]
    most = points // _CYCLES
    if most <= first:
        return periods
    bound = _OUTLYING * np.median(np.abs(steps), axis=1, keepdims=True)
    steps = np.clip(steps, -bound, bound)
    steps = steps - steps.mean(axis=1, keepdims=True)
    size = 1 << (2 * points - 1).bit_length()
    power = np.abs(np.fft.rfft(steps, size)) ** 2
    held = np.fft.irfft(power, size)[:, : 2 * most + 1]
    varies = np.where(held[:, :1] > 0, held[:, :1], np.inf)
    held = held / varies * points / (points - np.arange(held.shape[1]))
    clear = max(_CLEAR, _CHANCE / np.sqrt(points))
    for i in np.flatnonzero(held[:, first : most + 1].max(axis=1) >= clear):  # few have one
        periods[i] = _clearest(steps[i], held[i], first, most, clear)
    return periods


def _clearest(steps: Floats, held: Floats, first: int, most: int, clear: float) -> int:
    """The period of one row of differences by their autocorrelation `held`, or 0."""
    # All repetitions of a period together place it better than the first alone.
    score = np.array([held[p::p].mean() if p >= first else -1.0 for p in range(most + 1)])
    best = int(np.argmax(score))
    if score[best] < _STEADY * clear or (best == first and held[best - 1] > held[best]):
        return 0
    for parts in range(best // first, 1, -1):  # the shortest that is nearly as clear
        near = _around(best / parts, first)
        if near.size and score[near].max() > _NEARLY * score[best]:
            best = int(near[np.argmax(score[near])])
            break
    near = _around(best, first)
    return int(near[np.argmax([_folded(steps, int(period)) for period in near])])


def _around(period: float, first: int) -> NDArray[np.int64]:
    """Whole periods within 3 % of one, none below `first`."""
    return np.arange(max(int(np.ceil(0.97 * period)), first), int(1.03 * period) + 1)


def _folded(steps: Floats, period: int) -> float:
    """Sum of squares that the phases of `period` explain."""
    phase = np.arange(steps.size) % period
    sums, counts = np.bincount(phase, steps), np.bincount(phase)
    return float(np.sum(sums * sums / counts))


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
