"""Significance of level shifts: p-values corrected for the search and for many series.

Sources: A. Estrella, Critical values and p values of Bessel process distributions, Econometric
Theory 19 (2003), for the search; Y. Benjamini and D. Yekutieli, Annals of Statistics 29 (2001),
theorem 1.3, for many series.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = ["ALPHA", "adjust_for_many", "normal_score", "search_p_value"]

Floats = NDArray[np.float64]
ALPHA = 0.005  # probability of a false shift in a series without any


def normal_score(statistic: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the standard normal deviate with the same tail as |t|; shapes broadcast.

    Student's t accounts for the variance estimated from few points in short series.
    """
    tail = special.stdtr(np.asarray(freedom, float), -np.abs(np.asarray(statistic, float)))
    return np.asarray(-special.ndtri(np.maximum(tail, 1e-300)))


def search_p_value(score: ArrayLike, count: ArrayLike, least: ArrayLike, terms: int = 1) -> Floats:
    """Return the probability that noise alone reaches `score` at the best place of a series.

    score: standard normal deviate of the difference of two means or, if `terms` coefficients can
    change at once, the square root of chi-square; count: points of the series; least: minimum
    number of points on either side. Shapes broadcast. This is the tail beyond x = score**2 of the
    supremum of a squared Bessel process of order k (Estrella 2003):
    (x/2)**(k/2) exp(-x/2) / Gamma(k/2) ((1 - k/x) ln T + 2/x), T = ((count - least) / least)**2.
    """
    n, h = np.asarray(count, float), np.asarray(least, float)
    spread = 2 * np.log(np.maximum((n - h) / h, 1.0))
    x = np.square(np.minimum(np.asarray(score, float), 1e3))
    far = np.maximum(x, 2 + 2 * terms)  # the formula holds for the tail only; p is one below it
    density = (far / 2) ** (terms / 2) * np.exp(-far / 2) / special.gamma(terms / 2)
    tail = np.clip(density * ((1 - terms / far) * spread + 2 / far), 0.0, 1.0)
    return np.asarray(np.where(x < far, 1.0, tail))


def adjust_for_many(p_values: ArrayLike) -> Floats:
    """Return p-values adjusted by Benjamini and Yekutieli (one dimension, same shape).

    Their procedure holds under any dependence; Benjamini-Hochberg's needs positive dependence, but
    the metrics of a run are correlated positively and negatively (a rate falls when a cost rises).
    """
    from scipy import stats  # takes a second to import, and most callers need ALPHA only

    return np.asarray(stats.false_discovery_control(np.asarray(p_values, float), method="by"))
