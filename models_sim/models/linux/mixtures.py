"""Mixtures of log-normal figures: quantiles, and the smallest of several independent figures.

A figure that randomly falls into one of several states follows a mixture: state `k` has the
probability `weights[..., k]`, and within it the figure is log-normal around `medians[..., k]` with
the standard deviation `sd` of its natural logarithm. Nothing is drawn at random: quantiles are
found by bisecting the distribution function, for all rows at once.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from models_sim.base.family import Floats

_STEPS = 28  # halvings, which leave 4e-9 of the interval
_TAILS = 9.0  # sd outside the states at which the search begins


def normal_cdf(x: Floats) -> Floats:
    """Return the standard normal distribution function, to 1.5e-7.

    M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions (1964), 7.1.26. Not scipy's:
    importing scipy takes longer than a prediction.
    """
    z = np.abs(x) / np.sqrt(2.0)
    t = 1.0 / (1.0 + 0.3275911 * z)
    terms = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
    poly = np.zeros_like(t)
    for coefficient in reversed(terms):
        poly = (poly + coefficient) * t
    half = 0.5 * poly * np.exp(-(z**2))
    return np.where(x >= 0, 1.0 - half, half)


def normal_density(z: Floats) -> Floats:
    """Return the standard normal density."""
    return np.asarray(np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi))


def cdf(log_x: Floats, medians: Floats, weights: Floats, sd: Floats) -> Floats:
    """Return the probability that the figure is below exp(log_x).

    `log_x` and `sd` have the shape of `medians` and `weights` without the last axis (states).
    """
    z = (log_x[..., None] - np.log(medians)) / sd[..., None]
    return np.sum(weights * normal_cdf(z), axis=-1)


def quantile(medians: Floats, weights: Floats, sd: Floats, at: float) -> Floats:
    """Return the quantile `at` of the mixture; shapes as in `cdf`."""
    if medians.shape[-1] == 1:
        return np.asarray(medians[..., 0] * np.exp(NormalDist().inv_cdf(at) * sd))
    return _solve(lambda log_x: cdf(log_x, medians, weights, sd), medians, sd, at)


def smallest_quantile(medians: Floats, weights: Floats, sd: Floats, at: float) -> Floats:
    """Return the quantile of the smallest of independent figures, one per row.

    `medians` and `weights` are rows x figures x states, `sd` is rows x figures.
    """

    def smallest(log_x: Floats) -> Floats:
        spread = np.broadcast_to(log_x[:, None], sd.shape)
        return 1.0 - np.prod(1.0 - cdf(spread, medians, weights, sd), axis=1)

    return _solve(smallest, medians.reshape(len(medians), -1), sd.max(axis=1), at)


def chance_of_smallest(medians: Floats, weights: Floats, sd: Floats, points: int = 400) -> Floats:
    """Return the probability that each figure is the smallest of its row: rows x figures."""
    flat = np.log(medians.reshape(len(medians), -1))
    reach = _TAILS * sd.max(axis=1)
    grid = np.linspace(flat.min(axis=1) - reach, flat.max(axis=1) + reach, points, axis=-1)
    below = np.stack(
        [
            np.stack([cdf(x, medians[:, j], weights[:, j], sd[:, j]) for x in grid.T], axis=-1)
            for j in range(medians.shape[1])
        ],
        axis=1,
    )  # rows x figures x points
    step = np.diff(below, axis=-1)
    above = 1.0 - (below[..., 1:] + below[..., :-1]) / 2.0
    chances = np.empty(below.shape[:2])
    for j in range(below.shape[1]):
        others = np.prod(np.delete(above, j, axis=1), axis=1)
        chances[:, j] = np.sum(step[:, j] * others, axis=-1)
    return chances / chances.sum(axis=1, keepdims=True)


def _solve(
    distribution: Callable[[Floats], Floats], medians: Floats, sd: Floats, at: float
) -> Floats:
    logs = np.log(medians)
    low = logs.min(axis=-1) - _TAILS * sd
    high = logs.max(axis=-1) + _TAILS * sd
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        under = distribution(middle) < at
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    return np.exp((low + high) / 2.0)
