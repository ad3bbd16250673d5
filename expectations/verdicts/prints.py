"""A sample of runs against a print (a figure, a range) and a claim.

A printed figure is one run of somebody else: it has the noise of a run, and the rounding of its
digits. Document 000, the only one that states a noise, aims at 6 % between two runs, so a run has a
standard deviation of 2.2 %; if the runs' own is larger, it counts. The print agrees if it lies in
the 95 % prediction interval, and that reaches at most 15 % to either side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import exp, expm1, hypot, inf, isnan, log
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from expectations.verdicts.samples import ALPHA
from expectations.verdicts.verdict import (
    AGREES,
    DIFFERS,
    DOCUMENT,
    OWN_RUNS,
    SERIES,
    UNDECIDED,
    Verdict,
    quantile,
)

__all__ = ["DOCUMENT_NOISE", "Figure", "against_cell", "against_claim", "against_print",
           "figure_of", "rounding"]  # fmt: skip

DOCUMENT_NOISE = 0.022
_WIDEST = 0.15  # reach of an interval that decides anything
_DOCUMENT_FREEDOM = 20.0  # degrees of freedom of a noise that runs and the document tell together
_DIGITS = re.compile(r"\d[\d,]*(?:\.(\d+))?")


def rounding(printed: str) -> float:
    """Return the relative half of the last digit of a printed number, 0 if there is none.

    >>> [round(rounding(text), 5) for text in ("7.6G", "33.17", "7,782", "none")]
    [0.00658, 0.00015, 6e-05, 0.0]
    """
    match = _DIGITS.search(printed)
    number = float(match[0].replace(",", "")) if match else 0.0
    return 0.5 * 10.0 ** -len((match and match[1]) or "") / number if number else 0.0


class Figure(NamedTuple):
    """A figure that is computed from runs.

    error: its standard error; claimed_error: that of the same figure of the document, which rests
    on one run a side, both in the unit of the value; noise: relative error; noise_source: whose.
    """

    value: float
    error: float
    claimed_error: float
    noise: float
    noise_source: str


def _noise(values: Sequence[float], document: float, series: float) -> tuple[float, str, float]:
    """Return the relative noise of a run, whose it is, and its degrees of freedom."""
    scatter = stdev(map(log, values)) if len(values) > 1 and min(values) > 0 else 0.0
    noise, source = max((document, DOCUMENT), (series, SERIES), (scatter, OWN_RUNS))
    freedom = len(values) - 1 + _DOCUMENT_FREEDOM if source == OWN_RUNS else inf
    return noise, source, freedom


def against_print(
    values: ArrayLike,
    printed: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    rounding: float = 0.0,
    document_noise: float = DOCUMENT_NOISE,
    series_noise: float = 0.0,
    alpha: float = ALPHA,
) -> Verdict:
    """Return the verdict on a sample against a printed figure, or a range from `low` to `high`.

    values: one number per run, NaN for a failed run; printed: what the estimate is relative to; of
    a range None is its nearer end; rounding: relative half of the last digit; document_noise,
    series_noise: relative standard deviation of a run of the document and of the runs' series. The
    estimate is the change to the mean of the runs, in percent, with the 95 % prediction interval. A
    print of zero, or a run of zero, differs from anything that does not round to it. Raises
    ValueError without a run or a print.
    """
    runs = [float(value) for value in np.ravel(values) if not isnan(value)]
    low = printed if low is None else low
    if not runs or low is None:
        raise ValueError("the sample has no runs or nothing is printed")
    noise, source, freedom = _noise(runs, document_noise, series_noise)
    is_log = min(runs) > 0 and low > 0
    mean = exp(fmean(map(log, runs))) if is_log else fmean(runs)
    nearest = min(max(mean, low), low if high is None else high)
    base = nearest if printed is None else printed

    def off(figure: float) -> float:
        return log(mean / figure) if is_log else (mean - figure) / (abs(figure) or abs(mean) or 1)

    reach = quantile(alpha, min(freedom, 1e6)) * noise * (1 + 1 / len(runs)) ** 0.5 + rounding
    is_narrow = exp(reach) - 1 <= _WIDEST or (high is not None and mean == nearest)
    verdict = DIFFERS if abs(off(nearest)) > reach else AGREES if is_narrow else UNDECIDED
    low, estimate, high = (
        100 * (expm1(off(base) + at) if is_log else off(base) + at) for at in (-reach, 0, reach)
    )
    reasons = {
        AGREES: "the print is in the 95 % prediction interval",
        DIFFERS: "the print is outside the 95 % prediction interval",
        UNDECIDED: f"the prediction interval reaches further than {100 * _WIDEST:g} %",
    }
    return Verdict(
        verdict, 0, len(runs), base, mean, estimate, low, high, "%", noise, source,
        f"{reasons[verdict]}: a run varies by {100 * noise:.1f} % ({source})",
        more_runs=_more(noise, len(runs), rounding, alpha) if verdict == UNDECIDED else 0,
    )  # fmt: skip


def against_cell(
    values: ArrayLike, value: float, low: float | None, high: float | None, printed: str | None
) -> Verdict:
    """Return the verdict on a sample against a cell of a document, as `against_print`.

    value: of the cell; low, high: of a printed range, of which the nearer end counts; printed: the
    text, whose digits are rounded.
    """
    middle = value if low is None else None
    return against_print(values, middle, low, high, rounding=rounding(printed or ""))


def _more(noise: float, runs: int, rounding: float, alpha: float) -> int | None:
    """Return how many runs more make the prediction interval narrow enough, if any number does."""
    most = (log(1 + _WIDEST) - rounding) / (quantile(alpha, 1e6) * noise)
    needed = 1 / (most**2 - 1) if most > 1 else inf
    return max(int(needed) + 1 - runs, 1) if needed < 1_000 else None


def against_claim(
    figures: Sequence[Figure],
    low: float | None = None,
    high: float | None = None,
    *,
    reach: float | None = None,
    without: float | None = None,
    tolerance: float = 0.0,
    unit: str = "",
    alpha: float = ALPHA,
) -> Verdict:
    """Return the verdict on figures, one per configuration or pair, against a claim.

    low, high: bounds that no figure passes beyond noise, its own and the claim's, and `tolerance`;
    reach: what the largest figure gets to, so that "up to 11 times" is high=11, reach=11; without:
    the figure if there is no effect. The level is divided by the number of figures. The figure that
    decides is the candidate, what it is held against the baseline, and the estimate is the figure
    with its interval, in `unit`. Undecided if the noise reaches further than 15 % of the runs'
    figures, or the claim is of an effect and the interval has none in it. Raises ValueError without
    a figure or a claim.
    """
    if not figures or low == high == reach is None:
        raise ValueError("a claim needs figures and a bound")
    wide = quantile(alpha / len(figures), 1e6)
    largest = max(figures, key=lambda figure: figure.value)
    conditions = [
        (sign * (bound - figure.value) - tolerance, figure, bound)
        for bound, sign, some in ((low, 1, figures), (high, -1, figures), (reach, 1, [largest]))
        if bound is not None
        for figure in some
    ]
    # How far each is missed, in its noise: the worst decides.
    missed, figure, bound = max(conditions, key=lambda each: each[0] / hypot(*each[1][1:3]))
    far = wide * figure.error
    is_effect = without is not None and (
        (low is not None and low > without)
        or (high is not None and high < without)
        or (reach is not None and reach > without)
    )
    if missed > wide * hypot(figure.error, figure.claimed_error):
        verdict, reason = DIFFERS, "the figure is further from it than its noise"
    elif is_effect and without is not None and abs(figure.value - without) <= far:
        verdict, reason = UNDECIDED, "there may be no effect at all"
    elif wide * figure.noise > _WIDEST:
        verdict, reason = UNDECIDED, f"the noise reaches further than {100 * _WIDEST:g} %"
    else:
        verdict, reason = AGREES, "all figures are as claimed, within their noise"
    return Verdict(
        verdict, 0, len(figures), bound, figure.value, figure.value, figure.value - far,
        figure.value + far, unit, figure.noise, figure.noise_source, reason,
        more_runs=None if verdict == UNDECIDED else 0,
    )  # fmt: skip


def figure_of(
    value: float,
    size: float,
    samples: Sequence[Sequence[float]],
    *,
    document_noise: float = DOCUMENT_NOISE,
) -> Figure:
    """Return a figure that is computed from the means of samples, with its noise.

    size: what a relative change of a mean by 1 changes the figure by; samples: one number per run.
    """
    sides = [(*_noise(runs, document_noise, 0.0), len(runs)) for runs in samples if runs]
    noise = sum(of_run**2 / runs for of_run, _, _, runs in sides) ** 0.5
    claimed = document_noise * len(sides) ** 0.5
    source = OWN_RUNS if any(source == OWN_RUNS for _, source, _, _ in sides) else DOCUMENT
    return Figure(value, abs(size) * noise, abs(size) * claimed, noise, source)
