"""Coupling Facility Activity report: usage summary and structure activity.

Seen on: "Coupling Facility Usage Summary section" (IBM, z/OS 2.4 RMF: heading of the report and of
the coupling facility, order of the structures); "Lock monitoring with the coupling facility
structure activity report" (IBM, Db2 12 data sharing, db2z_lockmonitorcfactreport: structure
heading, requests, delays and contention of one system); "CHNGD requests" (IBM, MVS Setting Up a
Sysplex: what is counted where). No genuine line of the usage summary was available: its columns are
recognised by the words of its heading, one above the other, its processor lines by their labels.

Subchannel activity and CF to CF activity are not read.
"""

from __future__ import annotations

import re

import polars as pl

from ingest.formats.rmf.figures import Cell, align, number, size, stacked_cells
from ingest.formats.rmf.report import HEADING, Report
from ingest.formats.text.lines import Line
from ingest.formats.text.table import Column, Output

__all__ = ["TABLES", "TITLES", "parse_coupling"]

_CF = (*HEADING, Column("cf_name", "Coupling facility", pl.String))
_STRUCTURE = (
    *_CF,
    Column("structure_name", "Structure", pl.String),
    Column("structure_type", "LIST, LOCK, CACHE or UNKN", pl.String),
    Column("status", "ACTIVE, INACTV and so on, with PRIM or SEC for a duplexed one", pl.String),
)
_SYSTEM = (
    *_STRUCTURE,
    Column("system_name", "System that made the requests; TOTAL is all", pl.String),
)
TITLES = {
    "rmf_cf": "One row per sysplex, interval and coupling facility",
    "rmf_cf_structure": "One row per structure of a coupling facility's usage summary",
    "rmf_cf_request": "One row per structure, system and kind of request",
    "rmf_cf_delay": "One row per structure, system and reason that delayed requests",
    "rmf_cf_contention": "One row per structure, system and count of external request contention",
}
TABLES = {
    "rmf_cf": (
        *_CF,
        Column("samples_avg", "Samples, average over the systems"),
        Column("samples_max", "Samples of the system with the most"),
        Column("samples_min", "Samples of the system with the fewest"),
        Column("model", "Machine type of the coupling facility", pl.String),
        Column("cf_level", "Level of the control code"),
        Column("average_cf_utilization_pct", "Processors busy [%]"),
        Column("logical_processors_defined", "Logical processors defined"),
        Column("logical_processors_effective", "Logical processors effectively available"),
    ),
    "rmf_cf_structure": (
        *_STRUCTURE,
        Column("alloc_size_bytes", "Allocated storage; printed K, M, G as powers of 1024 [bytes]"),
        Column("cf_storage_pct", "Share of the coupling facility's storage [%]"),
        Column("requests", "Requests completed; printed K and M are powers of 1000"),
        Column("all_requests_pct", "Share of the coupling facility's requests [%]"),
        Column("cf_utilization_pct", "Share of the coupling facility's used processor time [%]"),
        Column("requests_per_second", "Requests completed [1/s]"),
        Column("entries_total", "List or directory entries in total"),
        Column("entries_current", "List or directory entries in use"),
        Column("elements_total", "Data elements in total"),
        Column("elements_current", "Data elements in use"),
        Column("lock_entries_total", "Lock entries in total"),
        Column("lock_entries_current", "Lock entries in use"),
        Column("directory_reclaims", "Directory reclaims"),
        Column("directory_reclaim_xis", "Cross-invalidations by directory reclaims"),
    ),
    "rmf_cf_request": (
        *_SYSTEM,
        Column("request", "SYNC, ASYNC, CHNGD (changed from sync to async), SUPPR", pl.String),
        Column("requests", "Requests; a printed K or M is a power of 1000"),
        Column("requests_pct", "Share of all systems' requests to the structure [%]"),
        Column("service_time_avg_us", "Service time; CHNGD is included in ASYNC [us]"),
        Column("service_time_std_dev_us", "Standard deviation of the service time [us]"),
        Column("system_requests", "All requests of the system"),
        Column("system_requests_per_second", "All requests of the system [1/s]"),
    ),
    "rmf_cf_delay": (
        *_SYSTEM,
        Column("reason", "NO SCH, PR WT, PR CMP, DUMP, MONOP and so on, as printed", pl.String),
        Column("requests", "Delayed requests"),
        Column("requests_pct", "Share of the system's requests [%]"),
        Column("delay_avg_us", "Delay per delayed request [us]"),
        Column("delay_std_dev_us", "Standard deviation of the delay [us]"),
        Column("delay_all_us", "Delay per request, over all requests [us]"),
    ),
    "rmf_cf_contention": (
        *_SYSTEM,
        Column("kind", "REQ TOTAL, REQ DEFERRED, -CONT, -FALSE CONT and so on", pl.String),
        Column("requests", "Requests"),
    ),
}  # fmt: skip

