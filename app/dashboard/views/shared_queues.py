"""Coupling facility structures, shared message data sets and Db2 of a queue manager over time."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import shared_queues

if __name__ == "__main__":
    systems.draw(shared_queues.PAGE, session.reader(), session.scope())
