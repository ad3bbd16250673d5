"""Shifts of figures in whole units, by an exact test on counts.

A figure of few different values has no normal noise: most runs have the same value, some the next
one. So its values on both sides of a shift are counted above and below a cut. Without a shift the
number above, among the values after it, is hypergeometric: R. A. Fisher's exact test (Journal of
the Royal Statistical Society 98 (1935), 39-82), at the best of all cuts and places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike

from expectations.detector.changes import Change

__all__ = ["confirm_counts", "count_p_value", "last_digit"]

_FEW = 0.5  # different values per point, at most, of a figure that is counted
_DIGITS = 9  # that tell two values apart

_MOST_DIGITS = 12  # of a number that somebody wrote


def confirm_counts(values: ArrayLike, shifts: Sequence[Change], alpha: float) -> list[Change]:
    """Return the shifts; those of a figure of few different values if counts show them too.

    The least clear one is left out first, and those beside it are counted again.
    """
    row, kept = np.asarray(values, dtype=float), list(shifts)
    unit = 10.0**-_DIGITS * max(float(np.abs(row).max(initial=0.0)), 1e-300)
    row = np.round(row / unit)
    if not kept or np.unique(row).size > _FEW * row.size:
        return kept
    while kept:
        ends = [0, *(change.index for change in kept), row.size]
        judged = [
            replace(item, p_value=max(item.p_value, count_p_value(row[a:b], row[b:c], row.size)))
            for item, a, b, c in zip(kept, ends, ends[1:], ends[2:], strict=False)
        ]
        weakest = max(range(len(kept)), key=lambda i: judged[i].p_value)
        if judged[weakest].p_value <= alpha:
            return judged
        del kept[weakest]
    return []


def count_p_value(before: ArrayLike, after: ArrayLike, places: int) -> float:
    """Return the probability that chance alone parts the values so well, two-sided.

    places: number of places where the shift could have been, which counts as so many tests.
    """
    from scipy import stats  # takes half a second to import, and few series have counts

    was, now = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    both = np.concatenate([was, now])
    cuts = np.unique(both)[1:]
    if not cuts.size:
        return 1.0
    above = (both[:, None] >= cuts).sum(axis=0)
    above_now = (now[:, None] >= cuts).sum(axis=0)
    more = stats.hypergeom.sf(above_now - 1, both.size, above, now.size)
    less = stats.hypergeom.cdf(above_now, both.size, above, now.size)
    least = float(np.minimum(more, less).min())
    return min(2 * least * cuts.size * max(places, 1), 1.0)


def last_digit(values: Sequence[float]) -> float:
    """Return the unit of the last decimal that any of the values has; 1 for whole numbers."""
    exponents = [Decimal(repr(value)).normalize().as_tuple().exponent for value in values]
    digits = max((-exponent for exponent in exponents if isinstance(exponent, int)), default=0)
    return 10.0 ** -min(max(digits, 0), _MOST_DIGITS)
