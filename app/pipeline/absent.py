"""What should have arrived and has not: of marts.fct_arrival, at the time at which it is asked."""

from __future__ import annotations

import duckdb

from app.pipeline.build import is_current
from ingest.base.errors import PerfhouseError
from ingest.lake.warehouse import Warehouse

__all__ = ["absent"]

_ABSENT = """
SELECT concat_ws(' ', origin, kind, name) AS subject,
    stopped_from_utc <= now()::TIMESTAMP AS has_stopped,
    concat(
        if(kind = 'feed', 'records', kind), ' ', name,
        if(has_stopped, strftime(last_utc, ': none since %Y-%m-%d %H:%M UTC, no longer expected'),
            strftime(expected_utc, ': expected at %Y-%m-%d %H:%M UTC'))
    )
FROM marts.fct_arrival
WHERE missing_from_utc <= now()::TIMESTAMP
ORDER BY has_stopped, missing_from_utc, subject
"""


def absent(warehouse: Warehouse, *, stopped: bool = False) -> dict[str, str]:
    """Return a line for each feed, configuration, system and queue manager that is missing.

    By its name and state. What has stopped, after 14 expected times, is left out unless `stopped`.
    Empty without a published warehouse of this release, and until all loads are published: what
    readers do not see yet may have come.
    """
    try:
        with warehouse.connect() as db:
            if not is_current(db, warehouse.loads()):
                return {}
            rows = db.execute(_ABSENT).fetchall()
    except (PerfhouseError, duckdb.CatalogException):
        return {}
    return {
        f"{name}{' stopped' if ended else ''}": text
        for name, ended, text in rows
        if stopped or not ended
    }
