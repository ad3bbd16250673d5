"""Address spaces over time: CPU, zIIP, I/O and storage."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import address_spaces
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    systems.draw(address_spaces.PAGE, reader, scope)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
