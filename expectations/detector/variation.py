"""How much a series varies for no reason, and which changes its runs can reveal."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from expectations.detector.changes import Changes
from expectations.detector.find import find_changes_many
from expectations.detector.history import noise_of

Floats = NDArray[np.float64]

__all__ = ["RUNS", "SeriesNoise", "noises"]

#: Numbers of runs a side, each in a build of its own, for which the smallest change is given.
RUNS = (1, 3, 5, 10, 20)
_ALPHA = 0.05
_POWER = (
    1.2816  # 90 % of a normal distribution: a change of this size is shown in nine cases of ten
)
_LEAST_WITHIN = 4  # degrees of freedom
_LEAST_RUNS = 12  # for modes, wandering and drift
_APART = 4.0  # distance of two modes, in standard deviations of each
_LEAST_SHARE = 0.15  # of the runs in the smaller mode
_SURE, _CLEAR = 0.01, 2.0  # p-value, and change in standard deviations, of a drift


@dataclass(frozen=True, slots=True)
class SeriesNoise:
    """The noise of a series around its levels, in percent of the level; None: not known.

    run: standard deviation of a run around its level; within: of the runs of one build; between: of
    builds, without the noise of their runs; behaviour: steady, wanders, drifts, seasonal, or '' of
    too few runs; moves: the range that nine in ten runs are in, if it wanders; modes: how many
    values it jumps between; modes_apart: their distance; shifts: number of level shifts; smallest:
    the smallest change that each number of runs a side shows in nine cases of ten; levels: the
    level that each run is at.
    """

    runs: int
    builds: int
    run: float | None
    within: float | None
    between: float | None
    behaviour: str
    moves: float | None
    modes: int
    modes_apart: float | None
    shifts: int
    smallest: dict[int, float | None]
    levels: tuple[float, ...]


def noises(series: Sequence[tuple[Sequence[float], Sequence[str]]]) -> list[SeriesNoise]:
    """Return the noise of series: of each, positive values in order of time, and their builds."""
    result = find_changes_many([values for values, _ in series])
    return [
        _noise(np.asarray(values, dtype=float), builds, changes)
        for (values, builds), changes in zip(series, result, strict=True)
    ]


def _noise(values: Floats, builds: Sequence[str], changes: Changes) -> SeriesNoise:
    levels = _levels(values, changes)
    off = np.log(values) - np.log(levels)
    shifts = sum(change.kind == "level" for change in changes.changes)
    freedom = values.size - 1 - shifts
    run = float(np.sqrt((off**2).sum() / freedom)) if freedom > 0 else None
    # Levels are taken out: a change that was found is no noise.
    history = noise_of(np.exp(off), builds)
    within = between = None
    total, of_total = run, float(freedom)
    if history is not None:
        total, of_total = math.hypot(history.between, history.within), history.freedom
        if history.within_freedom >= _LEAST_WITHIN:
            within, between = history.within, history.between
    modes = _modes(off) if values.size >= _LEAST_RUNS else None
    return SeriesNoise(
        runs=values.size,
        builds=len(dict.fromkeys(builds)),
        run=_percent(run),
        within=_percent(within),
        between=_percent(between),
        behaviour=_behaviour(changes),
        moves=100 * (changes.wanders[1] / changes.wanders[0] - 1) if changes.wanders else None,
        modes=2 if modes else 1,
        modes_apart=_percent(modes),
        shifts=shifts,
        smallest={runs: _smallest(total, of_total, runs) for runs in RUNS},
        levels=tuple(map(float, levels)),
    )


def _levels(values: Floats, changes: Changes) -> Floats:
    """Return the geometric mean of the level of each run; a line where the series drifts."""
    logs = np.log(values)
    starts = [0, *(change.index for change in changes.changes)]
    if changes.shape == "lines":
        ends = [*starts[1:], values.size]
        fitted = np.concatenate([_line(logs[a:b]) for a, b in zip(starts, ends, strict=True)])
        return np.asarray(np.exp(fitted))
    index = [bisect_right(starts, i) - 1 for i in range(values.size)]
    means = [logs[[p == n for p in index]].mean() for n in range(len(starts))]
    return np.asarray(np.exp([means[p] for p in index]))


def _line(logs: Floats) -> Floats:
    at = np.arange(logs.size, dtype=float)
    if logs.size < 3:
        return np.full(logs.size, logs.mean())
    slope, start = np.polyfit(at, logs, 1)
    return np.asarray(start + slope * at)


def _behaviour(changes: Changes) -> str:
    if changes.count < _LEAST_RUNS:
        return ""
    trend = changes.trend
    if trend and trend.p_value < _SURE and trend.effect >= _CLEAR:
        return "drifts"
    if changes.wanders:
        return "wanders"
    return f"season of {changes.period} runs" if changes.period else "steady"


def _modes(off: Floats) -> float | None:
    """Return the distance of two modes, None of a single one.

    The runs are parted where the two parts vary least. They are modes if they are four standard
    deviations apart (the halves of normal noise are 2.7 apart) and none has few runs.
    """
    ordered = np.sort(off)
    least = max(2, math.ceil(_LEAST_SHARE * ordered.size))
    if ordered.size < 2 * least:
        return None

    def inner(at: int) -> float:
        return float(ordered[:at].var() * at + ordered[at:].var() * (ordered.size - at))

    at = min(range(least, ordered.size - least + 1), key=inner)
    low, high = ordered[:at], ordered[at:]
    apart = float(high.mean() - low.mean())
    spread = math.sqrt((low.var(ddof=1) + high.var(ddof=1)) / 2)
    return apart if apart > _APART * spread and apart > 0 else None


def _smallest(noise: float | None, freedom: float, runs: int) -> float | None:
    """Return the change, in percent, that this many runs a side show in nine cases of ten."""
    if noise is None or freedom < 1:
        return None
    reach = float(-special.stdtrit(freedom, _ALPHA / 2)) + _POWER
    return 100 * math.expm1(reach * noise * math.sqrt(2 / runs))


def _percent(log: float | None) -> float | None:
    return None if log is None else 100 * math.expm1(log)
