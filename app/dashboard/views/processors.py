"""A system's processors over time: busy, by whom, zIIP-eligible work, and reconciliation."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import processors
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    systems.draw(processors.PAGE, reader, scope)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
