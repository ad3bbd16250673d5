"""Two samples of runs, however few: whether the candidate differs from the baseline.

Two questions can be asked. Do these two builds differ: then the noise of their runs alone counts,
which should be made in turn. Or does the change differ in any build of it: then what a build is
above or below the next one for no reason counts as well (`Between`), which two builds alone do not
show; it is that of earlier builds, else assumed.

Positive figures are compared on a logarithmic scale, where the result is a ratio and noise of some
percent is the same at every size; figures with a zero or of both signs as they are; shares by what
is left to 100 %. Two tests must agree:

Welch's t (B. L. Welch, Biometrika 34 (1947)) gives the interval and does not need equal variances,
but assumes normal noise. The permutation test of the same statistic (A. Janssen, Statistics and
Probability Letters 36 (1997)) holds for any noise, including bimodal, but cannot reach 5 % with
three runs per side (smallest p-value 2/20). In that case the samples must not overlap, and Welch's
p-value must be five times smaller. Counts have the exact conditional test of two Poisson rates (J.
Przyborowski and H. Wilenski, Biometrika 31 (1940)) instead of Welch's, with counts divided by their
dispersion if they scatter more, and the interval of G. Zou and A. Donner (Statistics in Medicine 27
(2008)) from those of both rates.

A run far from the median of its side, by eight robust standard deviations of both sides, is left
out of its mean: one of five, two of nine. Its price: a build of which one run in five is slow is
not worse by that, though the reason names the run.

With the noise of earlier builds the squared error of the shift is between**2 (1/j + 1/k) +
within**2 (1/m + 1/n) for j and k builds and m and n runs, with F. E. Satterthwaite's degrees of
freedom (Biometrics Bulletin 2 (1946)). Runs of one build are then not exchangeable with those of
another, so there is no permutation test; one run per side is enough. A side whose runs differ by
far more than those of the history has its own variance. Assumed noise is added to Welch's error.

Many comparisons are judged together with the false discovery rate limited to `alpha`: Y. Benjamini
and Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995), 289-300.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import ceil, comb, hypot, inf, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from expectations.detector.history import Noise
from expectations.verdicts.measure import COUNTS, LOG, RATIO, Measure, Scale
from expectations.verdicts.permutation import LEAST_NOISE, p_values
from expectations.verdicts.verdict import (
    ASSUMED,
    BETTER,
    CHANGED,
    NONE,
    OWN_RUNS,
    SAME,
    SERIES,
    UNDECIDED,
    WORSE,
    Verdict,
    quantile,
)

__all__ = [
    "ALPHA",
    "TOLERANCE",
    "Between",
    "compare",
    "compare_many",
    "further_p_value",
    "largest_level",
    "mean_interval",
    "verdict_of",
]

Floats = NDArray[np.float64]

ALPHA, TOLERANCE = 0.05, 0.02
_LEAST_RUNS = 6  # of both sides together
_STRICTER = 5.0  # factor for the p-value if there are too few permutations
_MOST_RUNS = 1_000
_CERTAIN = 1e6  # degrees of freedom of what is as good as known
_FAR = 8.0  # robust standard deviations of an outlier from the median of its side
_ROBUST = 1.4826  # standard deviation of normal noise in median distances
_FEWEST = 4  # runs for each outlier, and one more
_RARE = 1.0  # events a run: no smaller change of counts is missed


@dataclass(frozen=True, slots=True)
class Between:
    """What is known of the noise between builds; without anything, two builds are compared.

    noise: of other builds, and `source`, whose it is; builds: number of builds of each side;
    assumed: relative standard deviation of builds where `noise` is None.
    """

    noise: Noise | None = None
    source: str = SERIES
    builds: tuple[int, int] = (1, 1)
    assumed: float = 0.0


@dataclass(frozen=True, slots=True)
class _Side:
    """Runs on the scale without outliers, their mean and squared distances to it."""

    values: Floats
    mean: float
    squares: float
    runs: int

    @property
    def size(self) -> int:
        return self.values.size


@dataclass(frozen=True, slots=True)
class _Test:
    """What does not depend on the level: of a comparison whose shift is that of the means."""

    x: _Side
    y: _Side
    scale: Scale
    between: Between
    error: float
    freedom: float
    noise: float
    p_value: float
    permuted: float = nan
    floor: float = 0.0  # error that no number of runs lowers
    dispersion: float = 1.0

    @property
    def shift(self) -> float:
        return self.y.mean - self.x.mean

    @property
    def has_builds(self) -> bool:
        return self.between.noise is not None and self.scale.kind == LOG

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the confidence interval of the shift."""
        if self.scale.kind == COUNTS:
            (a, b), (c, d) = (_rate_interval(s, self.dispersion, alpha) for s in (self.x, self.y))
            return (self.shift - hypot(self.y.mean - c, b - self.x.mean),
                    self.shift + hypot(d - self.y.mean, self.x.mean - a))  # fmt: skip
        reach = quantile(alpha, self.freedom) * self.error if self.freedom > 0 else inf
        return self.shift - reach, self.shift + reach


