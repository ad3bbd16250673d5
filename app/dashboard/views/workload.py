"""Service and report classes over time: goals, CPU, response times, delays."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import workload
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    systems.draw(workload.PAGE, reader, scope)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