_CF_NAME = re.compile(r"COUPLING FACILITY NAME *= *(\S+)")
_SAMPLES = re.compile(r"TOTAL SAMPLES *\(AVG\) *= *(\d+) +\(MAX\) *= *(\d+) +\(MIN\) *= *(\d+)")
_UTILIZATION = re.compile(r"AVERAGE CF UTILIZATION +\(% BUSY\) +(\S+)")
_PROCESSORS = re.compile(r"LOGICAL PROCESSORS: +DEFINED +(\S+) +EFFECTIVE +(\S+)")
_MODEL = re.compile(r"COUPLING FACILITY +(\d{4}) .*\bCFLEVEL +(\d+)")
_STRUCTURE_NAME = re.compile(
    r"STRUCTURE NAME *= *(\S+) +TYPE *= *(\S+)(?: +STATUS *= *(\S.*?))?\s*$"
)
_SUMMARY = re.compile(r"\s*STRUCTURE SUMMARY\s*$")
_SUMMARY_LAST = re.compile(r"\s*TYPE +NAME +STATUS\b")
_SUMMARY_END = re.compile(r"\s*(?:STRUCTURE TOTALS|STORAGE SUMMARY|PROCESSOR SUMMARY)\b")
_TYPE = re.compile(r"\s*(LIST|LOCK|CACHE|UNKN) +\S")
_OTHER = re.compile(r"\bSUBCHANNEL +ACTIVITY\b|\bCF TO CF ACTIVITY\b")
_FIGURE = r"[-+]?[\d.,]+[KMGT]?%?"
_REQUEST = re.compile(
    rf"\b(SYNC|ASYNC|CHNGD|SUPPR) +({_FIGURE}) +({_FIGURE})"
    rf"(?: +(?:({_FIGURE}) +({_FIGURE})|INCLUDED IN ASYNC))?"
)
_DELAY = re.compile(
    rf"\b(NO SCH|PR WT|PR CMP|DUMP|MONOP|STALL|SYNC ASYNC) +({_FIGURE}) +({_FIGURE})"
    rf" +({_FIGURE}) +({_FIGURE}) +({_FIGURE})"
)
_CONTENTION = re.compile(
    rf"(REQ TOTAL|REQ DEFERRED|-CONT|-FALSE CONT) *({_FIGURE})(?: +[A-Z])?\s*$",
    re.IGNORECASE,
)
#: Words of the summary's heading -> column.
_COLUMNS = {
    "TYPE": "structure_type",
    "STRUCTURE NAME": "structure_name",
    "STATUS CHG": "status",
    "STATUS": "status",
    "CHG": "changed",
    "ALLOC SIZE": "alloc_size_bytes",
    "% OF CF STOR": "cf_storage_pct",
    "# REQ": "requests",
    "% OF ALL REQ": "all_requests_pct",
    "% OF CF UTIL": "cf_utilization_pct",
    "AVG REQ/ SEC": "requests_per_second",
    "LST/DIR ENTRIES TOT/CUR": "entries",
    "DATA ELEMENTS TOT/CUR": "elements",
    "LOCK ENTRIES TOT/CUR": "lock_entries",
    "DIR_REC/ DIR_REC XI'S": "directory_reclaims",
    "DIR_REC XI'S": "directory_reclaims",
}
_SECOND = {
    "entries": "entries_current",
    "elements": "elements_current",
    "lock_entries": "lock_entries_current",
    "directory_reclaims": "directory_reclaim_xis",
}
_FIRST = {"entries": "entries_total", "elements": "elements_total",
          "lock_entries": "lock_entries_total"}  # fmt: skip
_TEXTS = ("structure_name", "structure_type", "status", "changed")


class _State:
    """The position in a report: coupling facility, structure, system, summary."""

    def __init__(self) -> None:
        self.cf: dict[str, object] = {}
        self.cf_line = 0
        self.structure: dict[str, object] = {}
        self.system: str | None = None
        self.total: float | None = None
        self.pending: list[tuple[int, dict[str, object]]] = []
        self.heading: list[str] | None = None
        self.cells: list[Cell] = []
        self.row: dict[str, object] = {}
        self.row_line = 0


def parse_coupling(report: Report, out: Output) -> None:
    """Read the coupling facilities, their structures, and each system's requests to them."""
    state = _State()
    for line in report.lines:
        if match := _CF_NAME.search(line.text):
            if match[1] != state.cf.get("cf_name"):
                _close(state, report, out)
                state.__init__()  # type: ignore[misc]
                state.cf, state.cf_line = {"cf_name": match[1]}, line.number
        elif not state.cf and not _STRUCTURE_NAME.search(line.text) and not state.structure:
            continue
        elif "ACTIVITY" in line.text and _OTHER.search(line.text):
            _close_structure(state, report, out)
        elif match := _STRUCTURE_NAME.search(line.text):
            _close_structure(state, report, out)
            state.structure = {
                "structure_name": match[1], "structure_type": match[2], "status": match[3],
            }  # fmt: skip
        elif state.structure:
            _activity(state, line, report, out)
        else:
            _usage(state, line, report, out)
    _close(state, report, out)


