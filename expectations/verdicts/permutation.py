"""The permutation test of Welch's statistic, for many pairs of samples at once.

A. Janssen, Statistics and Probability Letters 36 (1997). If the runs have few splits, all are
evaluated; otherwise a random sample of them, the same for all pairs of the same sizes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST_NOISE", "p_values"]

Floats = NDArray[np.float64]

LEAST_NOISE = 1e-9  # equal values hide noise below their resolution
_EXACT = 20_000  # number of splits up to which all are evaluated
_DRAWN = 9_999  # size of the random sample otherwise
_BLOCK = 4_000_000  # numbers held at once
_EQUAL = 1 - 1e-9  # tolerance for rounding


def p_values(pairs: Sequence[tuple[Floats, Floats]]) -> list[float]:
    """Return the two-sided p-value of each pair, over all or 9,999 random splits of its runs."""
    of_sizes: dict[tuple[int, int], list[int]] = defaultdict(list)
    for position, (x, y) in enumerate(pairs):
        of_sizes[x.size, y.size].append(position)
    p = np.empty(len(pairs))
    for (first, second), positions in of_sizes.items():
        both = np.array([np.concatenate(pairs[position]) for position in positions])
        judge = _all if comb(first + second, first) <= _EXACT else _drawn
        p[positions] = judge(both, first)
    return p.tolist()


def _all(both: Floats, first: int) -> Floats:
    """Return p-values of rows of runs (pairs x runs), the first sample before the second."""
    inside = _splits(both.shape[1], first)
    statistics = [_statistic(row, inside) for row in both]
    return np.array([np.mean(values >= values[0] * _EQUAL) for values in statistics])


@lru_cache(maxsize=16)
def _splits(runs: int, first: int) -> NDArray[np.bool_]:
    """Return every choice of `first` runs (splits x runs), the leading runs first."""
    chosen = np.array(list(combinations(range(runs), first)))
    inside = np.zeros((len(chosen), runs), dtype=bool)
    np.put_along_axis(inside, chosen, values=True, axis=1)
    return inside


def _statistic(both: Floats, inside: NDArray[np.bool_]) -> Floats:
    """Return |Welch's t| of each split (splits x runs); the shift if a sample has one run."""
    means, errors = [], np.zeros(len(inside))
    for part in (inside, ~inside):
        size = int(part[0].sum())
        mean = (both * part).sum(axis=1) / size
        means.append(mean)
        if size > 1:
            squares = (((both - mean[:, None]) * part) ** 2).sum(axis=1)
            errors += squares / (size - 1) / size
    shift = np.abs(means[1] - means[0])
    if 1 in {int(inside[0].sum()), int((~inside[0]).sum())}:
        return shift
    return np.asarray(shift / np.sqrt(errors + LEAST_NOISE**2))


def _drawn(both: Floats, first: int) -> Floats:
    """Do as `_all` with a random sample of splits, by one matrix product."""
    values = (both - both.mean(axis=1, keepdims=True)).T
    actual = np.zeros((1, values.shape[0]))
    actual[0, :first] = 1
    least = _of_sums(actual, values)[0] * _EQUAL
    reached = np.ones(values.shape[1])
    for inside in _draws(values.shape[0], first):
        reached += np.sum(_of_sums(inside, values) >= least, axis=0)
    return np.asarray(reached / (_DRAWN + 1))


def _draws(runs: int, first: int) -> Iterator[Floats]:
    """Yield blocks of random splits (splits x runs): 1 if a run is in the first sample."""
    random = np.random.default_rng(runs)
    rows = max(1, _BLOCK // runs)
    for begin in range(0, _DRAWN, rows):
        orders = np.tile(np.arange(runs), (min(rows, _DRAWN - begin), 1))
        chosen = random.permuted(orders, axis=1)[:, :first]
        inside = np.zeros(orders.shape)
        np.put_along_axis(inside, chosen, values=1, axis=1)
        yield inside


def _of_sums(inside: Floats, values: Floats) -> Floats:
    """Return the statistic of each split and pair, for centred values (runs x pairs)."""
    runs, first = values.shape[0], int(inside[0].sum())
    squared = values * values
    total, total_squares = values.sum(axis=0), squared.sum(axis=0)
    sums, squares = inside @ values, inside @ squared
    shift = np.abs((total - sums) / (runs - first) - sums / first)
    if 1 in {first, runs - first}:
        return shift
    errors = np.zeros_like(sums)
    for size, part, part_squares in (
        (first, sums, squares),
        (runs - first, total - sums, total_squares - squares),
    ):
        errors += np.maximum(part_squares - part * part / size, 0) / (size - 1) / size
    return np.asarray(shift / np.sqrt(errors + LEAST_NOISE**2))
