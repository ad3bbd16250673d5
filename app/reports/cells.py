"""Values as a report prints them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from html import unescape

from markupsafe import Markup

from app.results.metrics import MISSING, decimals

__all__ = ["MISSING", "cell_text", "cells"]

_ESCAPED = re.compile(r"\\([^\sA-Za-z0-9])|(&#?\w+;)")
_DIGITS = 3  # significant, of a typical value
_MOST_DECIMALS = 4
_APART = 20  # times: values of one column that need digits of their own


def cell_text(value: object) -> str:
    r"""Return one value as it is printed: three significant digits, times to the minute, UTC.

    Of text that a macro made, which is Markdown, what it says.

    >>> [shown(value) for value in (1234.5, 0.01234, 2.0, 7, None, True, Markup(r"z16\_A01\*"))]
    ['1,234', '0.0123', '2', '7', '–', 'yes', 'z16_A01*']
    """  # noqa: RUF002
    if isinstance(value, float):
        return _number(value, 0 if value.is_integer() else _decimals(abs(value)))
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | Decimal):
        return f"{value:,}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, date):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, list | tuple):
        return ", ".join(map(cell_text, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {cell_text(level)}" for name, level in value.items())
    if isinstance(value, Markup):
        value = _ESCAPED.sub(lambda match: match[1] or unescape(match[2]), value)
    return " ".join(str(value).split())


def cells(
    values: Sequence[object], decimals: int | None = None, *, digits: int = _DIGITS
) -> list[str]:
    """Return a column as it is printed: its numbers have the same number of decimals.

    `decimals`: how many (default: as many as a typical value needs for its `digits`; none if
    all are whole numbers).

    >>> cells([12.345, 1.2, None]), cells([3.0, 12.0])
    (['12.35', '1.20', '–'], ['3', '12'])
    """  # noqa: RUF002
    if decimals is not None:
        return [_number(v, decimals) if isinstance(v, float) else cell_text(v) for v in values]
    numbers = sorted(abs(v) for v in values if isinstance(v, float) and math.isfinite(v) and v)
    if all(number.is_integer() for number in numbers):
        return [cell_text(v) for v in values]
    if not numbers or numbers[-1] > _APART * numbers[0]:
        return [
            _number(v, _decimals(abs(v), digits)) if isinstance(v, float) else cell_text(v)
            for v in values
        ]
    decimals = _decimals(numbers[len(numbers) // 4], digits)
    return [_number(v, decimals) if isinstance(v, float) else cell_text(v) for v in values]


def _number(value: float, decimals: int) -> str:
    if not math.isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    text = f"{value:,.{decimals}f}"
    return "0" if float(text.replace(",", "")) == 0 else text


def _decimals(size: float, digits: int = _DIGITS) -> int:
    """Return the decimals that give a number of this size this many significant digits."""
    return min(decimals(size, digits), _MOST_DECIMALS)
