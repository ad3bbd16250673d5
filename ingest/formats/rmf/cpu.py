"""CPU Activity and Partition Data reports.

Seen on: "Using the information in the CPU Activity report" (IBM, z/OS RMF Report Analysis,
erbb500395, V2R1 and V2R4: heading, machine, processors of three types with the MT columns); "CPU
Activity" (z/OS 3.1: what a line means with multithreading); the Getting started page of smf2db
(V2R4 form of both reports, in mixed case). The names of the columns in the XML form are from
genuine Postprocessor XML (see ingest.formats.rmf.ddsml).

The machine, the processors' lines and totals, and all partitions are read. The distribution of the
in-ready queue and the blocked workload lines are read only from XML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from ingest.formats.rmf.figures import Cell, align, duration, named_cells, number
from ingest.formats.rmf.report import HEADING, Report
from ingest.formats.text.lines import Line
from ingest.formats.text.table import Column, Output

__all__ = ["TABLES", "TITLES", "parse_cpu", "parse_partitions"]

TITLES = {
    "rmf_cpu_machine": "One row per system and interval: the machine of a CPU Activity report",
    "rmf_cpu": "One row per system, interval and logical processor or thread, or total of a type",
    "rmf_partition": "One row per system, interval, partition and processor type, with totals",
}
TABLES = {
    "rmf_cpu_machine": (
        *HEADING,
        Column("cpu", "Machine type", pl.String),
        Column("model", "Software model: capacity level and number of processors", pl.String),
        Column("h_w_model", "Hardware model", pl.String),
        Column("cpc_capacity", "Capacity of the machine [MSU/h]"),
        Column("sequence_code", "Serial number with plant", pl.String),
        Column("hiperdispatch", "YES or NO", pl.String),
        Column("change_reason", "Reason of the last capacity change", pl.String),
        Column("boost_type", "Boost that was active: zIIP, speed, both", pl.String),
        Column("boost_class", "Why it was boosted: IPL, shutdown, recovery", pl.String),
    ),
    "rmf_cpu": (
        *HEADING,
        Column("cpu_num", "Processor or core, hexadecimal as printed; null: total or average",
               pl.String),
        Column("cpu_type", "CP, IIP (zIIP), AAP (zAAP)", pl.String),
        Column("is_total", "True if the row is the total or average of a type", pl.Boolean),
        Column("online_pct", "Share of the interval that it was online [%]"),
        Column("lpar_busy_pct", "Busy as PR/SM sees it [%]"),
        Column("mvs_busy_pct", "Busy as z/OS sees it, as a share of the time not parked [%]"),
        Column("parked_pct", "Parked share of the online time [%]"),
        Column("mt_prod_pct", "Productivity of a multithreading core [%]"),
        Column("mt_util_pct", "Utilisation of a multithreading core [%]"),
        Column("log_proc_share_pct", "Share of a physical processor that it is entitled to [%]"),
        Column("hiperdispatch_priority", "HIGH, MED or LOW share", pl.String),
        Column("io_interrupt_rate", "I/O interrupts handled [1/s]"),
        Column("io_interrupts_via_tpi_pct", "Of these, found by test pending interrupt [%]"),
    ),
    "rmf_partition": (
        *HEADING,
        Column("mvs_partition_name", "Partition that the reporting system ran in", pl.String),
        Column("name", "Partition; *PHYSICAL is time that belongs to no partition", pl.String),
        Column("is_total", "True if the row is the total of a processor type", pl.Boolean),
        Column("status", "A: active, D: deactivated, as printed; XML has the full word", pl.String),
        Column("boost_type", "Boost type, as printed", pl.String),
        Column("weight", "Weight of shared processors"),
        Column("weight_printed", "Weight as printed: DED for dedicated", pl.String),
        Column("msu_defined", "Defined capacity [MSU/h]"),
        Column("msu_actual", "Used capacity [MSU/h]"),
        Column("capping_defined", "Capping: initial, LPAR hardware, hardware group", pl.String),
        Column("capping_wlm_pct", "Share of the time that WLM capped it [%]"),
        Column("processor_num", "Logical processors, average"),
        Column("processor_type", "CP, IIP, AAP, IFL, ICF", pl.String),
        Column("effective_dispatch_seconds", "Dispatch time without LPAR management [s]"),
        Column("total_dispatch_seconds", "Dispatch time with LPAR management [s]"),
        Column("logical_effective_pct", "Logical processors busy, without LPAR management [%]"),
        Column("logical_total_pct", "Logical processors busy [%]"),
        Column("physical_lpar_mgmt_pct", "Physical processors busy with LPAR management [%]"),
        Column("physical_effective_pct", "Physical processors busy, without LPAR management [%]"),
        Column("physical_total_pct", "Physical processors busy [%]"),
    ),
}  # fmt: skip

_MACHINE = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "cpu": r"^\s*CPU +(\d+)",
        "model": r"^\s*MODEL +(\S+)",
        "h_w_model": r"\bH/W MODEL +(\S+)",
        "cpc_capacity": r"CPC CAPACITY +(\S+)",
        "sequence_code": r"SEQUENCE CODE +(\S+)",
        "hiperdispatch": r"HIPE?RDISPATCH *= *(\S+)",
        "change_reason": r"CHANGE REASON *= *(\S+)",
        "boost_type": r"BOOST TYPE *= *(\S+)",
        "boost_class": r"BOOST CLASS *= *(\S+)",
    }.items()
}
_CPU_NAMES = (
    ("cpu_num", r"\bNUM\b"), ("cpu_type", r"\bTYPE\b"), ("online_pct", r"\bONLINE\b"),
    ("lpar_busy_pct", r"\bLPAR BUSY\b"), ("mvs_busy_pct", r"\bMVS BUSY\b"),
    ("parked_pct", r"\bPARKED\b"), ("mt_prod_pct", r"\bPROD\b"), ("mt_util_pct", r"\bUTIL\b"),
    ("log_proc_share_pct", r"\bSHARE *%"), ("io_interrupt_rate", r"\bRATE\b"),
    ("io_interrupts_via_tpi_pct", r"% *VIA TPI\b"),
)  # fmt: skip
_PARTITION_NAMES = (
    ("name", r"\bNAME\b"), ("status", r"\bS\b"), ("boost_type", r"\bBT\b"), ("weight", r"\bWGT\b"),
    ("msu_defined", r"\bDEF\b"), ("msu_actual", r"\bACT\b"), ("capping_defined", r"\bDEF\b"),
    ("capping_wlm_pct", r"\bWLM%"), ("processor_num", r"\bNUM\b"), ("processor_type", r"\bTYPE\b"),
    ("effective_dispatch_seconds", r"\bEFFECTIVE\b"), ("total_dispatch_seconds", r"\bTOTAL\b"),
    ("logical_effective_pct", r"\bEFFECTIVE\b"), ("logical_total_pct", r"\bTOTAL\b"),
    ("physical_lpar_mgmt_pct", r"\bLPAR MGMT\b"), ("physical_effective_pct", r"\bEFFECTIVE\b"),
    ("physical_total_pct", r"\bTOTAL\b"),
)  # fmt: skip
_CPU_HEADING = re.compile(r"\bNUM +TYPE +ONLINE\b", re.IGNORECASE)
_PARTITION_HEADING = re.compile(r"\bNAME +S\b.*\bWGT\b", re.IGNORECASE)
_TOTAL = re.compile(r"TOTAL *(?:/ *AVERAGE)?:?", re.IGNORECASE)
_PRIORITY = re.compile(r"\b(HIGH|MED|LOW)\b", re.IGNORECASE)
_CAPPING = re.compile(r"(?<=\s)([YN]) ([YN]) ([YN])(?=\s)", re.IGNORECASE)
_PARTITION_NAME = re.compile(r"MVS PARTITION NAME +(\S+)", re.IGNORECASE)
_NEXT_SECTION = re.compile(r"\bADDRESS SPACE\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_CPU_LINE = re.compile(
    r"\s*(?:[\dA-F]{1,3} |TOTAL\b|\d[-.\d ]*(?:[A-Z]+[-.\d ]*)?$)", re.IGNORECASE
)
_TYPES = frozenset(("CP", "IIP", "AAP", None))
_TEXTS = frozenset(("cpu_num", "cpu_type", "name", "status", "boost_type", "capping_defined",
                    "processor_type"))  # fmt: skip


def parse_cpu(report: Report, out: Output) -> None:
    """Read the machine, and each processor's line."""
    _machine(report, out)
    cells: Sequence[Cell] = []
    cpu_num = cpu_type = None
    for line in report.lines:
        if _CPU_HEADING.search(line.text):
            cells = named_cells(line.text, _CPU_NAMES)
        elif _NEXT_SECTION.search(line.text):
            return
        elif cells and _CPU_LINE.match(line.text):
            row = _cpu_row(line, cells)
            if row is None:
                out.reject(line.number, "figures are not below the headings of CPU Activity")
                continue
            # The further threads of a core have lines without its number and type.
            cpu_num = row["cpu_num"] = row["cpu_num"] or cpu_num if not row["is_total"] else None
            cpu_type = row["cpu_type"] = row["cpu_type"] or cpu_type
            out.add("rmf_cpu", report.row(line.number, **row))


