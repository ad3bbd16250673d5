"""The channel initiator over time: channels in use, its tasks, and traffic by channel."""

from __future__ import annotations

from app.dashboard import session, systems
from app.results.queries import channel_initiator

if __name__ == "__main__":
    systems.draw(channel_initiator.PAGE, session.reader(), session.scope())
