"""Verdicts on queue managers: log, buffer pools, page sets and channels beside their limits."""

from __future__ import annotations

from app.dashboard import health, session

if __name__ == "__main__":
    health.draw(session.reader(), session.scope())
