"""Read the log of Managed File Transfer: messages in XML, and the text of the file logger.

XML messages, one or many in a file, with anything between them (IBM MQ, "MFT message formats": File
transfer log message formats, TransferLog.xsd; File transfer status message format,
TransferStatus.xsd; Scheduled file transfer log message formats, ScheduleLog.xsd):

    <transaction ID agentRole>     <action time>started, progress, completed and so on</action>,
                                   agents, originator, status, transferSet of items, statistics
    <transaction ID>               of a status message: transferSet time, stats, current
    <schedulelog ID>               <action time>submit, delete, expire, skipped</action>, items

The text of the stand-alone file logger in its default format (IBM MQ, "MFT stand-alone file logger
default log format"), one event per line, with semicolons between its fields:

    2022-09-07T21:07:17;<48 characters of the ID>;[TSTR];  started
                                                  [TPRO];  progress: one file
                                                  [TCOM];  completed

Its other events ([MACT] of monitors and so on) are not transfers and are ignored. Times are UTC.
Nothing outside the file is opened and no entity is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from xml.etree import ElementTree
from xml.parsers import expat

import polars as pl

from ingest.formats.text.lines import decode
from ingest.formats.text.parser import Parsed
from ingest.formats.text.table import Column, Output, describe_tables
from ingest.formats.text.xml import RefusedError, new_parser, refuse_depth

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "recognise"]

TABLES = {
    "bench_mft_transfer": (
        Column("record_no", "First line of the message", pl.Int64),
        Column("transfer_id", "Identifier of the transfer, or of the schedule", pl.String),
        Column("message", "transfer (its log), status (its progress) or schedule", pl.String),
        Column("action", "started, progress, completed and so on; of a schedule: submit, delete, "
               "expire or skipped; null in a status message", pl.String),
        Column("time_utc", "When the agent wrote it, UTC; whole seconds in the logger's text",
               pl.Datetime),
        Column("agent_role", "Agent that wrote it: sourceAgent or destinationAgent", pl.String),
        Column("source_agent", "Sending agent", pl.String),
        Column("source_queue_manager", "Queue manager of the sending agent", pl.String),
        Column("source_system", "System of the sending agent, if given", pl.String),
        Column("destination_agent", "Receiving agent", pl.String),
        Column("destination_queue_manager", "Queue manager of the receiving agent", pl.String),
        Column("destination_system", "System of the receiving agent, if given", pl.String),
        Column("user_id", "User that requested the transfer", pl.String),
        Column("job_name", "Job name in the request", pl.String),
        Column("schedule_id", "Schedule that started the transfer", pl.String),
        Column("start_utc", "When the transfer was started, UTC", pl.Datetime),
        Column("actual_start_utc", "When the first data of a completed transfer was moved, UTC",
               pl.Datetime),
        Column("elapsed_seconds", "From the actual start, or else the start, to completion; in a "
               "status message, as printed [s]"),
        Column("files", "Files of the transfer", pl.Int64),
        Column("first_index", "Index of the message's first file in the transfer, from 0",
               pl.Int64),
        Column("bytes_sent", "Bytes sent so far, including protocol data [bytes]", pl.Int64),
        Column("result_code", "0: all files moved; 20: some; 40: none, and so on", pl.Int32),
        Column("supplement", "The agent's text for the result", pl.String),
        Column("retries", "Times that the transfer was restarted", pl.Int32),
        Column("file_failures", "Files that were not moved", pl.Int32),
        Column("file_warnings", "Files that were moved with a warning", pl.Int32),
    ),
    "bench_mft_item": (
        Column("record_no", "First line of the message", pl.Int64),
        Column("transfer_id", "Identifier of the transfer, or of the schedule", pl.String),
        Column("message", "transfer, status or schedule", pl.String),
        Column("action", "Action of the message", pl.String),
        Column("time_utc", "When the agent wrote the message, UTC", pl.Datetime),
        Column("item_index", "Index of the file in the transfer, from 0; null in the logger's "
               "text", pl.Int64),
        Column("mode", "binary or text", pl.String),
        Column("source", "Name of the file, data set or queue that was read", pl.String),
        Column("source_type", "file, queue, dataset and so on", pl.String),
        Column("source_bytes", "Size of the source [bytes]", pl.Int64),
        Column("source_disposition", "Disposition of the source: leave or delete", pl.String),
        Column("source_checksum_method", "MD5, or none", pl.String),
        Column("source_checksum", "Its checksum", pl.String),
        Column("destination", "Name of the file, data set or queue that was written", pl.String),
        Column("destination_type", "file, queue, dataset and so on", pl.String),
        Column("destination_bytes", "Size of the destination [bytes]", pl.Int64),
        Column("destination_exist", "If the destination exists: overwrite or error", pl.String),
        Column("destination_checksum_method", "MD5, or none", pl.String),
        Column("destination_checksum", "Its checksum", pl.String),
        Column("transferred_bytes", "Bytes of the file moved so far, in a status message [bytes]",
               pl.Int64),
        Column("result_code", "0 moved, 1 failed, 2 moved with a warning", pl.Int32),
        Column("supplement", "The agent's text for the result", pl.String),
    ),
}  # fmt: skip
SCHEMAS, COLUMN_DOCS = describe_tables(TABLES)
TITLES = {
    "bench_mft_transfer": "One row per message that MFT logs about a transfer or a schedule",
    "bench_mft_item": "One row per file in such a message",
}

XML_KIND, TEXT_KIND = "mft_xml", "mft_log"
_SAMPLE = 1 << 16
_DEEPEST = 32
_LONGEST = 4096  # characters of a value that are kept
_OPENING = r"<(?:transaction|schedulelog)\s[^>]{0,2000}"
_SCHEMA = re.compile(_OPENING + r"(?:TransferLog|TransferStatus|ScheduleLog)\.xsd")
_BARE = re.compile(_OPENING + r">\s*<(?:action\s+time|sourceAgent\s+agent)=")
_MESSAGE = re.compile(r"<(transaction|schedulelog)\s")
_EVENT = re.compile(
    r"^[ \t]*(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)[^;]{0,9};([^;]{1,60});\[([A-Z]{4})\];(.*)",
    re.MULTILINE,
)
_ACTIONS = {"TSTR": "started", "TPRO": "progress", "TCOM": "completed", "TCAN": "cancelled",
            "TDEL": "deleted"}  # fmt: skip


#: Columns of a message -> where they stand: elements, and after @ an attribute of the last one; of
#: several places the first whose element is there.
_OF_TRANSFER = {
    "agent_role": "@agentRole", "source_agent": "sourceAgent@agent",
    "source_queue_manager": "sourceAgent@QMgr", "source_system": "sourceAgent/systemInfo@name",
    "destination_agent": "destinationAgent@agent",
    "destination_queue_manager": "destinationAgent@QMgr",
    "destination_system": "destinationAgent/systemInfo@name", "user_id": "originator/userID",
    "job_name": "job/name", "schedule_id": "scheduleLog@ID", "start_utc": "transferSet@startTime",
    "actual_start_utc": "statistics/actualStartTime", "files": "transferSet@total",
    "first_index": "transferSet@index", "bytes_sent": "transferSet@bytesSent",
    "result_code": "status@resultCode", "supplement": "status/supplement",
    "retries": "statistics/retryCount", "file_failures": "statistics/numFileFailures",
    "file_warnings": "statistics/numFileWarnings",
}  # fmt: skip
_OF_STATUS = _OF_TRANSFER | {
    "elapsed_seconds": "transferSet/stats@seconds", "files": "transferSet/stats@totalItems",
    "first_index": "transferSet/stats@currentItem", "bytes_sent": "transferSet/stats@bytes",
}  # fmt: skip
_OF_ITEM = {
    "mode": "@mode", "transferred_bytes": "@transferred", "result_code": "status@resultCode",
    "supplement": "status/supplement", "source_disposition": "source@disposition",
    "destination_exist": "destination@exist",
} | {
    f"{side}{column}": template.format(side)
    for side in ("source", "destination")
    for column, template in {
        "": "{0}/file|{0}/queue", "_type": "{0}@type", "_bytes": "{0}/file@size|{0}/queue@size",
        "_checksum_method": "{0}/checksum@method", "_checksum": "{0}/checksum",
    }.items()
}  # fmt: skip
#: Columns of [TPRO], [TSTR] and [TCOM] -> numbers of their fields.
_PROGRESS = {"result_code": 0, "source": 1, "source_bytes": 2, "source_type": 3,
             "source_disposition": 4, "destination": 10, "destination_bytes": 11,
             "destination_type": 12, "destination_exist": 13}  # fmt: skip
_START = {"result_code": 0, "source_agent": 1, "source_queue_manager": 2, "destination_agent": 4,
          "destination_queue_manager": 5, "user_id": 6, "job_name": 7}  # fmt: skip
_END = _START | {"user_id": 7, "job_name": 8, "supplement": 9}


def recognise(head: bytes) -> str | None:
    """Return the kind of file, by its first message or event."""
    if b"\x00" in head[:_SAMPLE]:
        return None
    text = decode(head[:_SAMPLE])
    if _SCHEMA.search(text) or _BARE.search(text):
        return XML_KIND
    return TEXT_KIND if _EVENT.search(text) else None


def parse(content: bytes) -> Parsed:
    """Parse one whole file; messages and lines that cannot be read go to `rejected`."""
    kind = recognise(content) or XML_KIND
    out = Output(SCHEMAS)
    text = decode(content)
    if kind == XML_KIND:
        _parse_xml(text, out)
    else:
        _parse_text(text, out)
    return Parsed(kind, out.frames(), out.rejected)


# --- XML --------------------------------------------------------------------------------------


def _parse_xml(text: str, out: Output) -> None:
    line, at = 1, 0
    for start, end, name in _messages(text):
        line += text.count("\n", at, start)
        at = start
        if end < 0:
            out.reject(line, f"<{name}> has no end")
            continue
        try:
            root = _tree(text[start:end])
        except (expat.ExpatError, RefusedError) as error:
            out.reject(line, f"not a message: {error}")
            continue
        _message(root, line, out)


def _messages(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and name of each message; end is -1 if it has none before the next."""
    matches = list(_MESSAGE.finditer(text))
    limits = [*(following.start() for following in matches[1:]), len(text)]
    for match, limit in zip(matches, limits[: len(matches)], strict=True):
        closing = f"</{match[1]}>"
        end = text.find(closing, match.start(), limit)
        yield match.start(), end + len(closing) if end >= 0 else -1, match[1]


