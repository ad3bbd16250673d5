"""Read tables with a fixed header, of published figures and of builds: CSV bytes in, frames out.

The tables of ``data/published`` hold the figures printed in performance documents: one CSV file per
table, one header line, comma separated, UTF-8. A file is recognised by its header, whatever its
name. The parser opens and writes no files.

    kind                    table               one row per
    published_cells         published_cell      figure in a document's table
    published_claims        published_claim     figure in a document's prose
    published_anomalies     published_anomaly   mistake or contradiction in the documents
    published_documents     published_document  document
    builds                  build               build of the software under test, in its order

About the tables in the repository (facts only, no text of the documents):

- `printed` is the figure as printed; `value` is the same figure as a number in `unit`. A range
  a-b has its midpoint as value, and its ends in `value_low` and `value_high`; an elapsed time
  m:ss.hh is in seconds. A factor that is known to be misprinted is corrected, and its printed form
  kept in `target_printed` or `chunk_size_printed`. A misprinted figure is flagged, not changed.
- `unit` is the document's own. MB is 2^20 bytes, GB 2^30 bytes and Mb 2^20 bits: in document 002
  rate times time is 2048 MB in every row. A file of 1GB is 1024 MB.
- Gaps in `cell_id` are headings without a figure.
"""

import csv
import io
import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import polars as pl

from ingest.formats.text.parser import Parsed, Rejected

VALUE_KINDS = ("number", "range", "bound", "text")
COMPARATORS = ("=", "~", "<", "<=", ">", ">=", "range")


class Column(NamedTuple):
    """One column of a table: name, meaning, type, whether it must be filled, allowed values."""

    name: str
    doc: str
    dtype: type[pl.DataType] = pl.String
    required: bool = False
    allowed: tuple[str, ...] = ()


YES_NO = ("Y", "N")
RECORD_NO = Column("record_no", "Position of the row in its file, from 1", pl.Int64)

CELL = (
    Column("cell_id", "Number of the printed figure, unique across all documents", pl.Int64, True),
    Column("document", "Identifier of the document", required=True),
    Column("table_id", "Table of the document: its number or a short name", required=True),
    Column("section", "Section of the document that contains the table", required=True),
    Column("source_line", "Line of the document's text that contains the figure", pl.Int32, True),
    Column("row_label", "Printed label of the table's row, if it is not a factor itself"),
    Column("source", "Where the data comes from: z/OS (dataset), USS (file), xLinux, Linux, queue"),
    Column("target", "Where the data goes to; zOS is read as z/OS"),
    Column("target_printed", "Target as printed"),
    Column("target_storage", "Storage of the target: SAN, HDD or RAM disk"),
    Column("network", "Network between source and target: 1Gb, 10Gb, 1Gb WAN-emulated"),
    Column("queue", "Queue type of the agents: Private, Shared - Db2, Shared - SMDS"),
    Column("zhpf", "High Performance FICON on (Y) or off (N)", allowed=YES_NO),
    Column("tls", "Encryption of the channel: N, TLS 1.2, TLS 1.3"),
    Column("ams", "Advanced Message Security policy: N, Integrity, Privacy, Confidentiality"),
    Column("compmsg", "Compression of the channel: N, RLE, ZLIBFAST, ZLIBHIGH"),
    Column("p2wg", "Put to waiting getter possible (Y) or not (N)", allowed=YES_NO),
    Column("batchint", "Batch interval of the channel, milliseconds", pl.Int32),
    Column("mode", "Transfer mode", allowed=("binary", "text")),
    Column("file_size_mb", "Size of one file [MB of 2^20 bytes]; 1GB is 1024", pl.Int32),
    Column("chunk_size_printed", "Size of one MFT chunk as printed"),
    Column("chunk_size", "Size of one MFT chunk, bytes", pl.Int64),
    Column("md5", "MD5 checksum on (Y) or off (N)", allowed=YES_NO),
    Column("connection", "How a program reaches its queue manager: bindings, client, direct, zCX"),
    Column("transfer", "One transfer (single) or ten at once (multi)", allowed=("single", "multi")),
    Column("address_space", "Address space that the cost belongs to; total is their sum"),
    Column("ziip_offload", "Cost after (Y) or before (N) offload to zIIP", allowed=YES_NO),
    Column("protocol", "Protocol of the channel: TCP, FASP; expected is a calculated figure"),
    Column("latency_km", "Emulated distance, km", pl.Int32),
    Column("latency_ms_oneway", "Emulated latency one way, milliseconds", pl.Float64),
    Column("loss_pct", "Emulated packet loss, percent", pl.Float64),
    Column("channels", "Number of MQ channels", pl.Int32),
    Column("machine", "Generation of the measured machine"),
    Column("compared_with", "Machine that a printed change is relative to"),
    Column("cpus", "Number of CPUs", pl.Int32),
    Column("rni", "Relative nest intensity of the workload", allowed=("low", "average", "high")),
    Column("cipher", "Cipher specification of the channel"),
    Column("message_size", "Message or I/O size as printed"),
    Column("message_size_bytes", "Message or I/O size, bytes", pl.Int64),
    Column("metric", "What is measured", required=True),
    Column("unit", "Unit of value, value_low and value_high, as the document uses it"),
    Column("printed", "The figure as printed", required=True),
    Column("value_kind", "number, range (a-b), bound (< b) or text", required=True,
           allowed=VALUE_KINDS),
    Column("value", "The figure as a number; the middle of a range, the bound of a bound",
           pl.Float64),
    Column("value_low", "Lower end of a range or bound", pl.Float64),
    Column("value_high", "Upper end of a range or bound", pl.Float64),
    Column("anomalies", "anomaly_id of each anomaly that affects the figure, separated by ;"),
    Column("note", "How the figure was interpreted, if that is not obvious"),
)  # fmt: skip