def compare(
    baseline: ArrayLike,
    candidate: ArrayLike,
    measure: Measure,
    *,
    tolerance: float = TOLERANCE,
    alpha: float = ALPHA,
    between: Between = Between(),
) -> Verdict:
    """Compare a candidate with a baseline: one number per run, NaN for a failed run.

    tolerance: relative difference that does not matter, unless the measure has its own; alpha:
    probability of a false difference. `same` means that the whole interval is within the tolerance,
    not merely that no difference was shown. Raises ValueError if a side has no runs or a value is
    infinite.
    """
    return compare_many(
        [baseline], [candidate], [measure], tolerance=tolerance, alpha=alpha, between=[between]
    )[0]


def compare_many(
    baselines: Sequence[ArrayLike],
    candidates: Sequence[ArrayLike],
    measures: Sequence[Measure],
    *,
    tolerance: float = TOLERANCE,
    alpha: float = ALPHA,
    between: Sequence[Between] | None = None,
) -> list[Verdict]:
    """Compare each candidate with the baseline at its position, as `compare` does.

    The confidence intervals hold for each comparison alone; the false discovery rate of the
    verdicts is limited to `alpha` over all of them, and `more_runs` is what a verdict needs at that
    level. Raises ValueError as `compare` does, and for sequences of different lengths.
    """
    betweens = list(between) if between is not None else [Between()] * len(measures)
    scaled = [
        _scaled(_runs(x, "baseline"), _runs(y, "candidate"), measure, b)
        for x, y, measure, b in zip(baselines, candidates, measures, betweens, strict=True)
    ]
    permuted = [
        i for i, (_, _, s) in enumerate(scaled) if betweens[i].noise is None or s.kind != LOG
    ]  # fmt: skip
    drawn = p_values([(scaled[i][0].values, scaled[i][1].values) for i in permuted])
    p_of = dict(zip(permuted, drawn, strict=True))
    tests = [
        replace(_test(*sides, b), permuted=p_of.get(i, nan))
        for i, (sides, b) in enumerate(zip(scaled, betweens, strict=True))
    ]
    level = largest_level([test.p_value for test in tests], alpha)
    return [
        _verdict(test, measure, tolerance, alpha, level)
        for test, measure in zip(tests, measures, strict=True)
    ]


def mean_interval(
    values: ArrayLike, measure: Measure, alpha: float = ALPHA, *, of_a_run: bool = False
) -> tuple[float, float] | None:
    """Return the confidence interval of the mean of runs, by Student's t; None of a single run.

    of_a_run: the prediction interval of a further run instead.
    """
    runs = _runs(values, "sample")
    if runs.size < 2:
        return None
    scale = measure.scale(runs)
    scaled = scale.of(runs)
    error = max(float(scaled.std(ddof=1)), LEAST_NOISE) * (of_a_run + 1 / runs.size) ** 0.5
    reach = quantile(alpha, runs.size - 1) * error
    low, high = sorted(scale.figure(float(scaled.mean()) + end) for end in (-reach, reach))
    return low, high


def further_p_value(values: ArrayLike, further: float, measure: Measure) -> float:
    """Return the p-value of a further figure in a sample; 1 if it differs by nothing that matters.

    Raises ValueError as `compare` does.
    """
    x, y, scale = _scaled(_runs(values, "sample"), _runs([further], "figure"), measure, Between())
    test = _test(x, y, scale, Between())
    return test.p_value if abs(test.shift) > _bound(test, _least(measure)) else 1.0


