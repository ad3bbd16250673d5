"""Many matched pairs of samples, pooled where they agree.

What one pair is too noisy to show, twenty show together: their mean shift is tested by Student's t
with the scatter of the pairs, or the noise of their runs if that is larger, and, of six pairs and
more, by flipping the signs of their shifts (R. A. Fisher, The Design of Experiments (1935), 21).
They are pooled only if they agree: a test of interaction compares their scatter with the noise of
their runs (W. G. Cochran's Q, Biometrics 10 (1954), as an F test, as few runs tell their noise
badly). Noise that all pairs share, such as a loaded machine, does not show in any of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import expm1, inf, log1p

import numpy as np
from numpy.typing import NDArray
from scipy import special

from expectations.verdicts.measure import Measure
from expectations.verdicts.samples import ALPHA, TOLERANCE, largest_level, verdict_of
from expectations.verdicts.verdict import FAMILY, NOT_JUDGED, SAME, UNDECIDED, Verdict, quantile

__all__ = ["LEAST_PAIRS", "pool"]

LEAST_PAIRS = 3
_FLIPS = 9_999
_ENOUGH_FLIPS = 6  # pairs: fewer cannot reach 5 %


def pool(
    groups: Sequence[Sequence[Verdict]],
    measures: Sequence[Measure],
    *,
    tolerance: float = TOLERANCE,
    alpha: float = ALPHA,
) -> list[Verdict]:
    """Return the verdict on the mean change of each group of pairs, and of its measure.

    A group has at least LEAST_PAIRS, all in one unit. estimate: geometric mean of the ratios if
    they are in percent, else the mean difference; baseline_runs, candidate_runs: of all pairs;
    baseline, candidate: means of the pairs. Not judged if the pairs disagree. The false discovery
    rate over the groups is limited to `alpha`. Raises ValueError for fewer pairs or several units.
    """
    judged = [
        _pooled(pairs, measure, tolerance, alpha)
        for pairs, measure in zip(groups, measures, strict=True)
    ]
    level = largest_level([verdict.p_value for verdict in judged], alpha)
    return [
        replace(verdict, verdict=UNDECIDED, more_runs=None)
        if verdict.p_value > level and verdict.verdict not in {SAME, NOT_JUDGED}
        else verdict
        for verdict in judged
    ]


def _pooled(pairs: Sequence[Verdict], measure: Measure, tolerance: float, alpha: float) -> Verdict:
    units = {pair.unit for pair in pairs}
    if len(pairs) < LEAST_PAIRS or len(units) > 1:
        raise ValueError(f"{len(pairs)} pairs in {len(units)} units: nothing to pool")
    unit, count = units.pop(), len(pairs)
    is_ratio = unit == "%"
    estimates = np.array([pair.estimate for pair in pairs])
    shifts = np.log1p(estimates / 100) if is_ratio else estimates
    shift, scatter = float(shifts.mean()), float(shifts.var(ddof=1))
    reasons = [f"{count} pairs"]
    error, freedom, p_interaction, expected = (scatter / count) ** 0.5, count - 1.0, 1.0, scatter
    has_noise = unit != "points" and all(pair.freedom > 0 for pair in pairs)
    if has_noise:
        squares = np.array([pair.error**2 for pair in pairs])
        expected = float(squares.mean())
        freedoms = np.array([pair.freedom for pair in pairs])
        of_runs = float(squares.sum() ** 2 / (squares**2 / freedoms).sum())
        p_interaction = float(special.fdtrc(count - 1, of_runs, scatter / expected))
        if expected > scatter:
            error, freedom = (expected / count) ** 0.5, of_runs
    share = tolerance if measure.least is None else measure.least
    size = float(np.mean([measure.base(pair.baseline) for pair in pairs]))
    bound = log1p(share) if is_ratio else share * size
    beyond = max(scatter - expected, 0.0) ** 0.5
    reach = quantile(alpha, freedom) * error
    p = 2 * float(special.stdtr(freedom, -abs(shift) / max(error, 1e-300)))
    within = (shift - reach, shift + reach)
    verdict = verdict_of(
        shift, within, bound, differs=max(p, _flipped(shifts)) <= alpha, up=measure.more_is_better
    )
    if verdict == UNDECIDED and abs(shift) > bound:
        reasons.append("their mean is not significant")
    if p_interaction <= alpha and beyond > bound and verdict != SAME:
        verdict = NOT_JUDGED
        ends = f"{estimates.min():+.3g} to {estimates.max():+.3g} {unit}"
        reasons.append(f"they disagree, {ends}: p = {p_interaction:.2g}")
    elif not has_noise:
        reasons.append("whether they agree cannot be tested")
    low, estimate, high = (
        100 * expm1(at) if is_ratio else at for at in (within[0], shift, within[1])
    )
    return Verdict(
        verdict=verdict,
        baseline_runs=sum(pair.baseline_runs for pair in pairs),
        candidate_runs=sum(pair.candidate_runs for pair in pairs),
        baseline=float(np.mean([pair.baseline for pair in pairs])),
        candidate=float(np.mean([pair.candidate for pair in pairs])),
        estimate=estimate,
        low=low,
        high=high,
        unit=unit,
        noise=scatter**0.5,
        noise_source=FAMILY,
        reason="; ".join(reasons),
        p_value=p,
        effect=shift / scatter**0.5 if scatter else inf,
        error=error,
        freedom=freedom,
        more_runs=None if verdict == UNDECIDED else 0,
    )


def _flipped(shifts: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of flipped signs, 0 of too few pairs to tell."""
    if shifts.size < _ENOUGH_FLIPS:
        return 0.0
    signs = np.random.default_rng(shifts.size).choice([-1.0, 1.0], (_FLIPS, shifts.size))
    reached = np.abs(signs @ shifts) >= abs(shifts.sum()) * (1 - 1e-9)
    return float(reached.sum() + 1) / (_FLIPS + 1)
