"""Service and report classes over time: goals, CPU, response times, delays."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import workload

if __name__ == "__main__":
    systems.draw(workload.PAGE, session.reader(), session.scope())
