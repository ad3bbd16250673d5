"""The noise between builds, from the runs of one configuration in earlier builds.

Runs of one build share more than their code: the machine was loaded, other work ran, a volume was
chosen. What a build is above or below the next one for no reason is noise too, and repetitions of
one build do not show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Noise", "noise_of"]

_NINETIETH = 1.6449  # the 90 % point of |standard normal|
_LAGS = 5  # builds that are compared with each other: neighbours alone hide slow noise
_EFFICIENCY = 0.6  # of the quantile against the variance, for normal noise
_LEAST_BUILDS = 6


@dataclass(frozen=True, slots=True)
class Noise:
    """Relative standard deviations of the runs of one configuration.

    between: of builds, without the noise of their runs; within: of runs of one build, 0 if no build
    has two; freedom, within_freedom: degrees of freedom of both; builds: number of builds.
    """

    between: float
    within: float
    freedom: float
    within_freedom: float
    builds: int


def noise_of(values: ArrayLike, builds: Sequence[str]) -> Noise | None:
    """Return the noise of a history, None if it has fewer than six builds.

    values: positive numbers in order of time, one per run; builds: the build of each run. The noise
    of builds is the 90 % quantile of the differences of their means over one to five builds,
    divided by 1.645 and the root of two: a few level shifts do not change it, and it covers both
    modes of bimodal noise.
    """
    logs = np.log(np.asarray(values, dtype=float))
    places = [
        [i for i, _ in group] for _, group in groupby(enumerate(builds), key=lambda at: at[1])
    ]
    if len(places) < _LEAST_BUILDS:
        return None
    parts = [logs[of] for of in places]
    means = np.array([part.mean() for part in parts])
    within_freedom = logs.size - len(parts)
    squares = sum(float(np.sum((part - part.mean()) ** 2)) for part in parts)
    within = (squares / within_freedom) ** 0.5 if within_freedom else 0.0
    apart = np.concatenate([np.abs(means[lag:] - means[:-lag]) for lag in range(1, _LAGS + 1)])
    total = float(np.quantile(apart, 0.9)) / _NINETIETH / 2**0.5
    of_runs = within**2 * float(np.mean([1 / part.size for part in parts]))
    return Noise(
        between=max(total**2 - of_runs, 0.0) ** 0.5,
        within=within,
        freedom=_EFFICIENCY * (len(parts) - 1),
        within_freedom=float(within_freedom),
        builds=len(parts),
    )
