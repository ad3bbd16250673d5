"""What is loaded of systems, over whose time a run could be declared."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from app.results.queries.owners import OWNERS, record_owners
from app.results.reader import Reader

__all__ = ["Recorded", "has_runs", "recorded"]

_DAY = timedelta(days=1)


class Recorded(NamedTuple):
    """The systems of one origin with records of its last day; first, last: of all its records.

    has_cpu: whether they are records of systems, which say what LPARs used.
    """

    origin: str
    has_cpu: bool
    systems: tuple[str, ...]
    first: datetime
    last: datetime


def has_runs(reader: Reader) -> bool:
    """Return whether any benchmark run is loaded."""
    return bool(reader.frame("select exists (from marts.fct_run)").item())


def recorded(reader: Reader) -> Recorded | None:
    """Return what is recorded, measured before others, of systems before queue managers."""
    for kind, owner in OWNERS.items():
        owners = sorted(
            record_owners(reader, owner), key=lambda record_owner: record_owner.origin != "measured"
        )
        of_origin = [
            record_owner for record_owner in owners if record_owner.origin == owners[0].origin
        ]
        if of_origin:
            first, last = (
                min(record_owner.start for record_owner in of_origin),
                max(record_owner.end for record_owner in of_origin),
            )
            systems = {
                record_owner.label.split("/")[owner.system]
                for record_owner in of_origin
                if record_owner.end > last - _DAY
            }
            return Recorded(
                of_origin[0].origin, kind == "system", tuple(sorted(systems)), first, last
            )
    return None