def largest_level(p: Sequence[float], alpha: float) -> float:
    """Return the largest significant p-value, or the strictest level if there is none."""
    ordered, tests = np.sort(p), max(len(p), 1)
    below = ordered[ordered <= alpha * np.arange(1, len(p) + 1) / tests]
    return float(below[-1]) if below.size else alpha / tests


def verdict_of(
    shift: float, interval: tuple[float, float], bound: float, *, differs: bool, up: bool | None
) -> str:
    """Return the verdict on a shift with its interval, of which `bound` does not matter.

    differs: whether it is significant; up: whether an increase is better, None: neither is.
    """
    if abs(shift) > bound:
        if not differs:
            return UNDECIDED
        return CHANGED if up is None else BETTER if (shift > 0) == up else WORSE
    return SAME if -bound <= interval[0] and interval[1] <= bound else UNDECIDED


# --- samples on their scale


def _runs(runs: ArrayLike, side: str) -> Floats:
    values = np.asarray(runs, dtype=float).ravel()
    values = values[~np.isnan(values)]
    if not values.size:
        raise ValueError(f"the {side} has no runs")
    if not np.isfinite(values).all():
        raise ValueError(f"the {side} has a value that is not finite")
    return values


def _scaled(x: Floats, y: Floats, measure: Measure, between: Between) -> tuple[_Side, _Side, Scale]:
    scale = measure.scale(np.concatenate([x, y]))
    sides = [scale.of(x), scale.of(y)]
    kept = _without_outliers(sides, between.noise) if scale.kind == LOG else sides
    first, second = (
        _Side(values, mean := float(values.mean()), float(((values - mean) ** 2).sum()), runs.size)
        for values, runs in zip(kept, sides, strict=True)
    )
    return first, second, scale


def _without_outliers(sides: Sequence[Floats], history: Noise | None) -> list[Floats]:
    """Return the runs near the median of their side; all of a side that has many others."""
    distances = [np.abs(values - np.median(values)) for values in sides]
    usual = history.within if history and history.within_freedom else 0.0
    is_known = usual > 0
    if not is_known:
        usual = _ROBUST * float(np.median(np.concatenate(distances)))
    far = _FAR * max(usual, TOLERANCE / _FAR)
    kept = []
    for values, distance in zip(sides, distances, strict=True):
        most = (values.size - 1) // (_FEWEST // 2 if is_known else _FEWEST)
        near = distance <= far
        kept.append(values[near] if 0 < values.size - near.sum() <= most else values)
    return kept


def _test(x: _Side, y: _Side, scale: Scale, between: Between) -> _Test:
    spread = _counted if scale.kind == COUNTS else _welch
    if scale.kind == LOG and between.noise is not None:
        error, freedom, noise = _with_builds(x, y, between.noise, between.builds)
        test = _Test(x, y, scale, between, error, freedom, noise, 1.0)
    else:
        test = spread(x, y, scale, between)
    if scale.kind == COUNTS or not test.freedom:
        return test
    p = 2 * special.stdtr(test.freedom, -abs(test.shift) / test.error)
    return replace(test, p_value=float(p))


def _floor(x: _Side, y: _Side, scale: Scale, between: Between) -> float:
    """Return the assumed error between builds."""
    share = float(np.log1p(between.assumed**2)) ** 0.5
    size = 1.0 if scale.kind == LOG else max(abs(x.mean), abs(y.mean))
    return share * size * sum(1 / builds for builds in between.builds) ** 0.5


def _welch(x: _Side, y: _Side, scale: Scale, between: Between) -> _Test:
    """Return Welch's test; the variance is pooled if a side has one run. Of two runs: no noise."""
    freedom = float(x.size + y.size - 2)
    size = 1.0 if scale.kind == LOG else max(abs(x.mean), abs(y.mean)) or 1.0
    least, floor = LEAST_NOISE * size, _floor(x, y, scale, between)
    if freedom <= 0:
        return _Test(x, y, scale, between, inf, 0.0, nan, 1.0, floor=floor)
    noise = max(((x.squares + y.squares) / freedom) ** 0.5, least)
    error = noise * (1 / x.size + 1 / y.size) ** 0.5
    if min(x.size, y.size) > 1:
        a, b = (max(s.squares / (s.size - 1), least**2) / s.size for s in (x, y))
        error = (a + b) ** 0.5
        freedom = (a + b) ** 2 / (a * a / (x.size - 1) + b * b / (y.size - 1))
    if floor:  # the assumed part is taken as certain
        of_runs, error = error, hypot(error, floor)
        freedom = min(freedom * (error / of_runs) ** 4, _CERTAIN)
    return _Test(x, y, scale, between, error, freedom, noise, 1.0, floor=floor)


