"""A sample of runs against a print (a figure, a range), a claim; and a figure against a limit.

A printed figure is one run of somebody else: it has the noise of a run, and the rounding of its
digits. Document 000, the only one that states a noise, aims at 6 % between two runs, so a run has a
standard deviation of 2.2 %; if the runs' own is larger, it counts. The print agrees if it lies in
the 95 % prediction interval, and that reaches at most 15 % to either side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import exp, expm1, inf, isnan, log
from statistics import fmean, stdev

import numpy as np
from numpy.typing import ArrayLike

from expectations.verdicts.samples import ALPHA
from expectations.verdicts.verdict import (
    AGREES,
    ALARM,
    DIFFERS,
    DOCUMENT,
    OWN_RUNS,
    SERIES,
    UNDECIDED,
    WARNING,
    WITHIN,
    Verdict,
    quantile,
)

__all__ = ["DOCUMENT_NOISE", "against_claim", "against_limit", "against_print", "rounding"]

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


def _noise(values: Sequence[float], document: float, series: float) -> tuple[float, str, float]:
    """Return the relative noise of a run, whose it is, and its degrees of freedom."""
    own = stdev(map(log, values)) if len(values) > 1 and min(values) > 0 else 0.0
    noise, source = max((document, DOCUMENT), (series, SERIES), (own, OWN_RUNS))
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


def _more(noise: float, runs: int, rounding: float, alpha: float) -> int | None:
    """Return how many runs more make the prediction interval narrow enough, if any number does."""
    most = (log(1 + _WIDEST) - rounding) / (quantile(alpha, 1e6) * noise)
    needed = 1 / (most**2 - 1) if most > 1 else inf
    return max(int(needed) + 1 - runs, 1) if needed < 1_000 else None


def against_claim(
    values: ArrayLike,
    least: float | None = None,
    most: float | None = None,
    reach: float | None = None,
    *,
    noise: float = DOCUMENT_NOISE,
    alpha: float = ALPHA,
) -> Verdict:
    """Return the verdict on positive figures, one per run or ratios of pairs, against a claim.

    least, most: bounds that no figure passes beyond noise, a range if both are given, a direction
    if one of them is 1 for ratios; reach: what some figure gets to within noise. "Up to 11 times"
    is most=11, reach=11; "doubles" is least=2, most=2. noise: relative standard deviation of a
    figure. The level is divided by the number of figures. The estimate is that of the figure that
    decides, in percent of the bound. Undecided if noise reaches further than 15 %. Raises
    ValueError without a figure, without a claim, or for a figure that is not positive.
    """
    figures = [float(value) for value in np.ravel(values) if not isnan(value)]
    if not figures or min(figures) <= 0 or least == most == reach is None:
        raise ValueError("a claim needs positive figures and a bound")
    far = quantile(alpha / len(figures), 1e6) * noise
    # How far each condition is missed, in logarithms: the worst one decides.
    missed = [
        (log(bound / figure) * sign, figure, bound, what)
        for bound, figure, sign, what in (
            (least, min(figures), 1, "the least is {} times the lower bound"),
            (most, max(figures), -1, "the most is {} times the upper bound"),
            (reach, max(figures), 1, "the most is {} times what is to be reached"),
        )
        if bound is not None
    ]
    off, figure, bound, what = max(missed)
    wide = exp(far) - 1 > _WIDEST
    verdict = DIFFERS if off > far else UNDECIDED if wide and off > -far else AGREES
    low, high = (100 * (figure / bound * exp(at) - 1) for at in (-far, far))
    return Verdict(
        verdict, 0, len(figures), bound, figure, 100 * (figure / bound - 1), low, high, "%", noise,
        DOCUMENT if noise == DOCUMENT_NOISE else OWN_RUNS, what.format(f"{figure / bound:.3g}"),
        more_runs=None if verdict == UNDECIDED else 0,
    )  # fmt: skip


def against_limit(value: float, warning: float, alarm: float, unit: str = "") -> Verdict:
    """Return the verdict on a figure against a limit: alarm from `alarm` on, warning before it.

    The limit is an upper one if alarm >= warning, else a lower one. The estimate is the figure less
    the limit that it passed, or less the warning, in `unit`.
    """
    sign = 1 if alarm >= warning else -1
    passed = [limit for limit in (warning, alarm) if sign * (value - limit) >= 0]
    verdict, limit = ((WITHIN, warning), (WARNING, warning), (ALARM, alarm))[len(passed)]
    off = value - limit
    return Verdict(
        verdict, 0, 1, limit, value, off, off, off, unit, float("nan"), "none",
        f"{value:g} {unit} is {'beyond' if passed else 'within'} {limit:g}",
    )  # fmt: skip
