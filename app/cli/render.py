"""Query results as a table, CSV or JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TextIO

import duckdb
from rich.console import Console
from rich.table import Table

__all__ = ["FORMATS", "render"]

FORMATS = ("table", "csv", "json")
_BATCH = 10_000


def render(result: duckdb.DuckDBPyConnection, style: str, out: TextIO) -> None:
    """Write the rows of an executed query.

    Durations are in seconds, bytes in hexadecimal, times in ISO 8601; JSON is one list of objects.
    """
    names = [column[0] for column in result.description or []]
    if style == "csv":
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_flat(_plain(v)) for v in row] for row in _rows(result))
    elif style == "json":
        rows = [dict(zip(names, map(_plain, row), strict=True)) for row in _rows(result)]
        json.dump(rows, out, indent=1)
        out.write("\n")
    else:
        table = Table(*names)
        count = 0
        for row in _rows(result):
            table.add_row(*(_cell(v) for v in row))
            count += 1
        console = Console(file=out, markup=False)
        if not console.is_terminal:
            console = Console(file=out, markup=False, width=10_000)
        console.print(table)
        console.print(f"{count:,} row{'' if count == 1 else 's'}")


def _rows(result: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while batch := result.fetchmany(_BATCH):
        yield from batch


def _plain(value: Any) -> Any:
    """Convert a value to one that JSON can hold."""
    if isinstance(value, timedelta):
        return value.total_seconds()
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


def _cell(value: Any) -> str:
    plain = _flat(_plain(value))
    return "" if plain is None else str(plain)
