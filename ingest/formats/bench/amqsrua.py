"""Read the output of IBM MQ's sample amqsrua: the resource usage that a queue manager publishes.

A publication is one line with the time it was put (GMT, as all of MQ's) and its interval, and one
line per metric: its text, its value and, for counts, the rate that amqsrua calculates. Metrics of a
queue are preceded by its name, padded to 45, 48 or 49 characters by different releases:

    Publication received PutDate:20190303 PutTime:18201013 Interval:10.000 seconds
    Log - physical bytes written 33718272 3371827/sec
    Log - write latency 994 uSec
    Q1                                               MQPUT byte count 0

Facts: the sample's own printing (amqsruaa.c: percent with two decimals and %, hundredths, KB, MB,
GB, uSec, count with rate per second, plain); IBM MQ, "Metrics published on the system topics". The
file has the class and the type only if they were chosen by hand, after ==>.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import polars as pl

from ingest.formats.text.figures import integer
from ingest.formats.text.lines import lines, sample
from ingest.formats.text.parser import Parsed
from ingest.formats.text.table import Column, Output, describe_tables

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "recognise"]

KIND, TABLE = "amqsrua", "bench_amqsrua"
COLUMNS = (
    Column("record_no", "Line of the metric", pl.Int64),
    Column("time_utc", "When it was published, UTC; null if not printed", pl.Datetime),
    Column("interval_seconds", "Time covered by counts and averages [s]"),
    Column("class", "Class of the metric, if it was chosen by hand: CPU, DISK, STATMQI, STATQ",
           pl.String),
    Column("type", "Type of the metric, if it was chosen by hand: SystemSummary, Log, PUT "
           "and so on", pl.String),
    Column("object", "Queue (or other object) of the metric; null for the queue manager or the "
           "machine", pl.String),
    Column("metric", "Metric, as the queue manager describes it", pl.String),
    Column("value", "Value [unit]"),
    Column("unit", "Unit as printed: %, KB, MB and GB of 1024, us; null: count or plain number",
           pl.String),
    Column("rate_per_second", "Count per second, if it is not 0 [1/s]"),
)  # fmt: skip
SCHEMAS, COLUMN_DOCS = describe_tables({TABLE: COLUMNS})
TITLES = {TABLE: "One row per metric of a publication in the output of amqsrua"}

_PUBLICATION = re.compile(r"Publication received PutDate: *(\d{8}) PutTime: *(\d{8})(.*)")
_INTERVAL = re.compile(
    r"Interval:(?:(\d+) days,)?(?:(\d+) hours,)?(?:(\d+) minutes,)?(\d+(?:\.\d+)?) seconds"
)
_METRIC = re.compile(r"(\S.*?) (-?\d{1,18}(?:\.\d+)?)(%|KB|MB|GB| uSec)?(?: +(-?\d{1,18})/sec)?\s*")
_CHOSEN = re.compile(r"==>\s*(\S+)\s*")
_LOG = re.compile(r"^[ \t]*Log [-\u2013] (?:physical|logical) bytes written \d+", re.MULTILINE)
#: An object's name before its metric. One blank follows only a name that fills its field.
_NAME = re.compile(r"(\S{1,48}?)(?: {2,}|(?<=\S{45}) |(?<=\S{48}))(?=\S)")
_UNITS = {" uSec": "us"}


def recognise(head: bytes) -> str | None:
    """Return the kind of file, by the first line of a publication or by its log metrics."""
    text = sample(head)
    return KIND if _PUBLICATION.search(text) or _LOG.search(text) else None


def parse(content: bytes) -> Parsed:
    """Parse one whole file; lines of a publication that are not metrics go to `rejected`."""
    out = Output(SCHEMAS)
    chosen: list[str] = []
    key: dict[str, object] = {}
    for number, text in lines(content, is_print=False):
        plain = text.replace("\u2013", "-")
        publication = _PUBLICATION.search(plain)
        if publication:
            key = _publication(publication) | _class_and_type(chosen)
            if key["time_utc"] is None:
                out.reject(number, "a publication with an impossible time")
            continue
        choice = _CHOSEN.match(plain)
        if choice:
            chosen.append(choice[1])
            continue
        row = _metric(plain)
        if row and (key or row["metric"].startswith("Log - ")):  # type: ignore[attr-defined]
            out.add(TABLE, key | row | {"record_no": number})
        elif key and plain.strip() and not _is_menu(plain):
            out.reject(number, "not a metric")
    return Parsed(KIND, out.frames(), out.rejected)


def _publication(found: re.Match[str]) -> dict[str, object]:
    """Return when a publication was put, and the time it covers."""
    try:
        put = datetime.strptime(found[1] + found[2][:6], "%Y%m%d%H%M%S")  # noqa: DTZ007
        moment = put + timedelta(milliseconds=10 * int(found[2][6:]))
    except ValueError:
        moment = None
    interval = _INTERVAL.search(found[3])
    if interval is None:
        return {"time_utc": moment, "interval_seconds": None}
    days, hours, minutes = (integer(part) or 0 for part in interval.groups()[:3])
    seconds = ((days * 24 + hours) * 60 + minutes) * 60 + float(interval[4])
    return {"time_utc": moment, "interval_seconds": seconds}


def _class_and_type(chosen: list[str]) -> dict[str, object]:
    """Note the class, type and perhaps object, which are chosen one after another."""
    first, second = [*chosen, "", ""][:2]
    return {"class": first or None, "type": second or None}


def _is_menu(text: str) -> bool:
    """Return whether a line is part of the menus of classes and types, or their heading."""
    return bool(re.match(r"\s*(?:\w+ : |Enter (?:Class|Type|Object))", text))


def _metric(text: str) -> dict[str, object] | None:
    """Return the columns of one metric's line."""
    name = _NAME.match(text)
    match = _METRIC.fullmatch(text[name.end() :] if name else text.strip())
    if match is None:
        return None
    unit = match[3]
    return {
        "object": name[1] if name else None,
        "metric": match[1].strip(),
        "value": float(match[2]),
        "unit": _UNITS.get(unit, unit) if unit else None,
        "rate_per_second": float(match[4]) if match[4] else None,
    }
