"""Shifts in the last runs of series, before there are enough of them for a level.

For each series and each k of the last runs, 1 to 5, the mean of these k is compared with the level
before them. That is the CUSUM of E. S. Page (Biometrika 41 (1954), 100-115) for every size of a
shift at once, limited to the last runs (FOCuS: G. Romano, I. A. Eckley, P. Fearnhead, G. Rigaill,
Journal of Machine Learning Research 24 (2023)). What is older is left to the detector of levels.

It alarms without a change once in RUN_LENGTH looks at a family, if noise is Gaussian. Noise with a
long tail has single runs that are far off, so the last run alone has to be much further off than
any run before it; of two or more, each has to be further off. How much further is learnt from the
records of a family: how far each record of its series exceeded the one before. Their tail is that
of a power (B. M. Hill, Annals of Statistics 3 (1975), 1163-1174), so records as large as the last
runs are expected once in OF_RECORDS looks at most.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from expectations.detector.dating import AS_LIKELY
from expectations.detector.significance import normal_score

__all__ = ["LEAST_BEFORE", "MOST_AFTER", "RUN_LENGTH", "Early", "LastRuns", "as_far",
           "early_shifts", "last_runs", "shift_at"]  # fmt: skip

RUN_LENGTH = 1000  # looks at a family until it alarms without a change, on average
OF_RECORDS = 100  # the same for noise with a long tail
LEAST_BEFORE = 12  # runs of the level before
MOST_AFTER = 5  # runs after a shift
_ALONE = 2.5  # times as far off as any run before: a run that alarms alone
_NINETIETH = 1.6449  # the 90 % point of |standard normal|
_RECORDS = 10  # of a family, that show its tail
_LEAST = 4.0  # standard normal deviate of an alarm, in a small family too
_ROUNDING = 1e-9  # of the level: less is no noise

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Early:
    """A shift in the last runs of a series.

    index: 0-based, of the first run after it; before, after: means; error: standard error of their
    difference; noise: standard deviation of a run, all in the unit of the series; p_value: of any
    number of last runs in this series.
    """

    index: int
    before: float
    after: float
    error: float
    noise: float
    p_value: float


@dataclass(frozen=True, slots=True)
class LastRuns:
    """The last runs of series against the level before them (series x MOST_AFTER), signed.

    Column k - 1 is of the last k runs; larger is worse. before, after: means; error: of their
    difference; noise: of a run; score: standard normal deviate, NaN without enough runs; rank: that
    of the share of earlier runs, or means of k neighbours, that were as high; ratio: how many times
    as far off as any run before the least of these runs is. record (one column): the largest such
    ratio of a run in the second half of those before the last one; records: number of these runs.
    """

    before: Floats
    after: Floats
    error: Floats
    noise: Floats
    score: Floats
    rank: Floats
    ratio: Floats
    record: Floats
    records: Floats


def last_runs(
    series: Sequence[ArrayLike],
    starts: Sequence[int],
    memories: Sequence[float],
    signs: Sequence[float],
) -> LastRuns:
    """Return how far the last 1 to MOST_AFTER runs of each series are off.

    starts: index of the first run of the last level; memories: autocorrelation of its noise; signs:
    1 if larger is worse, -1 if smaller is. Without LEAST_BEFORE runs before there is no score.
    """
    values = [np.asarray(row, dtype=float) for row in series]
    lengths = np.array([row.size - start for row, start in zip(values, starts, strict=True)])
    blank = np.full((7, len(values), MOST_AFTER), np.nan)
    runs = LastRuns(*blank, *np.zeros((2, len(values))))
    for length in np.unique(lengths):
        members = np.flatnonzero(lengths == length).tolist()
        rows = np.array([values[i][starts[i] :] * signs[i] for i in members])
        memory = np.array([memories[i] for i in members])
        inflation = (1 + memory) / (1 - memory)
        for k in range(1, min(MOST_AFTER, int(length) - LEAST_BEFORE) + 1):
            before, last = rows[:, :-k], rows[:, -k:]
            count = before.shape[1]
            level = np.median(before, axis=1)
            apart = np.abs(before - level[:, None])
            noise = np.quantile(apart, 0.9, axis=1) / _NINETIETH
            noise = np.maximum(noise, _ROUNDING * np.maximum(np.abs(level), 1e-300))
            clipped = np.clip(before, (level - 3 * noise)[:, None], (level + 3 * noise)[:, None])
            mean, after = clipped.mean(axis=1), last.mean(axis=1)
            error = noise * np.sqrt(_widening(memory, k) / k + inflation / count)
            # Squares of noise with memory rho have the memory rho**2.
            freedom = np.maximum(count * (1 - memory**2) / (1 + memory**2) - 1, 2.0)
            furthest = np.maximum(apart.max(axis=1), _ROUNDING * np.maximum(np.abs(level), 1e-300))
            score = normal_score((after - mean) / error, freedom) * np.sign(after - mean)
            usual = np.lib.stride_tricks.sliding_window_view(before, k, axis=1).mean(axis=2)
            as_high = (usual >= after[:, None]).sum(axis=1)
            share = as_high / (usual.shape[1] + 1)
            rank = -special.ndtri(share)  # infinite if none was as high
            ratio = (last.min(axis=1) - level) / furthest
            blank[:, members, k - 1] = mean, after, error, noise, score, rank, ratio
            if k == 1:
                # What is a record after few runs is none now; and the last ones are judged.
                begin, end = max(LEAST_BEFORE, count // 2), count - MOST_AFTER + 1
                highest = np.maximum.accumulate(apart, axis=1)[:, begin - 1 : max(end, begin) - 1]
                ratios = apart[:, begin : max(end, begin)] / np.maximum(highest, noise[:, None])
                runs.record[members] = ratios.max(axis=1, initial=0.0)
                runs.records[members] = ratios.shape[1]
    return runs


def early_shifts(
    runs: LastRuns,
    sizes: Sequence[int],
    signs: Sequence[float],
    families: Sequence[Hashable],
    family_sizes: Mapping[Hashable, int],
) -> list[Early | None]:
    """Return the clearest shift in the last runs of each series, None without one.

    sizes: number of runs of each series; families: of each; family_sizes: number of series that are
    judged in each family.
    """
    score = np.nan_to_num(runs.score, nan=-np.inf)
    p = MOST_AFTER * special.ndtr(-score)
    clear = np.nan_to_num(runs.ratio) > _far_enough(runs, families)
    clear &= score >= _LEAST
    judged = np.array([family_sizes[family] for family in families], dtype=float)
    clear &= p * judged[:, None] <= 1 / RUN_LENGTH
    best = np.where(clear, p, np.inf).argmin(axis=1)
    return [
        shift_at(runs, i, int(k), size, sign, float(p[i, k])) if clear[i, k] else None
        for i, (k, size, sign) in enumerate(zip(best, sizes, signs, strict=True))
    ]


def _far_enough(runs: LastRuns, families: Sequence[Hashable]) -> Floats:
    """Return the ratio that the last runs of each series have to exceed (series x MOST_AFTER)."""
    least = np.ones(runs.ratio.shape)
    least[:, 0] = _ALONE
    members: dict[Hashable, list[int]] = {}
    for i, family in enumerate(families):
        if runs.records[i] > 0:
            members.setdefault(family, []).append(i)
    for member in members.values():
        if len(member) < 2 * _RECORDS:
            continue
        largest = np.sort(runs.record[member])[::-1][: _RECORDS + 1]
        largest = np.maximum(largest, 1.0)
        # The reciprocal of the power: the mean of logarithms beyond the last of them.
        heavy = float(np.log(largest[:-1] / largest[-1]).mean())
        # Records are counted on both sides, and a shift is on one.
        seen = 2 * runs.records[member].sum()
        chance = (1 / (OF_RECORDS * len(member))) ** (1 / np.arange(1, MOST_AFTER + 1))
        least[member] = np.maximum(
            least[member], largest[-1] * (_RECORDS / (seen * chance)) ** heavy
        )
    return least


def shift_at(runs: LastRuns, i: int, k: int, size: int, sign: float, p_value: float) -> Early:
    """Return the shift of series `i`, of `size` runs, in its last k + 1 runs."""
    return Early(
        index=size - k - 1,
        before=float(sign * runs.before[i, k]),
        after=float(sign * runs.after[i, k]),
        error=float(runs.error[i, k]),
        noise=float(runs.noise[i, k]),
        p_value=p_value,
    )


def as_far(runs: LastRuns, i: int, count: int) -> list[int]:
    """Return the numbers of last runs of series `i` that are about as far off as the last `count`.

    Each may be the number of runs since the shift.
    """
    score = runs.score[i]
    least = max(score[count - 1] ** 2 - AS_LIKELY, 0.0) ** 0.5
    return [int(k) + 1 for k in np.flatnonzero(score >= least)]


def _widening(memory: Floats, count: int) -> Floats:
    """Return how many times the variance of a mean of so many values is that without memory."""
    widening = np.ones_like(memory)
    for lag in range(1, count):
        widening += 2 * (1 - lag / count) * memory**lag
    return widening
