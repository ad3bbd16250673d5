"""RMF's XML: every value of a Postprocessor or Monitor III report as a row, and the tables of CPU.

The elements are described in IBM's RMF Reporter Programmer's Guide (erbrp00, pages "Postprocessor
element", "Segment", "Part"): a <postprocessor> has metric, version, resource, time-data and
segments; a segment has parts; a part has variable lists and tables; a table has headings and rows
of <col>. The column names of the CPU report are from genuine XML of z/OS V2R4 and V2R5, which the
Zowe Zebra project keeps as test data (rmf_cpu.xml, cpu-small.xml).

A Monitor III report is a <report> with metric, resource, time-data, a caption of variables, rows,
and below them their headings. Seen on cpc.xml, cpc-error.xml and an empty file of the same project.
The resource is labelled ",system,MVS_IMAGE" or ",sysplex,SYSPLEX"; the CPC report names the sysplex
of a system (CPCPLPCN, the cluster of the LPAR) in the row of its own partition (CPCHPNAM). A report
of another resource, or one without headings, is rejected by name.

Nothing outside the file is opened and no entity is expanded. Reading stops at a document type
declaration, which RMF never writes, and at elements nested deeper than in the format.
"""

from __future__ import annotations

import re
from xml.parsers import expat

import polars as pl

from ingest.formats.rmf.figures import duration, moment, number, numbers
from ingest.formats.rmf.report import HEADING
from ingest.formats.text.lines import decode
from ingest.formats.text.table import Column, Output
from ingest.formats.text.xml import RefusedError, new_parser, refuse_depth

__all__ = ["TABLES", "TITLES", "parse_xml", "recognise"]

TITLES = {"rmf_xml_value": "One row per value of an XML file by the Postprocessor or Monitor III"}
TABLES = {
    "rmf_xml_value": (
        *HEADING,
        Column("report", "Report, as RMF calls it: CPU, WLMGL, CF, CPC and so on", pl.String),
        Column("resource", "Name of the reported system or sysplex", pl.String),
        Column("segment", "Segment of the report; null in Monitor III", pl.String),
        Column("part", "Part of the segment, if it has a name", pl.String),
        Column("table_no", "Table or variable list: its id, or its number in the report; in "
               "Monitor III the caption is 1 and the rows are 2", pl.Int32),
        Column("row", "Row of the table as numbered; null in a variable list", pl.Int32),
        Column("row_type", "SUM if the row is a sum", pl.String),
        Column("column", "Heading of the column, or name of the variable", pl.String),
        Column("value", "The value as in the file", pl.String),
        Column("number", "The value if it is a number; K, M, G are powers of 1000"),
    ),
}  # fmt: skip

