"""Shifts that many series have at once, each too small to be seen in it alone.

For series that are independent, with standard normal scores z, the likelihood ratio of a shift of
mu in a share p of them is the product of

    1 - p + p exp(mu z - mu**2 / 2)

(the mixture of Y. Xie and D. Siegmund, Annals of Statistics 41 (2013), 670-692). Its mean without a
shift is one, and so is that of an average over shares, sizes and places of the shift: such an
average of at least 1 / alpha has at most the probability alpha (J. Ville's inequality). So it needs
no table, whatever the number of series.

Series that run in one night are not quite independent: what is slow that night moves them all. How
far they usually move together is measured in their history, and taken off each score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from expectations.detector.early import MOST_AFTER, RUN_LENGTH, LastRuns

__all__ = ["LEAST_SERIES", "CommonShift", "common_shift", "evidence", "probabilities",
           "spread_together"]  # fmt: skip

Floats = NDArray[np.float64]

LEAST_SERIES = 5  # fewer say no more together than each alone
_SHARES = np.array([0.1, 0.3, 0.9])
_SIZES = np.array([1.0, 1.5, 2.0, 3.0])
_MOST = 3.0  # of a score: one series alone is no evidence about many
_REACH = 1.645  # standard errors added to a spread
_HOLD = 2.0  # spreads of what series have in common that are taken off each score


@dataclass(frozen=True, slots=True)
class CommonShift:
    """A shift that series have at once.

    place: its number among the places that were tried; scores: of each series there, less what they
    usually have in common; likely: the probability of each that it has the shift.
    """

    place: int
    scores: list[float]
    likely: list[float]


def common_shift(
    runs: LastRuns,
    members: Sequence[int],
    since: Sequence[Sequence[int]],
    rest: Callable[[], ArrayLike],
    tests: int,
) -> CommonShift | None:
    """Return the shift that series have at once in their last runs, None without evidence.

    members: the rows of `runs`; since: the number of runs of each since each place of the shift;
    rest: returns the distances of earlier runs to their level in units of the noise (series x
    builds, NaN without a run); tests: number of such families that are judged at once. It alarms
    without a shift once in RUN_LENGTH looks at all of them, at most.
    """
    counts = np.array(since)
    is_counted = (counts >= 1) & (counts <= MOST_AFTER)
    at = np.array(members)[:, None], np.clip(counts - 1, 0, MOST_AFTER - 1)
    scores = np.where(is_counted, runs.score[at], np.nan)
    scores[:, np.isfinite(scores).sum(axis=0) < LEAST_SERIES] = np.nan
    least = np.log(RUN_LENGTH * tests * counts.shape[1])
    if max(map(evidence, np.minimum(scores, runs.rank[at]).T)) < least:
        return None
    earlier = np.asarray(rest(), dtype=float)
    scores -= _HOLD * spread_together(earlier)
    off = (runs.after[at] - runs.before[at]) / runs.noise[at]
    ranks = np.minimum(runs.rank[at], _ranks(off, np.where(is_counted, counts, 0), earlier))
    evidences = [evidence(column) for column in np.minimum(scores, ranks).T]
    best = int(np.argmax(evidences))
    if evidences[best] < least:
        return None
    column = scores[:, best]
    return CommonShift(best, column.tolist(), probabilities(column).tolist())


def _ranks(off: Floats, counts: NDArray[np.int64], rest: Floats) -> Floats:
    """Return the normal deviates of the shares of earlier runs of all series that were as far off.

    off: mean distance to the level of the last so many runs; counts: their number, 0 for none.
    Noise with a long tail has no more evidence than it has runs as far off.
    """
    ranks = np.full(off.shape, np.inf)
    for k in np.unique(counts[counts > 0]):
        if k > rest.shape[1]:
            continue
        usual = np.lib.stride_tricks.sliding_window_view(rest, k, axis=1).mean(axis=-1)
        usual = np.sort(usual[np.isfinite(usual)])
        of = counts == k
        as_far = usual.size - np.searchsorted(usual, off[of])
        ranks[of] = -special.ndtri((as_far + 1) / (usual.size + 1))
    return ranks


def evidence(scores: Floats) -> float:
    """Return the logarithm of the evidence of a shift; scores of NaN count for nothing."""
    return float(special.logsumexp(_ratios(scores)) - np.log(_SHARES.size * _SIZES.size))


def probabilities(scores: Floats) -> Floats:
    """Return the probability of each series that it has the shift, if there is one."""
    ratios = _ratios(scores)
    share, size = np.unravel_index(int(ratios.argmax()), ratios.shape)
    odds = special.logit(_SHARES[share]) + _SIZES[size] * scores - _SIZES[size] ** 2 / 2
    return np.asarray(np.nan_to_num(special.expit(odds)))


def _ratios(scores: Floats) -> Floats:
    """Return the logarithms of the likelihood ratios (shares x sizes)."""
    z = np.minimum(scores[np.isfinite(scores)], _MOST)
    each = np.exp(_SIZES[:, None] * z - _SIZES[:, None] ** 2 / 2)
    p = _SHARES[:, None, None]
    return np.asarray(np.log(1 - p + p * each).sum(axis=-1))


def spread_together(rest: Floats) -> float:
    """Return the standard deviation of what series have in common, in that of each one's noise.

    rest: standardised distances to the level (series x builds), NaN where a series has no run. One
    and a half standard errors are added: few series tell it badly.
    """
    is_finite = np.isfinite(rest)
    counts = is_finite.sum(axis=0)
    columns = counts >= 2
    if columns.sum() < 2:
        return 0.0
    clipped = np.clip(np.where(is_finite, rest, 0.0), -_MOST, _MOST)[:, columns]
    counts = counts[columns]
    sums, squares = clipped.sum(axis=0), (clipped**2).sum(axis=0)
    # The mean product of two series in a build.
    products = (sums**2 - squares) / (counts * (counts - 1))
    error = float(np.sqrt(2 / columns.sum())) / float(np.sqrt(counts * (counts - 1.0)).mean())
    return max(float(products.mean()) + _REACH * error, 0.0) ** 0.5
