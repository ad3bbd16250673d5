"""The date of a shift: how likely it is at each place, and at which place several are at once."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["AS_LIKELY", "SURE", "WINDOW", "Dates", "as_likely_of", "common_date",
           "likely_places"]  # fmt: skip

#: Twice the logarithm of a likelihood ratio: a date that is less likely is of another shift.
AS_LIKELY = 9.0
WINDOW = 15  # points on either side of a shift where it may be
_MOST = 3.0  # deviations of the noise beyond a level that a point can be
SURE = 0.95  # probability of the places that a date may have


class Dates:
    """How much less likely other places of a shift are: twice the logarithm of the ratio.

    Each place has the levels that suit it best, and no point counts more than three deviations
    beyond the levels that were found.
    """

    def __init__(
        self, values: ArrayLike, first: int, place: int, before: float, after: float, effect: float
    ) -> None:
        """Take a series from the start of the level before to the end of the one after.

        first: index of the first of these points; place: index where the shift was found; effect:
        its size in standard deviations of the noise.
        """
        apart = abs(after - before)
        noise = max(apart / max(effect, 1e-9), 1e-9 * apart, 1e-300)
        low, high = sorted((before, after))
        part = np.clip(np.asarray(values, dtype=float), low - _MOST * noise, high + _MOST * noise)
        part = (part - part.mean()) / noise
        counts = np.arange(1, part.size)
        explained = np.cumsum(part)[:-1] ** 2 * (1 / counts + 1 / (part.size - counts))
        self._costs = explained.max(initial=0.0) - explained
        self._first, self._place = first, place

    def cost(self, place: int) -> float:
        """Return the cost of a shift at an index of the series; infinity far from where it is."""
        at = place - self._first - 1
        near = abs(place - self._place) <= WINDOW and 0 <= at < self._costs.size
        return float(self._costs[at]) if near else float("inf")

    def likely(self, most: float = AS_LIKELY) -> list[int]:
        """Return the indexes where the shift may be, those of at most this cost."""
        around = range(self._place - WINDOW, self._place + WINDOW + 1)
        return [item for item in around if self.cost(item) <= most]


def as_likely_of(count: int) -> float:
    """Return the cost that the least likely of so many shifts can have at their common date."""
    return AS_LIKELY + 2 * log(max(count, 1))


def common_date(costs: Sequence[Sequence[float]]) -> tuple[int, int, int]:
    """Return the place where several shifts are at once, and the first and last likely one.

    costs: of each shift at each place; the interval has 95 % of the probability.
    """
    return likely_places(np.sum(costs, axis=0))


def likely_places(costs: ArrayLike) -> tuple[int, int, int]:
    """Return the place of the least cost, and the first and last of those that have 95 %.

    costs: twice the logarithm of the likelihood ratio against each place.
    """
    total = np.asarray(costs, dtype=float)
    likely = np.exp(-(total - total.min()) / 2)
    order = np.argsort(-likely, kind="stable")
    enough = int(np.searchsorted(np.cumsum(likely[order]), SURE * likely.sum())) + 1
    return int(order[0]), int(order[:enough].min()), int(order[:enough].max())
