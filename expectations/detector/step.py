"""The last step upwards among the values of a level, by the best of all places."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from expectations.detector.significance import search_p_value

__all__ = ["LEAST_LEVEL", "last_step"]

LEAST_LEVEL = 3  # points of a level
_FAR = 4.0  # standard deviations of the noise from both neighbours: a spike
_SHRINK = 10.0  # weight, in points, of the known noise in that around a step


def last_step(values: ArrayLike, noise: float, level: float) -> int:
    """Return the index of the first value after the last step upwards, 0 without one.

    noise: standard deviation of a value, as far as it is known; level: probability that noise alone
    has a step. What follows a step is searched for another one.
    """
    part, start = np.asarray(values, dtype=float), 0
    if part.size < 2 * LEAST_LEVEL:
        return 0
    near = np.median(np.lib.stride_tricks.sliding_window_view(np.pad(part, 1, mode="edge"), 3), 1)
    part = np.where(np.abs(part - near) > _FAR * noise, near, part)
    while part.size >= 2 * LEAST_LEVEL:
        sums = np.cumsum(part)
        left = np.arange(LEAST_LEVEL, part.size - LEAST_LEVEL + 1)
        right = part.size - left
        steps = (sums[-1] - sums[left - 1]) / right - sums[left - 1] / left
        scores = steps / np.sqrt(1 / left + 1 / right)
        best = int(np.argmax(scores))
        around = part.var() * part.size - scores[best] ** 2  # sum of squares beside the step
        variances = np.sqrt((around + _SHRINK * noise**2) / (part.size - 2 + _SHRINK))
        score = scores[best] / max(variances, 1e-300)
        if score <= 0 or search_p_value(score, part.size, LEAST_LEVEL) > level:
            break
        start += int(left[best])
        part = part[left[best] :]
    return start
