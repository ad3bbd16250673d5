"""Significance of level shifts: p-values corrected for the search and for many series.

Sources: A. Estrella, Critical values and p values of Bessel process distributions, Econometric
Theory 19 (2003), for the search; D. Siegmund, Sequential Analysis (Springer 1985), for the
correction that points are discrete, with the function nu of D. Siegmund and B. Yakir, The
Statistics of Gene Mapping (Springer 2007); E. S. Venkatraman and A. B. Olshen, Bioinformatics 23
(2007), 657-663, for the search of both ends of an excursion; Y. Benjamini and Y. Hochberg, Journal
of the Royal Statistical Society B 57 (1995), for many series; A. Reiner-Benaim, Biometrical Journal
49 (2007), 107-126, for two-sided tests that are correlated positively and negatively.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ALPHA", "FLOOR", "LEVEL", "NIGHTLY", "REACH", "adjust_for_many", "excursion_p_value",
           "normal_score", "passes_in_families", "search_p_value"]  # fmt: skip

Floats = NDArray[np.float64]
ALPHA = 0.005  # probability of a false shift in a series without any, judged once
#: The same where a series is judged again with every run. Most checks see what the last one saw, so
#: that the probability of any false shift in a year of nights is about 1 % for noise without much
#: memory (docs/detector.md).
NIGHTLY = 2e-4
_PLACES = np.linspace(-0.975, 0.975, 40)  # middles of equal parts of the log odds
_PARTS = (np.arange(40) + 0.5) / 40  # middles of equal parts
LEVEL = 0.05  # false discovery rate over the series of a family
FLOOR = 0.5  # smallest shift, in standard deviations of the noise
REACH = 1.96  # standard errors of a 95 % confidence interval


def normal_score(statistic: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the standard normal deviate with the same tail as |t|; shapes broadcast.

    Student's t accounts for the variance estimated from few points in short series.
    """
    from scipy import special  # only the extra `build` has it

    tail = special.stdtr(np.asarray(freedom, float), -np.abs(np.asarray(statistic, float)))
    return np.asarray(-special.ndtri(np.maximum(tail, 1e-300)))


def search_p_value(score: ArrayLike, count: ArrayLike, least: ArrayLike, terms: int = 1) -> Floats:
    """Return the probability that noise alone reaches `score` at the best place of a series.

    score: standard normal deviate of the difference of two means or, if `terms` coefficients can
    change at once, the square root of chi-square; count: points of the series; least: minimum
    number of points on either side. Shapes broadcast. This is the tail beyond x = score**2 of the
    supremum of a squared Bessel process of order k (Estrella 2003):
    (x/2)**(k/2) exp(-x/2) / Gamma(k/2) ((1 - k/x) ln T + 2/x), T = ((count - least) / least)**2.
    The process is continuous, a series is not: for one term, ln T, which is the integral of
    1 / (t (1 - t)) over the places t, is taken of nu(score / sqrt(count t (1 - t))) times that
    (Siegmund 1985).
    """
    from scipy import special

    n, h = np.asarray(count, float), np.asarray(least, float)
    half = np.log(np.maximum((n - h) / h, 1.0))
    spread = 2 * half * (_at_points(score, n, half) if terms == 1 else 1.0)
    x = np.square(np.minimum(np.asarray(score, float), 1e3))
    far = np.maximum(x, 2 + 2 * terms)  # the formula holds for the tail only; p is one below it
    density = (far / 2) ** (terms / 2) * np.exp(-far / 2) / special.gamma(terms / 2)
    tail = np.clip(density * ((1 - terms / far) * spread + 2 / far), 0.0, 1.0)
    return np.asarray(np.where(x < far, 1.0, tail))


def _at_points(score: ArrayLike, count: Floats, half: Floats) -> Floats:
    """Return the mean of nu over the places of a series, even in their log odds."""
    odds = half[..., None] * _PLACES
    bound = np.minimum(np.asarray(score, float), 1e3)[..., None]
    x = bound * np.sqrt((2 + 2 * np.cosh(odds)) / count[..., None])
    return np.asarray(_nu(x).mean(axis=-1))


def excursion_p_value(score: ArrayLike, count: ArrayLike, least: ArrayLike) -> Floats:
    """Return the probability that noise alone reaches `score` between the best two places.

    score: standard normal deviate of the mean between them from that of the rest; count: points;
    least: minimum number of points between them, and of the rest. With b = score, of both signs:
    b**3 exp(-b**2 / 2) / (2 sqrt(2 pi)) times the integral from 1/2 to 1 - least / count of
    nu(b / sqrt(count t (1 - t)))**2 / (t (1 - t)**2) over t (Venkatraman and Olshen 2007).
    """
    n, b = np.asarray(count, float), np.minimum(np.asarray(score, float), 1e3)
    last = np.maximum(1 - np.asarray(least, float) / n, 0.5)
    # Parts that are even in 1 / (1 - t), which is where the integral is.
    odds = 1 / (2 + (1 / (1 - last) - 2)[..., None] * _PARTS)
    t = 1 - odds
    x = b[..., None] / np.sqrt(n[..., None] * t * odds)
    mean = (np.square(_nu(x)) / t).mean(axis=-1) * (1 / (1 - last) - 2)
    far = np.maximum(b, np.sqrt(3.0))  # the formula holds for the tail only
    tail = far**3 * np.exp(-(far**2) / 2) / (2 * np.sqrt(2 * np.pi)) * mean
    return np.asarray(np.where(b < far, 1.0, np.clip(tail, 0.0, 1.0)))


def _nu(x: Floats) -> Floats:
    """Return Siegmund's function nu."""
    from scipy import special

    x = np.maximum(x, 1e-6)
    below = special.ndtr(x / 2)
    density = np.exp(-x * x / 8) / np.sqrt(2 * np.pi)
    return np.asarray((2 / x) * (below - 0.5) / ((x / 2) * below + density))


def adjust_for_many(p_values: ArrayLike) -> Floats:
    """Return p-values adjusted by Benjamini and Hochberg (one dimension, same shape).

    Their procedure is proved for tests that are positively dependent. The metrics of a run are
    correlated positively and negatively (a rate falls when a cost rises), but the tests are
    two-sided: then the rate is held too (Reiner-Benaim).
    """
    p = np.asarray(p_values, float)
    order = np.argsort(p)
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1.0)


def passes_in_families(
    p_values: Sequence[float],
    families: Sequence[Hashable],
    sizes: Mapping[Hashable, int],
    level: float = LEVEL,
) -> list[bool]:
    """Return which p-values pass at a false discovery rate, family by family.

    families: the family of each p-value; sizes: number of tests of each family: those without a
    p-value count as one.
    """
    places: dict[Hashable, list[int]] = {}
    for i, family in enumerate(families):
        places.setdefault(family, []).append(i)
    passing = [False] * len(families)
    for family, members in places.items():
        silent = max(sizes.get(family, 0) - len(members), 0)
        p = [*(p_values[i] for i in members), *([1.0] * silent)]
        for i, adjusted in zip(members, adjust_for_many(p), strict=False):
            passing[i] = bool(adjusted <= level)
    return passing