def parse_partitions(report: Report, out: Output) -> None:
    """Read each partition's line; totals and *PHYSICAL get the type of the lines above them."""
    partition = next((m[1] for x in report.lines if (m := _PARTITION_NAME.search(x.text))), None)
    cells: Sequence[Cell] = []
    kind = None
    for line in report.lines:
        if "WGT" in line.text.upper() and _PARTITION_HEADING.search(line.text):
            cells = named_cells(line.text, _PARTITION_NAMES)
        elif cells and _DIGIT.search(line.text):
            row = _partition_row(line.text, cells)
            if row is None:
                out.reject(line.number, "figures are not below the headings of Partition Data")
                continue
            kind = row["processor_type"] = row.get("processor_type") or kind
            out.add("rmf_partition", report.row(line.number, mvs_partition_name=partition, **row))
    if not cells:
        out.reject(report.lines[0].number if report.lines else 1, "no heading of partitions")


def _machine(report: Report, out: Output) -> None:
    values: dict[str, object] = {}
    line_no = 0
    for line in report.lines[:12]:
        for name, pattern in _MACHINE.items():
            if name not in values and (match := pattern.search(line.text)):
                values[name] = match[1]
                line_no = line_no or line.number
    if "cpu" in values:
        values["cpc_capacity"] = number(str(values.get("cpc_capacity", "")))
        out.add("rmf_cpu_machine", report.row(line_no, **values))


