"""Log, buffer pools and page sets of a queue manager over time."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import logs_and_page_sets

if __name__ == "__main__":
    systems.draw(logs_and_page_sets.PAGE, session.reader(), session.scope())