def _counted(x: _Side, y: _Side, scale: Scale, between: Between) -> _Test:
    """Return the conditional test of two rates, with the dispersion of both sides' runs."""
    several = [s for s in (x, y) if s.mean > 0 and s.size > 1]
    freedom = sum(s.size - 1 for s in several)
    dispersion = max(sum(s.squares / s.mean for s in several) / freedom, 1.0) if freedom else 1.0
    floor = _floor(x, y, scale, between)
    if floor:
        mean = max(x.mean, y.mean)
        dispersion += floor**2 / (mean * (1 / x.size + 1 / y.size))
    a, b = (s.mean * s.size / dispersion for s in (x, y))
    share = y.size / (x.size + y.size)
    more = special.betainc(b, a + 1, share) if b else 1.0
    less = special.betainc(a, b + 1, 1 - share) if a else 1.0
    noise = (dispersion * max((a + b) * dispersion / (x.size + y.size), 1 / x.size)) ** 0.5
    error = noise * (1 / x.size + 1 / y.size) ** 0.5
    return _Test(
        x, y, scale, between, error, float(x.size + y.size - 2), noise,
        min(2 * float(min(more, less)), 1.0), floor=floor, dispersion=dispersion,
    )  # fmt: skip


def _rate_interval(side: _Side, dispersion: float, alpha: float) -> tuple[float, float]:
    """Return the interval of a rate of counts a run (F. Garwood, Biometrika 28 (1936))."""
    events = side.mean * side.size / dispersion
    low = special.gammaincinv(events, alpha / 2) if events else 0.0
    high = special.gammaincinv(events + 1, 1 - alpha / 2)
    return float(low) * dispersion / side.size, float(high) * dispersion / side.size


def _with_builds(
    x: _Side, y: _Side, history: Noise, builds: tuple[int, int]
) -> tuple[float, float, float]:
    """Return error, degrees of freedom and noise of a run with the noise between builds."""
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
            variance = side.squares / (side.size - 1) / side.size
            second += variance
            parts += variance**2 / (side.size - 1)
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
    return bool(special.fdtrc(side.size - 1, history.within_freedom, ratio) < 0.01)


# --- verdicts


def _verdict(
    test: _Test, measure: Measure, tolerance: float, alpha: float, level: float
) -> Verdict:
    x, y, scale, shift = test.x, test.y, test.scale, test.shift
    share = _least(measure, tolerance)
    bound = _bound(test, share)
    better = measure.more_is_better
    up = better if better is None else better != scale.is_left
    interval = test.interval(alpha)
    is_dead = _is_dead(test, measure)

    def at(level: float) -> str:
        if is_dead:
            return WORSE
        if not test.has_builds and x.runs + y.runs < _LEAST_RUNS:
            return UNDECIDED
        differs = _differs(test, level)
        verdict = verdict_of(shift, interval, bound, differs=differs, up=up)
        is_rare = scale.kind == COUNTS and not differs and max(map(abs, interval)) <= _RARE
        return SAME if is_rare else verdict

    verdict = at(alpha)
    # What the interval alone decides does not depend on the number of comparisons.
    if verdict == UNDECIDED or (verdict != SAME and test.p_value > level):
        verdict = at(level)
    low, high = -inf, inf
    if np.isfinite(interval).all():
        low, high = sorted(scale.change(x.mean, end) for end in interval)
    return Verdict(
        verdict=verdict,
        baseline_runs=x.runs,
        candidate_runs=y.runs,
        baseline=scale.figure(x.mean),
        candidate=scale.figure(y.mean),
        estimate=scale.change(x.mean, shift),
        low=low,
        high=high,
        unit=scale.unit(measure.unit),
        noise=test.noise,
        noise_source=_source(test),
        reason="; ".join(_reasons(test, verdict, share, is_dead=is_dead)),
        p_value=test.p_value,
        effect=shift / test.noise * (1 - 3 / (4 * max(test.freedom, 1) - 1))
        if test.freedom
        else nan,
        error=test.error,
        freedom=test.freedom,
        more_runs=_more(test, bound, level) if verdict == UNDECIDED else 0,
    )


