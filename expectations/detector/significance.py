"""How sure a level shift is: p-values that count the search for its place, and many series.

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
ALPHA = 0.005  # chance of a shift in a series that has none


def normal_score(statistic: ArrayLike, freedom: ArrayLike) -> Floats:
    """The standard normal deviate as improbable as |statistic| of Student's t; shapes broadcast.

    In short series the spread is estimated from few points, which Student's t accounts for.
    """
    tail = special.stdtr(np.asarray(freedom, float), -np.abs(np.asarray(statistic, float)))
    return np.asarray(-special.ndtri(np.maximum(tail, 1e-300)))


def search_p_value(score: ArrayLike, count: ArrayLike, least: ArrayLike, terms: int = 1) -> Floats:
    """Probability that noise alone reaches `score` at the best of all places in a series.

    score: standard normal deviate of the difference of two means or, with `terms` coefficients
    that may change at once, the root of its chi-square; count: points of the series; least:
    fewest points on either side. Shapes broadcast. The tail of the supremum of a squared Bessel
    process of order k (Estrella 2003) beyond x = score**2:
    (x/2)**(k/2) exp(-x/2) / Gamma(k/2) ((1 - k/x) ln T + 2/x), T = ((count - least) / least)**2.
    """
    n, h = np.asarray(count, float), np.asarray(least, float)
    spread = 2 * np.log(np.maximum((n - h) / h, 1.0))
    x = np.square(np.minimum(np.asarray(score, float), 1e3))
    far = np.maximum(x, 2 + 2 * terms)  # nearer than that it is no tail: p is one
    density = (far / 2) ** (terms / 2) * np.exp(-far / 2) / special.gamma(terms / 2)
    tail = np.clip(density * ((1 - terms / far) * spread + 2 / far), 0.0, 1.0)
    return np.asarray(np.where(x < far, 1.0, tail))


def adjust_for_many(p_values: ArrayLike) -> Floats:
    """Benjamini-Yekutieli adjusted p-values (shape kept, one dimension): q-values of a family.

    Yekutieli's form, because the metrics of one run move together and against each other (a rate
    falls where a cost rises): Benjamini-Hochberg's is proved for positive dependence only.
    """
    p = np.asarray(p_values, float)
    if not p.size:
        return p
    order = np.argsort(p)[::-1]
    ranks = np.arange(p.size, 0, -1)
    harmonic = np.sum(1.0 / np.arange(1, p.size + 1))
    falling = np.minimum.accumulate(p[order] * p.size * harmonic / ranks)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(falling, 1.0)
    return adjusted
