"""Verdicts on systems, which of them peaks, and what uses it: processors, storage and more."""

from __future__ import annotations

from app.dashboard import health, period, session, units
from app.results.queries.peak import peak
from app.results.queries.scope import Scope
from app.results.reader import Reader


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page. It has its own code, as the peak is one of all systems."""
    found = peak(reader, scope)
    said = ""
    if found is not None:
        who = f"; {found.job} used most of it ({found.percent:.0f} %)" if found.job else ""
        said = (
            f"{found.label} peaks: it used {units.quantity(found.processors, 'CPs')} at "
            f"{period.moment(found.at)}, the most of all systems in this time{who}."
        )
    health.draw(reader, scope, said)


if __name__ == "__main__":
    draw(session.reader(), session.scope())
