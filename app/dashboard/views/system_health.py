"""Verdicts on systems: processors, workload, storage and coupling facility beside their limits."""

from __future__ import annotations

from app.dashboard import health, session
from app.results.queries.health import OF_SYSTEMS

if __name__ == "__main__":
    health.draw(OF_SYSTEMS, session.reader(), session.scope())
