"""Verdicts on systems, which is the fullest, and what uses it: processors, storage and more."""

from __future__ import annotations

from app.dashboard import health, period, session, units
from app.results.queries.peak import peak
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page. It has its own code, as the fullest is one of all systems."""
    fullest = peak(reader, scope)
    text = ""
    if fullest is not None:
        who = f"; {fullest.job} used most of it ({fullest.percent:.0f} %)" if fullest.job else ""
        text = (
            f"{fullest.label} is the fullest of all systems in this time: at "
            f"{period.moment(fullest.at)} its CPs were busy for "
            f"{units.quantity(fullest.busy, '%')} "
            f"({units.quantity(fullest.processors, 'CPs')}){who}."
        )
    health.draw(reader, scope, text)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
