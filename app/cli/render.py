"""Query results as a table, CSV or JSON."""

from __future__ import annotations

import csv
import json
import math
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import chain, islice
from typing import Any, TextIO

import duckdb
from rich.cells import cell_len, set_cell_size

from app.cli.common import finite, without_middle
from ingest.base.visible import cell, one_line

__all__ = ["FORMATS", "render"]

FORMATS = ("table", "csv", "json")
Answer = duckdb.DuckDBPyConnection | duckdb.DuckDBPyRelation
_BATCH = 10_000
_COUNTED = 100_000  # rows that are not printed, but counted

_WIDTH = 120  # of the output without a terminal, unless $COLUMNS says otherwise
_GAP = "  "  # between columns
_LEAST = 8  # characters of a text that stay visible
_NAME = 44  # the same of a name, while there is room
_BYTES = 24  # the identifiers of MQ; longer binary values are shortened to a third of it
_NUMBERS = (int, float, Decimal)
_NEVER_SHORTENED = (*_NUMBERS, date, datetime, time)
_PLAN = ["explain_key", "explain_value"]  # columns of EXPLAIN: a drawing of many lines
_HOW_TO_GET_ALL = "; long values are shortened: --full shows them, as do --format csv and json"


def render(
    result: Answer,
    style: str,
    out: TextIO,
    *,
    full: bool = False,
    limit: int | None = None,
    more: str = "",
) -> str:
    """Write the rows of an executed query: `limit` at most, or all if that is 0 or None.

    Times and intervals are in ISO 8601, bytes in hexadecimal; JSON is one list of objects. A table
    is as wide as the terminal: long texts and binary values are shortened, and rows whose columns
    do not fit side by side are printed one column per line. With `full` nothing is shortened, and a
    table has a line per row, however wide. CSV and JSON are written row by row; a table is held in
    memory, as its columns are as wide as their values. more: how to get the rows that are left out.

    Returns what `out` does not say of them, and of values that its form lacks, in words for users.
    """
    names = [column[0] for column in result.description or []]
    taken, problem = _rows(result, limit or sys.maxsize), ""
    rows = chain([*islice(taken, 1)], taken)  # nothing is written before the query has an answer
    if style == "csv":
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([cell(name, out) for name in names])
        writer.writerows([cell(_flat(_plain(value)), out) for value in row] for row in rows)
    elif style == "json":
        problem = _write_json(names, rows, out)
    elif names == _PLAN:
        out.writelines(f"{plan}\n" for _, plan in rows)
    else:
        shown = [_on_one_line(name) for name in names]
        _print(shown, list(rows), result, out, full=full, more=more)
        return ""
    return "; ".join(filter(None, (problem, _left(result, more))))


def _rows(result: Answer, most: int) -> Iterator[tuple[Any, ...]]:
    while batch := result.fetchmany(min(most, _BATCH)):
        yield from batch
        most -= len(batch)
        if not most:
            return


def _left(result: Answer, more: str) -> str:
    """Return how many rows were not taken; they are counted up to a number."""
    count = sum(1 for _ in _rows(result, _COUNTED + 1))
    if not count:
        return ""
    counted = f"{count:,}" if count <= _COUNTED else f"more than {_COUNTED:,}"
    return f"{counted} more row{'' if count == 1 else 's'}{more and ': '}{more}"


def _write_json(names: Sequence[str], rows: Iterable[tuple[Any, ...]], out: TextIO) -> str:
    """Write what json.dump(rows, out, indent=1) would, row by row; return what JSON cannot say."""
    between, lost = "[", Counter[str]()
    for row in rows:
        held = dict(zip(names, map(_plain, row), strict=True))
        text = json.dumps(finite(held, lost), indent=1, allow_nan=False)
        out.write(f"{between}\n {text.replace(chr(10), chr(10) + ' ')}")
        between = ","
    out.write("[]\n" if between == "[" else "\n]\n")
    losses = ", ".join(f"{count:,} {value}" for value, count in sorted(lost.items()))
    return f"null in place of what JSON has no number for: {losses}" if losses else ""


