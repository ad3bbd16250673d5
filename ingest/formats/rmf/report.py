"""Printed lines -> reports: the lines from one title to the next, and the values in the heading.

The heading is described on IBM's page "Heading fields" (z/OS 2.4 RMF), and shown on the pages that
the parsers of the individual reports name:

    z/OS V2R4      SYSTEM ID SYSF         DATE 07/03/2019    INTERVAL 14.59.999
                   RPT VERSION V2R4 RMF   TIME 12.14.33      CYCLE 1.000 SECONDS

A sysplex report has SYSPLEX instead of SYSTEM ID. A duration report has START and END with a
date-time instead of DATE and TIME. The heading does not say the time zone: times are local to the
system that wrote the records.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import polars as pl

from ingest.formats.rmf.figures import duration, moment
from ingest.formats.text.lines import Line
from ingest.formats.text.table import Column

__all__ = ["HEADING", "TITLES", "Report", "cut", "reports", "title_of"]

#: Letters of a title without its blanks -> the report.
TITLES = {
    "CPUACTIVITY": "CPU",
    "PARTITIONDATAREPORT": "PARTITION",
    "WORKLOADACTIVITY": "WLMGL",
    "COUPLINGFACILITYACTIVITY": "CF",
    "CRYPTOHARDWAREACTIVITY": "CRYPTO",
    "DIRECTACCESSDEVICEACTIVITY": "DASD",
}
HEADING = (
    Column("record_no", "Line of the row; in XML, number of its element", pl.Int64),
    Column("system_id", "System of the report; null in a report of a whole sysplex", pl.String),
    Column("sysplex", "Sysplex of the report; null in a report of one system, unless it names it",
           pl.String),
    Column("interval_start_local", "Start of the interval, local time of the system; "
           "the report does not say its zone", pl.Datetime),
    Column("interval_end_local", "End of the period, local time, if the report prints it: in "
           "duration reports and XML", pl.Datetime),
    Column("interval_seconds", "Length of the interval as printed [s]"),
    Column("zos_version", "Release of z/OS that wrote the data, as printed", pl.String),
    Column("rmf_version", "Release of RMF that made the report, as printed", pl.String),
)  # fmt: skip

_SPACED = re.compile(r"\s*((?:[A-Z/&] {1,3}){5,}[A-Z])\s*(?:PAGE +\d+)?\s*")
_FIELDS = {
    "system_id": r"SYSTEM ID +(\S+)",
    "sysplex": r"SYSPLEX +(\S+) +(?:DATE|START)\b",
    "zos_version": r"^\s*(z/OS +\S+)",
    "rmf_version": r"(?:RPT|RMF) VERSION +(\S+)",
    "interval": r"\bINTERVAL +([\d.:]+)",
    "start": r"\bSTART +(\S+)",
    "end": r"\bEND +(\d\S+)",
    "date": r"\bDATE +([\d/]+)",
    "time": r"(?<!DATE/)\bTIME +([\d.:]+)",
}
_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _FIELDS.items()}
_HEADING_LINES = 6


class Report(NamedTuple):
    """One report of one system (or sysplex) and interval: kind, heading, the lines below it."""

    kind: str
    heading: dict[str, object]
    lines: list[Line]
    title: str
    reason: str = ""

    def row(self, line: int, **values: object) -> dict[str, object]:
        """Return a row with the heading's columns."""
        return self.heading | {"record_no": line} | values


def title_of(text: str) -> str | None:
    """Return the letters of a line that is printed s p a c e d, as titles are; otherwise None."""
    match = _SPACED.fullmatch(text)
    return re.sub(r"\s", "", match[1]) if match else None


def reports(lines: Iterable[Line]) -> Iterator[Report]:
    """Yield the reports of a file; pages of the same report, system and interval are joined."""
    last: Report | None = None
    for title, page in _pages(lines):
        kind = TITLES.get(title, "")
        heading, body = _heading(page)
        reason = _unread(kind, title, heading, body)
        if last and not reason and (last.kind, last.heading) == (kind, heading):
            last.lines.extend(body)
            continue
        if last:
            yield last
        last = Report(kind, heading, body, title, reason)
    if last:
        yield last


def cut(lines: list[Line], size: int) -> Iterator[list[Line]]:
    """Yield the lines of a file in parts of at least `size` lines, between two reports."""
    begun = 0
    while begun < len(lines):
        end = min(begun + size, len(lines))
        before: tuple[str, dict[str, object]] | None = None
        for title, page in _pages(islice(lines, end, None)):
            report = title, _heading(page)[0]
            if before not in (None, report):
                end = bisect_left(lines, page[0])
                break
            before = report
        else:
            end = len(lines)
        yield lines[begun:end]
        begun = end


def _pages(lines: Iterable[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Yield each title and the lines up to the next one; lines before the first are dropped."""
    title = ""
    page: list[Line] = []
    for line in lines:
        page_title = title_of(line.text)
        if page_title:
            if title:
                yield title, page
            title, page = page_title, []
        page.append(line)
    if title:
        yield title, page


def _heading(page: list[Line]) -> tuple[dict[str, object], list[Line]]:
    """Return the heading's columns, and the lines of the page below it."""
    values: dict[str, str] = {}
    below = 1
    for at, line in enumerate(page[1:_HEADING_LINES], 1):
        new = _fields(line.text)
        if "rmf_version" in new or "interval" in new or "end" in new:
            values |= new
            below = at + 1
    start = values.get("start") or f"{values.get('date', '')}-{values.get('time', '')}"
    heading: dict[str, object] = {
        "system_id": values.get("system_id"),
        "sysplex": values.get("sysplex"),
        "interval_start_local": moment(start),
        "interval_end_local": moment(values.get("end")),
        "interval_seconds": duration(values.get("interval")),
        "zos_version": values.get("zos_version"),
        "rmf_version": values.get("rmf_version"),
    }
    return heading, page[below:]


@lru_cache(maxsize=256)  # all pages of an interval have the same heading
def _fields(line: str) -> Mapping[str, str]:
    """Return the fields of the heading that are in a line."""
    return {n: m[1] for n, p in _PATTERNS.items() if (m := p.search(line))}


def _unread(kind: str, title: str, heading: dict[str, object], body: list[Line]) -> str:
    """Return why a page cannot be read, or an empty string."""
    if not kind:
        return f"report {title} is not supported"
    if heading["interval_start_local"] is None:
        return f"report {title} without a readable date and time in its heading"
    if heading["system_id"] is None and heading["sysplex"] is None:
        return f"report {title} names no system and no sysplex"
    if body and not any("  " in line.text.strip() for line in body):
        return f"report {title} has lost its blanks, so its columns cannot be found"
    return ""
