"""Coupling facilities and their structures over time: use, requests, service times, delays."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import coupling_facility
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    systems.draw(coupling_facility.PAGE, reader, scope)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