CLAIM = (
    Column("claim_id", "Number of the claim, unique across all documents", pl.Int64, True),
    Column("document", "Identifier of the document", required=True),
    Column("source_line", "Line of the document's text that contains the figure", pl.Int32, True),
    Column("metric", "What is claimed", required=True),
    Column("comparator", "=, ~ (about), <, <=, >, >= or range; empty if no figure is claimed",
           allowed=COMPARATORS),
    Column("low", "Claimed figure, or the lower end of it", pl.Float64),
    Column("high", "Claimed figure, or the upper end of it", pl.Float64),
    Column("unit", "Unit of low and high"),
    Column("conditions", "Conditions under which the claim holds"),
    Column("anomalies", "anomaly_id of each anomaly that affects the claim, separated by ;"),
)  # fmt: skip

ANOMALY = (
    Column("anomaly_id", "Number of the anomaly", pl.Int64, True),
    Column("documents", "Identifiers of the documents that have it, separated by ;", required=True),
    Column("place", "Place in the document", required=True),
    Column("kind", "Kind of anomaly", required=True,
           allowed=("contradiction", "definition", "extraction", "misprint", "noise", "outlier",
                    "rounding", "sum", "testbed", "unexplained", "unit", "unsupported", "wording")),
    Column("affects_value", "Y if the flagged figures themselves are doubtful", required=True,
           allowed=YES_NO),
    Column("finding", "What is odd", required=True),
    Column("treatment", "How it is handled", required=True),
)  # fmt: skip

DOCUMENT = (
    Column("document", "Identifier of the document", required=True),
    Column("title", "Title", required=True),
    Column("author", "Author, if named"),
    Column("publisher", "Publisher", required=True),
    Column("kind", "report or blog", required=True, allowed=("report", "blog")),
    Column("edition", "Edition or version"),
    Column("year", "Year of publication", pl.Int32, True),
    Column("month", "Month of publication, 1 to 12", pl.Int32, True),
    Column("product", "Product measured", required=True),
    Column("machine", "Generation of the measured machine", required=True),
    Column("machine_model", "Model of the measured machine"),
    Column("other_system", "Partner system, or the machine compared with"),
)

