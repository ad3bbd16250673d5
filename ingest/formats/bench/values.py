"""Check values that people write into manifests and measurement files."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl

from ingest.formats.limits import limit, setting

__all__ = [
    "FaultError",
    "boolean",
    "flag_of",
    "from_json",
    "moment",
    "name_list",
    "number",
    "scalar",
    "text",
    "to_utc",
    "value_text",
    "zone",
]  # fmt: skip

_OFFSET = re.compile(r"([+-])(\d\d):?([0-5]\d)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_YEARS = range(1970, 2100)


class FaultError(ValueError):
    """A fault in a file or a part of it, in one line, and the line number."""

    def __init__(self, reason: str, line: int = 1) -> None:
        """`line` counts from 1."""
        super().__init__(reason)
        self.line = line


def from_json(document: str) -> Any:
    """Return the value of a JSON text. Raises ValueError, also where a key is there twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counts = Counter(name for name, _ in pairs)
        if twice := [name for name, count in counts.items() if count > 1]:
            raise ValueError(f"the key {value_text(twice[0])} is there twice")
        return dict(pairs)

    return json.loads(document, object_pairs_hook=once)


def text(value: object) -> str:
    """Return text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise FaultError(f"is {value_text(value)}, not text")
    return _clean(value)


def scalar(value: object) -> str:
    """Return text, number, truth value or date as text; whole numbers without a decimal point."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        figure = number(value)
        return str(int(figure)) if figure == int(figure) and abs(figure) < 2**53 else repr(figure)
    if isinstance(value, date):
        return value.isoformat()
    return text(value)


def number(value: object) -> float:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FaultError(f"is {value_text(value)}, not a number")
    try:
        figure = float(value)
    except OverflowError:
        figure = math.inf
    if not math.isfinite(figure):
        raise FaultError("is not a finite number")
    return figure


def boolean(value: object) -> bool:
    """Return whether a truth value is true. Raises FaultError for any other value."""
    if not isinstance(value, bool):
        raise FaultError(f"is {value_text(value)}, not true or false")
    return value


def flag_of(value: object) -> str:
    """Return Y or N for a truth value, and any other value unchanged."""
    return ("Y" if value else "N") if isinstance(value, bool) else scalar(value)


def name_list(value: object) -> list[str]:
    """Return a list of names, each once, from a list or a single name."""
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list):
        raise FaultError(f"is {value_text(value)}, not a list of names")
    names = [text(name) for name in given]
    for name in names:
        if re.search(r"\s", name):
            raise FaultError(f"holds {value_text(name)}, which has a blank")
    return list(dict.fromkeys(names))


def moment(value: object) -> datetime:
    """Return a date and time, with or without an offset; text must be ISO 8601."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise FaultError(
                f"is {value_text(value)}, not a moment such as 2021-03-01T10:00:00"
            ) from None
    if not isinstance(value, datetime):
        raise FaultError(f"is {value_text(value)}, not a moment such as 2021-03-01T10:00:00")
    if value.year not in _YEARS:
        raise FaultError(f"is in the year {value.year}")
    return value


def zone(value: object) -> str:
    """Return the name of a time zone, or an offset as +hh:mm."""
    name = text(value)
    _local_to_utc(datetime(2000, 1, 15, 12), name)
    return name


def to_utc(value: datetime, time_zone: str) -> datetime:
    """Return a moment in UTC, by its own offset or else `time_zone`. Raises FaultError."""
    if value.tzinfo is not None:
        return value.astimezone(UTC).replace(tzinfo=None)
    return _local_to_utc(value, time_zone)


def _local_to_utc(value: datetime, time_zone: str) -> datetime:
    if match := _OFFSET.fullmatch(time_zone):
        offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
        if offset >= timedelta(hours=24):
            raise FaultError(f"is {time_zone!r}, an offset of a day or more")
        return value - (offset if match[1] == "+" else -offset)
    series = pl.Series([value], dtype=pl.Datetime("us"))
    try:
        aware = series.dt.replace_time_zone(time_zone)
    except pl.exceptions.PolarsError as error:
        reason = str(error)
        if "ambiguous" in reason:
            raise FaultError(
                f"is {value}, which occurs twice in {time_zone}: add the offset"
            ) from None
        if "non-existent" in reason:
            raise FaultError(f"is {value}, which does not exist in {time_zone}") from None
        raise FaultError(f"is {value_text(time_zone)}, not a known time zone") from None
    utc: datetime = aware.dt.convert_time_zone("UTC").dt.replace_time_zone(None).item()
    return utc


def _clean(value: str) -> str:
    if _SURROGATE.search(value):
        raise FaultError("is not UTF-8")
    if "\0" in value:
        raise FaultError(f"is {value_text(value)}, which has a NUL")
    most = limit("value_length")
    if len(value) > most:
        raise FaultError(f"is longer than {most} characters ({setting('value_length')})")
    return value.strip()


def value_text(value: object) -> str:
    """Return a value as a message shows it: printable, short, and in quotes unless it is a word."""
    if isinstance(value, str) and value.isidentifier() and value.isascii() and len(value) <= 60:
        return value
    if isinstance(value, str) and re.fullmatch(r"[\w.-]{1,60}", value):
        return f"'{value}'"
    text = ascii(value[:60]) if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