def _tree(text: str) -> ElementTree.Element:
    builder, path = ElementTree.TreeBuilder(), [""]

    def start(name: str, attributes: dict[str, str]) -> None:
        path.append(name)
        if len(path) > _DEEPEST:
            refuse_depth()
        builder.start(name, attributes)

    def end(name: str) -> None:
        path.pop()
        builder.end(name)

    parser = new_parser()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.Parse(text, True)
    return builder.close()


def _message(root: ElementTree.Element, line: int, out: Output) -> None:
    """Add the rows of one message."""
    is_status = root.tag == "transaction" and root.find("action") is None
    message = {"schedulelog": "schedule"}.get(root.tag, "status" if is_status else "transfer")
    when = _moment(_value(root, "transferSet@time" if is_status else "action@time"))
    if when is None or _value(root, "@ID") is None:
        out.reject(line, "not a message: it has no time or no ID")
        return
    key = {
        "record_no": line, "transfer_id": _value(root, "@ID"), "message": message,
        "action": _value(root, "action"), "time_utc": when,
    }  # fmt: skip
    row = key | _read("bench_mft_transfer", root, _OF_STATUS if is_status else _OF_TRANSFER)
    begun, first = row["actual_start_utc"] or row["start_utc"], row["first_index"]
    if is_status:
        row["first_index"] = first = first - 1 if isinstance(first, int) and first else None
    elif isinstance(begun, datetime) and key["action"] == "completed":
        row["elapsed_seconds"] = (when - begun).total_seconds()
    out.add("bench_mft_transfer", row)
    first = first if isinstance(first, int) else 0
    for position, item in enumerate(
        root.iterfind(f"transferSet/{'current' if is_status else 'item'}")
    ):
        of_item = _read("bench_mft_item", item, _OF_ITEM)
        if of_item["source_bytes"] is None and is_status:
            of_item["source_bytes"] = _integer(_value(item, "@size"))
        of_item["source_checksum_method"] = of_item["source_checksum_method"] or _value(
            item, "@checksumMethod"
        )
        out.add("bench_mft_item", key | {"item_index": first + position} | of_item)


