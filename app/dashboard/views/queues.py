"""Queues over time, and accesses to protected ones."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import queues

if __name__ == "__main__":
    systems.draw(queues.PAGE, session.reader(), session.scope())
