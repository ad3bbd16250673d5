"""A person's decision on a regression: acknowledged, expected or a false alarm."""

from __future__ import annotations

from expectations.regressions.store import Row, read_current, write_events
from expectations.regressions.triage import OPEN
from ingest.errors import PerfhouseError
from ingest.warehouse import Warehouse

__all__ = ["RegressionError", "mark"]


class RegressionError(PerfhouseError):
    """There is no such regression, or it is not open; the message is one line."""


def mark(warehouse: Warehouse, name: str, state: str, note: str, by: str) -> list[Row]:
    """Append a decision on a regression (GROUP.N), or on all open ones of a group.

    Returns the events. The caller holds the lock of the steps. Raises RegressionError.
    """
    current = read_current(warehouse.regressions)
    named = [row for row in current if name in {row["regression_id"], row["group_id"]}]
    if not named:
        raise RegressionError(
            f"no regression {name!r}; see '{warehouse.command('regressions --all')}'"
        )
    still_open = [row for row in named if row["state"] in OPEN]
    if not still_open:
        states = ", ".join(sorted({row["state"] for row in named}))
        raise RegressionError(f"regression {name} is not open: it is {states}")
    decision = {"state": state, "note": note, "by": by, "build_id": ""}
    return write_events([{**row, **decision} for row in still_open], warehouse.regressions)
