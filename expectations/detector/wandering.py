"""Series whose level moves by itself: how likely that is, and which steps still stand out.

A random walk, or a slow wave, has no levels, yet a piecewise constant function fits each stretch of
it. So two models of a series compete:

    steady   levels or lines and changes between them, with noise of a limited memory
    wanders  the local level model: level(t) = level(t-1) + step(t), value(t) = level(t) + noise(t)

The likelihood of the second comes from the Kalman filter, with the variance q of a step in units of
that of the noise (A. C. Harvey, Forecasting, Structural Time Series Models and the Kalman Filter,
1989). D, the difference of the logarithms of both likelihoods less their penalties, is the weight
of evidence that a series is steady. What is believed before is the share of series that wander in
its family, by the EM algorithm for the share of a mixture, with a few usual series, half of which
wander. A series wanders if the evidence against it is not stronger than this belief.

In a series that wanders, a step counts if it stands out from the usual movement: a regression on
steps with the innovations of the filter (P. de Jong, J. Penzer, Journal of the American Statistical
Association 93 (1998), 796-806). G. Romano, G. Rigaill, V. Runge and P. Fearnhead (ibid. 117 (2022),
2147-2162) show what methods without such a model find in series of this kind.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = [
    "CHANGED",
    "LEAST_VARIANCE",
    "MOST_MEMORY",
    "SLOPED",
    "Movement",
    "movements",
    "standing_out",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_VARIANCE = 1e-9  # of a series of one value, in both models
MOST_MEMORY = 0.5  # autocorrelation of the noise of a steady series, at most
CHANGED = float(2 * np.log(20))  # added to a criterion: one steady series in twenty has a change
SLOPED = 2 * CHANGED  # and one in 400 a slope
#: Variance of a step of the level, in units of that of the noise; infinite without noise.
_RATIOS = np.append(np.geomspace(3e-3, 10.0, 12), np.inf)
_USUAL_SERIES, _USUAL_SHARE = 5.0, 0.05  # that count as in every family, and how many wander
_ROUNDS = 30  # of the EM algorithm
_LEAST = 12  # points
_CLEAR = 6.0  # differences of neighbours, in their usual deviation, that no movement explains
_MEDIAN = 0.6745  # of |standard normal|
_LEAST_USUAL = 0.5  # of the noise: a figure of few different values hardly moves, then jumps
_LEAST_LEVEL = 5  # points between two of them
_MOST_JUMPS = 3  # of a series: more are its movement
_SURE = 20 / 21  # probability from which a series is said to wander


@dataclass(frozen=True, slots=True)
class Movement:
    """How the level of a series moves, if it does.

    weights: of the ratios in its family, logarithms; jumps: indexes of steps that no movement from
    one point to the next explains.
    """

    wanders: bool
    weights: Floats
    jumps: tuple[int, ...] = ()


def movements(
    rows: Sequence[Floats], steady: ArrayLike, families: Sequence[Hashable]
) -> list[Movement]:
    """Return for each series whether it wanders, given what is likely for its family.

    rows: prepared series (unit noise) of any lengths; steady: their least criterion of a steady
    model, count * ln(variance of the innovations) and penalties. Too short ones are steady.
    """
    sizes = np.array([row.size for row in rows])
    places: list[tuple[int, ...]] = [()] * len(rows)
    likelihood = np.zeros((len(rows), 1 + _RATIOS.size))  # the first column is of the steady model
    likelihood[:, 0] = -(np.asarray(steady, dtype=float) + np.log(np.maximum(sizes, 1))) / 2
    for size in np.unique(sizes):
        members = np.flatnonzero(sizes == size).tolist()
        if size < _LEAST:
            likelihood[members, 0] = np.inf
            continue
        values = np.array([rows[i] for i in members])
        values, jumps = _without_jumps(values)
        steps = jumps.sum(axis=1)
        for i, jump in zip(members, jumps, strict=True):
            places[i] = tuple((np.flatnonzero(jump) + 1).tolist())
        penalty = 1.5 * np.log(size) * steps + CHANGED / 2 * (steps > 0)
        likelihood[members, 1:] = _likelihoods(values[:, :, None])[0] - penalty[:, None]
    of_family: dict[Hashable, list[int]] = {}
    for i, family in enumerate(families):
        of_family.setdefault(family, []).append(i)
    result = [_STILL] * len(rows)
    for members in of_family.values():
        long = [i for i in members if sizes[i] >= _LEAST]
        if long:
            shares, weights = _mixture(likelihood[long])
            for i, share in zip(long, shares.tolist(), strict=True):
                result[i] = Movement(share > _SURE, weights, places[i])
    return result


def _without_jumps(values: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return series without the steps that stand out from all other differences of neighbours.

    Return also which differences are such steps (series x (points - 1)). Otherwise one clear step
    in a series that wanders would make it look steady.
    """
    apart = np.diff(values, axis=1)
    usual = np.median(np.abs(apart), axis=1, keepdims=True) / _MEDIAN
    jumps = np.abs(apart) > _CLEAR * np.maximum(usual, _LEAST_USUAL)
    for jump in jumps:
        places = np.flatnonzero(jump) + 1
        ends = np.concatenate([[0], places, [values.shape[1]]])
        # What comes back at once is no step.
        jump[:] &= places.size <= _MOST_JUMPS and np.diff(ends).min() >= _LEAST_LEVEL
    gone = np.cumsum(np.where(jumps, apart, 0.0), axis=1)
    return values - np.pad(gone, ((0, 0), (1, 0))), jumps