def _print(
    names: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
    result: Answer,
    out: TextIO,
    *,
    full: bool,
    more: str,
) -> None:
    cells = [[_cell(value, full=full) for value in row] for row in rows]
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    natural = [max(map(cell_len, texts)) for texts in zip(names, *cells, strict=True)]
    room = shutil.get_terminal_size((_WIDTH, 0)).columns
    widths = natural if full else _fitted(names, columns, natural, room)
    if widths:
        _print_table(names, columns, cells, widths, out)
        is_cut = widths != natural
    else:
        name_width = max(map(cell_len, names))
        width = max(room - name_width - len(_GAP), _LEAST)
        _print_lines([_padded(name, name_width) for name in names], cells, width, out)
        is_cut = max(natural) > width
    is_cut |= not full and any(_is_long(value) for row in rows for value in row)
    count = f"{len(rows):,} row{'' if len(rows) == 1 else 's'}"
    left = _left(result, more)
    and_left = f", and {left}" if left else ""
    out.write(f"{count}{and_left}{_HOW_TO_GET_ALL if is_cut else ''}\n")


def _print_table(
    names: Sequence[str],
    columns: Sequence[Sequence[Any]],
    cells: Sequence[Sequence[str]],
    widths: Sequence[int],
    out: TextIO,
) -> None:
    """Print a line per row; columns of numbers are aligned on the right."""
    right = [any(v is not None for v in values) and _all(_NUMBERS, values) for values in columns]
    for row in (names, ["-" * width for width in widths], *cells):
        texts = (
            _padded(_shortened(text, width), width, right=aligned)
            for text, width, aligned in zip(row, widths, right, strict=True)
        )
        out.write(f"{_GAP.join(texts).rstrip()}\n")


def _print_lines(
    names: Sequence[str], cells: Sequence[Sequence[str]], width: int, out: TextIO
) -> None:
    """Print a line per column of each row."""
    for number, row in enumerate(cells, 1):
        out.write(f"row {number:,}\n")
        out.writelines(
            f"{name}{_GAP}{_shortened(text, width)}".rstrip() + "\n"
            for name, text in zip(names, row, strict=True)
        )


def _fitted(
    names: Sequence[str], columns: Sequence[Sequence[Any]], natural: Sequence[int], room: int
) -> list[int] | None:
    """Return the widths of columns that fill `room` at most; None if they do not fit.

    The widest columns of text give way first; those of names only if other texts become too short.
    Headings, numbers and times are never shortened.
    """
    room -= len(_GAP) * (len(names) - 1)
    for of_names in (_NAME, _LEAST):
        least = [
            width if _all(_NEVER_SHORTENED, values)
            else min(width, max(cell_len(name), of_names if _are_names(values) else _LEAST))
            for name, values, width in zip(names, columns, natural, strict=True)
        ]  # fmt: skip
        if sum(least) <= room:
            break
    else:
        return None
    for most in range(max(natural, default=0), 0, -1):
        widths = [max(low, min(width, most)) for low, width in zip(least, natural, strict=True)]
        if sum(widths) <= room:
            return widths
    return least


def _all(kinds: tuple[type, ...], values: Sequence[Any]) -> bool:
    return all(value is None or isinstance(value, kinds) for value in values)


def _are_names(values: Sequence[Any]) -> bool:
    return all(v is None or (isinstance(v, str) and not re.search(r"\s", v)) for v in values)


def _padded(text: str, width: int, *, right: bool = False) -> str:
    space = " " * (width - cell_len(text))
    return space + text if right else text + space


def _shortened(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    if "/" in text and " " not in text:  # a path, whose end matters most
        return without_middle(text, width)
    return set_cell_size(text, width - 1) + "…"


def _is_long(value: Any) -> bool:
    return isinstance(value, bytes | bytearray | memoryview) and len(value) > _BYTES


def _cell(value: Any, *, full: bool) -> str:
    if not full and _is_long(value):
        return f"{_plain(value[: _BYTES // 3])}… ({len(value):,} bytes)"
    plain = _flat(_plain(value))
    if isinstance(value, float) and not full:
        return _rounded(value)
    return "" if plain is None else _on_one_line(str(plain))


def _rounded(value: float) -> str:
    """Return a number with six significant digits, or all before the point.

    >>> [_rounded(value) for value in (0.1 + 0.2, 1234567.891, 212.50195866666664, 1.23456789e-9)]
    ['0.3', '1234568', '212.502', '1.23457e-09']
    """
    if abs(value) >= 1e15 or not math.isfinite(value):
        return str(value)
    return f"{value:.0f}" if abs(value) >= 1e6 else f"{value:.6g}"


def _on_one_line(text: str) -> str:
    return one_line(text.replace("\n", "↵").replace("\t", " "))


def _plain(value: Any) -> Any:
    """Convert a value to one that JSON can hold."""
    if isinstance(value, timedelta):  # in a union, whose parts are not known before
        return f"PT{value.total_seconds():f}S"
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex().upper()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, int | float | str | bool) or value is None:
        return value
    return str(value)


def _flat(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value