def _read(table: str, node: ElementTree.Element, places: Mapping[str, str]) -> dict[str, object]:
    return _typed_columns(table, {column: _value(node, paths) for column, paths in places.items()})


def _value(node: ElementTree.Element, places: str) -> str | None:
    """Return the text of an element or attribute; None if it is empty or not there."""
    for path, _, attribute in (alternative.partition("@") for alternative in places.split("|")):
        if (element := node.find(path or ".")) is not None:
            texts = [element.text or "", *(child.tail or "" for child in element)]
            text = element.get(attribute, "") if attribute else "".join(texts)
            return text.strip()[:_LONGEST] or None
    return None


# --- text of the file logger ------------------------------------------------------------------


def _parse_text(text: str, out: Output) -> None:
    for line, content in enumerate(text.splitlines(), 1):
        event = _EVENT.match(content)
        if event is None:
            if content.strip():
                out.reject(line, "not an event of the logger's default format")
            continue
        action = _ACTIONS.get(event[3])
        if action is None:
            continue
        when = _moment(event[1])
        values = [value.strip()[:_LONGEST] or None for value in event[4].split(";")]
        if when is None or len(values) < (14 if action == "progress" else 9):
            out.reject(line, f"[{event[3]}] with fewer fields than the default format has")
            continue
        key = {
            "record_no": line, "transfer_id": event[2].strip(), "message": "transfer",
            "action": action, "time_utc": when,
        }  # fmt: skip
        numbers = {"progress": _PROGRESS, "started": _START}.get(action, _END)
        texts = {column: values[n] for column, n in numbers.items() if n < len(values)}
        table = "bench_mft_transfer"
        if action == "progress":
            table = "bench_mft_item"
            texts["supplement"] = next((text for text in reversed(values[14:]) if text), None)
        out.add(table, key | _typed_columns(table, texts))


# --- values -----------------------------------------------------------------------------------


def _moment(text: str | None) -> datetime | None:
    """A moment of ISO 8601 in UTC; one without an offset is UTC."""
    try:
        value = datetime.fromisoformat(text or "")
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    except (ValueError, OverflowError):
        return None


def _integer(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


def _one_line(text: str | None) -> str | None:
    return " ".join(text.split()) if text else None


def _code(text: str | None) -> int | None:
    """Return a small number, or None if it is not one."""
    value = _integer(text)
    return value if value is not None and value < 2**31 else None


def _number(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"\d{1,12}(\.\d{1,9})?", text) else None


_TYPES = {pl.Int64: _integer, pl.Int32: _code, pl.Datetime: _moment, pl.Float64: _number}


def _typed_columns(table: str, texts: Mapping[str, str | None]) -> dict[str, object]:
    """Return the columns of a table from their texts."""
    row: dict[str, object] = {}
    for column, text in texts.items():
        read: Callable[[str | None], object] = _TYPES.get(type(SCHEMAS[table][column]), lambda t: t)
        row[column] = _one_line(text) if column == "supplement" else read(text)
    return row
