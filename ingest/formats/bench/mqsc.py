"""Read the output of DISPLAY commands in runmqsc or on z/OS: channels, queues, pub/sub.

Each object begins with a message, followed by its attributes, KEYWORD(value) or KEYWORD alone:

    AMQ8417I: Display Channel Status details.      distributed (AMQ8417 before 9.1)
       CHANNEL(QM1.TO.QM2)                     CHLTYPE(SDR)
       NETTIME(25,0)                           XBATCHSZ(2,2)
    CSQM201I !MQ1 CSQMDRTC  DISPLAY CHSTATUS DETAILS 610             z/OS, up to END ... DETAILS
    CHSTATUS(QM1.TO.QM2)

DISPLAY CHINIT prints messages CSQX830I to CSQX849I, with numbers in their text, instead.

Facts: IBM MQ, DISPLAY CHSTATUS (display channel status): pairs of figures are a short-term and a
long-term average; NETTIME, XQTIME and EXITTIME are in microseconds, COMPTIME in microseconds per
message, COMPRATE in percent; on z/OS any number above 999,999,999 is shown as 999999999. DISPLAY
QSTATUS: QTIME in microseconds, MSGAGE in seconds. Distributed queuing messages (CSQX...). The
output has no time; it is that of the run or of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from ingest.formats.text.figures import integer
from ingest.formats.text.lines import Line, lines, sample
from ingest.formats.text.parser import Parsed
from ingest.formats.text.table import Column, Output, describe_tables

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "recognise"]

KIND = "mqsc_display"
_LINE = Column("record_no", "First line of the object", pl.Int64)
_QMGR = Column("queue_manager", "Queue manager, or on z/OS its command prefix; null if not printed",
               pl.String)  # fmt: skip
#: Keyword -> column and its meaning; a pair becomes two columns, _short and _long.
_CHANNEL_TEXTS = {
    "CHLTYPE": ("channel_type", "Type of the channel"),
    "CONNAME": ("connection_name", "Partner's address"),
    "STATUS": ("status", "Status of the channel"),
    "SUBSTATE": ("substate", "Current action of the channel"),
    "RQMNAME": ("remote_queue_manager", "Queue manager at the other end"),
    "XMITQ": ("transmission_queue", "Transmission queue"),
    "MONCHL": ("monitoring", "Level at which these figures are collected: OFF, LOW, MEDIUM, HIGH"),
    "SSLCIPH": ("cipher", "Cipher specification in use"),
    "SSLKEYDA": ("last_key_reset_date", "Date of the last reset of the secret key, local"),
    "SSLKEYTI": ("last_key_reset_time", "Time of the last reset of the secret key, local"),
    "COMPMSG": ("message_compression", "Compression of messages: agreed and for the last message"),
}
_CHANNEL_NUMBERS = {
    "MSGS": ("messages", "Messages sent or received since the channel's start"),
    "BATCHES": ("batches", "Batches completed since the channel's start"),
    "BATCHSZ": ("batch_size", "Negotiated batch size [messages]"),
    "BYTSSENT": ("bytes_sent", "Bytes sent since the channel's start [bytes]"),
    "BYTSRCVD": ("bytes_received", "Bytes received since the channel's start [bytes]"),
    "BUFSSENT": ("buffers_sent", "Transmission buffers sent"),
    "BUFSRCVD": ("buffers_received", "Transmission buffers received"),
    "SSLRKEYS": ("key_resets", "Resets of the secret key since the channel's start"),
    "CURSHCNV": ("conversations", "Conversations that share the channel instance"),
}
_CHANNEL_PAIRS = {
    "NETTIME": ("nettime_us", "Round-trip time of a request to the partner [us]"),
    "XBATCHSZ": ("xbatchsz", "Size of batches [messages]"),
    "XQTIME": ("xqtime_us", "Time that messages wait on the transmission queue [us]"),
    "EXITTIME": ("exittime_us", "Time in exits per message [us]"),
    "COMPTIME": ("comptime_us", "Time to compress or expand a message [us]"),
    "COMPRATE": ("comprate_pct", "Reduction by compression [%]"),
}
_QUEUE_NUMBERS = {
    "CURDEPTH": ("depth", "Messages on the queue"),
    "IPPROCS": ("input_handles", "Handles open for input"),
    "OPPROCS": ("output_handles", "Handles open for output"),
    "MSGAGE": ("oldest_message_s", "Age of the oldest message [s]"),
}
_QUEUE_TEXTS = {
    "UNCOM": ("uncommitted", "Whether there are uncommitted changes; on z/OS YES or NO"),
    "MONQ": ("monitoring", "Level at which these figures are collected"),
    "LPUTDATE": ("last_put_date", "Date of the last put, local"),
    "LPUTTIME": ("last_put_time", "Time of the last put, local"),
    "LGETDATE": ("last_get_date", "Date of the last get, local"),
    "LGETTIME": ("last_get_time", "Time of the last get, local"),
}
_QUEUE_PAIRS = {"QTIME": ("qtime_us", "Time that messages stay on the queue [us]")}
_PUBSUB_TEXTS = {
    "TYPE": ("type", "LOCAL, CHILD or PARENT"),
    "STATUS": ("status", "Status of the publish/subscribe engine or of the connection"),
}
_PUBSUB_NUMBERS = {
    "SUBCOUNT": ("subscriptions", "Subscriptions of the local tree"),
    "TPCOUNT": ("topic_nodes", "Topic nodes of the local tree"),
}


class _Table(NamedTuple):
    """How one kind of object becomes a row: keyword and column of its key, its attributes."""

    name: str
    keywords: tuple[str, ...]
    key: str
    texts: dict[str, tuple[str, str]]
    numbers: dict[str, tuple[str, str]]
    pairs: dict[str, tuple[str, str]]

    def columns(self, title: str) -> tuple[Column, ...]:
        """Return the table's columns."""
        return (
            _LINE,
            _QMGR,
            Column(self.key, title, pl.String),
            *(Column(name, doc, pl.String) for name, doc in self.texts.values()),
            *(Column(name, doc, pl.Int64) for name, doc in self.numbers.values()),
            *(
                Column(f"{name}_{term}", f"{doc[: doc.rindex(' [')]}, {term}-term average"
                       f"{doc[doc.rindex(' [') :]}")
                for name, doc in self.pairs.values() for term in ("short", "long")
            ),
        )  # fmt: skip