#: Written by `perfhouse builds`.
BUILD = (
    Column("build", "Revision of the build, as runs name it or longer", required=True),
    Column("parent", "Revision that it was made from, if any"),
    Column("committed_at", "When it was committed, UTC", pl.Datetime, True),
)

TABLES = {
    "published_cell": CELL,
    "published_claim": CLAIM,
    "published_anomaly": ANOMALY,
    "published_document": DOCUMENT,
    "build": BUILD,
}
KINDS = {
    "published_cells": "published_cell",
    "published_claims": "published_claim",
    "published_anomalies": "published_anomaly",
    "published_documents": "published_document",
    "builds": "build",
}
#: Table name -> column -> type, record_no first; the loader adds source_id in front.
SCHEMAS: dict[str, dict[str, pl.DataType]] = {
    table: {column.name: column.dtype() for column in (RECORD_NO, *columns)}
    for table, columns in TABLES.items()
}
TITLES = {
    "published_cell": "One row per printed figure of a published document's table",
    "published_claim": "One row per figure in the prose of a published document",
    "published_anomaly": "One row per mistake or contradiction in the published documents",
    "published_document": "One row per published document",
    "build": "One row per build of the software under test, in the order of its commits",
}
#: Table name -> column -> meaning and unit.
COLUMN_DOCS: dict[str, dict[str, str]] = {
    table: {column.name: column.doc for column in (RECORD_NO, *columns)}
    for table, columns in TABLES.items()
}

INTEGER_LIMITS: dict[type[pl.DataType], int] = {pl.Int32: 2**31, pl.Int64: 2**63}


def recognise(head: bytes) -> str | None:
    """Return the kind of file with these first bytes (at least the whole first line), or None."""
    names = sorted(_header(head))
    for kind, table in KINDS.items():
        if names == sorted(column.name for column in TABLES[table]):
            return kind
    return None


def parse(content: bytes) -> Parsed:
    """Parse one whole file. Rows that break the table's rules go to `rejected`.

    Raises ValueError if the header belongs to no table.
    """
    kind = recognise(content)
    if kind is None:
        raise ValueError(_explain(_header(content)))
    table = KINDS[kind]
    columns = {column.name: column for column in TABLES[table]}
    header = _header(content)
    frames: dict[str, list[object]] = {name: [] for name in SCHEMAS[table]}
    rejected: list[Rejected] = []
    key, check = TABLES[table][0].name, CHECKS[table]
    seen: set[object] = set()
    for record_no, (line, fields) in enumerate(_rows(content), 1):
        try:
            row = _row(header, fields, columns)
            check(row)
            if row[key] in seen:
                raise ValueError(f"{key} {row[key]} occurs twice")
        except ValueError as error:
            rejected.append(Rejected(line, str(error), record_no))
            continue
        seen.add(row[key])
        row["record_no"] = record_no
        for name, values in frames.items():
            values.append(row[name])
    return Parsed(kind, {table: pl.DataFrame(frames, schema=SCHEMAS[table])}, rejected)


def anomaly_ids(text: str | None) -> list[int]:
    """Return the anomaly numbers of a list such as `3;17`. Raises ValueError."""
    return [] if not text else [_integer(part, pl.Int64) for part in text.split(";")]


def _header(head: bytes) -> list[str]:
    first = head.split(b"\n", 1)[0].rstrip(b"\r").removeprefix(b"\xef\xbb\xbf")
    try:
        return next(csv.reader([first.decode("utf-8")], strict=True), [])
    except (UnicodeDecodeError, csv.Error):
        return []


