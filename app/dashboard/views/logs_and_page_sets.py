"""Log, buffer pools and page sets of a queue manager over time."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import logs_and_page_sets
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    systems.draw(logs_and_page_sets.PAGE, reader, scope)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
