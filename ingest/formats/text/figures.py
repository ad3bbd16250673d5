"""Numbers, with and without a unit, as programs print them."""

from __future__ import annotations

import re

__all__ = ["integer", "number_with_unit"]

_LONGEST_NUMBER = 18  # digits that always fit an Int64
_DECIMAL = re.compile(r"[-+]?\d{1,18}(?:\.\d{1,18})?(?:e[-+]\d{1,2})?")


def integer(text: str | None) -> int | None:
    """Return a whole number, or None for anything else."""
    text = (text or "").strip()
    match = re.fullmatch(rf"[-+]?[0-9]{{1,{_LONGEST_NUMBER}}}", text)
    return int(text) if match else None


def number_with_unit(text: str | None, units: dict[str, float]) -> float | None:
    """Return a number with a unit (1.5GB, 159.8 us, -2.5e+08 B) times the unit's factor in `units`.

    Return None for anything else.
    """
    text = (text or "").strip()
    match = _DECIMAL.match(text)
    scale = units.get(text[match.end() :].strip()) if match else None
    if match is None or scale is None:
        return None
    return round(float(match[0]) * scale, 9)
