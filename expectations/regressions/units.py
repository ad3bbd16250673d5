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
    """Return what to multiply values in `unit` by to have them in `into`; None if nothing does.

    >>> factor("s", "ms"), factor("ms/op", "s/op"), factor("ops/ms", "ops/s"), factor("ms", "MB")
    (1000.0, 0.001, 1000.0, None)
    """
    if unit == into:
        return 1.0
    nothing = ("", 0.0)
    (kind, size), (other, one) = (_units().get(name, nothing) for name in (unit, into))
    if kind and kind == other:
        return size / one
    (amount, _, per), (amount_into, _, per_into) = unit.partition("/"), into.partition("/")
    if not per or not per_into:
        return None
    above, below = factor(amount, amount_into), factor(per, per_into)
    return above / below if above and below else None
