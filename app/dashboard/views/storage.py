"""Volumes and data sets over time: response times by component, rates, hits."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import storage
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    systems.draw(storage.PAGE, reader, scope)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
