"""The result of the detector for one series."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Change", "Changes", "Trend"]


@dataclass(frozen=True, slots=True)
class Change:
    """One shift, in the unit of the series.

    index: 0-based, of the first point of the new level; earliest, latest: where this point lies
    with a probability of 95 % (for a slope: index); kind: "level", or "slope" if the series
    continues from the same value in another direction; before, after: levels on either side (in a
    sloped series: fitted values at the end and at the start of the lines); low, high: 95 %
    confidence interval of after - before; effect: |after - before| in standard deviations of the
    noise; p_value: probability that noise alone reaches this effect at the best of all places;
    runs_before, runs_after: number of points of the two levels.
    """

    index: int
    earliest: int
    latest: int
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
class Trend:
    """The slope at the end of a series that does not keep a level.

    index: 0-based, of the first point of the last line; first, last: its values at both ends, in
    the unit of the series; slope: change per point; low, high: 95 % confidence interval of the
    slope; effect: |last - first| in standard deviations of the noise; p_value: probability that
    noise alone slopes as much after the best of all places; points: number on the line.
    """

    index: int
    first: float
    last: float
    slope: float
    low: float
    high: float
    effect: float
    p_value: float
    points: int


@dataclass(frozen=True, slots=True)
class Changes:
    """The shifts of one series, in order.

    count: points with a value; missing: points without; noise: standard deviation around the
    levels, in the unit of the series; memory: autocorrelation of that noise at lag one that the
    series was judged with; shape: "levels" or "lines"; period: points in the season that was
    removed, 0 for none; trend: the slope at the end of a series of lines, None for levels;
    wanders: the range that nine in ten points are in, if the level moves by itself, else None.
    """

    changes: tuple[Change, ...]
    count: int
    missing: int
    noise: float
    memory: float
    shape: str
    period: int
    trend: Trend | None = None
    wanders: tuple[float, float] | None = None

    @property
    def indexes(self) -> list[int]:
        """The indexes at which new levels begin."""
        return [change.index for change in self.changes]
