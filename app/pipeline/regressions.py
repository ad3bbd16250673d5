"""What a person decides about a regression: acknowledged, expected or a false alarm."""

from __future__ import annotations

from expectations.regressions.store import Row, read_current, write_events
from expectations.regressions.triage import OPEN
from ingest.errors import WarehouseError
from ingest.warehouse import Warehouse

__all__ = ["RegressionError", "mark"]


class RegressionError(WarehouseError):
    """No such regression, or not in that state; the message is one line for a person."""


def mark(warehouse: Warehouse, name: str, state: str, note: str, by: str) -> list[Row]:
    """Append a person's word on a regression (GROUP.N), or on all of a group that are open.

    Returns the events. The caller holds the lock of the steps. Raises RegressionError.
    """
    current = read_current(warehouse.regressions)
    named = [row for row in current if name in {row["regression_id"], row["group_id"]}]
    if not named:
        raise RegressionError(f"no regression {name!r}; see 'perfhouse regressions'")
    chosen = [row for row in named if row["state"] in OPEN]
    if not chosen:
        states = ", ".join(sorted({row["state"] for row in named}))
        raise RegressionError(f"regression {name} is not open but {states}")
    said = {"state": state, "note": note, "by": by, "build_id": ""}
    return write_events([{**row, **said} for row in chosen], warehouse.regressions)
