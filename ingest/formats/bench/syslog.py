"""Read excerpts of z/OS's SYSLOG and job logs: messages of CSM, of structures, and of MQ.

Messages are recognised by their identifiers, IVT (communications storage manager), IXL (coupling
facility) and CSQ (MQ), with whatever may precede them:

    N 0000000 MVS1     21060 09:18:57.76 STC62854 00000090  +CSQX206E ...     SYSLOG
    14.55.43 STC48092  IXL015I STRUCTURE ALLOCATION INFORMATION FOR 213       job log
    213                STRUCTURE PERFCQSAPPL, CONNECTOR NAME CSQEPERFVKW303,  continuation
    IVT5538I FIXED MAXIMUM = 240M FIXED CURRENT = 42537K                      response of a command

Other messages are ignored. The response of D NET,CSM also fills tables of its own.

Facts: z/OS Communications Server: SNA Messages, IVT5529I (display CSM) and IVT5549I; SNA Operation,
DISPLAY CSM command, which shows amounts in K and M of 1024. z/OS MVS, format of the hardcopy log:
record type, routing codes, system, date as yyddd or yyyyddd, time, job, flags, text; the lines of
one message have its three-digit number. Times are local; if a line has no date, only the time of
day is known.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import NamedTuple

import polars as pl

from ingest.formats.text.figures import number_with_unit
from ingest.formats.text.lines import lines, sample
from ingest.formats.text.parser import Parsed
from ingest.formats.text.table import Column, Output, describe_tables

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "recognise"]

KIND = "zos_syslog"
_KEY = (
    Column("record_no", "First line of the message", pl.Int64),
    Column("system_id", "System that logged it; null if not printed", pl.String),
    Column("time_local", "Time, local to the system; null if no date is printed", pl.Datetime),
    Column("time_printed", "Time of day as printed, local", pl.String),
)
TABLES = {
    "bench_syslog_message": (
        *_KEY,
        Column("job_id", "Job or started task of the message", pl.String),
        Column("message_id", "Identifier of the message", pl.String),
        Column("queue_manager", "Command prefix of the queue manager, for a message of MQ",
               pl.String),
        Column("text", "Text of the message, its lines joined", pl.String),
    ),
    "bench_csm_pool": (
        *_KEY,
        Column("buffer_size", "Size of the pool's buffers as printed; TOTAL for all pools",
               pl.String),
        Column("source", "ECSA, DATA SPACE 31, DATA SPACE 64, HVCOMM, or ALL SOURCES",
               pl.String),
        Column("in_use_bytes", "Storage in use [bytes]"),
        Column("free_bytes", "Storage free in the pool [bytes]"),
        Column("total_bytes", "Total storage of the pool [bytes]"),
    ),
    "bench_csm_limit": (
        *_KEY,
        Column("name", "What is limited, in the message's words: FIXED MAXIMUM and so on",
               pl.String),
        Column("since", "Start of the period, if given: LAST DISPLAY CSM or IPL", pl.String),
        Column("bytes", "Amount [bytes]"),
    ),
}  # fmt: skip
SCHEMAS, COLUMN_DOCS = describe_tables(TABLES)
TITLES = {
    "bench_syslog_message": "One row per message of CSM, a coupling facility or MQ",
    "bench_csm_pool": "One row per pool of CSM storage in the output of D NET,CSM",
    "bench_csm_limit": "One row per limit or peak of CSM storage in the output of D NET,CSM",
}

_MESSAGE = re.compile(
    r"\s{0,20}(?:[NMWX][A-Z ]? ?[0-9A-F]{7} (?P<system>\S{1,8})\s{1,9}(?P<date>\d{7}|\d{5}) )?"
    r"(?:(?P<time>\d\d[:.]\d\d[:.]\d\d(?:\.\d\d)?)\s+(?:(?P<job>[A-Z]{3}\d{5}|J\d{7}|[TS]\d{7})\s+)?"
    r"(?:[0-9A-F]{8}\s+)?)?[+*@-]?(?P<id>IVT\d{4}I|IXL\d{3}[A-Z]|CSQ[0-9A-Z]\d{3}[A-Z])\b\s*(?P<text>.*)"
)
_CONTINUED = re.compile(r"(?P<text>.*\S)?\s+(?P<number>\d{3})\s*")
_CONTINUATION = re.compile(
    r"\s{0,9}(?:[SDLEM][A-Z ]?\s{1,60})?(?P<number>\d{3})\s+(?:[0-9A-F]{7,8}\s)?\s*(?P<text>.*)"
)
_POOL = re.compile(r"(TOTAL|\d+K)\s+(\S+(?: \S+)*?)\s+(\d+[KM])\s+(\d+[KM])\s+(\d+[KM])\s*")
_LIMIT = re.compile(
    r"\b([A-Z][A-Z ]{0,30}? (?:MAXIMUM|CURRENT)(?: USED)?) = (\d{1,9}[KMG]?)(?!\S)"
    r"(?: SINCE (LAST DISPLAY CSM|IPL))?"
)
_UNITS = {"": 1.0, "K": 1024.0, "M": 1024.0**2, "G": 1024.0**3}
_POOLS = ("IVT5533I", "IVT5535I", "IVT5536I")
_LONGEST = 4096


class _Message(NamedTuple):
    """The beginning of a message, and the number of the lines that belong to it."""

    key: dict[str, object]
    parts: list[str]
    number: str | None


def recognise(head: bytes) -> str | None:
    """Return the kind of file, by a message of CSM or a structure, or one of MQ after a time."""
    for line in sample(head).splitlines():
        match = _MESSAGE.fullmatch(line)
        if match and (match["time"] or not match["id"].startswith("CSQ")):
            return KIND
    return None


def parse(content: bytes) -> Parsed:
    """Parse one whole file; known messages with an impossible date go to `rejected`."""
    out = Output(SCHEMAS)
    open_message: _Message | None = None
    for line, text in lines(content):
        match = _MESSAGE.fullmatch(text)
        more = None if match else _CONTINUATION.fullmatch(text)
        if open_message and more and more["number"] == open_message.number:
            open_message.parts.append(more["text"].strip())
            continue
        if open_message and (match or not more):
            _add(open_message, out)
            open_message = None
        if match is None:
            continue
        if match["date"] and _moment(match["date"], match["time"]) is None:
            out.reject(line, f"{match['id']} with an impossible time")
            continue
        open_message = _begin(line, match)
    if open_message:
        _add(open_message, out)
    return Parsed(KIND, out.frames(), out.rejected)


def _begin(line: int, found: re.Match[str]) -> _Message:
    text = found["text"].rstrip()
    continued = _CONTINUED.fullmatch(text)
    prefix = re.match(r"(\S{1,8}) +CSQ", text) if found["id"].startswith("CSQ") else None
    key: dict[str, object] = {
        "record_no": line, "system_id": found["system"], "message_id": found["id"],
        "time_local": _moment(found["date"], found["time"]), "time_printed": found["time"],
        "job_id": found["job"], "queue_manager": prefix[1] if prefix else None,
    }  # fmt: skip
    return _Message(key, [text], continued["number"] if continued else None)


def _add(message: _Message, out: Output) -> None:
    """Add the rows of a complete message."""
    first, *rest = message.parts
    if rest:
        # The number at the end of the first line only says which lines belong to it.
        first = (_CONTINUED.fullmatch(first) or [""])[0].rstrip()[:-3].rstrip()
    text = " ".join(" ".join((first, *rest)).split())[:_LONGEST]
    out.add("bench_syslog_message", message.key | {"text": text})
    identifier = str(message.key["message_id"])
    if pool := _POOL.fullmatch(text) if identifier in _POOLS else None:
        amounts = (number_with_unit(pool[i], _UNITS) for i in (3, 4, 5))
        names = ("in_use_bytes", "free_bytes", "total_bytes")
        row = dict(zip(names, amounts, strict=True)) | {"buffer_size": pool[1], "source": pool[2]}
        out.add("bench_csm_pool", message.key | row)
    elif identifier.startswith("IVT"):
        for name, amount, since in _LIMIT.findall(text):
            row = {
                "name": name.strip(),
                "since": since or None,
                "bytes": number_with_unit(amount, _UNITS),
            }
            out.add("bench_csm_limit", message.key | row)


def _moment(date: str | None, time: str | None) -> datetime | None:
    """Return the local time of yyddd or yyyyddd and hh:mm:ss.th, or None if there is none."""
    if not date or not time:
        return None
    year, day = int(date[:-3]), int(date[-3:])
    hour, minute, second, hundredths = (*map(int, re.split("[:.]", time)), 0)[:4]
    try:
        start = datetime(year if len(date) == 7 else 2000 + year, 1, 1, hour, minute, second)
        moment = start + timedelta(days=day - 1, milliseconds=10 * hundredths)
    except (ValueError, OverflowError):
        return None
    return moment if day and moment.year == start.year else None
