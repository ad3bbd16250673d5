"""A declared contrast, judged: matched pairs of configurations, pooled where they agree.

Pairs are alike in every factor but that of the contrast. All of them are one answer if no declared
axis interacts with the contrast and each lies near the pooled estimate; otherwise the levels of the
axis that tells most apart have an answer each, neighbours together where they agree.

A configuration with few runs does not show its own noise: then a run varies as the documents' do
(expectations.verdicts.prints), or as the repeated runs of the same contrast if that is more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import hypot, inf, isfinite, log1p
from typing import NamedTuple

import numpy as np
from scipy import special

from app.reports.figures import DEFAULTS, Figure, level_of, number_of
from expectations.detector import Noise
from expectations.verdicts.pairs import LEAST_PAIRS, pool
from expectations.verdicts.prints import DOCUMENT_NOISE
from expectations.verdicts.samples import ALPHA, TOLERANCE, Between, compare_many
from expectations.verdicts.verdict import (
    BETTER,
    CHANGED,
    DOCUMENT,
    NOT_JUDGED,
    OWN_RUNS,
    SAME,
    UNDECIDED,
    WORSE,
    Verdict,
)

__all__ = ["DECIDED", "Answer", "Leaf", "Pair", "answers_of", "judge", "pairs_of", "spread"]

DECIDED = frozenset((BETTER, WORSE, CHANGED))
_ENOUGH = 6  # runs of both sides, that show their own noise
_TOLD = 3  # degrees of freedom from which the runs of other pairs tell a noise
_FREEDOM = 20.0  # degrees of freedom of the documents' noise
_DEEP = 2  # axes that an answer is split by
#: Factors that follow from others.
_FOLLOWING = frozenset(("path",))


class Pair(NamedTuple):
    """A metric of two configurations that are alike but for the contrast, judged."""

    baseline: Figure
    candidate: Figure
    judged: Verdict

    @property
    def is_ratio(self) -> bool:
        """Whether its change is a share of the baseline."""
        return self.judged.unit == "%"

    @property
    def shift(self) -> float:
        """The change on the scale on which pairs are pooled."""
        return (
            log1p(max(self.judged.estimate, -99.9) / 100) if self.is_ratio else self.judged.estimate
        )

    @property
    def reach(self) -> float:
        """Half the width of the interval on that scale; without a bound if it is not known."""
        low, high = self.judged.low, self.judged.high
        if not (isfinite(low) and isfinite(high)):
            return inf
        return (
            (log1p(high / 100) - log1p(max(low, -99.9) / 100)) / 2
            if self.is_ratio
            else (high - low) / 2
        )


@dataclass(frozen=True)
class Leaf:
    """Pairs under one answer: `at`, the levels of axes that they have and others have not.

    `judged`: the pooled verdict of three pairs and more, or that of the only one.
    """

    at: Mapping[str, tuple[str, ...]]
    pairs: tuple[Pair, ...]

    @cached_property
    def judged(self) -> Verdict | None:
        """The verdict on all of its pairs, None of two, or if they have several units."""
        return _pooled(self.pairs)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest change of its pairs; one number where pooled pairs agree."""
        judged = self.judged
        if judged is not None and judged.verdict != NOT_JUDGED and _pairs_agree(self.pairs):
            return judged.estimate, judged.estimate
        changes = [pair.judged.estimate for pair in self.pairs]
        return min(changes), max(changes)

    @cached_property
    def verdict(self) -> str:
        """The verdict: of the pool, or that of all pairs, otherwise undecided or mixed."""
        if self.judged is not None and self.judged.verdict != NOT_JUDGED:
            return self.judged.verdict
        result = {pair.judged.verdict for pair in self.pairs}
        certain = result & DECIDED
        return (
            certain.pop()
            if len(certain) == 1
            else "mixed"
            if certain
            else (SAME if result == {SAME} else UNDECIDED)
        )


@dataclass(frozen=True)
class Answer:
    """What a contrast does to a metric: from one level to another, in leaves."""

    factor: str
    before: str
    after: str
    metric: str
    unit: str
    more: bool | None
    axes: tuple[str, ...]
    leaves: tuple[Leaf, ...]

    @property
    def pairs(self) -> list[Pair]:
        """All matched pairs."""
        return [pair for leaf in self.leaves for pair in leaf.pairs]

    @property
    def is_certain(self) -> bool:
        """Whether any leaf is decided."""
        return any(leaf.verdict in DECIDED or leaf.verdict == "mixed" for leaf in self.leaves)

    @property
    def size(self) -> float:
        """How much it matters: the largest certain change, in standard units of a ratio."""
        return max(
            (
                abs(pair.shift)
                for leaf in self.leaves
                if leaf.verdict not in {UNDECIDED, SAME}
                for pair in leaf.pairs
                if pair.is_ratio
            ),
            default=0.0,
        )


