"""Crypto cards and the counters of the processors over time."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import crypto_and_hardware
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    systems.draw(crypto_and_hardware.PAGE, reader, scope)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
