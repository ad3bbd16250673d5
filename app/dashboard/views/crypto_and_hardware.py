"""Crypto cards and the counters of the processors over time."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import crypto_and_hardware

if __name__ == "__main__":
    systems.draw(crypto_and_hardware.PAGE, session.reader(), session.scope())
