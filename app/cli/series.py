"""Read one series of numbers from a CSV file."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.common import UsageError

if TYPE_CHECKING:
    from _csv import _reader

__all__ = ["read_series"]

_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "."})


def read_series(path: Path, column: str) -> list[float]:
    """Return the values of `column` in file order, NaN for missing ones.

    The first line names the columns. Raises UsageError if the file cannot be read, or the column
    is missing, is empty or holds anything but finite numbers.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            values = _values(csv.reader(file), path, column)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{path}: {reason}") from error
    if all(math.isnan(value) for value in values):
        raise UsageError(f"{path}: column '{column}' has no values")
    return values


def _values(rows: _reader, path: Path, column: str) -> list[float]:
    names = [name.strip() for name in next(rows, [])]
    if column not in names:
        held = ", ".join(names) or "none"
        raise UsageError(f"{path}: no column '{column}'; the first line names: {held}")
    if names.count(column) > 1:
        raise UsageError(f"{path}: more than one column is named '{column}'")
    at = names.index(column)
    single = len(names) == 1  # then an empty line is a missing value
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
        raise UsageError(f"{place}: '{text}' is not a number") from None
    if math.isinf(value):
        raise UsageError(f"{place}: '{text}' is not finite")
    return value