def pairs_of(
    figures: Iterable[Figure], factor: str, before: str, after: str, along: Sequence[str] = ()
) -> list[tuple[Figure, Figure]]:
    """Return the figures at two levels of a factor that are alike in all others.

    `along`: factors that follow from it.
    """
    left_out = {factor, *along, *_FOLLOWING}
    sides: dict[str, dict[object, Figure]] = {before: {}, after: {}}
    for item in figures:
        if (level := level_of(item.factors, factor)) in sides:
            stated = {*item.factors, *DEFAULTS} - left_out
            levels = {(name, level_of(item.factors, name)) for name in stated}
            rest = frozenset(
                (name, stated_level)
                for name, stated_level in levels
                if stated_level not in {"", "N"}
            )
            sides[level].setdefault((item.metric, item.unit, rest), item)
    return [(item, sides[after][key]) for key, item in sides[before].items() if key in sides[after]]


def judge(
    matched: Sequence[tuple[Figure, Figure]],
    factor: str,
    before: str,
    after: str,
    axes: Sequence[str],
) -> list[Answer]:
    """Return the answer on each metric of matched figures."""
    metrics = list(dict.fromkeys(a.metric for a, _ in matched))
    result = []
    for metric in metrics:
        of_metric = [(a, b) for a, b in matched if a.metric == metric]
        judged = compare_many(
            [a.values for a, _ in of_metric],
            [b.values for _, b in of_metric],
            [a.measure for a, _ in of_metric],
            between=_noise(of_metric),
        )
        pairs = [Pair(a, b, verdict) for (a, b), verdict in zip(of_metric, judged, strict=True)]
        result.append(answer_of(pairs, factor, before, after, axes))
    return result


def answers_of(
    pairs: Sequence[Pair], factor: str, before: str, after: str, axes: Sequence[str]
) -> list[Answer]:
    """Return the answer on each metric of pairs that are judged already."""
    metrics = dict.fromkeys(pair.baseline.metric for pair in pairs)
    return [
        answer_of([p for p in pairs if p.baseline.metric == m], factor, before, after, axes)
        for m in metrics
    ]


def answer_of(
    pairs: Sequence[Pair], factor: str, before: str, after: str, axes: Sequence[str]
) -> Answer:
    """Return the answer that the pairs of one metric give."""
    first = pairs[0].baseline
    varied = tuple(
        axis
        for axis in axes
        if axis != factor and len({level_of(p.baseline.factors, axis) for p in pairs}) > 1
    )
    leaves = _split_leaves(tuple(pairs), varied, {}, _DEEP)
    return Answer(
        factor, before, after, first.metric, first.unit, first.more, varied, tuple(leaves)
    )


def _noise(own: Sequence[tuple[Figure, Figure]]) -> list[Between]:
    """Return what pairs with few runs are judged by; others by the noise of their own runs."""
    result = []
    every = spread([item for pair in own for item in pair])
    for a, b in own:
        (own_spread, freedom), runs = spread([a, b]), (len(a.values), len(b.values))
        if sum(runs) >= _ENOUGH and min(runs) > 1:
            result.append(Between())
            continue
        spreads = [(DOCUMENT_NOISE, DOCUMENT), (own_spread, OWN_RUNS)]
        spreads += [(every[0], OWN_RUNS)] if every[1] >= _TOLD else []
        noise, source = max(spreads)
        result.append(Between(Noise(noise, 0.0, _FREEDOM + freedom, 0.0, 0), source, runs))
    return result


def spread(figures: Sequence[Figure]) -> tuple[float, int]:
    """Return the relative deviation of runs around the figures they are of, and its freedom."""
    logs = [np.log(item.values) for item in figures if min(item.values) > 0]
    freedom = sum(runs.size - 1 for runs in logs)
    squares = sum(float(((runs - runs.mean()) ** 2).sum()) for runs in logs)
    return ((squares / freedom) ** 0.5 if freedom else 0.0), freedom


# --- pooled, or by axis