#: What DISPLAY shows -> table. AMQ and CSQM messages name it, or the first keyword does.
_KINDS = {
    "CHSTATUS": _Table("bench_mqsc_chstatus", ("CHANNEL", "CHSTATUS"), "channel",
                       _CHANNEL_TEXTS, _CHANNEL_NUMBERS, _CHANNEL_PAIRS),
    "QSTATUS": _Table("bench_mqsc_qstatus", ("QUEUE", "QSTATUS"), "queue",
                      _QUEUE_TEXTS, _QUEUE_NUMBERS, _QUEUE_PAIRS),
    "PUBSUB": _Table("bench_mqsc_pubsub", ("QMNAME",), "partner", _PUBSUB_TEXTS, _PUBSUB_NUMBERS,
                     {}),
}  # fmt: skip
TABLES = {
    "bench_mqsc_chstatus": _KINDS["CHSTATUS"].columns("Name of the channel"),
    "bench_mqsc_qstatus": _KINDS["QSTATUS"].columns("Name of the queue"),
    "bench_mqsc_pubsub": _KINDS["PUBSUB"].columns("Queue manager of the row"),
    "bench_mqsc_chinit": (
        Column("record_no", "Line of the message", pl.Int64),
        _QMGR,
        Column("message_id", "Message, CSQX830I to CSQX849I", pl.String),
        Column("name", "What the message counts or says, in its own words", pl.String),
        Column("value", "The value, if it is a number"),
        Column("text", "The message's text", pl.String),
    ),
    "bench_mqsc_attribute": (
        _LINE,
        _QMGR,
        Column("message_id", "First message of the object", pl.String),
        Column("display", "What was displayed: CHSTATUS, QSTATUS and so on, or the message's words",
               pl.String),
        Column("object", "Value of the object's first attribute", pl.String),
        Column("attribute", "Keyword of the attribute", pl.String),
        Column("value", "Value as printed; null if it is blank or the keyword has none",
               pl.String),
    ),
}  # fmt: skip
SCHEMAS, COLUMN_DOCS = describe_tables(TABLES)
TITLES = {
    "bench_mqsc_chstatus": "One row per channel instance in the output of DISPLAY CHSTATUS",
    "bench_mqsc_qstatus": "One row per queue in the output of DISPLAY QSTATUS",
    "bench_mqsc_pubsub": "One row per connection in the output of DISPLAY PUBSUB",
    "bench_mqsc_chinit": "One row per number or text in the output of DISPLAY CHINIT",
    "bench_mqsc_attribute": "One row per attribute of any object in the output of a DISPLAY",
}

