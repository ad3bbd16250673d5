"""Coupling facility structures, shared message data sets and Db2 of a queue manager over time."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import shared_queues
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    systems.draw(shared_queues.PAGE, reader, scope)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
