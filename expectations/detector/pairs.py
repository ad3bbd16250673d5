"""A candidate against a baseline, with the few repetitions that there are.

Runs are compared on the logarithm, so that the answer is a ratio and a noise of some percent is
the same noise at every size. Two judgements must agree:

Welch's t (B. L. Welch, Biometrika 34 (1947)), which gives the interval and needs no equal noise,
but takes the noise for normal; and the permutation test of the same statistic (A. Janssen,
Statistics and Probability Letters 36 (1997)), which holds for any noise, bimodal too, but cannot
reach 5 % with three runs a side (least p-value 2/20). Where it cannot, the two sets must lie
wholly apart and Welch's p-value be five times smaller.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import count
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from expectations.detector.permutation import LEAST_NOISE, p_values
from expectations.detector.student import both_tails, quantile

__all__ = ["BETTER", "SAME", "TOO_FEW", "WORSE", "Comparison", "compare", "logs"]

BETTER, WORSE, SAME, TOO_FEW = "better", "worse", "same", "not enough runs"

Floats = NDArray[np.float64]

_LEAST_RUNS = 6  # of both sides together (the known noise counts with its runs)
_STRICTER = 5.0  # by which Welch's p-value must be less where permutations are too few
_MOST_RUNS = 1_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a candidate's runs say against a baseline's.

    ratio: candidate / baseline, of the geometric means; low, high: its interval (0 and infinity
    where nothing is known of the noise); p_value: Welch's; permutation_p_value; effect: Hedges'
    g on logarithms, in standard deviations, positive where the candidate is larger, NaN where no
    noise is known; superiority: share of pairs in which the candidate is larger, ties half;
    noise: relative standard deviation of a run, NaN if unknown; verdict: better, worse, same or
    not enough runs; more_runs: how many more on each side would settle it if all stays as it is:
    0 where it is settled, None where a thousand would not do.
    """

    baseline_runs: int
    candidate_runs: int
    ratio: float
    low: float
    high: float
    p_value: float
    permutation_p_value: float
    effect: float
    superiority: float
    noise: float
    verdict: str
    more_runs: int | None


def compare(
    baseline: ArrayLike,
    candidate: ArrayLike,
    *,
    more_is_better: bool,
    tolerance: float = 0.02,
    alpha: float = 0.05,
    known_noise: float | None = None,
    known_runs: int = 0,
    permuted: float | None = None,
) -> Comparison:
    """Judge a candidate against a baseline: one positive number a run, NaN for a failed one.

    tolerance: relative difference that does not matter; alpha: chance of a difference where none
    is; known_noise: relative standard deviation of a run, as the series' history of `known_runs`
    runs tells it; permuted: the permutation p-value, where it is known already. "same" means that
    the whole interval lies within the tolerance, not that nothing was found. ValueError: a side
    without runs, or a value that is not positive and finite.
    """
    x, y = logs(baseline, "baseline"), logs(candidate, "candidate")
    shift = float(y.mean() - x.mean())
    error, freedom, noise = _spread(x, y, known_noise, known_runs)
    if freedom > 0:
        p = both_tails(abs(shift) / error, freedom)
        reach = quantile(alpha, freedom) * error
    else:
        p, reach = 1.0, np.inf
    if permuted is None:
        (permuted,) = p_values([(x, y)])
    verdict = _verdict(x, y, shift, reach, p, permuted, alpha, tolerance, known_runs)
    if verdict in {BETTER, WORSE}:
        verdict = BETTER if (shift > 0) == more_is_better else WORSE
    ordered = np.sort(x)
    below = np.searchsorted(ordered, y, "left") + np.searchsorted(ordered, y, "right")
    return Comparison(
        baseline_runs=x.size,
        candidate_runs=y.size,
        ratio=float(np.exp(shift)),
        low=float(np.exp(shift - reach)),
        high=float(np.exp(shift + reach)),
        p_value=p,
        permutation_p_value=permuted,
        effect=shift / noise * (1 - 3 / (4 * max(freedom, 1) - 1)) if freedom > 0 else np.nan,
        superiority=float(below.mean() / 2 / x.size),
        noise=noise,
        verdict=verdict,
        more_runs=0 if verdict != TOO_FEW else _more(x, y, shift, noise, alpha, tolerance),
    )