_MESSAGE = re.compile(
    r"\s*(?P<amq>AMQ8\d{3})[A-Z]?: (?P<words>Display .*?)\.?\s*(?=$|[A-Z]+\()"
    r"|.{0,40}?(?P<csq>CSQM[2-4]\d\dI)\s+(?P<prefix>\S+)\s+(?:CSQM\w+\s+)?"
)
_END = re.compile(r"\s*(?:END \w+ DETAILS|\d* ?MQSC commands? read|One MQSC command read|AMQ\d{4}"
                  r"|CSQ\w\d{3}[A-Z]|CSQ9022I|\d+ : |No commands have|All valid MQSC)")  # fmt: skip
_DISPLAY = re.compile(r"DISPLAY +(\w+) +DETAILS")
_NUMBERED = re.compile(r" DETAILS +(\d{3})\s*$")
_WORDS = {"CHANNEL STATUS": "CHSTATUS", "QUEUE STATUS": "QSTATUS", "PUB/SUB STATUS": "PUBSUB"}
_STARTING = re.compile(r"Starting MQSC for queue manager (\S+?)\.?\s*$")
_CHINIT = re.compile(r".{0,40}?(CSQX8[34]\dI)\s+(\S+)\s+(?:CSQX\w+\s+)?(.*)")
_COUNT = re.compile(r"(?:(?P<before>[A-Za-z][A-Za-z ]*?) )?(?P<value>\d{1,9})(?: (?P<after>.*))?")
_KEYWORD = re.compile(r"[A-Z][A-Z0-9]{1,15}")
_INNER = r"(?:[^()]|\([^()]*\))"
_ATTRIBUTE = re.compile(
    rf"\s*({_KEYWORD.pattern})(?:\(((?:[^()]|\({_INNER}*\)){{0,4096}})\)|(?![A-Z0-9(]))"
)
_LONGEST = 4096
_RECOGNISED = re.compile(
    r"^[ \t]*AMQ8\d{3}[A-Z]?: Display .{1,60}(?:details|information)"
    r"|CSQM[2-4]\d\dI \S{1,8} .{0,60}(?:DISPLAY|\()"
    r"|CSQX83[0-3]I \S{1,8} CSQX",
    re.MULTILINE,
)


class _Object(NamedTuple):
    """One displayed object: where it begins, its kind, and its attributes in order."""

    line: int
    message_id: str
    display: str
    queue_manager: str | None
    attributes: list[tuple[str, str | None]]


def recognise(head: bytes) -> str | None:
    """Return the kind of file, by a message that begins an object."""
    return KIND if _RECOGNISED.search(sample(head)) else None


def parse(content: bytes) -> Parsed:
    """Parse one whole file; the unreadable part of an object goes to `rejected`.

    If an attribute is repeated, the tables of statuses have the first.
    """
    out = Output(SCHEMAS)
    commands = lines(content)
    for item in _objects(commands, out):
        _add(item, out)
    for line in commands:
        message = _CHINIT.match(line.text)
        if message:
            _add_chinit(line.number, message, out)
    return Parsed(KIND, out.frames(), out.rejected)