def _explain(header: list[str]) -> str:
    """Return one line on how a header differs from the most similar table."""
    names = set(header)
    columns_of = {table: {column.name for column in columns} for table, columns in TABLES.items()}
    table = max(
        columns_of, key=lambda name: len(names & columns_of[name]) / len(names | columns_of[name])
    )
    wanted = columns_of[table]
    if 2 * len(names & wanted) < len(wanted):
        return "not a table of published figures: no table has this header"
    missing, unknown = sorted(wanted - names), sorted(names - wanted)
    parts = [f"lacks {', '.join(missing)}"] if missing else []
    parts += [f"has unknown {', '.join(unknown)}"] if unknown else []
    parts = parts or ["names a column twice"]
    return f"header of {table} {' and '.join(parts)}"


def _rows(content: bytes) -> Iterator[tuple[int, list[str] | str]]:
    """Yield each row after the header and the line it starts on; a str is an error, not a row.

    Bytes that are not UTF-8 become lone surrogates, so that only their own row is rejected.
    """
    text = content.decode("utf-8", "surrogateescape")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    next(reader)
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"not valid CSV: {error}"
            continue
        if fields:
            yield line, fields


def _row(
    header: list[str], fields: list[str] | str, columns: dict[str, Column]
) -> dict[str, object]:
    if isinstance(fields, str):
        raise ValueError(fields)
    if len(fields) != len(header):
        raise ValueError(f"{len(fields)} fields where the header has {len(header)}")
    return {name: _value(columns[name], text) for name, text in zip(header, fields, strict=True)}


def _value(column: Column, text: str) -> object:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"{column.name} is not UTF-8")
    text = text.strip()
    if not text:
        if column.required:
            raise ValueError(f"{column.name} is empty")
        return None
    if column.allowed and text not in column.allowed:
        raise ValueError(f"{column.name} is {text!r}, not one of {', '.join(column.allowed)}")
    try:
        if column.dtype is pl.Float64:
            return _number(text)
        if column.dtype in INTEGER_LIMITS:
            return _integer(text, column.dtype)
        if column.dtype is pl.Datetime:
            return _utc(text)
    except (ValueError, OverflowError):
        kind = "time" if column.dtype is pl.Datetime else "number of its type"
        raise ValueError(f"{column.name} is {text!r}, not a {kind}") from None
    return text


def _number(text: str) -> float:
    number = float(text if "_" not in text else "")
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _integer(text: str, dtype: type[pl.DataType]) -> int:
    number = int(text if "_" not in text else "")
    if not -INTEGER_LIMITS[dtype] <= number < INTEGER_LIMITS[dtype]:
        raise ValueError(text)
    return number


def _utc(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _check_anomalies(row: dict[str, object]) -> None:
    try:
        anomaly_ids(row["anomalies"])  # type: ignore[arg-type]
    except ValueError:
        raise ValueError(f"anomalies is {row['anomalies']!r}, not a list of numbers") from None


def _check_order(low: object, high: object) -> None:
    if low is not None and high is not None and low > high:  # type: ignore[operator]
        raise ValueError(f"lower end {low} is above upper end {high}")


def _check_cell(row: dict[str, object]) -> None:
    _check_anomalies(row)
    _check_order(row["value_low"], row["value_high"])
    if (row["value"] is None) != (row["value_kind"] == "text"):
        raise ValueError(f"value_kind is {row['value_kind']} and value is {row['value']}")
    if row["value_kind"] == "range" and None in (row["value_low"], row["value_high"]):
        raise ValueError("a range without its ends")


def _check_claim(row: dict[str, object]) -> None:
    _check_anomalies(row)
    _check_order(row["low"], row["high"])
    if (row["low"] is None and row["high"] is None) != (row["comparator"] is None):
        raise ValueError("a claim has either a comparator and a figure or neither")


CHECKS: dict[str, Callable[[dict[str, object]], None]] = {
    "published_cell": _check_cell,
    "published_claim": _check_claim,
    "published_anomaly": lambda row: None,
    "published_document": lambda row: None,
    "build": lambda row: None,
}