def _least(measure: Measure, tolerance: float = TOLERANCE) -> float:
    return tolerance if measure.least is None else measure.least


def _bound(test: _Test, share: float) -> float:
    """Return the largest shift that does not matter."""
    if test.scale.kind == LOG:
        return float(np.log1p(share))
    x, y = abs(test.x.mean), abs(test.y.mean)
    # Of no events, any change matters.
    return share * (x if test.scale.kind == COUNTS else max(x, y) or 1.0)


def _is_dead(test: _Test, measure: Measure) -> bool:
    """Return whether nothing ran any more: no noise makes a rate of zero of a positive one."""
    is_rate = measure.kind == RATIO and measure.more_is_better is True
    return is_rate and test.scale.kind != LOG and test.x.values.min() > 0 == test.y.values.max()


def _differs(test: _Test, alpha: float) -> bool:
    if test.has_builds or test.p_value > alpha:
        return test.p_value <= alpha
    if comb(test.x.size + test.y.size, test.x.size) >= 2 / alpha:
        return test.permuted <= alpha
    x, y = test.x.values, test.y.values
    apart = bool(x.max() < y.min() or y.max() < x.min())
    return apart and test.p_value <= alpha / _STRICTER


def _source(test: _Test) -> str:
    if test.has_builds:
        return test.between.source
    return ASSUMED if test.floor else OWN_RUNS if test.freedom else NONE


def _reasons(test: _Test, verdict: str, share: float, *, is_dead: bool) -> Iterator[str]:
    """Yield in words what a verdict rests on."""
    if is_dead:
        yield "every figure of the candidate is 0"
    elif verdict == SAME:
        counts = " or an event a run" if test.scale.kind == COUNTS else ""
        yield f"the interval is within {100 * share:g} %{counts}"
    elif verdict == UNDECIDED and not test.has_builds and test.x.runs + test.y.runs < _LEAST_RUNS:
        yield f"fewer than {_LEAST_RUNS} runs"
    elif verdict == UNDECIDED:
        yield f"the interval holds more than {100 * share:g} % as well as none"
    else:
        yield f"significant, and more than {100 * share:g} %"
    if test.scale.is_left:
        yield "judged by what is left to 100 %"
    for side, name in ((test.x, "baseline"), (test.y, "candidate")):
        if side.runs > side.size:
            yield f"{side.runs - side.size} of {side.runs} runs of the {name} left out as outliers"
    if test.floor:
        yield f"builds are assumed to vary by {100 * test.between.assumed:g} %"


def _more(test: _Test, bound: float, alpha: float) -> int | None:
    """Return the runs to add to the smaller side, if the other is extended to as many.

    With the noise between builds, each is of a build of its own.
    """
    size, fewest = abs(test.shift), min(test.x.size, test.y.size)
    # A difference must be distinct from zero, sameness from the tolerance.
    needed = size if size > bound else bound - size
    if test.has_builds:
        fewest, times = min(test.between.builds), quantile(alpha, test.freedom) * test.noise
        if needed * _MOST_RUNS**0.5 < times * 2**0.5:
            return None
        return max(ceil(2 * (times / needed) ** 2), fewest + 1) - fewest
    least = max(fewest + 1, _LEAST_RUNS // 2)
    if np.isnan(test.noise):
        return least - fewest  # enough to estimate the noise
    enough_for_permutations = next(n for n in count(1) if comb(2 * n, n) >= 2 / alpha)

    def enough(runs: int) -> bool:
        level = alpha / _STRICTER if size > bound and runs < enough_for_permutations else alpha
        error = hypot(test.noise * (2 / runs) ** 0.5, test.floor)
        return quantile(level, 2 * runs - 2) * error <= needed

    runs = bisect_left(range(least, _MOST_RUNS + 1), x=True, key=enough) + least
    return runs - fewest if runs <= _MOST_RUNS else None
