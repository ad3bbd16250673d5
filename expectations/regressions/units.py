"""Units that can be converted into each other, so that a series survives a change of its unit."""

from __future__ import annotations

import csv
from functools import cache

from expectations.metrics import seed

__all__ = ["factor", "standard"]


@cache
def _units() -> dict[str, tuple[str, float]]:
    """Return the basic unit of each unit's kind, and the unit's size in it, by unit."""
    with seed("dbt/seeds/runs/run_unit.csv").open(newline="", encoding="utf-8") as rows:
        return {
            row["unit"]: (row["standard_unit"], float(row["factor"]))
            for row in csv.DictReader(rows)
        }


def standard(unit: str) -> tuple[str, float]:
    """Return the basic unit of a unit's kind, and the unit's size in it.

    >>> standard("ms"), standard("KB/s"), standard("apples")
    (('s', 0.001), ('MB/s', 0.0009765625), ('apples', 1.0))
    """
    amount, _, per = unit.partition("/")
    if unit in _units() or not per:
        return _units().get(unit, (unit, 1.0))
    (above, size), (below, per_size) = standard(amount), standard(per)
    return f"{above}/{below}", size / per_size


def factor(unit: str, into: str) -> float | None:
    """Return what to multiply values in `unit` by to have them in `into`; None if nothing does.

    >>> factor("s", "ms"), factor("ms/op", "s/op"), factor("ops/ms", "ops/s"), factor("ms", "MB")
    (1000.0, 0.001, 1000.0, None)
    """
    (kind, size), (other, size_per) = standard(unit), standard(into)
    return size / size_per if kind == other else None