def logs(values: ArrayLike, side: str) -> Floats:
    """Logarithms of the runs of a side, without those that failed. Raises ValueError."""
    held = np.asarray(values, dtype=float).ravel()
    held = held[~np.isnan(held)]
    if not held.size:
        raise ValueError(f"the {side} has no run")
    if not (np.isfinite(held).all() and (held > 0).all()):
        raise ValueError(f"the {side} holds a value that is not positive and finite")
    return np.asarray(np.log(held))


def _spread(
    x: Floats, y: Floats, known_noise: float | None, known_runs: int
) -> tuple[float, float, float]:
    """Standard error of the shift, its degrees of freedom (0: nothing known), noise of a run.

    A side of one run has no noise of its own, and a known noise is of both: then the noise is
    pooled, else it is Welch's.
    """
    squares = [float(np.sum((side - side.mean()) ** 2)) for side in (x, y)]
    pooled, freedom = sum(squares), float(x.size + y.size - 2)
    if known_noise is not None and known_runs > 1:
        pooled += (known_runs - 1) * float(np.log1p(known_noise)) ** 2
        freedom += known_runs - 1
    if freedom <= 0:
        return np.inf, 0.0, np.nan
    noise = max(float(np.sqrt(pooled / freedom)), LEAST_NOISE)
    if min(x.size, y.size) == 1 or (known_noise is not None and known_runs > 1):
        return noise * float(np.sqrt(1 / x.size + 1 / y.size)), freedom, noise
    a, b = (
        max(square / (side.size - 1), LEAST_NOISE**2) / side.size
        for square, side in zip(squares, (x, y), strict=True)
    )
    welch = (a + b) ** 2 / (a * a / (x.size - 1) + b * b / (y.size - 1))
    return float(np.sqrt(a + b)), welch, noise


def _verdict(
    x: Floats,
    y: Floats,
    shift: float,
    reach: float,
    p: float,
    permuted: float,
    alpha: float,
    tolerance: float,
    known_runs: int,
) -> str:
    """BETTER stands for any difference here; the caller knows which way is better."""
    if x.size + y.size + max(known_runs - 1, 0) < _LEAST_RUNS:
        return TOO_FEW
    bound = np.log1p(tolerance)
    if abs(shift) + reach <= bound:
        return SAME
    if comb(x.size + y.size, x.size) >= 2 / alpha:
        differs = p <= alpha and permuted <= alpha
    else:
        apart = x.max() < y.min() or y.max() < x.min()
        differs = apart and p <= alpha / _STRICTER
    return BETTER if differs and abs(shift) > bound else TOO_FEW


def _more(
    x: Floats, y: Floats, shift: float, noise: float, alpha: float, tolerance: float
) -> int | None:
    """Runs to add to the smaller side, the other being brought to as many."""
    fewest = min(x.size, y.size)
    least = max(fewest + 1, _LEAST_RUNS // 2)
    if np.isnan(noise):
        return least - fewest  # so many tell the noise
    bound = float(np.log1p(tolerance))
    # A difference must clear nought, sameness the tolerance.
    differs = abs(shift) > bound
    needed = abs(shift) if differs else bound - abs(shift)
    enough_for_permutations = next(n for n in count(1) if comb(2 * n, n) >= 2 / alpha)

    def enough(runs: int) -> bool:
        level = alpha / _STRICTER if differs and runs < enough_for_permutations else alpha
        return quantile(level, 2 * runs - 2) * noise * (2 / runs) ** 0.5 <= needed

    runs = bisect_left(range(least, _MOST_RUNS + 1), x=True, key=enough) + least
    return runs - fewest if runs <= _MOST_RUNS else None