_HEAD = 1 << 16
_CHUNK = 1 << 20
_DEEPEST = 32
_LONGEST = 4096  # characters of a value that are kept
_ROOT = re.compile(r"<ddsml[\s>/]")
_RESOURCE = re.compile(r"[^,]*,([^,]+),(MVS_IMAGE|SYSPLEX)")
_CAPTION, _ROWS = 1, 2
_CPU = {
    "CPU Number": "cpu_num", "CPU Type": "cpu_type", "Time% Online": "online_pct",
    "Time% LPAR Busy": "lpar_busy_pct", "Time% MVS Busy": "mvs_busy_pct",
    "Time% Parked": "parked_pct", "MT% Productivity": "mt_prod_pct",
    "MT% Utilization": "mt_util_pct", "LOG PROC Share%": "log_proc_share_pct",
    "HiperDispatch Priority": "hiperdispatch_priority",
    "I/O Interrupts Rate": "io_interrupt_rate",
    "I/O Interrupts% via TPI": "io_interrupts_via_tpi_pct",
}  # fmt: skip
_PARTITION = {
    "Partition Name": "name", "Partition Status": "status", "Boost Type": "boost_type",
    "Partition Weight": "weight", "MSU Defined": "msu_defined", "MSU Actual": "msu_actual",
    "Capping Defined": "capping_defined", "Capping WLM%": "capping_wlm_pct",
    "Num of LOG PROCs": "processor_num", "PROC Type": "processor_type",
    "Effective Dispatch Time": "effective_dispatch_seconds",
    "Total Dispatch Time": "total_dispatch_seconds",
    "Avg Util%: LOG PROC Effective": "logical_effective_pct",
    "Avg Util%: LOG PROC Total": "logical_total_pct",
    "Avg Util%: PHYS PROC LPAR MGMT": "physical_lpar_mgmt_pct",
    "Avg Util%: PHYS PROC Effective": "physical_effective_pct",
    "Avg Util%: PHYS PROC Total": "physical_total_pct",
}  # fmt: skip
_MACHINE = {
    "CPU": "cpu", "Model": "model", "H/W Model": "h_w_model", "CPC Capacity": "cpc_capacity",
    "Sequence Code": "sequence_code", "HiperDispatch": "hiperdispatch",
    "Change Reason": "change_reason", "Boost Type": "boost_type", "Boost Class": "boost_class",
}  # fmt: skip
_TEXTS = frozenset((
    "cpu_num", "cpu_type", "hiperdispatch_priority", "name", "status", "boost_type",
    "capping_defined", "processor_type", "cpu", "model", "h_w_model", "sequence_code",
    "hiperdispatch", "change_reason", "boost_class",
))  # fmt: skip


def recognise(head: bytes) -> bool:
    """Return whether the root of the XML is DDS's, in ASCII or EBCDIC."""
    if not head[:64].lstrip(b"\xef\xbb\xbf\x40 \r\n\t\x15\x25").startswith((b"<", b"\x4c")):
        return False
    return bool(_ROOT.search(decode(head[:_HEAD])))


def parse_xml(text: str, out: Output) -> None:
    """Read the XML's text. At an error, keep what was read before it and reject the rest."""
    reader = _Reader(out)
    parser = new_parser()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.data
    reader.parser = parser
    try:
        for at in range(0, len(text), _CHUNK):
            parser.Parse(text[at : at + _CHUNK], at + _CHUNK >= len(text))
    except expat.ExpatError as error:
        out.reject(parser.CurrentLineNumber, f"not well-formed XML: {error}")
    except RefusedError as error:
        out.reject(parser.CurrentLineNumber, str(error))
    if not reader.finish() and not out.rejected:
        out.reject(parser.CurrentLineNumber, "an empty report: RMF wrote no values into it")


