"""Sysplex, LPARs and machine over time: processors, MSU, zIIPs."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import lpars
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    systems.draw(lpars.PAGE, reader, scope)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