def _usage(state: _State, line: Line, report: Report, out: Output) -> None:
    text = line.text
    _facility(state.cf, text)
    if _SUMMARY.match(text):
        state.heading, state.cells = [], []
    elif _SUMMARY_END.match(text):
        _close_row(state, report, out)
        state.heading, state.cells = None, []
    elif state.heading is not None:
        if text.strip(" -"):
            # Two words side by side in one column.
            state.heading.append(text.replace("DIR REC", "DIR_REC"))
        if _SUMMARY_LAST.match(text):
            state.cells = [
                Cell(_COLUMNS.get(c.name, c.name), c.start, c.end)
                for c in stacked_cells(tuple(state.heading))
            ]
            state.heading = None
    elif state.cells and text.strip(" -"):
        _summary_line(state, line, report, out)


def _facility(cf: dict[str, object], text: str) -> None:
    if match := _SAMPLES.search(text):
        cf |= dict(zip(("samples_avg", "samples_max", "samples_min"),
                       map(number, match.groups()), strict=True))  # fmt: skip
    if match := _UTILIZATION.search(text):
        cf["average_cf_utilization_pct"] = number(match[1])
    if match := _PROCESSORS.search(text):
        cf["logical_processors_defined"] = number(match[1])
        cf["logical_processors_effective"] = number(match[2])
    if match := _MODEL.search(text):
        cf["model"], cf["cf_level"] = match[1], number(match[2])


def _summary_line(state: _State, line: Line, report: Report, out: Output) -> None:
    """Read a structure's first line, or its second with the current numbers."""
    figures = align(line.text, state.cells)
    if _TYPE.match(line.text):
        _close_row(state, report, out)
        if not figures or not {"structure_name", "alloc_size_bytes"} <= figures.keys():
            out.reject(line.number, "figures are not below the headings of Structure Summary")
            return
        state.row_line = line.number
        state.row = {
            _FIRST.get(name, name): (
                figure if name in _TEXTS
                else size(figure) if name == "alloc_size_bytes" else number(figure)
            )
            for name, figure in figures.items()
        }  # fmt: skip
    elif state.row and figures:
        for name, figure in figures.items():
            if name in _SECOND:
                state.row[_SECOND[name]] = number(figure)
            elif name == "status":
                state.row["status"] = f"{state.row.get('status') or ''} {figure}".strip()


def _activity(state: _State, line: Line, report: Report, out: Output) -> None:
    text = line.text
    request = _REQUEST.search(text)
    if request:
        before = text[: request.start()].split()
        if request[1] == "SYNC" and before:
            _flush(state, report, out)
            if len(before) == 2:
                state.system, state.total = before[0], number(before[1])
            elif number(before[0]) is None:
                state.system, state.total = before[0], None
        elif request[1] == "ASYNC" and before:
            for _, row in state.pending:
                row["system_requests_per_second"] = number(before[-1])
            state.structure["rate"] = number(before[-1])
        if state.system is None:
            out.reject(line.number, "requests of a system with an unreadable name")
            return
        state.pending.append((line.number, _request(state, request)))
    for match in _DELAY.finditer(text):
        names = ("requests", "requests_pct", "delay_avg_us", "delay_std_dev_us", "delay_all_us")
        figures = dict(zip(names, map(number, match.groups()[1:]), strict=True))
        _add(state, report, out, "rmf_cf_delay", line.number, {"reason": match[1]} | figures)
    after = request.end() if request else 0
    if contention := _CONTENTION.search(text, after):
        contest: dict[str, object] = {
            "kind": contention[1].upper(), "requests": number(contention[2]),
        }  # fmt: skip
        _add(state, report, out, "rmf_cf_contention", line.number, contest)


def _request(state: _State, match: re.Match[str]) -> dict[str, object]:
    names = ("requests", "requests_pct", "service_time_avg_us", "service_time_std_dev_us")
    figures: dict[str, object] = dict(zip(names, map(number, match.groups()[1:]), strict=True))
    return figures | {
        "request": match[1],
        "system_name": state.system,
        "system_requests": state.total,
        "system_requests_per_second": state.structure.get("rate"),
    }


def _add(
    state: _State, report: Report, out: Output, table: str, line: int, row: dict[str, object]
) -> None:
    if state.system is not None:
        where = {"cf_name": state.cf.get("cf_name"), "system_name": state.system}
        out.add(table, report.row(line, **(where | state.structure | row)))


def _flush(state: _State, report: Report, out: Output) -> None:
    """Add the requests of a system, once its rate is known too."""
    for line, row in state.pending:
        where = {"cf_name": state.cf.get("cf_name")}
        out.add("rmf_cf_request", report.row(line, **(where | state.structure | row)))
    state.pending = []
    state.structure.pop("rate", None)


def _close_row(state: _State, report: Report, out: Output) -> None:
    if state.row:
        where = {"cf_name": state.cf.get("cf_name")}
        out.add("rmf_cf_structure", report.row(state.row_line, **(where | state.row)))
    state.row = {}


def _close_structure(state: _State, report: Report, out: Output) -> None:
    _flush(state, report, out)
    _close_row(state, report, out)
    state.structure, state.system, state.total = {}, None, None


def _close(state: _State, report: Report, out: Output) -> None:
    _close_structure(state, report, out)
    if state.cf:
        out.add("rmf_cf", report.row(state.cf_line, **state.cf))
