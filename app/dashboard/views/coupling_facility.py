"""Coupling facilities and their structures over time: use, requests, service times, delays."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import coupling_facility

if __name__ == "__main__":
    systems.draw(coupling_facility.PAGE, session.reader(), session.scope())
