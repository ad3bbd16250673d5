"""Whether a change is a part of a drift that is known already.

A leak shows in many series of a configuration, in each after as many runs as its noise needs, and
in some as one step after the other. These are not changes of their own: the runs since the drift
began are described as well by one straight line.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_part_of_drift", "is_step_alone", "is_step_as_well", "line_start",
           "looks_like_drift"]  # fmt: skip

Floats = NDArray[np.float64]

_BEFORE = 30  # runs before a drift, at most, that show its level
_UNSURE = 10  # runs that a drift may have begun earlier or later: its first ones are in the noise
_PENALTY = 3.0  # times ln(runs): for the place of a change, as in the detector
_COARSE = 2  # runs from one place of an end that is tried to the next
_LEAST = 6  # runs from the start of a drift


def is_part_of_drift(
    series: Sequence[float], first: int, change: int, *, is_slope: bool = False
) -> bool:
    """Whether a drift from about one run on describes a series as well as a change at another.

    first, change: indexes of the first run of both; is_slope: the change is a slope, not a step. A
    step may also be the end of a drift that is over. The alternative is the change, and a level of
    its own between the two runs or, for a step, the drift.
    """
    values, at, begin = _window(series, min(first, change))
    first, change = first - begin, change - begin
    if not is_slope:
        first, change = sorted((first, change))  # the earlier of two steps may be found last
    best = _best_line(values, at, first)
    if not is_slope:
        best = min(best, _best_ramp(values, at, first, change))
    course = _line(at, change) if is_slope else (at >= change).astype(float)
    between = (at >= min(first, change)) & (at < max(first, change))
    several = _squares(values, [course, between.astype(float)])
    if not is_slope:
        several = min(several, _squares(values, [course, _line(at, first)]))
    return _gain(values, several, best) <= _PENALTY


def looks_like_drift(series: Sequence[float], first: int, second: int) -> bool:
    """Whether a straight line since about a shift describes a series as well as a further one does.

    It may end at about the further one. first, second: indexes of the first run of both.
    """
    first, second = sorted((first, second))
    values, at, begin = _window(series, first)
    first, second = first - begin, second - begin
    if values.size - first < _LEAST:
        return False
    steps = _squares(values, [(at >= item).astype(float) for item in (first, second)])
    best = min(_best_line(values, at, first), _best_ramp(values, at, first, second))
    return _gain(values, steps, best) <= _PENALTY


def is_step_as_well(series: Sequence[float], step: int, slope: int) -> bool:
    """Whether a step at one run describes a series as well as a slope from another one on."""
    values, at, begin = _window(series, min(step, slope))
    residue = _squares(values, [(at >= step - begin).astype(float)])
    return _gain(values, _squares(values, [_line(at, slope - begin)]), residue) <= _PENALTY


def is_step_alone(series: Sequence[float], step: int, slope: int) -> bool:
    """Whether a step describes a series as well as with a slope, and better than a slope alone."""
    values, at, begin = _window(series, min(step, slope))
    shape = (at >= step - begin).astype(float)
    alone, both = (_squares(values, item) for item in ([shape], [shape, _line(at, slope - begin)]))
    return not is_part_of_drift(series, slope, step) and _gain(values, both, alone) <= _PENALTY


def line_start(values: Sequence[float]) -> float:
    """Return the value at the first of these runs of the best straight line through them."""
    return float(np.polynomial.polynomial.polyfit(np.arange(len(values)), values, 1)[0])


def _best_line(values: Floats, at: Floats, first: int) -> float:
    """Return the least squared residuals of a line that begins at about a run."""
    last = max(min(first + _UNSURE, values.size - 2), 0)
    places = range(max(first - _UNSURE, 0), last + 1)
    return min(_squares(values, [_line(at, item)]) for item in places)


def _best_ramp(values: Floats, at: Floats, first: int, last: int) -> float:
    """Return the least squared residuals of a line from about one run to about another one."""
    begins = range(max(first - _UNSURE, 0), first + 1, _COARSE)
    ends = range(last, min(last + _UNSURE, values.size - _COARSE) + 1, _COARSE)
    return min(
        (
            _squares(values, [np.clip((at - a + 1) / (b - a + 1), 0, 1)])
            for a in begins
            for b in ends
            if b > a
        ),
        default=inf,
    )


def _window(series: Sequence[float], first: int) -> tuple[Floats, Floats, int]:
    """Return the values from some runs before a place on, their numbers, and the first index."""
    begin = max(first - _BEFORE, 0)
    values = np.asarray(series[begin:], dtype=float)
    return values, np.arange(values.size, dtype=float), begin


def _line(at: Floats, first: int) -> Floats:
    return np.maximum(at - first + 1, 0)


def _gain(values: Floats, several: float, one: float) -> float:
    """Return how much more likely the first sum of squares makes the values, in ln(runs)."""
    least = 1e-12 * max(float(values @ values), 1e-300)
    return float(values.size * np.log((one + least) / (several + least)) / np.log(values.size))


def _squares(values: Floats, shapes: list[Floats]) -> float:
    """Return the squared residuals of the best sum of a level and multiples of the shapes."""
    design = np.column_stack([np.ones(values.size), *shapes])
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(np.sum((values - fitted) ** 2))