def _mixture(likelihood: Floats) -> tuple[Floats, Floats]:
    """Return the probability of each series that it wanders, and the log weights of the ratios.

    Whether a series wanders is judged with equal weights of all ratios: series with a step favour
    some of them, and are no evidence that others wander.
    """
    of_ratio = likelihood[:, 1:]
    moving = special.logsumexp(of_ratio, axis=1) - np.log(_RATIOS.size)
    against, share = likelihood[:, 0] - moving, _USUAL_SHARE
    for _ in range(_ROUNDS):
        of_each = special.expit(special.logit(share) - against)
        total = _USUAL_SERIES * _USUAL_SHARE + float(of_each.sum())
        share = total / (_USUAL_SERIES + against.size)
    weights = 1 + of_each @ special.softmax(of_ratio, axis=1) * _RATIOS.size
    return of_each, np.log(weights)


def standing_out(
    rows: Sequence[Floats],
    starts: Sequence[Sequence[int]],
    weights: Sequence[Floats],
    alpha: Sequence[float],
) -> list[tuple[Ints, Floats]]:
    """Return the starts of steps that stand out from how series wander, and their p-values.

    starts: candidates of each series; weights: of the ratios (see Movement). The weakest is left
    out until each is significant at `alpha`, corrected for the number of places.
    """
    kept = [list(start) for start in starts]
    result = [(np.empty(0, dtype=np.int64), np.empty(0))] * len(rows)
    left = [i for i, item in enumerate(kept) if item]
    while left:
        alike: dict[tuple[int, int], list[int]] = {}
        for i in left:
            alike.setdefault((rows[i].size, len(kept[i])), []).append(i)
        left = []
        for members in alike.values():
            shifts, errors, freedom = _regression(
                [rows[i] for i in members],
                [kept[i] for i in members],
                np.array([weights[i] for i in members]),
            )
            for i, shift, error in zip(members, shifts, errors, strict=True):
                row = rows[i]
                p = np.minimum(2 * special.stdtr(freedom, -np.abs(shift) / error) * row.size, 1.0)
                # The levels on both sides say the same as the step.
                means = np.array([row[a:b].mean() for a, b in pairwise([0, *kept[i], row.size])])
                p = np.where(np.diff(means) * shift > 0, p, 1.0)
                if (p <= alpha[i]).all():
                    result[i] = (np.array(kept[i], dtype=np.int64), p)
                    continue
                del kept[i][int(np.argmax(p))]
                left += [i] if kept[i] else []
    return result


_STILL = Movement(wanders=False, weights=np.zeros(_RATIOS.size))


def _regression(
    rows: Sequence[Floats], starts: Sequence[Sequence[int]], weights: Floats
) -> tuple[Floats, Floats, float]:
    """Return the sizes of steps at the best ratio, their errors (both series x steps), freedom.

    rows, starts: of one length each.
    """
    values = np.array([
        np.column_stack([row, np.arange(row.size)[:, None] >= np.array(start)])
        for row, start in zip(rows, starts, strict=True)
    ])  # fmt: skip
    likelihood, squares = _likelihoods(values)
    best = (likelihood + weights).argmax(axis=1)
    products = squares[np.arange(len(rows)), best]
    inverse = np.linalg.pinv(products[:, 1:, 1:])
    outer = products[:, 1:, 0]
    shifts = (inverse @ outer[..., None])[..., 0]
    freedom = max(values.shape[1] - 2 - outer.shape[1], 1)
    left = np.maximum(products[:, 0, 0] - (shifts * outer).sum(axis=1), 1e-12)
    variances = np.diagonal(inverse, axis1=1, axis2=2) * left[:, None] / freedom
    return shifts, np.sqrt(np.maximum(variances, 1e-300)), float(freedom)


def _likelihoods(values: Floats) -> tuple[Floats, Floats]:
    """Return the log likelihood of each series at each ratio, and products.

    values: series x points x columns, the first column is what is observed, others are regressors.
    products: series x ratios x columns x columns, of the innovations divided by their variance.
    The first point has no innovation. The variance of the noise is at its best value.
    """
    series, points, columns = values.shape
    finite = np.isfinite(_RATIOS)
    ratio, noise = np.where(finite, _RATIOS, 1.0), finite.astype(float)
    level = np.repeat(values[:, :1, :], _RATIOS.size, axis=1)  # series x ratios x columns
    spread, logs = noise.copy(), np.zeros(_RATIOS.size)
    products = np.zeros((series, _RATIOS.size, columns, columns))
    for t in range(1, points):
        ahead = spread + ratio
        variance = ahead + noise
        gain = ahead / variance
        news = values[:, t, None, :] - level
        products += news[..., :, None] * (news / variance[:, None])[..., None, :]
        logs += np.log(variance)
        level = level + gain[:, None] * news
        spread = ahead * (1 - gain)
    left = products[..., 0, 0]
    if columns > 1:
        inner, outer = products[..., 1:, 1:], products[..., 1:, 0]
        explained = np.linalg.pinv(inner) @ outer[..., None]
        left = left - (outer * explained[..., 0]).sum(axis=-1)
    variances = np.maximum(left / (points - 1), LEAST_VARIANCE)
    return -0.5 * (points * np.log(variances) + logs), products
