"""Sysplex, LPARs and machine over time: processors, MSU, zIIPs."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import lpars

if __name__ == "__main__":
    systems.draw(lpars.PAGE, session.reader(), session.scope())
