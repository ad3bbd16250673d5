"""Volumes and data sets over time: response times by component, rates, hits."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import storage

if __name__ == "__main__":
    systems.draw(storage.PAGE, session.reader(), session.scope())
