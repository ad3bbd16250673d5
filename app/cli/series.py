"""One series of numbers from a CSV file."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _csv import _reader

__all__ = ["SeriesError", "read_series"]

_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "."})


class SeriesError(ValueError):
    """The file holds no such series; the message says why, in one line."""


def read_series(path: Path, column: str) -> list[float]:
    """The values of `column` in the order of the lines, NaN where one is missing.

    The first line names the columns. SeriesError where the file cannot be read, has no such
    column, no value in it, or something else than a finite number.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            values = _values(csv.reader(file), path, column)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SeriesError(f"{path}: {reason}") from error
    if all(math.isnan(value) for value in values):
        raise SeriesError(f"{path}: column '{column}' holds no value")
    return values


def _values(rows: _reader, path: Path, column: str) -> list[float]:
    names = [name.strip() for name in next(rows, [])]
    if column not in names:
        held = ", ".join(names) or "none"
        raise SeriesError(f"{path}: no column '{column}'; the first line names: {held}")
    if names.count(column) > 1:
        raise SeriesError(f"{path}: more than one column is named '{column}'")
    at = names.index(column)
    single = len(names) == 1  # an empty line is then a missing value
    values = []
    for row in rows:
        if row or single:
            text = row[at].strip() if at < len(row) else ""
            values.append(_number(text, f"{path}, line {rows.line_num}"))
    return values


def _number(text: str, place: str) -> float:
    if text.lower() in _MISSING:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        raise SeriesError(f"{place}: '{text}' is not a number") from None
    if math.isinf(value):
        raise SeriesError(f"{place}: '{text}' is not finite")
    return value
