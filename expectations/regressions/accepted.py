"""Series without their accepted changes, so that a further change stands out at once.

After an acceptance there are few runs at the new level, and a change a few builds later would
need a dozen more to be found. So an accepted change is taken out instead: the runs from it on are
scaled back to the level before, and the whole series is judged. Findings are then shown in the
series' own figures again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from expectations.regressions.finding import Recovery
from expectations.regressions.series import Series
from expectations.regressions.store import Row

__all__ = ["Adjusted", "Reset", "drop_accepted"]

_AROUND = 8  # runs on either side within which the place of an accepted change is located again
_REST_AT = 3  # runs from an accepted change
_REST = 0.5  # share of its size: a smaller change there is an error of its size


@dataclass(frozen=True, slots=True)
class Reset:
    """An accepted change: index of its first run, and the levels before and after."""

    place: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A series without its accepted changes.

    series: with the figures that are judged; resets: the accepted changes, in order of time.
    """

    series: Series
    resets: tuple[Reset, ...] = ()

    def shown(self, value: float, place: int) -> float:
        """Return a judged level, at the index `place`, as the series' own figure."""
        for reset in self.resets:
            if reset.place <= place:
                value = _moved(value, reset.before, reset.after)
        return value

    def recovery(self, found: Recovery | None) -> Recovery | None:
        """Return a recovery with the series' own figure."""
        if found is None or not self.resets:
            return found
        return replace(found, level=self.shown(found.level, self.series.place(found.start_utc)))

    def since(self, place: int) -> int:
        """Return the index of the last accepted change at or before `place`, or 0."""
        return max((reset.place for reset in self.resets if reset.place <= place), default=0)

    def is_part_of_accepted(self, place: int, change: float) -> bool:
        """Whether a change is what remains of an accepted one whose size was not quite known."""
        return any(
            abs(reset.place - place) <= _REST_AT
            and abs(change) < _REST * abs(reset.after - reset.before)
            for reset in self.resets
        )


def drop_accepted(series: Series, rows: Sequence[Row]) -> Adjusted:
    """Take the accepted changes of a series out of it; rows: their current states."""
    resets: list[Reset] = []
    if not rows:
        return Adjusted(series)
    values = list(series.values)
    for row in sorted(rows, key=lambda row: row["onset_utc"]):
        place = series.place(row["onset_utc"])
        if not 0 < place < len(series.values) or row["before"] is None or row["after"] is None:
            continue
        first = resets[-1].place + 1 if resets else 1
        place = _located(values, place, row["after"] - row["before"], first)
        resets.append(Reset(place, row["before"], row["after"]))
    for reset in reversed(resets):
        for place in range(reset.place, len(values)):
            values[place] = _moved(values[place], reset.after, reset.before)
    return Adjusted(replace(series, values=values), tuple(resets))


def _located(values: Sequence[float], place: int, shift: float, first: int) -> int:
    """Return the index near `place` at which a step of `shift` fits best, at least `first`."""
    low, high = max(place - _AROUND, first), min(place + _AROUND, len(values) - 1)
    begin, end = max(low - _AROUND, first - 1), min(high + _AROUND, len(values))

    def error(at: int) -> float:
        rest = [values[i] - shift * (i >= at) for i in range(begin, end)]
        middle = median(rest)
        return sum(abs(one - middle) for one in rest)  # spikes and later changes weigh little

    return min(range(low, high + 1), key=lambda at: (error(at), abs(at - place)), default=place)


def _moved(value: float, old: float, new: float) -> float:
    """Return a value moved from one level to the other: in proportion, if both are positive."""
    return value * new / old if old > 0 and new > 0 else value + new - old
