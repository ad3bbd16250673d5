"""Address spaces over time: CPU, zIIP, I/O and storage."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import address_spaces

if __name__ == "__main__":
    systems.draw(address_spaces.PAGE, session.reader(), session.scope())
