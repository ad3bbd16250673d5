"""The queue manager over time: messages, publications, locks, storage, and all its intervals."""

from __future__ import annotations

from app.dashboard import components, session, systems
from app.results.queries import queue_manager as queries
from app.results.queries.scope import Scope
from app.results.reader import Reader

_MOST_INTERVALS = 10_000


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    systems.draw(queries.PAGE, reader, scope)
    intervals = queries.intervals(reader, scope, _MOST_INTERVALS)
    if intervals.is_empty():
        return
    caption = "One row per SMF interval, with all columns of the mart."
    if intervals.height == _MOST_INTERVALS:
        caption += f" Only the first {_MOST_INTERVALS:,} of this time range."
    components.section("Intervals", caption)
    components.table(intervals, "queue_manager_intervals")


if __name__ == "__main__":
    draw(session.reader(), session.scope())
