"""The cells of a table in text: separators, numbers with units, moments."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

import polars as pl

from ingest.formats.bench.results import About
from ingest.formats.bench.units import BRACKETS, conversion, unit_of
from ingest.formats.bench.values import FaultError
from ingest.formats.text.parser import Rejected

__all__ = [
    "CELL",
    "MISSING",
    "TextTable",
    "moment",
    "moments_of",
    "read_table",
    "typed_figures",
    "unique_names",
    "without_remarks",
]

MISSING = ("", "na", "n/a", "null", "none", "-", "nan")


#: A cell with a number: its digits, and its unit if it has one.
CELL = (
    r"^([-+]?(?:\d[\d.,'\x{A0}\x{202F} ]*)?[.,]?\d[.,]?(?:[eE][-+]?\d{1,3})?)\s*((?:[^\d\s.,].*)?)$"
)
_THOUSANDS = r"^[-+]?[1-9]\d{0,2}(?:,\d{3})+$"
_EPOCH = re.compile(r"(?:\d{9,10}|\d{12,13}|\d{15,16}|\d{18,19})(?:\.\d+)?")
_AS_WRITTEN = (
    "%a, %d %b %Y %H:%M:%S %z",
    "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%d.%m.%Y",
    "%a %b %d %H:%M:%S %Y", "%d %b %Y %H:%M:%S", "%d %b %Y %H:%M", "%d %b %Y",
    "%b %d, %Y %H:%M:%S", "%b %d, %Y %H:%M", "%b %d, %Y %I:%M:%S %p", "%Y-%m-%d %I:%M:%S %p",
)  # fmt: skip


class TextTable(NamedTuple):
    """A table whose cells are text, and what was noted of it."""

    frame: pl.DataFrame  # text only
    first_line: int
    notes: list[str]


def without_remarks(text: str) -> str:
    """Return a text from its first line on that is not a remark."""
    return re.sub(r"\A(?:#[^\n]*\n\s*)+", "", text)


def unique_names(line: str) -> list[str]:
    """Return the names of a header line, or nothing if it is none."""
    try:
        names = next(csv.reader([line.strip("\r\n")], delimiter=_separator(line), strict=True), [])
    except csv.Error:
        return []
    return [name.strip() for name in names]


def _separator(line: str) -> str:
    return max(",;\t|", key=line.count)


def read_table(content: bytes, about: About) -> TextTable:
    """Return a table as text. Raises FaultError, with the line."""
    if content.startswith(b"PAR1"):
        try:
            frame = pl.read_parquet(io.BytesIO(content))
        except (pl.exceptions.PolarsError, OSError) as error:
            raise FaultError(f"not Parquet: {_first(error)}") from None
        return TextTable(_as_text(frame), 1, [])
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise FaultError(
            "not UTF-8: save the file as UTF-8", content.count(b"\n", 0, error.start) + 1
        ) from None
    whole, text = text, without_remarks(text.lstrip())
    skipped = whole.count("\n", 0, len(whole) - len(text))
    if text.startswith(("{", "[")):
        read = pl.read_ndjson if text.startswith("{") else pl.read_json
        try:
            frame = read(io.BytesIO(text.encode()), infer_schema_length=None)
        except pl.exceptions.PolarsError as error:
            raise FaultError(f"not JSON Lines or an array: {_first(error)}") from None
        return TextTable(_as_text(frame), skipped + 1, [])
    header = text.split("\n", 1)[0]
    names, separator = unique_names(header), _separator(header)
    if names and not names[-1]:  # rows that end in a separator
        text = re.sub(rf"{re.escape(separator)} *$", "", text, flags=re.MULTILINE)
        names.pop()
    for at, name in enumerate(names):
        if not name:
            raise FaultError(f"column {at + 1} has no name in the header", skipped + 1)
        if names.index(name) != at:
            raise FaultError(
                f"two columns are named {name!r}: rename one in the header", skipped + 1
            )
    try:
        frame = pl.read_csv(io.BytesIO(text.encode()), separator=separator, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        line = _ragged_line(text, separator, len(names))
        raise FaultError(
            f"the line has another number of fields than the header, which has {len(names)}"
            if line else f"not a table: {_first(error)}", skipped + (line or 1),
        ) from None  # fmt: skip
    frame.columns = names
    if not frame.height:
        raise FaultError("the table has a header and no rows", skipped + 1)
    frame = frame.with_columns(pl.all().str.strip_chars())
    return _one_start(TextTable(frame, skipped + 2, []), about)


def _one_start(table: TextTable, about: About) -> TextTable:
    """Return a table whose columns date and time, if it has both, are one."""
    names = {name.lower(): name for name in table.frame.columns}
    date, _, clock = about.columns.get("start", "date+time").partition("+")
    date, clock = names.get(date.lower(), ""), names.get(clock.lower(), "")
    if not date or not clock or not table.frame[clock].str.contains(r"^\d\d?:\d\d").all():
        return table
    both = f"{date}+{clock}" if "start" in about.columns else date
    frame = table.frame.with_columns(pl.concat_str(date, clock, separator=" ").alias(both))
    frame = frame.drop({date, clock} - {both})
    return table._replace(frame=frame, notes=[f"{date} and {clock} are one time"])


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    nested = [n for n, dtype in frame.schema.items() if dtype.is_nested() or dtype == pl.Binary]
    if nested:
        raise FaultError(
            f"column {nested[0]} has tables or lists in it: write one value per column"
        )
    if not frame.height:
        raise FaultError("the table has no rows")
    return frame.with_columns(
        pl.col(n).dt.to_string("iso:strict") if dtype == pl.Datetime else pl.col(n).cast(pl.String)
        for n, dtype in frame.schema.items()
    )


def typed_figures(
    frame: pl.DataFrame, units: Mapping[str, str]
) -> tuple[pl.DataFrame, list[Rejected]]:
    r"""Return figures as numbers in their units, and a rejection for each that is not finite.

    units: column -> unit; a column without one keeps those of its cells in a column of its own,
    with \0 before its name. Raises FaultError for commas that may be decimal or of thousands.
    """
    rejected = []
    has_commas = any(frame[name].str.contains(r"\d,(?:\d\d?|\d{4,})$").any() for name in units)
    for name, to in units.items():
        column = frame[name]
        is_given = ~column.str.to_lowercase().is_in(MISSING[:-1]) & column.is_not_null()
        parts = column.str.extract_groups(CELL).struct.unnest()
        digits = _with_points(name, parts["1"], frame["\0line"], has_commas)
        unit_by_text = {text: unit_of(text) for text in parts["2"].drop_nulls().unique() if text}
        factors = {
            text: conversion(unit, to) if to else 1.0 for text, unit in unit_by_text.items()
        } | {"": 1.0}
        factor = parts["2"].replace_strict(factors, default=None, return_dtype=pl.Float64)
        number = digits.cast(pl.Float64, strict=False) * factor
        number = number.set(~number.is_finite().fill_null(value=False), None)
        bad = frame.filter(is_given & number.is_null())
        for line, value in bad.select("\0line", name).head(1000).iter_rows():
            why = f"column {name}: {value[:60]!r} is not a finite number, so it is left out"
            rejected.append(Rejected(line, why))
        frame = frame.with_columns(number.alias(name))
        if not to:
            frame = frame.with_columns(parts["2"].replace(unit_by_text).alias(f"\0{name}"))
    return frame, rejected


def _with_points(column: str, digits: pl.Series, lines: pl.Series, has_commas: bool) -> pl.Series:
    """Return numbers with decimal points only, whatever separates thousands. Raises FaultError."""
    digits = digits.str.replace_all(r"['\x{A0}\x{202F} ]", "")
    has_comma = digits.str.contains(",", literal=True).fill_null(value=False)
    is_doubtful = digits.str.contains(r"^[-+]?[1-9]\d{0,2}[.,]\d{3}$")
    if not has_comma.any() and not (has_commas and is_doubtful.all()):
        return digits
    is_thousands = digits.str.contains(_THOUSANDS) | digits.str.contains(r",\d{3}\.\d")
    if (has_comma & ~is_thousands).any():  # decimal commas; points, if any, are of thousands
        dots = digits.str.contains(r"^[-+]?\d{1,3}(?:\.\d{3})+(?:,\d*)?$")
        plain = digits.str.replace_all(".", "", literal=True)
        fits = dots | ~digits.str.contains(".", literal=True)
        plain = plain.zip_with(fits.fill_null(value=True), pl.Series([None], dtype=pl.String))
        return plain.str.replace(",", ".", literal=True)
    if not digits.str.contains(r",\d{3}[.,]").any():
        at = int(is_doubtful.arg_true()[0])
        raise FaultError(f"column {column}: {digits[at]!r} may have decimals or thousands: "
                         "write decimal points", int(lines[at]))  # fmt: skip
    return digits.str.replace_all(",", "", literal=True)


def moments_of(
    frame: pl.DataFrame, column: str | None, about: About, *, required: bool = True
) -> tuple[list[datetime | None], list[Rejected]]:
    """Return the times of a column as people write them, and the lines that have none.

    Raises FaultError if times need a zone.
    """
    if column is None:
        return [None] * frame.height, []
    match = BRACKETS.fullmatch(column)
    is_utc = match is not None and match[2].upper() in ("UTC", "GMT", "Z")
    moments: list[datetime | None] = []
    rejected = []
    for line, value in frame.select("\0line", column).iter_rows():
        at = moment(value or "")
        if at is None and (value or required):
            why = "is not a time such as 2026-03-01T10:00:00Z, so the line is left out"
            rejected.append(Rejected(line, f"column {column}: {(value or '')[:60]!r} {why}"))
        if at and at.tzinfo is None and is_utc:
            at = at.replace(tzinfo=UTC)
        if at and at.tzinfo is None and not about.time_zone:
            raise FaultError(f"column {column}: {value[:60]!r} has no offset: end times in Z or "
                             "+hh:mm, or give --time-zone NAME, or time_zone in "
                             "perfhouse-results.toml in its folder", line)  # fmt: skip
        moments.append(at)
    return moments, rejected


def moment(value: str) -> datetime | None:
    """Return a time as people write it, or None; two numbers may be day and month, so ask.

    >>> [str(moment(text)) for text in ("1 Mar 2026 10:00", "1772359200000000", "01/02/2026")]
    ['2026-03-01 10:00:00', '2026-03-01 10:00:00+00:00', 'None']
    """
    try:
        if _EPOCH.fullmatch(value):
            digits = len(value.partition(".")[0])
            return datetime.fromtimestamp(float(value) / 10 ** ((digits - 8) // 3 * 3), UTC)
        text = re.sub(r"(\.\d{6})\d+", r"\1", re.sub(r"\s+(?:UTC|GMT|Z)$", "+00:00", value))
        text = re.sub(r"\s+(?=[+-]\d\d:?\d\d$)", "", re.sub(r"^(20\d\d)/(\d\d)/", r"\1-\2-", text))
        return datetime.fromisoformat(re.sub(r"^(\S+) (\d:\d\d)", r"\1 0\2", text))
    except (ValueError, OverflowError):
        pass
    spaced = re.sub(r"(?<=\d)-(?=[A-Za-z])|(?<=[a-z])-(?=\d)", " ", value)
    for form in _AS_WRITTEN:
        try:
            return datetime.strptime(spaced, form)  # noqa: DTZ007 (the zone is given apart)
        except ValueError:
            continue
    return None


def _ragged_line(text: str, separator: str, fields: int) -> int:
    """Return the first line that does not have this number of fields, or 0."""
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    try:
        return next((reader.line_num for row in reader if row and len(row) != fields), 0)
    except csv.Error:
        return reader.line_num


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:200]
