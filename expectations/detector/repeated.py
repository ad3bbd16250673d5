"""Which shifts came with the time, not with a build: those that builds show that ran again.

A build is what it was. So if a later run of it is off the level that it had at first, by as much
as the shifts in between, what changed is where it ran, such as the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

__all__ = ["shown_by_repeats"]

_CLEAR = 6.63  # twice the logarithm of a likelihood ratio: 1 % of chi squared
_MOST = 3.0  # deviations of the noise that a run counts as off
_MOST_SHIFTS = 8  # the latest ones, that are tried in every combination


def shown_by_repeats(
    repeats: Sequence[tuple[float, int, int]], steps: Sequence[float], noise: float
) -> list[bool]:
    """Return for each shift whether builds that ran again show it.

    repeats: of each later run of a build, how far it is off the level that the build had at first,
    and the numbers of the levels then and now; steps: from each level to the next; noise: standard
    deviation of a run. Of all combinations of shifts the likeliest one counts, and of these the
    shifts without which all combinations are much less likely.
    """
    last = np.arange(len(steps)) >= len(steps) - _MOST_SHIFTS
    combinations = np.array(list(product((False, True), repeat=int(last.sum()))))
    far, first, then = np.array([*repeats, (0.0, 0, 0)]).T[:, :, None]
    crossed = (first <= np.arange(len(steps))) & (np.arange(len(steps)) < then)
    left = far.T - (combinations * np.asarray(steps)[last]) @ crossed[:, last].T
    costs = np.minimum((left / max(noise, 1e-300)) ** 2, _MOST**2).sum(axis=1)
    best = combinations[costs.argmin()]
    without = [costs[~tried].min() for tried in combinations.T]
    clear = best & (np.array(without) - costs.min() >= _CLEAR)
    return [False] * int((~last).sum()) + [bool(item) for item in clear]
