"""Seasons: found in the differences of a series, removed by the medians of the phases."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["find_periods", "remove_season"]

Floats = NDArray[np.float64]

_CYCLES = 4  # minimum number of cycles of a season
_CLEAR = 0.5  # minimum autocorrelation of the differences at the period
_OUTLYING = 12  # in median differences: larger ones are shifts or spikes
_REPEATS = 64  # the series must be this many times longer than the span of a difference
_STEADY = 0.7  # share of _CLEAR that must hold over all repetitions
_NEARLY = 0.85  # a shorter period is preferred from this share of the best score
_CHANCE = 3.2  # standard errors that the autocorrelation of noise does not reach


def find_periods(rows: Floats) -> NDArray[np.int64]:
    """Return the period in points of each row of a matrix (series x points), 0 for no season.

    Differences hide levels and trends (one outlier per shift) but repeat with the season:
    differences to the next point are tried first, then, for slow seasons in noise, those over 4,
    16... points.
    """
    periods = np.zeros(len(rows), dtype=np.int64)
    apart = 1
    while apart == 1 or apart <= rows.shape[1] // _REPEATS:
        left = np.flatnonzero(periods == 0)
        periods[left] = _periods(rows[left, apart:] - rows[left, :-apart], 2 * apart)
        apart *= 4
    return periods


def _periods(steps: Floats, shortest: int) -> NDArray[np.int64]:
    """Return the period of each row of differences, at least 3 and above `shortest`, or 0."""
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
    correlation = np.fft.irfft(power, size)[:, : 2 * most + 1]
    varies = np.where(correlation[:, :1] > 0, correlation[:, :1], np.inf)
    correlation = correlation / varies * points / (points - np.arange(correlation.shape[1]))
    clear = max(_CLEAR, _CHANCE / np.sqrt(points))
    for i in np.flatnonzero(
        correlation[:, first : most + 1].max(axis=1) >= clear
    ):  # few series have a season
        periods[i] = _clearest(steps[i], correlation[i], first, most, clear)
    return periods


def _clearest(steps: Floats, correlation: Floats, first: int, most: int, clear: float) -> int:
    """Return the period of one row of differences with autocorrelation `correlation`, or 0."""
    # All repetitions together locate a period better than the first one.
    score = np.array([correlation[p::p].mean() if p >= first else -1.0 for p in range(most + 1)])
    best = int(np.argmax(score))
    if score[best] < _STEADY * clear or (
        best == first and correlation[best - 1] > correlation[best]
    ):
        return 0
    for parts in range(best // first, 1, -1):  # prefer the shortest that is nearly as clear
        near = _around(best / parts, first)
        if near.size and score[near].max() > _NEARLY * score[best]:
            best = int(near[np.argmax(score[near])])
            break
    near = _around(best, first)
    return int(near[np.argmax([_folded(steps, int(period)) for period in near])])


def _around(period: float, first: int) -> NDArray[np.int64]:
    """Return the integer periods within 3 % of `period`, none below `first`."""
    return np.arange(max(int(np.ceil(0.97 * period)), first), int(1.03 * period) + 1)


def _folded(steps: Floats, period: int) -> float:
    """Return the sum of squares that the phases of `period` explain."""
    phase = np.arange(steps.size) % period
    sums, counts = np.bincount(phase, steps), np.bincount(phase)
    return float(np.sum(sums * sums / counts))


def remove_season(row: Floats, period: int) -> Floats:
    """Remove the season of `period` points from a series.

    Phases are medians around a moving mean over one season. They are subtracted, or divided out if
    all values are positive and that leaves less.
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
    left = [np.sum((item - level)[core] ** 2) for item in (plain, grown)]
    return grown if left[1] < left[0] else plain


def _phases(rest: Floats, phase: NDArray[np.int64], period: int) -> Floats:
    """Return the median of each phase minus the mean of the medians."""
    medians = np.array([np.median(rest[phase == k]) for k in range(period)])
    return np.asarray(medians - medians.mean())
