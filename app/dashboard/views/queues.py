"""Queues over time, and accesses to protected ones."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import queues
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    systems.draw(queues.PAGE, reader, scope)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
