"""Write the XML of RMF's Postprocessor and of Monitor III, whose reports have no segments.

Any report can be written from rmf_xml_value, every value unchanged. Without that table, the CPU
report is written from rmf_cpu_machine, rmf_cpu and rmf_partition, with the decimals of the printed
report. Each table or variable list is a separate part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from xml.sax.saxutils import escape

from models_sim.simulator.outputs.rmf.cpu import CPU, MACHINE, PARTITION
from models_sim.simulator.outputs.rmf.page import HEADING, clock, figure, reports
from models_sim.simulator.outputs.text import Row, Tables, dicts, whole

__all__ = ["VALUE", "write_xml"]

_REPORT = (*HEADING, "report", "resource")
VALUE = (*_REPORT, "segment", "part", "table_no", "row", "row_type", "column", "value")
_MACHINE = {
    "CPU": "cpu", "Model": "model", "H/W Model": "h_w_model", "HiperDispatch": "hiperdispatch",
    "CPC Capacity": "cpc_capacity", "Sequence Code": "sequence_code",
    "Change Reason": "change_reason", "Boost Type": "boost_type", "Boost Class": "boost_class",
}  # fmt: skip
#: Heading of a table -> column, and the decimals of a figure (-1: shortest form).
_CPU = {
    "CPU Number": ("cpu_num", None), "CPU Type": ("cpu_type", None),
    "Time% Online": ("online_pct", 2), "Time% LPAR Busy": ("lpar_busy_pct", 2),
    "Time% MVS Busy": ("mvs_busy_pct", 2), "Time% Parked": ("parked_pct", 2),
    "MT% Productivity": ("mt_prod_pct", 2), "MT% Utilization": ("mt_util_pct", 2),
    "LOG PROC Share%": ("log_proc_share_pct", 1),
    "HiperDispatch Priority": ("hiperdispatch_priority", None),
    "I/O Interrupts Rate": ("io_interrupt_rate", 2),
    "I/O Interrupts% via TPI": ("io_interrupts_via_tpi_pct", 2),
}  # fmt: skip
_PARTITION = {
    "Partition Name": ("name", None), "Partition Status": ("status", None),
    "Boost Type": ("boost_type", None), "Partition Weight": ("weight", -1),
    "MSU Defined": ("msu_defined", 0), "MSU Actual": ("msu_actual", 0),
    "Capping Defined": ("capping_defined", None), "Capping WLM%": ("capping_wlm_pct", 1),
    "Num of LOG PROCs": ("processor_num", -1), "PROC Type": ("processor_type", None),
    "Effective Dispatch Time": ("effective_dispatch_seconds", 3),
    "Total Dispatch Time": ("total_dispatch_seconds", 3),
    "Avg Util%: LOG PROC Effective": ("logical_effective_pct", 2),
    "Avg Util%: LOG PROC Total": ("logical_total_pct", 2),
    "Avg Util%: PHYS PROC LPAR MGMT": ("physical_lpar_mgmt_pct", 2),
    "Avg Util%: PHYS PROC Effective": ("physical_effective_pct", 2),
    "Avg Util%: PHYS PROC Total": ("physical_total_pct", 2),
}  # fmt: skip
_BEGINNING = (
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<ddsml xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
    '       xsi:noNamespaceSchemaLocation="include/ddsml.xsd">',
)


def write_xml(tables: Tables) -> bytes:
    """Return the reports of rmf_xml_value, or the CPU reports of the other tables."""
    values = dicts(tables, "rmf_xml_value", VALUE)
    rows = values if "rmf_xml_value" in tables else _of_cpu(tables)
    printed = [*_BEGINNING]
    for _, found in groupby(rows, itemgetter(*_REPORT)):
        report = list(found)
        printed += (_postprocessor if report[0]["segment"] else _monitor_three)(report)
    return ("\n".join([*printed, "</ddsml>"]) + "\n").encode()


def _postprocessor(rows: Sequence[Row]) -> Iterator[str]:
    """Yield one report of one system (or sysplex) and interval."""
    first = rows[0]
    start, end = (first[f"interval_{of}_local"] for of in ("start", "end"))
    yield f"<postprocessor>{_open('metric', id=first['report'] or '')}</metric>"
    yield "<version>{}{}</version>".format(
        _element("smf-data", first["zos_version"]), _element("rmf-report", first["rmf_version"])
    )
    kind = "SYSTEM" if first["system_id"] is not None else "SYSPLEX"
    yield "<resource>{}{}</resource>".format(
        _element("resname", first["resource"]), _element("restype", kind)
    )
    times = {"display-start": start and f"{start:%m/%d/%Y-%H.%M.%S}",
             "display-end": end and f"{end:%m/%d/%Y-%H.%M.%S}",
             "report-interval": clock(first["interval_seconds"]).replace(".", ":")}  # fmt: skip
    yield f"<time-data>{''.join(_element(name, text) for name, text in times.items())}</time-data>"
    for segment, found in groupby(rows, itemgetter("segment")):
        yield f"<segment>{_element('name', segment)}"
        for (part, table), values in groupby(found, itemgetter("part", "table_no")):
            yield f"<part>{_element('name', part)}"
            yield from _table(table, list(values))
            yield "</part>"
        yield "</segment>"
    yield "</postprocessor>"


def _monitor_three(rows: Sequence[Row]) -> Iterator[str]:
    """Yield one report of Monitor III: a caption, and rows with their headings below them."""
    first = rows[0]
    kind = "SYSPLEX" if first["system_id"] is None else "MVS_IMAGE"
    yield f"<server>{_element('version', first['rmf_version'])}</server>"
    yield f"<report>{_open('metric', id=first['report'] or '')}</metric>"
    label = f",{first['resource']},{kind}"
    yield f"<resource>{_element('reslabel', label)}</resource>"
    moments = (first[f"interval_{of}_local"] for of in ("start", "end"))
    start, end = (f"{moment:%m/%d/%Y %H:%M:%S}" for moment in moments)
    times = {"display-start": start, "display-end": end,
             "data-range": whole(first["interval_seconds"])}  # fmt: skip
    yield f"<time-data>{''.join(_element(name, text) for name, text in times.items())}</time-data>"
    yield f"<caption>{_vars(row for row in rows if row['row'] is None)}</caption>"
    cells = [row for row in rows if row["row"] is not None]
    headings = _headings(cells)
    yield from _lines(cells, headings)
    yield f"<column-headers>{_columns(headings)}</column-headers></report>"


def _headings(cells: Sequence[Row]) -> list[str]:
    """Return the columns of a table in an order that agrees with each of its rows."""
    headings: list[str] = []
    for _, row in groupby(cells, itemgetter("row")):
        at = 0
        for column in (cell["column"] for cell in row):
            if column not in headings:
                headings.insert(at, column)
            at = headings.index(column) + 1
    return headings


def _table(number: int, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a variable list, or a table of headings and rows."""
    if rows[0]["row"] is None:
        yield f"{_open('var-list', id=number)}{_vars(rows)}</var-list>"
        return
    headings = _headings(rows)
    yield _open("table", id=number)
    yield f"<column-headers>{_columns(headings)}</column-headers>"
    yield from _lines(rows, headings)
    yield "</table>"