def _objects(found: list[Line], out: Output) -> Iterator[_Object]:
    """Yield the displayed objects of a file."""
    queue_manager: str | None = None
    begun: _Object | None = None
    body: list[str] = []
    numbered: re.Match[str] | None = None
    for number, text in [*found, Line(0, "END ALL DETAILS")]:
        if starting := _STARTING.search(text):
            queue_manager = starting[1]
        message = _MESSAGE.match(text)
        if begun and (message or _END.match(text.removeprefix(numbered[1]) if numbered else text)):
            if problem := _fill(begun, " ".join(body)):
                out.reject(begun.line, problem)
            if begun.attributes:
                yield begun
            begun = None
        if message:
            rest = text[message.end() :]
            begun, rest = _begin(number, message, rest, queue_manager)
            body = [rest]
            numbered = _NUMBERED.search(text)
        elif begun:
            # On the console, continuation lines begin with the number that ends the first line.
            body.append(re.sub(rf"^\s*{numbered[1]}\s", "", text) if numbered else text)


def _begin(
    number: int, message: re.Match[str], rest: str, queue_manager: str | None
) -> tuple[_Object, str]:
    """Return an object without its attributes, and the text of its first ones."""
    if message["amq"]:
        words = message["words"].removeprefix("Display ").upper()
        words = re.sub(r" (?:DETAILS|INFORMATION).*", "", words).strip()
        return _Object(number, message["amq"], _WORDS.get(words, words), queue_manager, []), rest
    display = _DISPLAY.search(rest)
    if display:
        rest = ""
    keyword = _KEYWORD.match(rest.strip())
    name = display[1] if display else keyword[0] if keyword else ""
    return _Object(number, message["csq"], name, message["prefix"], []), rest


def _fill(item: _Object, text: str) -> str:
    """Read the attributes into an object; return what is wrong with them, or nothing."""
    at, text = 0, text.rstrip()
    while at < len(text):
        attribute = _ATTRIBUTE.match(text, at)
        if not attribute:
            begin = text[at : at + 1000].lstrip()[:40]
            keyword = _KEYWORD.match(begin)
            return (
                f"{keyword[0]} has no closing parenthesis"
                if keyword
                else f"{begin!a} is not an attribute"
            )
        item.attributes.append((attribute[1], (attribute[2] or "").strip()[:_LONGEST] or None))
        at = attribute.end()
    return ""


def _add(item: _Object, out: Output) -> None:
    """Add the rows of an object."""
    name = item.attributes[0][1]
    key: dict[str, object] = {"record_no": item.line, "queue_manager": item.queue_manager}
    for attribute, value in item.attributes:
        out.add("bench_mqsc_attribute", key | {
            "message_id": item.message_id, "display": item.display or None, "object": name,
            "attribute": attribute, "value": value,
        })  # fmt: skip
    table = _KINDS.get(item.display)
    if table is None:
        return
    values = dict(reversed(item.attributes))
    row = key | {table.key: next((values[k] for k in table.keywords if k in values), None)}
    row |= {column: values.get(word) for word, (column, _) in table.texts.items()}
    row |= {column: integer(values.get(word)) for word, (column, _) in table.numbers.items()}
    for word, (column, _) in table.pairs.items():
        short, _, long = (values.get(word) or "").partition(",")
        row |= {f"{column}_short": _figure(short), f"{column}_long": _figure(long)}
    out.add(table.name, row)


def _figure(text: str) -> float | None:
    value = integer(text)
    return float(value) if value is not None else None


def _add_chinit(number: int, message: re.Match[str], out: Output) -> None:
    """Add the rows of one message of DISPLAY CHINIT: one per number, or one for its text."""
    text = message[3].strip()
    key: dict[str, object] = {
        "record_no": number, "queue_manager": message[2], "message_id": message[1], "text": text,
    }  # fmt: skip
    counts = [_COUNT.fullmatch(part.strip()) for part in text.split(",")]
    if not any(counts) or "listener" in text:
        out.add("bench_mqsc_chinit", key | {"name": text, "value": None})
        return
    for count in counts:
        if count:
            words = " ".join(word for word in (count["before"], count["after"]) if word)
            out.add("bench_mqsc_chinit", key | {"name": words, "value": float(count["value"])})
