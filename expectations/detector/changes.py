"""The result of the detector for one series."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Change", "Changes"]


@dataclass(frozen=True, slots=True)
class Change:
    """One shift, in the unit of the series.

    index: 0-based, of the first point of the new level; kind: "level", or "slope" if the series
    continues from the same value in another direction; before, after: levels on either side (in a
    sloped series: fitted values at the end and at the start of the lines); low, high: 95 %
    confidence interval of after - before; effect: |after - before| in standard deviations of the
    noise; p_value: probability that noise alone reaches this effect at the best of all places;
    runs_before, runs_after: number of points of the two levels.
    """

    index: int
    kind: str
    before: float
    after: float
    low: float
    high: float
    effect: float
    p_value: float
    runs_before: int
    runs_after: int

    @property
    def ratio(self) -> float:
        """after / before; NaN if before is zero."""
        return self.after / self.before if self.before else float("nan")


@dataclass(frozen=True, slots=True)
class Changes:
    """The shifts of one series, in order.

    count: points with a value; missing: points without; noise: standard deviation around the
    levels, in the unit of the series; memory: autocorrelation of that noise at lag one; shape:
    "levels" or "lines"; period: points in the season that was removed, 0 for none.
    """

    changes: tuple[Change, ...]
    count: int
    missing: int
    noise: float
    memory: float
    shape: str
    period: int

    @property
    def indexes(self) -> list[int]:
        """The indexes at which new levels begin."""
        return [change.index for change in self.changes]
