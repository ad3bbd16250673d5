"""Parser of RMF Postprocessor reports: text and XML bytes in, frames out.

    kind         what
    rmf_text     printed reports: CPU Activity, Partition Data, Workload Activity (WLMGL),
                 Coupling Facility Activity, Crypto Hardware Activity, Direct Access Device Activity
    rmf_xml      the Postprocessor's XML: every value as it is, and the CPU report's own tables

One file may hold many reports, systems and intervals. Any other kind of report is listed once among
the rejected parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import polars as pl

from ingest.formats.rmf import coupling, cpu, crypto, dasd, ddsml, workload
from ingest.formats.rmf.report import Report, cut, reports
from ingest.formats.text.garbage import without_collection
from ingest.formats.text.lines import Line, decode, lines
from ingest.formats.text.parser import Each, Parsed, Rejected
from ingest.formats.text.table import Column, Output, describe_tables

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "parse_parts", "recognise"]

TABLES: dict[str, tuple[Column, ...]] = (
    cpu.TABLES | workload.TABLES | coupling.TABLES | crypto.TABLES | dasd.TABLES | ddsml.TABLES
)
SCHEMAS, COLUMN_DOCS = describe_tables(TABLES)
TITLES: dict[str, str] = (
    cpu.TITLES | workload.TITLES | coupling.TITLES | crypto.TITLES | dasd.TITLES | ddsml.TITLES
)

PARSERS: dict[str, Callable[[Report, Output], None]] = {
    "CPU": cpu.parse_cpu,
    "PARTITION": cpu.parse_partitions,
    "WLMGL": workload.parse_workload,
    "CF": coupling.parse_coupling,
    "CRYPTO": crypto.parse_crypto,
    "DASD": dasd.parse_dasd,
}
#: What is in every known title, in ASCII and in EBCDIC.
_MARKS = tuple(
    mark.encode(page)
    for mark in ("A C T I V I T Y", "D A T A  R E P O R T", "D A T A   R E P O R T")
    for page in ("ascii", "cp037")
)
_TITLE = re.compile(r"(?:[A-Z/&] {1,3}){5,}[A-Z]")
_PART = 20_000  # lines that are parsed together
_NEAR = 4096  # bytes around a title that contain its heading


def recognise(head: bytes) -> str | None:
    """Return rmf_xml, rmf_text or None, by the root of the XML or by a title and heading."""
    if ddsml.recognise(head):
        return "rmf_xml"
    for mark in _MARKS:
        at = head.find(mark)
        if at >= 0 and _is_report(decode(head[max(at - 256, 0) : at + _NEAR])):
            return "rmf_text"
    return None


def parse(content: bytes) -> Parsed:
    """Parse one whole file. Parts that cannot be read go to `rejected`; nothing is raised."""
    return parse_parts(content, map)


def parse_parts(content: bytes, each: Each) -> Parsed:
    """Parse one whole file; `each` calls the parser of some of its reports."""
    out = Output(SCHEMAS)
    if ddsml.recognise(content):
        ddsml.parse_xml(decode(content), out)
        return Parsed("rmf_xml", out.frames(), out.rejected)
    unsupported: dict[str, int] = {}  # once per file is enough: it is the same for every interval
    with without_collection():
        printed = lines(content)
    parts = (([n for n, _ in part], [text for _, text in part]) for part in cut(printed, _PART))
    for part in each(_parse_lines, parts):
        for table, frame in part.tables.items():
            out.extend(table, frame)
        out.rejected += part.rejected
        unsupported = part.unsupported | unsupported
    for reason, line in unsupported.items():
        out.reject(line, reason)
    return Parsed("rmf_text", out.frames(), sorted(out.rejected, key=lambda part: part.line))


class _Part(NamedTuple):
    """What is in some reports of a file; the titles that are not supported have a line each."""

    tables: dict[str, pl.DataFrame]
    rejected: list[Rejected]
    unsupported: dict[str, int]


@without_collection()
def _parse_lines(printed: tuple[Sequence[int], Sequence[str]]) -> _Part:
    """Parse lines, which come as their numbers and their texts."""
    out = Output(SCHEMAS)
    unsupported: dict[str, int] = {}
    for report in reports(map(Line, *printed)):
        line = report.lines[0].number if report.lines else 1
        if not report.kind:
            unsupported.setdefault(report.reason, line)
        elif report.reason:
            out.reject(line, report.reason)
        else:
            PARSERS[report.kind](report, out)
    return _Part(out.frames(), out.rejected, unsupported)


def _is_report(text: str) -> bool:
    """Return whether a spaced title, an interval and RMF's release are close together."""
    printed = text.upper()
    return (
        "INTERVAL" in printed
        and ("RPT VERSION" in printed or "RMF VERSION" in printed)
        and bool(_TITLE.search(printed))
    )
