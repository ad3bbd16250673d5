"""Direct Access Device Activity report.

Seen on: "Pending time overflow" (IBM, z/OS 2.4 RMF: heading and columns of V2R4, and the first
words of a line). The order of a line's figures, and the positions of storage group, volume, rate
and response time, agree with the fixed columns that a program for genuine reports of an earlier
release reads (storage group at 1, volume at 25, rate at 41, response time at 50 of a line with
carriage control). No complete genuine line was available.

The columns are recognised by the heading: words that are printed above each other are one column.
So of a release with other columns the known ones are read.
"""

from __future__ import annotations

import re

import polars as pl

from ingest.formats.rmf.figures import Cell, align, number, stacked_cells
from ingest.formats.rmf.report import HEADING, Report
from ingest.formats.text.table import Column, Output

__all__ = ["TABLES", "TITLES", "parse_dasd"]

TITLES = {"rmf_dasd": "One row per system, interval and direct access device"}
TABLES = {
    "rmf_dasd": (
        *HEADING,
        Column("storage_group", "Storage group of the volume", pl.String),
        Column("dev_num", "Device number, hexadecimal, with its subchannel set", pl.String),
        Column("device_type", "Device type, such as 33909", pl.String),
        Column("number_of_cyl", "Cylinders of the volume"),
        Column("volume_serial", "Volume", pl.String),
        Column("pav", "Parallel access exposures, as printed: H for HyperPAV, * if changed",
               pl.String),
        Column("pav_number", "Parallel access exposures, average"),
        Column("lcu", "Logical control unit, hexadecimal", pl.String),
        Column("device_activity_rate", "Start subchannel operations [1/s]"),
        Column("avg_resp_time_ms", "Response time [ms]"),
        Column("avg_iosq_time_ms", "Of the response time: in the I/O supervisor's queue [ms]"),
        Column("avg_cmr_dly_ms", "Of the pending time: until the first command is accepted [ms]"),
        Column("avg_db_dly_ms", "Of the pending time: device busy [ms]"),
        Column("avg_int_dly_ms", "Interrupt delay [ms]"),
        Column("avg_pend_time_ms", "Of the response time: pending in the channel subsystem [ms]"),
        Column("avg_disc_time_ms", "Of the response time: disconnected [ms]"),
        Column("avg_conn_time_ms", "Of the response time: connected [ms]"),
        Column("dev_conn_pct", "Share of the interval that it was connected [%]"),
        Column("dev_util_pct", "Share of the interval that it was connected or disconnected [%]"),
        Column("dev_resv_pct", "Share of the interval that it was reserved [%]"),
        Column("avg_nmbr_alloc", "Open data control blocks, average"),
        Column("any_alloc_pct", "Share of the interval that it was allocated [%]"),
    ),
}  # fmt: skip

#: Words of the heading from top to bottom -> column.
_COLUMNS = {
    "STORAGE GROUP": "storage_group",
    "DEV NUM": "dev_num",
    "DEVICE TYPE": "device_type",
    "NUMBER OF CYL": "number_of_cyl",
    "VOLUME SERIAL": "volume_serial",
    "PAV": "pav",
    "LCU": "lcu",
    "DEVICE ACTIVITY RATE": "device_activity_rate",
    "AVG RESP TIME": "avg_resp_time_ms",
    "AVG IOSQ TIME": "avg_iosq_time_ms",
    "AVG CMR DLY": "avg_cmr_dly_ms",
    "AVG DB DLY": "avg_db_dly_ms",
    "AVG INT DLY": "avg_int_dly_ms",
    "AVG PEND TIME": "avg_pend_time_ms",
    "AVG DISC TIME": "avg_disc_time_ms",
    "AVG CONN TIME": "avg_conn_time_ms",
    "% DEV CONN": "dev_conn_pct",
    "% DEV UTIL": "dev_util_pct",
    "% DEV RESV": "dev_resv_pct",
    "AVG NMBR ALLOC": "avg_nmbr_alloc",
    "% ANY ALLOC": "any_alloc_pct",
}
_TEXTS = ("storage_group", "dev_num", "device_type", "volume_serial", "pav", "lcu")
_HEADING_TOP = re.compile(r"\s+DEVICE +AVG\b")
_HEADING_LAST = re.compile(r"\s*(?:GROUP +)?NUM +TYPE\b")
_DEVICE = re.compile(r"\s*(?:\S+ +)?[\dA-F]{4,5} +\d{4}\S* ")


def parse_dasd(report: Report, out: Output) -> None:
    """Read each device's line; totals of control units and storage groups are left out."""
    cells: list[Cell] = []
    heading: list[str] = []
    for line in report.lines:
        text = line.text
        if _HEADING_TOP.match(text) or heading:
            heading.append(text)
            if _HEADING_LAST.match(text):
                cells, heading = _cells(heading), []
            elif len(heading) > 3:
                heading = []
        elif _DEVICE.match(text):
            figures = _figures(text, cells)
            if figures is None:
                out.reject(line.number, "figures are not below the headings of DASD Activity")
                continue
            out.add("rmf_dasd", report.row(line.number, **_row(figures)))


def _cells(heading: list[str]) -> list[Cell]:
    return [
        Cell(_COLUMNS.get(cell.name, cell.name), cell.start, cell.end)
        for cell in stacked_cells(tuple(heading))
    ]


def _figures(text: str, cells: list[Cell]) -> dict[str, str] | None:
    """Match the words of a line to their headings: from the rate on, each word is a figure."""
    names = [cell.name for cell in cells]
    if "device_activity_rate" not in names:
        return None
    tail = len(cells) - names.index("device_activity_rate")
    words = list(re.finditer(r"\S+", text))[-tail:]
    if len(words) < tail or any(number(word[0]) is None for word in words):
        return None
    front = align(text[: words[0].start()], cells[:-tail])
    if not front or not {"dev_num", "volume_serial", "lcu"} <= front.keys():
        return None
    return front | dict(zip(names[-tail:], (word[0] for word in words), strict=True))


def _row(figures: dict[str, str]) -> dict[str, object]:
    row: dict[str, object] = {
        name: figure if name in _TEXTS else number(figure) for name, figure in figures.items()
    }
    row["pav_number"] = number(figures.get("pav", "").rstrip("H*"))
    return row
