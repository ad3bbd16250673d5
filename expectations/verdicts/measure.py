"""Measures: how figures of a metric are compared, and on which scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["COUNT", "COUNTS", "DIFFERENCE", "LINEAR", "LOG", "RATIO", "SHARE", "Measure", "Scale"]

Floats = NDArray[np.float64]

RATIO, DIFFERENCE, COUNT, SHARE = "ratio", "difference", "count", "share"
LOG, LINEAR, COUNTS = "logarithms", "differences", "counts"
_HALF, _WHOLE = 50.0, 100.0
_MANY = 25.0  # events a run, from which counts are as normal as anything


@dataclass(frozen=True, slots=True)
class Measure:
    """How figures of a metric are compared.

    kind: RATIO of positive figures; DIFFERENCE of figures of both signs; COUNT of events; SHARE in
    percent of a whole, over 50 % judged by what is left: from 99.9 to 99 % means ten times as much;
    more_is_better: None if neither is; least: smallest change that matters, as a share of the
    figure (or of what is left), None without one of its own; unit: of the figures.
    """

    kind: str = RATIO
    more_is_better: bool | None = None
    unit: str = ""
    least: float | None = None

    def base(self, value: float) -> float:
        """Return what a change from this figure is a share of: its size, or what is left."""
        left = self.kind == SHARE and _HALF < value <= _WHOLE
        return _WHOLE - value if left else abs(value)

    def scale(self, values: Floats) -> Scale:
        """Return the scale on which samples with these figures are compared."""
        is_left = bool(self.kind == SHARE and values.min() > _HALF and values.max() <= _WHOLE)
        least = float(_WHOLE - values.max() if is_left else values.min())
        if self.kind == DIFFERENCE or least < 0:
            return Scale(LINEAR, is_left)
        is_few = self.kind == COUNT and (least == 0 or values.mean() < _MANY)
        if is_few and bool((values == np.rint(values)).all()):
            return Scale(COUNTS)
        return Scale(LINEAR if least == 0 else LOG, is_left)


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale: of LOG, LINEAR or COUNTS; is_left: of what is left to 100 %."""

    kind: str
    is_left: bool = False

    def of(self, values: Floats) -> Floats:
        """Return figures on the scale."""
        left = _WHOLE - values if self.is_left else values
        return np.log(left) if self.kind == LOG else left

    def figure(self, mean: float) -> float:
        """Return the figure of a mean on the scale."""
        left = float(np.exp(mean)) if self.kind == LOG else mean
        return _WHOLE - left if self.is_left else left

    def change(self, base: float, shift: float) -> float:
        """Return a shift from `base`, both on the scale, in percent or in the unit of figures."""
        if self.kind != LOG:
            return -shift if self.is_left else shift
        with np.errstate(over="ignore"):
            ratio = float(np.expm1(shift))
        return -float(np.exp(base)) * ratio if self.is_left else 100 * ratio

    def unit(self, of_figures: str) -> str:
        """Return the unit of changes."""
        if self.is_left or (of_figures == "%" and self.kind != LOG):
            return "points"
        return "%" if self.kind == LOG else of_figures
