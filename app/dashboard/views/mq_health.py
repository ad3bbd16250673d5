"""Verdicts on queue managers: log, buffer pools, page sets and channels beside their limits."""

from __future__ import annotations

from app.dashboard import health, session
from app.results.queries.health import OF_QUEUE_MANAGERS

if __name__ == "__main__":
    health.draw(OF_QUEUE_MANAGERS, session.reader(), session.scope())