def _vars(rows: Iterable[Row]) -> str:
    return "".join(
        f"<var>{_element('name', row['column'])}{_element('value', row['value'])}</var>"
        for row in rows
    )


def _lines(cells: Iterable[Row], headings: Sequence[str]) -> Iterator[str]:
    """Yield the rows of a table below or above `headings`."""
    for (refno, kind), found in groupby(cells, itemgetter("row", "row_type")):
        named = {cell["column"]: cell["value"] for cell in found}
        opening = _open("row", refno=refno, type=kind)
        yield f"{opening}{_columns(named.get(heading) for heading in headings)}</row>"


def _open(name: str, **attributes: object) -> str:
    said = (f' {key}="{escape(str(value))}"' for key, value in attributes.items()
            if value is not None)  # fmt: skip
    return f"<{name}{''.join(said)}>"


def _element(name: str, text: str | None) -> str:
    return "" if text is None else f"<{name}>{escape(text)}</{name}>"


def _columns(texts: Iterable[str | None]) -> str:
    return "".join(_element("col", text) or "<col/>" for text in texts)


def _of_cpu(tables: Tables) -> Iterator[Row]:
    """Yield the values of CPU reports from the tables of the printed report."""
    columns = {"rmf_cpu_machine": MACHINE, "rmf_cpu": CPU, "rmf_partition": PARTITION}
    for heading, rows in reports(tables, columns):
        resource = heading["system_id"] or heading["sysplex"]
        report: Row = heading | {"report": "CPU", "resource": resource}
        activity = report | {"segment": "CPU Activity", "part": None}
        for row in rows["rmf_cpu_machine"]:
            capacity = None if row["cpc_capacity"] is None else whole(row["cpc_capacity"])
            said = row | {"cpc_capacity": capacity}
            yield from _variables(activity | {"table_no": 1}, said, _MACHINE)
        for number, row in enumerate(rows["rmf_cpu"], 1):
            said = row | {"cpu_num": "TOTAL/AVERAGE" if row["is_total"] else row["cpu_num"]}
            yield from _cells(activity | {"table_no": 2}, number, said, _CPU)
        data = report | {"segment": "Partition Data Report", "part": None}
        for row in rows["rmf_partition"][:1]:
            names = {"MVS Partition Name": "mvs_partition_name"}
            yield from _variables(data | {"table_no": 3}, row, names)
        data["part"] = "Partition Data"
        for number, row in enumerate(rows["rmf_partition"], 1):
            yield from _cells(data | {"table_no": 4}, number, row, _PARTITION)


def _variables(place: Row, row: Row, names: Mapping[str, str]) -> Iterator[Row]:
    for variable, column in names.items():
        if row[column] is not None:
            yield place | {"row": None, "row_type": None, "column": variable, "value": row[column]}


def _cells(
    place: Row, number: int, row: Row, columns: Mapping[str, tuple[str, int | None]]
) -> Iterator[Row]:
    kind = "SUM" if row["is_total"] else None
    for heading, (column, decimals) in columns.items():
        value = _shown(row, column, decimals)
        yield place | {"row": number, "row_type": kind, "column": heading, "value": value}


def _shown(row: Row, column: str, decimals: int | None) -> str | None:
    """Return a value as the report shows it, or None."""
    value = row[column]
    if column == "weight" and row["weight_printed"] is not None:
        return str(row["weight_printed"])
    if value is None or decimals is None:
        return None if value is None else str(value)
    if column.endswith("_seconds"):
        return clock(value, hours=True)
    return figure(value, decimals) if decimals >= 0 else whole(round(value, 1))