def _split_leaves(
    pairs: tuple[Pair, ...], axes: Sequence[str], at: Mapping[str, tuple[str, ...]], deep: int
) -> list[Leaf]:
    whole = [Leaf(at, pairs)]
    if len(pairs) == 1 or not axes or not deep:
        return whole
    tested = {axis: _interaction(pairs, axis) for axis in axes}
    acting = [axis for axis in axes if tested[axis][0] <= ALPHA / len(axes)]
    if not acting and _pairs_agree(pairs):
        return whole
    axis = acting[0] if acting else max(axes, key=lambda name: tested[name][1])
    rest = [name for name in axes if name != axis]
    groups = _neighbours(_levels(pairs, axis), axis)
    if len(groups) == 1:
        return _split_leaves(pairs, rest, at, deep)
    return [
        leaf
        for levels, group in groups
        for leaf in _split_leaves(group, rest, {**at, axis: levels}, deep - 1)
    ]


def _levels(pairs: Sequence[Pair], axis: str) -> list[tuple[tuple[str, ...], tuple[Pair, ...]]]:
    """Return the pairs at each level of an axis: numbers in order, words by their change."""
    by_level: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_level.setdefault(level_of(pair.baseline.factors, axis), []).append(pair)
    is_number = all(isfinite(number_of(level)[0]) for level in by_level)
    mean = {
        level: float(np.mean([pair.shift for pair in group])) for level, group in by_level.items()
    }
    order = sorted(by_level, key=lambda level: number_of(level)[0] if is_number else mean[level])
    return [((level,), tuple(by_level[level])) for level in order]


def _neighbours(
    levels: Sequence[tuple[tuple[str, ...], tuple[Pair, ...]]], axis: str
) -> list[tuple[tuple[str, ...], tuple[Pair, ...]]]:
    """Return levels of an axis, those together that follow each other and agree."""
    groups = [levels[0]]
    for names, group in levels[1:]:
        last_levels, before = groups[-1]
        if _levels_agree(before, group, axis):
            groups[-1] = (*last_levels, *names), (*before, *group)
        else:
            groups.append((names, group))
    return groups


def _levels_agree(some: Sequence[Pair], others: Sequence[Pair], axis: str) -> bool:
    """Whether pairs of two levels of an axis that are alike in all else agree, most of them."""
    by_rest: dict[object, list[Pair]] = {}
    for pair in (*some, *others):
        rest = tuple(sorted((n, f) for n, f in pair.baseline.factors.items() if n != axis))
        by_rest.setdefault(rest, []).append(pair)
    matched = [group for group in by_rest.values() if len(group) > 1]
    if not matched:
        return _pairs_agree((*some, *others))
    return sum(_pairs_agree(group) for group in matched) > len(matched) / 2


def _interaction(pairs: Sequence[Pair], axis: str) -> tuple[float, float]:
    """Return the p-value of no interaction with an axis, and the share of the scatter it tells.

    The scatter between levels is held against the noise of the pairs, or that within levels if the
    noise is not known (F test).
    """
    groups = [np.array([pair.shift for pair in group]) for _, group in _levels(pairs, axis)]
    every = np.concatenate(groups)
    total = float(((every - every.mean()) ** 2).sum())
    if len(groups) < 2 or not total:
        return 1.0, 0.0
    between = sum(g.size * (float(g.mean()) - float(every.mean())) ** 2 for g in groups)
    share = between / total
    free = len(groups) - 1
    noisy = [
        pair.judged for pair in pairs if pair.judged.freedom > 0 and isfinite(pair.judged.error)
    ]
    if len(noisy) == len(pairs):
        noise = float(np.mean([item.error**2 for item in noisy]))
        freedom = sum(item.freedom for item in noisy)
    else:
        freedom = float(every.size - len(groups))
        noise = (total - between) / freedom if freedom else 0.0
    if not freedom or not noise:
        return 1.0, share
    return float(special.fdtrc(free, freedom, between / free / noise)), share


def _pairs_agree(pairs: Sequence[Pair]) -> bool:
    """Whether each pair lies within the tolerance of what all have, or its own noise allows it."""
    shifts = [pair.shift for pair in pairs]
    mean, bound = sum(shifts) / len(shifts), log1p(TOLERANCE)
    if not all(pair.is_ratio for pair in pairs):
        bound = TOLERANCE * max(abs(pair.judged.baseline) for pair in pairs)
    reach = [pair.reach if isfinite(pair.reach) else 0.0 for pair in pairs]
    if len(pairs) == 2:
        return abs(shifts[0] - shifts[1]) <= bound + hypot(*reach)
    return all(abs(s - mean) <= bound + half for s, half in zip(shifts, reach, strict=True))


def _pooled(pairs: Sequence[Pair]) -> Verdict | None:
    if len(pairs) == 1:
        return pairs[0].judged
    units = {pair.judged.unit for pair in pairs}
    if len(pairs) < LEAST_PAIRS or len(units) > 1:
        return None
    (verdict,) = pool([[pair.judged for pair in pairs]], [pairs[0].baseline.measure])
    return verdict
