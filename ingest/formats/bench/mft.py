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
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from xml.parsers import expat

import polars as pl

from ingest.formats.text.lines import decode
from ingest.formats.text.parser import Parsed
from ingest.formats.text.table import Column, Output, described
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
SCHEMAS, COLUMN_DOCS = described(TABLES)
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


@dataclass(slots=True)
class _Node:
    """One XML element."""

    name: str
    attributes: dict[str, str]
    children: list[_Node] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str | None:
        return "".join(self.texts).strip()[:_LONGEST] or None

    def find(self, path: str) -> _Node:
        """Return the first element at `path`, or an empty one."""
        node = self
        for name in path.split("/"):
            for child in node.children:
                if child.name == name:
                    node = child
                    break
            else:
                return _NOTHING
        return node

    def all(self, name: str) -> list[_Node]:
        return [child for child in self.children if child.name == name]

    def get(self, name: str) -> str | None:
        return self.attributes.get(name, "").strip()[:_LONGEST] or None


_NOTHING = _Node("", {})


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
    found = list(_MESSAGE.finditer(text))
    limits = [*(following.start() for following in found[1:]), len(text)]
    for this, limit in zip(found, limits[: len(found)], strict=True):
        closing = f"</{this[1]}>"
        end = text.find(closing, this.start(), limit)
        yield this.start(), end + len(closing) if end >= 0 else -1, this[1]


def _tree(text: str) -> _Node:
    top = _Node("", {})
    path = [top]

    def start(name: str, attributes: dict[str, str]) -> None:
        node = _Node(name, attributes)
        path[-1].children.append(node)
        path.append(node)
        if len(path) > _DEEPEST:
            refuse_depth()

    def data(text: str) -> None:
        path[-1].texts.append(text)

    parser = new_parser()
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: path.pop()
    parser.CharacterDataHandler = data
    parser.Parse(text, True)
    return top.children[0]


def _message(root: _Node, line: int, out: Output) -> None:
    """Add the rows of one message."""
    action, items = root.find("action"), root.find("transferSet")
    is_status = root.name == "transaction" and not root.all("action")
    message = {"schedulelog": "schedule"}.get(root.name, "status" if is_status else "transfer")
    when = _moment(items.get("time") if is_status else action.get("time"))
    if when is None or root.get("ID") is None:
        out.reject(line, "not a message: it has no time or no ID")
        return
    key = {
        "record_no": line, "transfer_id": root.get("ID"), "message": message,
        "action": None if is_status else action.text, "time_utc": when,
    }  # fmt: skip
    row = key | _agents(root) | _progress(root, items, when)
    stats = items.find("stats")
    if is_status:
        row |= {
            "elapsed_seconds": _number(stats.get("seconds")),
            "files": _integer(stats.get("totalItems")),
            "bytes_sent": _integer(stats.get("bytes")),
        }
        index = _integer(stats.get("currentItem"))
        row["first_index"] = index - 1 if index else None
    out.add("bench_mft_transfer", row)
    reported = items.all("current") if is_status else items.all("item")
    first = row["first_index"] if isinstance(row["first_index"], int) else 0
    for position, item in enumerate(reported):
        out.add("bench_mft_item", key | {"item_index": first + position} | _item(item))


def _agents(root: _Node) -> dict[str, object]:
    source, destination = root.find("sourceAgent"), root.find("destinationAgent")
    originator = root.find("originator")
    return {
        "agent_role": root.get("agentRole"),
        "source_agent": source.get("agent"),
        "source_queue_manager": source.get("QMgr"),
        "source_system": source.find("systemInfo").get("name"),
        "destination_agent": destination.get("agent"),
        "destination_queue_manager": destination.get("QMgr"),
        "destination_system": destination.find("systemInfo").get("name"),
        "user_id": originator.find("userID").text,
        "job_name": root.find("job/name").text,
        "schedule_id": root.find("scheduleLog").get("ID"),
    }


def _progress(root: _Node, items: _Node, when: datetime) -> dict[str, object]:
    """Return the state of the transfer and its result."""
    statistics, status = root.find("statistics"), root.find("status")
    start = _moment(items.get("startTime"))
    actual = _moment(statistics.find("actualStartTime").text)
    begun = actual or start
    ended = begun is not None and root.find("action").text == "completed"
    return {
        "start_utc": start,
        "actual_start_utc": actual,
        "elapsed_seconds": (when - begun).total_seconds() if begun and ended else None,
        "files": _integer(items.get("total")),
        "first_index": _integer(items.get("index")),
        "bytes_sent": _integer(items.get("bytesSent")),
        "result_code": _code(status.get("resultCode")),
        "supplement": _one_line(status.find("supplement").text),
        "retries": _code(statistics.find("retryCount").text),
        "file_failures": _code(statistics.find("numFileFailures").text),
        "file_warnings": _code(statistics.find("numFileWarnings").text),
    }


def _item(item: _Node) -> dict[str, object]:
    status = item.find("status")
    row: dict[str, object] = {
        "mode": item.get("mode"),
        "transferred_bytes": _integer(item.get("transferred")),
        "result_code": _code(status.get("resultCode")),
        "supplement": _one_line(status.find("supplement").text),
    }
    for side in ("source", "destination"):
        end = item.find(side)
        held = end.find("file") if end.all("file") else end.find("queue")
        size = _integer(held.get("size"))
        if size is None and side == "source" and item.name == "current":
            size = _integer(item.get("size"))
        row |= {
            side: held.text,
            f"{side}_type": end.get("type"),
            f"{side}_bytes": size,
            f"{side}_checksum_method": end.find("checksum").get("method"),
            f"{side}_checksum": end.find("checksum").text,
        }
    row["source_disposition"] = item.find("source").get("disposition")
    row["destination_exist"] = item.find("destination").get("exist")
    if row["source_checksum_method"] is None:
        row["source_checksum_method"] = item.get("checksumMethod")
    return row


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
        if action == "progress":
            out.add("bench_mft_item", key | _text_item(values))
        else:
            out.add("bench_mft_transfer", key | _text_transfer(values, action))


def _text_item(values: list[str | None]) -> dict[str, object]:
    """Fields of [TPRO]: result; source, size, type, disposition, 5 more; destination likewise."""
    return {
        "result_code": _code(values[0]),
        "source": values[1],
        "source_bytes": _integer(values[2]),
        "source_type": values[3],
        "source_disposition": values[4],
        "destination": values[10],
        "destination_bytes": _integer(values[11]),
        "destination_type": values[12],
        "destination_exist": values[13],
        "supplement": next((value for value in reversed(values[14:]) if value), None),
    }


def _text_transfer(values: list[str | None], action: str) -> dict[str, object]:
    """Fields of [TSTR] and [TCOM]: result, source agent, its queue manager and type, and so on."""
    row: dict[str, object] = {
        "result_code": _code(values[0]),
        "source_agent": values[1],
        "source_queue_manager": values[2],
        "destination_agent": values[4],
        "destination_queue_manager": values[5],
    }
    rest = values[6:] if action == "started" else values[7:]
    row |= {"user_id": rest[0], "job_name": rest[1]}
    if action != "started":
        row["supplement"] = rest[2] if len(rest) > 2 else None
    return row


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
