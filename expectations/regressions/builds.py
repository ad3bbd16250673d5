"""Builds with few runs compared with the previous build, per series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise

from expectations.detector import compare
from expectations.detector.comparison import BETTER, TOO_FEW, WORSE, Comparison
from expectations.detector.significance import adjust_for_many
from expectations.regressions.finding import PAIR, Finding
from expectations.regressions.levels import Level, recovered
from expectations.regressions.series import Series, mean_of

__all__ = ["Unsettled", "find_worse_builds"]

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Number of series whose builds have too few runs for a verdict.

    more_runs: runs to add to each build of the series that needs fewest; None if a thousand would
    not suffice.
    """

    series: int
    more_runs: int | None


@dataclass(frozen=True, slots=True)
class _Pair:
    of: Series
    levels: list[Level]
    start: int
    end: int
    told: Comparison


def find_worse_builds(
    series: Sequence[Series], least_percent: float
) -> tuple[list[Finding], list[list[Level]], Unsettled]:
    """Find builds worse than their predecessors, the levels of each series, and open series.

    A build is compared with all runs of the current level, which lasts until a build differs from
    it. The false discovery rate is limited to 5 % over all comparisons.
    """
    pairs, all_levels = [], []
    for of in series:
        told, levels = _compare_builds(of, least_percent)
        pairs += told
        all_levels.append(levels)
    stands = adjust_for_many([pair.told.p_value for pair in pairs]) <= ALPHA
    worse = [
        _finding(pair)
        for pair, ok in zip(pairs, stands, strict=True)
        if ok and pair.told.verdict == WORSE
    ]
    open_runs = [pair.told.more_runs for pair in pairs if pair.told.verdict == TOO_FEW]
    open_series = {pair.of.key for pair in pairs if pair.told.verdict == TOO_FEW}
    nearest = min((runs for runs in open_runs if runs is not None), default=None)
    return worse, all_levels, Unsettled(len(open_series), nearest)


def _compare_builds(of: Series, least_percent: float) -> tuple[list[_Pair], list[Level]]:
    """Compare each build with the level before it; return the pairs and the levels."""
    if min(of.values) <= 0:
        return [], [Level(0, 0.0)]  # ratios need positive values
    if len(set(of.build_nos)) == 1:
        return [], [Level(0, mean_of(of.values))]
    starts = [next(group)[0] for _, group in groupby(enumerate(of.build_nos), key=lambda n: n[1])]
    begin, pairs = 0, []
    levels: list[Level] = []
    for start, end in islice(pairwise([*starts, len(of.values)]), 1, None):
        baseline, candidate = of.values[begin:start], of.values[start:end]
        told = compare(
            baseline,
            candidate,
            more_is_better=bool(of.more_is_better),
            tolerance=least_percent / 100,
            alpha=ALPHA,
        )
        levels = levels or [Level(0, mean_of(baseline))]
        if told.verdict in {BETTER, WORSE}:
            levels.append(Level(start, levels[-1].value * told.ratio))
            begin = start
        pairs.append(_Pair(of, levels, start, end, told))
    return pairs, levels or [Level(0, mean_of(of.values))]


def _finding(pair: _Pair) -> Finding:
    of, told = pair.of, pair.told
    at = next(i for i, level in enumerate(pair.levels) if level.start == pair.start)
    before, after = pair.levels[at - 1].value, pair.levels[at].value
    return Finding(
        kind=PAIR,
        key=of.key,
        configuration=of.configuration,
        onset_run_id=of.run_ids[pair.start],
        onset_utc=of.starts[pair.start],
        onset_build=of.builds[pair.start],
        onset_no=of.build_nos[pair.start],
        last_good=of.run_ids[pair.start - 1],
        unit=of.unit,
        more_is_better=of.more_is_better,
        before=before,
        after=after,
        low=before * (told.low - 1),
        high=before * (told.high - 1),
        effect=abs(told.effect),
        p_value=told.p_value,
        runs_before=told.baseline_runs,
        runs_after=told.candidate_runs,
        run_ids=tuple(of.run_ids[pair.start : pair.end]),
        recovery=recovered(of, pair.levels, pair.start, before, after),
    )
