"""Builds with few runs compared with the previous build, per series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from expectations.detector.history import noise_of
from expectations.detector.significance import LEVEL, passes_in_families
from expectations.regressions.finding import PAIR, Finding
from expectations.regressions.present import Level
from expectations.regressions.series import Series, mean_of
from expectations.verdicts.samples import Between, compare
from expectations.verdicts.verdict import BETTER, BUILD_NOISE, UNDECIDED, WORSE, Verdict

__all__ = ["Unsettled", "find_worse_builds"]


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Number of series whose builds have too few runs for a verdict.

    more_runs: runs to add to each build of the series that needs fewest; None if a thousand would
    not suffice. alone: number of other series whose runs are all of one build.
    """

    series: int = 0
    more_runs: int | None = None
    alone: int = 0


def find_worse_builds(
    series: Sequence[Series], least_percent: float, level: float = LEVEL
) -> tuple[list[Finding], list[list[Level]], Unsettled]:
    """Find builds worse than their predecessors, the levels of each series, and open series.

    A build is compared with all runs of the current level, which lasts until a build differs from
    it, in the noise between builds, which six of them show and fewer are assumed to have. level:
    false discovery rate over the comparisons of a campaign.
    """
    compared = list[tuple[Series, Finding, Verdict]]()
    levels = list[list[Level]]()
    for item in series:
        starts = [i for i, no in enumerate(item.build_nos) if i == 0 or no != item.build_nos[i - 1]]
        ends = [*starts[1:], len(item.values)]
        at = [Level(0, mean_of(item.values[: ends[0]]))]
        for start, end in pairwise(ends):
            finding, verdict = _compare_build(item, at[-1].start, start, end, least_percent)
            compared.append((item, finding, verdict))
            if verdict.verdict in {BETTER, WORSE}:
                at.append(Level(start, finding.after or 0.0))
        levels.append(at)
    families = [of_series.key.of_campaign for of_series, *_ in compared]
    p_values = [verdict.p_value for *_, verdict in compared]
    passing = passes_in_families(p_values, families, Counter(families), level)
    worse = [
        finding
        for (_, finding, verdict), passes in zip(compared, passing, strict=True)
        if passes and verdict.verdict == WORSE
    ]
    undecided = {of_series.key: verdict.more_runs for of_series, _, verdict in reversed(compared)
                 if verdict.verdict == UNDECIDED}  # fmt: skip
    nearest = min((runs for runs in undecided.values() if runs is not None), default=None)
    alone = sum(len(set(item.build_nos)) == 1 for item in series)
    return worse, levels, Unsettled(len(undecided), nearest, alone)


def _compare_build(
    series: Series, begin: int, start: int, end: int, least_percent: float
) -> tuple[Finding, Verdict]:
    """Compare a build with the level before it.

    begin, start, end: indexes of the first entries of that level, of the build and of what follows.
    """
    history, earlier = None, series.build_nos[:start]
    if min(series.values[:start]) > 0:
        history = noise_of(series.values[:start], earlier)
    builds = len(set(earlier[begin:]))
    # Without runs to repeat, builds say nothing of their noise, and are too few.
    assumed = BUILD_NOISE if start > len(set(earlier)) else 0.0
    verdict = compare(
        series.values[begin:start],
        series.values[start:end],
        series.measure,
        tolerance=least_percent / 100,
        between=Between(history, builds=(builds, 1), assumed=assumed),
    )
    is_ratio, before = verdict.unit == "%", verdict.baseline
    size = before / 100 if is_ratio else 1.0
    return Finding(
        kind=PAIR,
        **series.onset(start),
        before=before,
        after=before + size * verdict.estimate if is_ratio else verdict.candidate,
        low=size * verdict.low,
        high=size * verdict.high,
        effect=abs(verdict.effect),
        p_value=verdict.p_value,
        runs_before=verdict.baseline_runs,
        runs_after=verdict.candidate_runs,
        run_ids=series.run_ids_of(start, end),
    ), verdict
