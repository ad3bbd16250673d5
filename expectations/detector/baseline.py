"""What a shift is judged against: the level before it, or the one before a short improvement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from expectations.detector.changes import Change, Changes
from expectations.detector.drift import line_start
from expectations.detector.early import LEAST_BEFORE
from expectations.detector.significance import search_p_value
from expectations.detector.step import LEAST_LEVEL

__all__ = ["against_lasting"]


def against_lasting(
    values: Sequence[float],
    change: Change,
    levels: Sequence[tuple[int, float]],
    changes: Changes,
    sign: float,
    alpha: float,
) -> Change | None:
    """Return a shift, against the last level of 12 points; None if it is no worse than that.

    A short improvement is a dip, not a baseline: what ends it is worse only if it is worse than
    what lasted before. If no level lasted, it has to be worse than all of them. So is it along a
    line, which is judged against the line 12 points before. levels: starts and values; sign: 1 if
    larger is worse, -1 if smaller is; alpha: the largest p-value.
    """
    at, points, base = change.index, LEAST_BEFORE, sign * change.before
    for (start, value), (end, _) in pairwise(level for level in levels if level[0] <= at):
        if end - start >= LEAST_BEFORE:
            points, base = end - start, sign * value
        elif points == LEAST_BEFORE:
            base = max(base, sign * value)
    if changes.shape == "lines" and base == sign * change.before and at >= LEAST_BEFORE:
        base = sign * line_start(values[at - LEAST_BEFORE : at])
    if base <= sign * change.before:
        return change
    if base >= sign * change.after:
        return None
    base *= sign
    effect = change.effect * abs((change.after - base) / (change.after - change.before))
    memory = (1 + changes.memory) / (1 - changes.memory)
    score = effect / (memory * (1 / points + 1 / change.runs_after)) ** 0.5
    p_value, moved = search_p_value(score, changes.count, LEAST_LEVEL), change.before - base
    if p_value > alpha:
        return None
    return replace(
        change,
        before=base,
        low=change.low + moved,
        high=change.high + moved,
        effect=effect,
        p_value=float(p_value),
        runs_before=points,
    )
