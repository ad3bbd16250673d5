"""Runs that are far off more often than before: a second mode that comes up, not a level.

If three nights in ten are 10 % slower, the mean moves by 3 %, less than the noise that these nights
themselves make. What changed is how often runs are far off. Without a change those that are far off
are anywhere: their number among the last ones is hypergeometric (R. A. Fisher's exact test). It is
least at one of them, so the best of all places counts as so many tests.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from expectations.detector.changes import Change, Changes
from expectations.detector.significance import REACH

__all__ = ["more_outliers"]

_FAR = 2.5  # deviations from the median: one run in 160 of Gaussian noise is beyond
_CORE = (
    1.4826  # of the median distance: a standard deviation of Gaussian noise, whatever is far off
)
_LEAST = 12  # points before; and outliers after are at least a half of that
_STEADY = 0.35  # memory up to which what is far off does not come in clusters by itself
_AS_LIKELY = np.exp(4.5)  # times the least probability: as in dating, places that are as likely


def more_outliers(
    values: Sequence[float], found: Changes, sign: float, alpha: float
) -> Change | None:
    """Return from where on more values of a series without shifts are far off, for the worse.

    sign: 1 if larger is worse, -1 if smaller is; alpha: probability of a false alarm.
    """
    row = sign * np.asarray(values, dtype=float)
    if found.changes or found.trend or found.wanders or found.memory > _STEADY:
        return None
    apart = row - np.median(row)
    far = apart > _FAR * _CORE * np.median(np.abs(apart))
    places = np.arange(_LEAST, row.size)
    after = far.sum() - np.cumsum(far)[places - 1]
    if not places.size or after[0] < _LEAST / 2:
        return None
    from scipy import stats  # takes half a second to import, and few series have as many

    count, total = row.size, int(far.sum())
    p_values = total * stats.hypergeom.sf(after - 1, count, total, count - places)
    best = int(np.argmin(p_values))
    if p_values[best] > alpha or after[best] < _LEAST / 2:
        return None
    likely = places[p_values <= _AS_LIKELY * p_values[best]]
    return _change(row * sign, int(places[best]), likely, float(p_values[best]), count)


def _change(
    row: ArrayLike, place: int, likely: Sequence[int], p_value: float, count: int
) -> Change:
    values = np.asarray(row)
    was, now = values[:place], values[place:]
    error = float(np.sqrt(was.var() / was.size + now.var() / now.size))
    apart = float(now.mean() - was.mean())
    return Change(
        index=place,
        earliest=int(min(likely)),
        latest=int(max(likely)),
        kind="level",
        before=float(was.mean()),
        after=float(now.mean()),
        low=apart - REACH * error,
        high=apart + REACH * error,
        effect=abs(apart) / max(float(now.std()), 1e-300),
        p_value=p_value,
        runs_before=place,
        runs_after=count - place,
    )
