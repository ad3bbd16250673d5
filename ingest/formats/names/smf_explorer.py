"""The names that IBM SMF Explorer, IBM's Python framework for SMF, gives to fields.

Its names for z/OS 3.2, of the fields that the layouts here have. Where it only repeats the manual's
name or the end of it, none is listed.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

__all__ = ["explorer_names"]


@cache
def explorer_names() -> dict[str, str]:
    """Return IBM SMF Explorer's name of each field, by the field's name in raw tables."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return {row["field"]: row["name"] for row in csv.DictReader(file)}
