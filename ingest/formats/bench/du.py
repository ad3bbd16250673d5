"""Read the output of `du` on Linux: the space that directories and files take.

    12K     ./tmp
    703M    .

Facts: the manual page du(1) of GNU coreutils: one line of size, tab and name per directory, what it
contains first, so that the last line has the total. Without -h, -b or the like, sizes are in KiB,
which the output does not show. With -h they are in K, M, G of 1024, rounded up; with --si, of 1000,
which the output does not show either. It prints no time.
"""

from __future__ import annotations

import re

import polars as pl

from ingest.formats.text.figures import number_with_unit
from ingest.formats.text.lines import lines, sample
from ingest.formats.text.parser import Parsed
from ingest.formats.text.table import Column, Output, describe_tables

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "recognise"]

KIND, TABLE = "du", "bench_du"
COLUMNS = (
    Column("record_no", "Line of the directory", pl.Int64),
    Column("path", "Directory or file as printed", pl.String),
    Column("value", "Space that it takes, as printed [unit]"),
    Column("unit", "Unit as printed; null: not printed, KiB unless changed by option", pl.String),
    Column("bytes", "The space in bytes, if its unit is printed; K, M and G are taken as powers of "
           "1024 [bytes]"),
)  # fmt: skip
SCHEMAS, COLUMN_DOCS = describe_tables({TABLE: COLUMNS})
TITLES = {TABLE: "One row per directory or file in the output of du"}

_UNITS = {unit: 1024.0**power for power, unit in enumerate("KMGTPE", 1)}
_LINE = re.compile(r"(\d{1,18}(?:\.\d)?)([KMGTPE]?)\t(\S.*)")
_LOOKED_AT = 20  # lines


def recognise(head: bytes) -> str | None:
    """Return the kind of file, if its first lines are sizes and paths."""
    head_lines = [line for line in sample(head).splitlines()[:_LOOKED_AT] if line.strip()]
    matches = [_LINE.fullmatch(line) for line in head_lines]
    return KIND if all(matches) and any(line and line[3][0] in "./" for line in matches) else None


def parse(content: bytes) -> Parsed:
    """Parse one whole file; lines without a size and a path go to `rejected`."""
    out = Output(SCHEMAS)
    for number, text in lines(content, is_print=False):
        if match := _LINE.fullmatch(text):
            value, unit, path = match.groups()
            out.add(TABLE, {
                "record_no": number, "path": path, "value": float(value), "unit": unit or None,
                "bytes": number_with_unit(value + unit, _UNITS),
            })  # fmt: skip
        elif text.strip():
            out.reject(number, "not a line of du")
    return Parsed(KIND, out.frames(), out.rejected)
