"""The permutation test of Welch's statistic, for many pairs of sides at once.

A. Janssen, Statistics and Probability Letters 36 (1997). All splits of the runs are tried where
there are few; else they are drawn, the same ones for all pairs of the same sizes.
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

LEAST_NOISE = 1e-9  # equal values hide a noise below their resolution
_EXACT = 20_000  # permutations up to which all are tried
_DRAWN = 9_999  # permutations drawn beyond
_BLOCK = 4_000_000  # numbers that are held at once
_EQUAL = 1 - 1e-9  # what rounding may part


def p_values(pairs: Sequence[tuple[Floats, Floats]]) -> list[float]:
    """Two-sided p-value of each pair of sides among all, or 9,999 drawn, splits of its runs."""
    of_sizes: dict[tuple[int, int], list[int]] = defaultdict(list)
    for position, (x, y) in enumerate(pairs):
        of_sizes[x.size, y.size].append(position)
    found = np.empty(len(pairs))
    for (first, second), positions in of_sizes.items():
        both = np.array([np.concatenate(pairs[position]) for position in positions])
        judge = _all if comb(first + second, first) <= _EXACT else _drawn
        found[positions] = judge(both, first)
    return found.tolist()


def _all(both: Floats, first: int) -> Floats:
    """P-values of rows of runs (pairs x runs), the first side's before the second's."""
    inside = _splits(both.shape[1], first)
    held = [_statistic(row, inside) for row in both]
    return np.array([np.mean(values >= values[0] * _EQUAL) for values in held])


@lru_cache(maxsize=16)
def _splits(runs: int, first: int) -> NDArray[np.bool_]:
    """Every choice of `first` of the runs (splits x runs), that of the leading ones at the top."""
    chosen = np.array(list(combinations(range(runs), first)))
    inside = np.zeros((len(chosen), runs), dtype=bool)
    np.put_along_axis(inside, chosen, values=True, axis=1)
    return inside


def _statistic(both: Floats, inside: NDArray[np.bool_]) -> Floats:
    """|Welch's t| of each split (splits x runs); the plain shift where a side has one run."""
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
    """As `_all`, from sums over the drawn splits, which one product of matrices gives."""
    values = (both - both.mean(axis=1, keepdims=True)).T
    actual = np.zeros((1, values.shape[0]))
    actual[0, :first] = 1
    least = _of_sums(actual, values)[0] * _EQUAL
    reached = np.ones(values.shape[1])
    for inside in _draws(values.shape[0], first):
        reached += np.sum(_of_sums(inside, values) >= least, axis=0)
    return np.asarray(reached / (_DRAWN + 1))


def _draws(runs: int, first: int) -> Iterator[Floats]:
    """Blocks of drawn splits: 1 where a run stands on the first side (splits x runs)."""
    random = np.random.default_rng(runs)
    rows = max(1, _BLOCK // runs)
    for begin in range(0, _DRAWN, rows):
        orders = np.tile(np.arange(runs), (min(rows, _DRAWN - begin), 1))
        chosen = random.permuted(orders, axis=1)[:, :first]
        inside = np.zeros(orders.shape)
        np.put_along_axis(inside, chosen, values=1, axis=1)
        yield inside


def _of_sums(inside: Floats, values: Floats) -> Floats:
    """The statistic of each split and pair, of values (runs x pairs) about their mean."""
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
