"""Bayesian linear regression with a few named features, for tables with a handful of figures.

With so few figures, a feature that rests on one of them must not be trusted fully. Each weight has
a normal prior (mean, standard deviation); the result is the posterior mean (C. M. Bishop, "Pattern
Recognition and Machine Learning", 2006, equation 3.50).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from models_sim.base.family import Floats


class Weight(NamedTuple):
    """The weight of a feature: its name and its prior."""

    name: str
    mean: float
    sd: float


def posterior(
    features: Floats, measured: Floats, noise: float, weights: Sequence[Weight]
) -> Floats:
    """Return the posterior means of the weights.

    `features` is rows x weights; `noise` is the standard deviation of a figure.
    """
    means = np.array([w.mean for w in weights])
    precision = np.diag([w.sd**-2.0 for w in weights])
    off = measured - features @ means
    solved = np.linalg.solve(precision + features.T @ features / noise**2, features.T @ off)
    return np.asarray(means + solved / noise**2)
