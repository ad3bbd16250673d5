"""Verdicts on systems, which is the fullest, and what uses it: processors, storage and more."""

from __future__ import annotations

from app.dashboard import health, period, session, units
from app.results.queries.peak import peak
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page. It has its own code, as the fullest is one of all systems."""
    found = peak(reader, scope)
    said = ""
    if found is not None:
        who = f"; {found.job} used most of it ({found.percent:.0f} %)" if found.job else ""
        said = (
            f"{found.label} is the fullest of all systems in this time: at "
            f"{period.moment(found.at)} its CPs were busy for {units.quantity(found.busy, '%')} "
            f"({units.quantity(found.processors, 'CPs')}){who}."
        )
    health.draw(reader, scope, said)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
