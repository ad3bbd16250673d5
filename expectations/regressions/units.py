"""Units that can be converted into each other, so that a series survives a change of its unit."""

from __future__ import annotations

import csv
from functools import cache

from expectations.metrics import seed

__all__ = ["factor"]


@cache
def _units() -> dict[str, tuple[str, float]]:
    """Return the basic unit of each unit's kind, and the unit's size in it, by unit."""
    with seed("dbt/seeds/runs/run_unit.csv").open(newline="", encoding="utf-8") as rows:
        return {
            row["unit"]: (row["standard_unit"], float(row["factor"]))
            for row in csv.DictReader(rows)
        }


def factor(unit: str, into: str) -> float | None:
    """Return what to multiply values in `unit` by to have them in `into`; None if nothing does."""
    if unit == into:
        return 1.0
    nothing = ("", 0.0)
    (kind, size), (other, one) = (_units().get(name, nothing) for name in (unit, into))
    return size / one if kind and kind == other else None
