"""What the detector says of one series."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Change", "Changes"]


@dataclass(frozen=True, slots=True)
class Change:
    """One shift, in the series' own unit.

    index: 0-based, of the first point of the new level; kind: "level", or "slope" where the series
    goes on from where it was in another direction; before, after: the levels on either side (of a
    sloped series: the fitted values at the end and at the begin); low, high: 95 % interval of
    after - before; effect: |after - before| in standard deviations of the noise around it;
    p_value: chance that noise alone gives as much at the best of all places; runs_before,
    runs_after: points of the two levels.
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
        """after / before; NaN where before is zero."""
        return self.after / self.before if self.before else float("nan")


@dataclass(frozen=True, slots=True)
class Changes:
    """The shifts of one series, in order.

    count: points that hold a value; missing: points that hold none; noise: standard deviation
    around the levels; memory: autocorrelation of that noise at lag one; shape: "levels" or
    "lines"; period: of the season that was taken off, 0 for none.
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
        """Where new levels begin."""
        return [change.index for change in self.changes]
