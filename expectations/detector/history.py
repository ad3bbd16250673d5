"""The noise between builds, from the runs of one configuration in earlier builds.

Runs of one build share more than their code: the machine was loaded, other work ran, a volume was
chosen. What a build is above or below the next one for no reason is noise too, and repetitions of
one build do not show it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Noise", "noise_of", "noise_of_builds"]

#: Shares of the differences, and these points of |standard normal|. Long tails show in the second.
_POINTS = ((0.9, 1.6449), (0.93, 1.8119))
_LAGS = 5  # builds that are compared with each other: neighbours alone hide slow noise
_EFFICIENCY = 0.5  # of the quantile against the variance, for normal noise
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


def noise_of(values: ArrayLike, builds: Sequence[Hashable]) -> Noise | None:
    """Return the noise of a history, None if it has fewer than six builds.

    values: positive numbers in order of time, one per run; builds: the build of each run.
    """
    logs = np.log(np.asarray(values, dtype=float))
    parts = [
        logs[[i for i, _ in group]] for _, group in groupby(enumerate(builds), key=lambda at: at[1])
    ]
    means = [float(part.mean()) for part in parts]
    squares = sum(float(np.sum((part - part.mean()) ** 2)) for part in parts)
    return noise_of_builds([(means, [part.size for part in parts], squares)])


def noise_of_builds(
    stretches: Iterable[tuple[Sequence[float], Sequence[int], float]],
) -> Noise | None:
    """Return the noise of one or more stretches of builds, None if none has six.

    stretches: of each, the means of the logarithms of its builds in order of time, their numbers of
    runs, and the sum of the squared distances of all runs to the mean of their build. The noise of
    builds is the 90 % quantile of the differences of means over one to five builds of a stretch,
    divided by 1.645 and the root of two, or the 93 % quantile likewise, if that is larger: a few
    level shifts do not change it, and it covers both modes of bimodal noise and long tails.
    """
    long = [stretch for stretch in stretches if len(stretch[0]) >= _LEAST_BUILDS]
    if not long:
        return None
    apart = [
        np.abs(means[lag:] - means[:-lag])
        for means in (np.asarray(stretch[0]) for stretch in long)
        for lag in range(1, _LAGS + 1)
    ]
    differences = np.concatenate(apart)
    # np.quantile takes eight times as long.
    places = [int(share * differences.size) for share, _ in _POINTS]
    parted = np.partition(differences, places)
    total = max(
        float(parted[item]) / point / 2**0.5
        for item, (_, point) in zip(places, _POINTS, strict=True)
    )
    runs = np.concatenate([stretch[1] for stretch in long])
    within_freedom = int(runs.sum()) - runs.size
    within = (sum(stretch[2] for stretch in long) / within_freedom) if within_freedom else 0.0
    of_runs = within * float(np.mean(1 / runs))
    return Noise(
        between=max(total**2 - of_runs, 0.0) ** 0.5,
        within=within**0.5,
        freedom=_EFFICIENCY * (runs.size - len(long)),
        within_freedom=float(within_freedom),
        builds=int(runs.size),
    )