class _Reader:
    """Turns expat's events into rows. `path` is the open elements, with the format's names."""

    parser: expat.XMLParserType

    def __init__(self, out: Output) -> None:
        self.out = out
        self.path: list[str] = []
        self.texts: list[str] = []
        self.elements = 0
        #: (place, element, row, type of row, column, value)
        self.values: list[tuple[int, int, int | None, str | None, str, str]] = []
        self.places: list[dict[str, object]] = []
        self.server = ""
        self._report()

    def _report(self) -> None:
        self.report: dict[str, object] = {}
        self.fields: dict[str, str] = {}
        self.segment = self.part = self.variable = ""
        self.table = 0
        self.place = -1
        self.headings: list[str] = []
        self.row: tuple[int | None, str | None] = (None, None)
        self.cells: list[str] = []
        self.machine: dict[str, str] = {}
        self.machine_no = self.row_no = 0
        self.own = ""
        #: Rows of Monitor III that wait for their headings: line, number, row and type, cells
        self.waiting: list[tuple[int, int, tuple[int | None, str | None], list[str]]] = []
        self.first_place, self.first_value = len(self.places), len(self.values)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        self.elements += 1
        self.path.append(name)
        self.texts = []
        if len(self.path) > _DEEPEST:
            refuse_depth()
        if name == "col":
            return  # most elements are
        if name == "postprocessor":
            self._report()
        elif name == "report":
            self._report()
            self.table = _ROWS
        elif name == "caption":
            self.table, self.place = _CAPTION, -1
        elif name == "metric":
            self.fields["metric"] = attributes.get("id", "")
        elif name == "segment":
            self.segment, self.part, self.place = "", "", -1
        elif name == "part":
            self.part, self.place = "", -1
        elif name in ("table", "var-list"):
            self.table = _int(attributes.get("id")) or self.table + 1
            self.headings, self.row, self.place = [], (None, None), -1
        elif name == "row":
            self.row = (_int(attributes.get("refno")), attributes.get("type"))
            self.cells, self.row_no = [], self.elements

    def data(self, text: str) -> None:
        """Collect characters of the innermost element."""
        if len(self.texts) < _LONGEST:
            self.texts.append(text)

    def end(self, name: str) -> None:
        """Handle the end of an element: its text goes where the elements around it say."""
        text = "".join(self.texts).strip()[:_LONGEST]
        self.texts = []
        self.path.pop()
        parent = self.path[-1] if self.path else ""
        if name == "col":
            (self.headings if parent == "column-headers" else self.cells).append(text)
        elif name == "row" and parent == "report":
            line = self.parser.CurrentLineNumber
            self.waiting.append((line, self.row_no, self.row, self.cells))
        elif name == "row":
            self._row(self.parser.CurrentLineNumber)
        elif name == "report":
            self._rows()
        elif name == "caption":
            self.table, self.place = _ROWS, -1
        elif parent == "var":
            if name == "name":
                self.variable = text
            elif name == "value":
                self._variable(text)
        elif name == "name" and parent == "segment":
            self.segment = text
        elif name == "name" and parent == "part":
            self.part = text
        elif name == "description" and parent == "message":
            self.out.reject(self.parser.CurrentLineNumber, f"RMF says: {text}")
        elif parent in ("resource", "version", "time-data"):
            self.fields[name] = text
            self.report = {}
        elif name == "version" and parent == "server":
            self.server = text
        elif name == "segment":
            self._machine()

    def _heading(self) -> dict[str, object]:
        if not self.report:
            fields = self.fields
            name, kind = fields.get("resname"), fields.get("restype", "").upper()
            if label := _RESOURCE.fullmatch(fields.get("reslabel", "")):
                name, kind = label.groups()
            self.report = {
                "system_id": name if kind in ("SYSTEM", "MVS_IMAGE") else None,
                "sysplex": name if kind == "SYSPLEX" else None,
                "interval_start_local": moment(fields.get("display-start")),
                "interval_end_local": moment(fields.get("display-end")),
                "interval_seconds": duration(
                    fields.get("report-interval") or fields.get("data-range")
                ),
                "zos_version": fields.get("smf-data"),
                "rmf_version": fields.get("rmf-report") or self.server or None,
                "report": fields.get("metric") or None,
                "resource": name,
            }
        return self.report

    def _place(self) -> int:
        """Return the numbers of the open report, segment, part and table."""
        if self.place < 0:
            self.places.append(self._heading() | {
                "segment": self.segment or None, "part": self.part or None, "table_no": self.table,
            })  # fmt: skip
            self.place = len(self.places) - 1
        return self.place

    def finish(self) -> bool:
        """Add the values that were read; return whether there are any."""
        if self.waiting:  # the file ends before the report does
            self._rows()
        if not self.values:
            return False
        at, record_no, row, row_type, column, value = zip(*self.values, strict=True)
        frame = pl.DataFrame(
            {"at": at, "record_no": record_no, "row": row, "row_type": row_type,
             "column": column, "value": value},
            schema={"at": pl.Int32, "record_no": pl.Int64, "row": pl.Int32,
                    "row_type": pl.String, "column": pl.String, "value": pl.String},
        )  # fmt: skip
        schema = {c.name: c.dtype for c in TABLES["rmf_xml_value"]}
        wanted = {name: schema[name] for name in self.places[0]}
        places = pl.DataFrame(self.places, schema=wanted).with_row_index("at")
        placed = places.with_columns(pl.col("at").cast(pl.Int32))
        self.out.extend("rmf_xml_value", frame.join(placed, on="at", how="left", maintain_order=
                        "left").with_columns(numbers(pl.col("value")).alias("number")))  # fmt: skip
        return True

    def _variable(self, text: str) -> None:
        if text:
            self.values.append((self._place(), self.elements, None, None, self.variable, text))
        if self.segment.upper() == "CPU ACTIVITY" and self.variable in _MACHINE:
            self.machine.setdefault(_MACHINE[self.variable], text)
            self.machine_no = self.machine_no or self.elements
        elif self.variable in ("MVS Partition Name", "CPCHPNAM"):
            self.own = text

    def _rows(self) -> None:
        """Read the rows of a Monitor III report, which stand before their headings."""
        waiting, self.waiting = self.waiting, []
        reason = self._unread(len(waiting))
        if reason:
            metric = self.fields.get("metric")
            self.out.reject(self.parser.CurrentLineNumber, f"Monitor III report {metric}: {reason}")
            del self.values[self.first_value :]
            return
        for line, row_no, row, cells in waiting:
            self.row_no, self.row, self.cells = row_no, row, cells
            self._row(line)
            named = dict(zip(self.headings, cells, strict=False))
            if self.own and named.get("CPCPPNAM") == self.own:
                for path in self.places[self.first_place :]:
                    path["sysplex"] = path["sysplex"] or named.get("CPCPLPCN") or None

    def _unread(self, rows: int) -> str:
        """Return why the values of a Monitor III report cannot be read, or an empty string."""
        if not rows and len(self.values) == self.first_value:
            return ""
        heading = self._heading()
        if heading["system_id"] is None and heading["sysplex"] is None:
            return f"the resource {self.fields.get('reslabel')!r} is no system and no sysplex"
        if heading["interval_start_local"] is None:
            return "no readable date and time"
        if rows and not self.headings:
            return f"{rows} rows without headings"
        return ""

    def _row(self, line: int) -> None:
        if len(self.cells) > len(self.headings):
            self.out.reject(line, f"{len(self.cells)} values below {len(self.headings)} headings")
            return
        path, row_no, (row, row_type) = self._place(), self.row_no, self.row
        named = dict(zip(self.headings, self.cells, strict=False))
        self.values.extend(
            (path, row_no, row, row_type, heading, cell)
            for heading, cell in zip(self.headings, self.cells, strict=False)
            if cell
        )
        if "CPU Number" in named and "Time% LPAR Busy" in named:
            self._typed("rmf_cpu", _CPU, named)
        elif "Partition Name" in named and "Total Dispatch Time" in named:
            self._typed("rmf_partition", _PARTITION, named)

    def _typed(self, table: str, columns: dict[str, str], named: dict[str, str]) -> None:
        row: dict[str, object] = {
            columns[heading]: _typed(columns[heading], cell)
            for heading, cell in named.items()
            if heading in columns
        }
        row["is_total"] = self.row[1] == "SUM"
        if table == "rmf_cpu" and row["is_total"]:
            row["cpu_num"] = None
        if table == "rmf_partition":
            row["mvs_partition_name"] = self.own or None
            row["weight_printed"] = named.get("Partition Weight") or None
        self.out.add(table, self._heading() | row | {"record_no": self.row_no})

    def _machine(self) -> None:
        if self.machine:
            row = {name: _typed(name, text) for name, text in self.machine.items()}
            head = self._heading() | {"record_no": self.machine_no}
            self.out.add("rmf_cpu_machine", head | row)
        self.machine = {}


def _typed(column: str, text: str) -> object:
    if column in _TEXTS:
        return text or None
    return duration(text) if column.endswith("_seconds") else number(text)


def _int(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 10 else None
