"""Comparison of a candidate's runs with a baseline's, however few runs there are.

Runs are compared on a logarithmic scale: the result is a ratio, and noise of some percent is the
same at every size. Two tests must agree:

Welch's t (B. L. Welch, Biometrika 34 (1947)) gives the interval and does not need equal variances,
but assumes normal noise. The permutation test of the same statistic (A. Janssen, Statistics and
Probability Letters 36 (1997)) holds for any noise, including bimodal, but cannot reach 5 % with
three runs per side (smallest p-value 2/20). In that case the samples must not overlap, and Welch's
p-value must be five times smaller.

Where the noise between builds is known from history (`history.noise_of`), it counts too: the
squared error of the shift is between**2 (1/j + 1/k) + within**2 (1/m + 1/n) for j and k builds and
m and n runs, with F. E. Satterthwaite's degrees of freedom (Biometrics Bulletin 2 (1946)). Runs of
one build are then not exchangeable with those of another, so there is no permutation test; one run
per side is enough. A side whose runs differ by far more than those of the history, as with an
outlier, has its own variance.

Where it is not known, `assumed` stands for it: the squared error of Welch's t grows by
assumed**2 (1/j + 1/k), without which builds that differ for no reason are called different.

Many comparisons are judged together with the false discovery rate limited to `alpha`: Y. Benjamini
and Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995), 289-300.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from math import ceil, comb, exp, inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from expectations.detector.history import Noise
from expectations.detector.permutation import LEAST_NOISE, p_values
from expectations.detector.student import both_tails, quantile

__all__ = ["BETTER", "SAME", "TOO_FEW", "WORSE", "Comparison", "compare", "compare_matched"]

BETTER, WORSE, SAME, TOO_FEW = "better", "worse", "same", "not enough runs"

Floats = NDArray[np.float64]

_LEAST_RUNS = 6  # of both sides together, including the runs behind a known noise
_STRICTER = 5.0  # factor for Welch's p-value if there are too few permutations
_MOST_RUNS = 1_000
_CERTAIN = 1e6  # degrees of freedom of what is as good as known
_NINETY_NINTH = 2.3263  # the 99 % point of the standard normal
_MOST_LOG = 709.0  # of a number that a float holds


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of a comparison.

    ratio: candidate / baseline, of the geometric means; low, high: its confidence interval (0 and
    infinity if the noise is unknown); p_value: Welch's, or with a history Student's;
    permutation_p_value: NaN with a history; effect: Hedges' g on logarithms, in standard
    deviations, positive if the candidate is larger, NaN if the noise is unknown;
    superiority: share of pairs of runs in which the candidate is larger, ties count half; noise:
    relative standard deviation of a run, NaN if unknown; verdict: better, worse, same or not enough
    runs; more_runs: additional runs per side that would settle the comparison if ratio and noise
    stay the same: 0 if it is settled, None if a thousand would not suffice.
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
    history: Noise | None = None,
    builds: tuple[int, int] = (1, 1),
    assumed: float = 0.0,
) -> Comparison:
    """Compare a candidate with a baseline: one positive number per run, NaN for a failed run.

    tolerance: relative difference that does not matter; alpha: probability of a false difference;
    known_noise: relative standard deviation of a run from a history of `known_runs` runs; history:
    noise of other builds of the same configuration; builds: number of builds of each side, for
    `history` and `assumed`; assumed: relative standard deviation of builds without a history.
    "same" means that the whole interval is within the tolerance, not merely that no
    difference was found. Raises ValueError if a side has no runs or a value is not positive and
    finite.
    """
    (x,), (y,) = _sides([baseline], "baseline"), _sides([candidate], "candidate")
    permuted = p_values([(x.logs, y.logs)])[0] if history is None else np.nan
    measured = _measured(x, y, permuted, known_noise, known_runs, history, builds, assumed)
    decided = _decided(measured, alpha, tolerance, more_is_better=more_is_better)
    return _comparison(measured, decided, _reach(measured, alpha))


@dataclass(frozen=True, slots=True)
class _Side:
    """The logarithms of the runs of a side, their mean, and the squared distances to it."""

    logs: Floats
    mean: float
    squares: float

    @property
    def size(self) -> int:
        return self.logs.size


@dataclass(frozen=True, slots=True)
class _Measured:
    """What does not depend on the level of a test."""

    x: _Side
    y: _Side
    shift: float
    error: float
    freedom: float
    noise: float
    p_value: float
    permuted: float
    known_runs: int
    builds: tuple[int, int] | None  # None without a history
    floor: float  # error that no number of runs lowers: that between builds, if it is assumed


def _measured(
    x: _Side,
    y: _Side,
    permuted: float,
    known_noise: float | None,
    known_runs: int,
    history: Noise | None,
    builds: tuple[int, int],
    assumed: float,
) -> _Measured:
    shift, floor = y.mean - x.mean, 0.0
    if history is None:
        error, freedom, noise = _spread(x, y, known_noise, known_runs)
        floor = float(np.log1p(assumed**2) * (1 / builds[0] + 1 / builds[1])) ** 0.5
        if floor and freedom:  # W. E. Satterthwaite: the assumed part is taken as certain
            of_runs, error = error, float(np.hypot(error, floor))
            freedom = min(freedom * (error / of_runs) ** 4, _CERTAIN)
    else:
        error, freedom, noise = _with_builds(x, y, history, builds)
    p = both_tails(abs(shift) / error, freedom) if freedom > 0 else 1.0
    of_builds = None if history is None else builds
    return _Measured(x, y, shift, error, freedom, noise, p, permuted, known_runs, of_builds, floor)


def _reach(of: _Measured, alpha: float) -> float:
    """Return half of the confidence interval of the shift."""
    return quantile(alpha, of.freedom) * of.error if of.freedom > 0 else np.inf


def _decided(
    of: _Measured, alpha: float, tolerance: float, *, more_is_better: bool
) -> tuple[str, int | None]:
    """Return the verdict at a level, and the runs that it lacks."""
    bound, size = float(np.log1p(tolerance)), abs(of.shift)
    if of.builds is None and of.x.size + of.y.size + max(of.known_runs - 1, 0) < _LEAST_RUNS:
        verdict = TOO_FEW
    elif size <= bound:
        verdict = SAME if size + _reach(of, alpha) <= bound else TOO_FEW
    elif _differs(of, alpha):
        verdict = BETTER if (of.shift > 0) == more_is_better else WORSE
    else:
        verdict = TOO_FEW
    if verdict != TOO_FEW:
        return verdict, 0
    if of.builds is None:
        return verdict, _more(of, alpha, tolerance)
    return verdict, _more_builds(of.shift, of.noise, of.freedom, of.builds, alpha, tolerance)


def _differs(of: _Measured, alpha: float) -> bool:
    if of.builds is not None:
        return of.p_value <= alpha
    if comb(of.x.size + of.y.size, of.x.size) >= 2 / alpha:
        return of.p_value <= alpha and of.permuted <= alpha
    x, y = of.x.logs, of.y.logs
    apart = bool(x.max() < y.min() or y.max() < x.min())
    return apart and of.p_value <= alpha / _STRICTER


def _comparison(of: _Measured, decided: tuple[str, int | None], reach: float) -> Comparison:
    x, y, shift = of.x, of.y, of.shift
    ordered = np.sort(x.logs)
    below = int(ordered.searchsorted(y.logs, "left").sum())
    below += int(ordered.searchsorted(y.logs, "right").sum())
    known = of.freedom > 0
    return Comparison(
        baseline_runs=x.size,
        candidate_runs=y.size,
        ratio=_exp(shift),
        low=_exp(shift - reach),
        high=_exp(shift + reach),
        p_value=of.p_value,
        permutation_p_value=of.permuted,
        effect=shift / of.noise * (1 - 3 / (4 * max(of.freedom, 1) - 1)) if known else np.nan,
        superiority=below / 2 / x.size / y.size,
        noise=of.noise,
        verdict=decided[0],
        more_runs=decided[1],
    )


def _exp(log: float) -> float:
    """Return e**log, infinity if no number is as large: few noisy runs leave wide intervals."""
    return exp(log) if log <= _MOST_LOG else inf


def compare_matched(
    baselines: Sequence[ArrayLike],
    candidates: Sequence[ArrayLike],
    more_is_better: Sequence[bool],
    *,
    tolerance: float = 0.02,
    alpha: float = 0.05,
    history: Sequence[Noise | None] | None = None,
    builds: Sequence[tuple[int, int]] | None = None,
    assumed: Sequence[float] | None = None,
) -> list[Comparison]:
    """Compare each candidate with the baseline at its position, as `compare` does.

    history, builds, assumed: of each comparison, as for `compare`. The confidence intervals hold
    for each comparison alone; the false discovery rate of the verdicts is limited to `alpha` over
    all of them, and `more_runs` is what a verdict needs at that level. Raises ValueError as
    `compare` does, and for sequences of different lengths.
    """
    sides = list(zip(_sides(baselines, "baseline"), _sides(candidates, "candidate"), strict=True))
    noises = list(history) if history is not None else [None] * len(sides)
    numbers = list(builds) if builds is not None else [(1, 1)] * len(sides)
    permuted = np.full(len(sides), np.nan)
    alone = [i for i, noise in enumerate(noises) if noise is None]
    permuted[alone] = p_values([(sides[i][0].logs, sides[i][1].logs) for i in alone])
    guesses = list(assumed) if assumed is not None else [0.0] * len(sides)
    measured = [
        _measured(x, y, p, None, 0, noise, number, guess)
        for (x, y), p, noise, number, guess in zip(
            sides, permuted.tolist(), noises, numbers, guesses, strict=True
        )
    ]
    level = _level(np.array([one.p_value for one in measured]), alpha)
    judged = []
    for one, more in zip(measured, more_is_better, strict=True):
        decided = _decided(one, alpha, tolerance, more_is_better=more)
        # What the interval alone decides does not depend on the number of comparisons.
        if decided[0] == TOO_FEW or (decided[0] != SAME and one.p_value > level):
            decided = _decided(one, level, tolerance, more_is_better=more)
        judged.append(_comparison(one, decided, _reach(one, alpha)))
    return judged


def _sides(runs_of: Sequence[ArrayLike], side: str) -> list[_Side]:
    """Return the sides of all comparisons, without failed runs. Raises ValueError."""
    all_runs = [np.asarray(runs, dtype=float).ravel() for runs in runs_of]
    owners = np.repeat(np.arange(len(all_runs)), [runs.size for runs in all_runs])
    values = np.concatenate([*all_runs, np.empty(0)])
    ran = ~np.isnan(values)
    values, owners = values[ran], owners[ran]
    sizes = np.bincount(owners, minlength=len(all_runs))
    if not sizes.all():
        raise ValueError(f"the {side} has no runs")
    if not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(f"the {side} has a value that is not positive and finite")
    if not values.size:
        return []
    logs, starts = np.log(values), np.cumsum(sizes) - sizes
    means = np.add.reduceat(logs, starts) / sizes
    squares = np.add.reduceat((logs - means[owners]) ** 2, starts)
    parts = np.split(logs, starts[1:])
    return [_Side(*one) for one in zip(parts, means.tolist(), squares.tolist(), strict=True)]


def _spread(
    x: _Side, y: _Side, known_noise: float | None, known_runs: int
) -> tuple[float, float, float]:
    """Return the standard error of the shift, its degrees of freedom and the noise of a run.

    The variance is pooled if a side has only one run or the noise is known; otherwise it is
    Welch's. Without any information the result is (inf, 0, NaN).
    """
    pooled, freedom = x.squares + y.squares, float(x.size + y.size - 2)
    if known_noise is not None and known_runs > 1:
        pooled += (known_runs - 1) * float(np.log1p(known_noise)) ** 2
        freedom += known_runs - 1
    if freedom <= 0:
        return np.inf, 0.0, np.nan
    noise = max(float(np.sqrt(pooled / freedom)), LEAST_NOISE)
    if min(x.size, y.size) == 1 or (known_noise is not None and known_runs > 1):
        return noise * (1 / x.size + 1 / y.size) ** 0.5, freedom, noise
    a, b = (max(side.squares / (side.size - 1), LEAST_NOISE**2) / side.size for side in (x, y))
    welch = (a + b) ** 2 / (a * a / (x.size - 1) + b * b / (y.size - 1))
    return float(np.sqrt(a + b)), welch, noise


def _with_builds(
    x: _Side, y: _Side, history: Noise, builds: tuple[int, int]
) -> tuple[float, float, float]:
    """Return as `_spread` does with the noise between builds; the noise is that of a run."""
    # The runs of a side of several builds have the noise between builds in them too.
    of_one = [side for side, number in zip((x, y), builds, strict=True) if number == 1]
    inner_freedom = sum(side.size - 1 for side in of_one) + history.within_freedom
    inner = sum(side.squares for side in of_one)
    inner += history.within_freedom * history.within**2
    within = inner / inner_freedom if inner_freedom else 0.0
    outer = max(history.between, LEAST_NOISE) ** 2
    times, shares, second, parts = 1 / builds[0] + 1 / builds[1], 0.0, 0.0, 0.0
    for side, number in zip((x, y), builds, strict=True):
        if number == 1 and _varies_more(side, history):
            own = side.squares / (side.size - 1) / side.size
            second += own
            parts += own**2 / (side.size - 1)
        else:
            shares += 1 / side.size
    second += within * shares
    parts += (within * shares) ** 2 / inner_freedom if inner_freedom else 0.0
    first = outer * times
    if not history.within_freedom:  # one run a build: its noise is in that of builds already
        first = max(first - within * times, LEAST_NOISE**2 * times)
    parts += (outer * times) ** 2 / history.freedom
    return float(np.sqrt(first + second)), (first + second) ** 2 / parts, (outer + within) ** 0.5


def _varies_more(side: _Side, history: Noise) -> bool:
    """Return whether the runs of a side differ by more than chance in one case of a hundred."""
    if side.size < 2 or not history.within_freedom:
        return False
    ratio = side.squares / (side.size - 1) / max(history.within, LEAST_NOISE) ** 2
    return ratio > _largest_ratio(side.size - 1.0, history.within_freedom)


@lru_cache(maxsize=256)
def _largest_ratio(freedom: float, of_history: float) -> float:
    """Return the 99 % point of F, roughly (Abramowitz and Stegun 26.6.16)."""
    a, b = 2 / (9 * freedom), 2 / (9 * of_history)
    z, c = _NINETY_NINTH, (1 - a) * (1 - b)
    base, spread = (1 - b) ** 2 - z * z * b, (1 - a) ** 2 - z * z * a
    if base <= 0:  # so short a history says nothing
        return inf
    root = (c + (c * c - base * spread) ** 0.5) / base
    return float(root**3)


def _more_builds(
    shift: float,
    noise: float,
    freedom: float,
    builds: tuple[int, int],
    alpha: float,
    tolerance: float,
) -> int | None:
    """Return the runs to add per side, each in a build of its own."""
    bound = float(np.log1p(tolerance))
    needed = abs(shift) if abs(shift) > bound else bound - abs(shift)
    times = quantile(alpha, freedom) * noise
    fewest = min(builds)
    if needed * _MOST_RUNS**0.5 < times * 2**0.5:
        return None
    return max(ceil(2 * (times / needed) ** 2), fewest + 1) - fewest


def _more(of: _Measured, alpha: float, tolerance: float) -> int | None:
    """Return the runs to add to the smaller side, if the other is extended to as many."""
    shift, noise, fewest = of.shift, of.noise, min(of.x.size, of.y.size)
    least = max(fewest + 1, _LEAST_RUNS // 2)
    if np.isnan(noise):
        return least - fewest  # enough to estimate the noise
    bound = float(np.log1p(tolerance))
    # A difference must be distinct from zero, sameness from the tolerance.
    differs = abs(shift) > bound
    needed = abs(shift) if differs else bound - abs(shift)
    enough_for_permutations = next(n for n in count(1) if comb(2 * n, n) >= 2 / alpha)

    def enough(runs: int) -> bool:
        level = alpha / _STRICTER if differs and runs < enough_for_permutations else alpha
        error = float(np.hypot(noise * (2 / runs) ** 0.5, of.floor))
        return quantile(level, 2 * runs - 2) * error <= needed

    runs = bisect_left(range(least, _MOST_RUNS + 1), x=True, key=enough) + least
    return runs - fewest if runs <= _MOST_RUNS else None


def _level(p: Floats, alpha: float) -> float:
    """Return the largest significant p-value, or the strictest level if there is none."""
    ordered, runs = np.sort(p), p.size
    below = np.flatnonzero(ordered <= alpha * np.arange(1, runs + 1) / runs)
    return float(ordered[below[-1]]) if below.size else alpha / max(runs, 1)
