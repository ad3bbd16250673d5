"""Builds with few runs compared with the previous build, per series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise

from expectations.detector.history import noise_of
from expectations.detector.significance import LEVEL, passes_in_families
from expectations.regressions.finding import PAIR, Finding
from expectations.regressions.present import Level, find_recovery
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

    series: int
    more_runs: int | None
    alone: int


@dataclass(frozen=True, slots=True)
class _Pair:
    series: Series
    levels: list[Level]
    start: int
    end: int
    comparison: Verdict


def find_worse_builds(
    series: Sequence[Series], least_percent: float, level: float = LEVEL
) -> tuple[list[Finding], list[list[Level]], Unsettled]:
    """Find builds worse than their predecessors, the levels of each series, and open series.

    A build is compared with all runs of the current level, which lasts until a build differs from
    it, in the noise between builds, which six of them show and fewer are assumed to have. level:
    false discovery rate over the comparisons of a campaign.
    """
    pairs, all_levels = [], []
    for one in series:
        compared, levels = _compare_builds(one, least_percent)
        pairs += compared
        all_levels.append(levels)
    families = [(pair.series.key.origin, pair.series.key.campaign) for pair in pairs]
    significant = passes_in_families(
        [pair.comparison.p_value for pair in pairs], families, Counter(families), level
    )
    worse = [
        _finding(pair)
        for pair, passes in zip(pairs, significant, strict=True)
        if passes and pair.comparison.verdict == WORSE
    ]
    open_runs = [
        pair.comparison.more_runs for pair in pairs if pair.comparison.verdict == UNDECIDED
    ]
    open_series = {pair.series.key for pair in pairs if pair.comparison.verdict == UNDECIDED}
    nearest = min((runs for runs in open_runs if runs is not None), default=None)
    alone = sum(len(set(one.build_nos)) == 1 for one in series)
    return worse, all_levels, Unsettled(len(open_series), nearest, alone)


def _compare_builds(series: Series, least_percent: float) -> tuple[list[_Pair], list[Level]]:
    """Compare each build with the level before it; return the pairs and the levels."""
    if len(set(series.build_nos)) == 1:
        return [], [Level(0, mean_of(series.values))]
    starts = [
        next(group)[0] for _, group in groupby(enumerate(series.build_nos), key=lambda n: n[1])
    ]
    begin, pairs = 0, []
    levels: list[Level] = []
    for start, end in islice(pairwise([*starts, len(series.values)]), 1, None):
        baseline, candidate = series.values[begin:start], series.values[start:end]
        history, builds = None, len(set(series.build_nos[begin:start]))
        if min(series.values[:start]) > 0:
            history = noise_of(series.values[:start], series.build_nos[:start])
        # Without runs to repeat, builds say nothing of their noise, and are too few.
        assumed = BUILD_NOISE if start > len(set(series.build_nos[:start])) else 0.0
        comparison = compare(
            baseline,
            candidate,
            series.measure,
            tolerance=least_percent / 100,
            between=Between(history, builds=(builds, 1), assumed=assumed),
        )
        levels = levels or [Level(0, mean_of(baseline))]
        if comparison.verdict in {BETTER, WORSE}:
            level = levels[-1].value
            is_ratio = comparison.unit == "%"
            after = level * (1 + comparison.estimate / 100) if is_ratio else comparison.candidate
            levels.append(Level(start, after))
            begin = start
        pairs.append(_Pair(series, levels, start, end, comparison))
    return pairs, levels or [Level(0, mean_of(series.values))]


def _size(comparison: Verdict, before: float) -> float:
    """Return the size of a unit of a comparison's estimate, in that of the series."""
    return before / 100 if comparison.unit == "%" else 1.0


def _finding(pair: _Pair) -> Finding:
    series, comparison = pair.series, pair.comparison
    at = next(i for i, level in enumerate(pair.levels) if level.start == pair.start)
    before, after = pair.levels[at - 1].value, pair.levels[at].value
    size = _size(comparison, before)
    return Finding(
        kind=PAIR,
        **series.onset(pair.start),
        last_good=series.runs[pair.start - 1][-1],
        before=before,
        after=after,
        low=size * comparison.low,
        high=size * comparison.high,
        effect=abs(comparison.effect),
        p_value=comparison.p_value,
        runs_before=comparison.baseline_runs,
        runs_after=comparison.candidate_runs,
        run_ids=series.run_ids_of(pair.start, pair.end),
        recovery=find_recovery(
            series,
            pair.levels,
            pair.start,
            before,
            after,
            comparison.effect,
            comparison.baseline_runs,
        ),
    )