def _cpu_row(line: Line, cells: Sequence[Cell]) -> dict[str, object] | None:
    text = line.text
    row: dict[str, object] = {"is_total": False, "cpu_num": None, "cpu_type": None}
    if match := _PRIORITY.search(text):
        row["hiperdispatch_priority"] = match[1].upper()
        text = _blank(text, match)
    if match := _TOTAL.search(text):
        row["is_total"] = True
        text = _blank(text, match)
    figures = align(text, cells)
    if figures is None or "mvs_busy_pct" not in figures:
        return None
    for name, figure in figures.items():
        row[name] = figure.upper() if name in _TEXTS else number(figure)
    return row if row["cpu_type"] in _TYPES else None


def _partition_row(text: str, cells: Sequence[Cell]) -> dict[str, object] | None:
    figures = align(_CAPPING.sub(r"\1_\2_\3", text, count=1), cells)
    if not figures or "name" not in figures:
        return None
    if "total_dispatch_seconds" not in figures and figures.get("status", "").upper() != "D":
        return None
    row: dict[str, object] = {}
    if any(x.count(".") < 3 for name, x in figures.items() if name.endswith("_seconds")):
        return None  # not hh.mm.ss.ttt: the line is shifted against its heading
    for column, figure in figures.items():
        if column in _TEXTS:
            row[column] = figure.replace("_", " ") if column == "capping_defined" else figure
        else:
            row[column] = (duration if column.endswith("_seconds") else number)(figure)
    row["is_total"] = figures["name"].upper() == "TOTAL"
    row["weight_printed"] = figures.get("weight")
    return row


def _blank(text: str, match: re.Match[str]) -> str:
    return text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]
