"""Read ioping's output: text, raw statistics or JSON.

    4 KiB <<< . (ext4 /dev/vda 252.0 GiB): request=2 time=82.8 us        <<< read, >>> write
    4 requests completed in 1.13 ms, 16 KiB read, 3.54 k iops, 13.8 MiB/s
    generated 5 requests in 4.00 s, 20 KiB, 1 iops, 5.00 KiB/s
    min/avg/max/mdev = 82.8 us / 282.1 us / 730.3 us / 261.8 us

Up to 0.9 there are two lines of statistics, and the time of the first is that of the whole test:

    10 requests completed in 9.00 s, 5.92 k iops, 23.1 MiB/s
    min/avg/max/mdev = 93 us / 168 us / 237 us / 40 us                   0.6: 0.2/2.8/12.7/5.0 ms

Facts: ioping's manual page (ioping.1): ten raw statistics in a line (count, running time in ns,
requests per second, bytes per second, min, avg, max and standard deviation in ns, all requests, all
time in ns); JSON objects with target, io, stat and load; KiB is 1024 bytes, k is 1000 requests. The
statistics exclude the first request (warmup) and those that are too fast or slow; 0.9 and before
had no warmup. ioping.c: requests per second are of the requests' own time in every release; mb in
0.6 is MiB; a target that is a device has the words device, block device or character device where
others have file system and device.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl

from ingest.formats.text.figures import number_with_unit
from ingest.formats.text.lines import decode, lines, sample
from ingest.formats.text.parser import Parsed
from ingest.formats.text.table import Column, Output, describe_tables

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "recognise"]

_PLACE = (
    Column("record_no", "Line of the row; in JSON, number of its object", pl.Int64),
    Column("target", "Directory, file or device that was read or written", pl.String),
    Column("file_system", "File system of the target", pl.String),
    Column("device", "Device of the target", pl.String),
)
TABLES = {
    "bench_ioping_request": (
        *_PLACE,
        Column("request", "Number of the request, from 1", pl.Int64),
        Column("operation", "read or write; null if an old release does not say", pl.String),
        Column("request_bytes", "Size of the request [bytes]"),
        Column("time_us", "Time that the request took [us]"),
        Column("is_ignored", "Whether the statistics exclude it: warmup, too fast, too slow",
               pl.Boolean),
        Column("time_utc", "When it ended, UTC; JSON only", pl.Datetime),
        Column("time_printed", "When it ended as printed, without a time zone", pl.String),
    ),
    "bench_ioping": (
        *_PLACE,
        Column("requests", "Requests in the statistics; three digits if ioping prints k or M",
               pl.Int64),
        Column("request_seconds", "Total time of the requests in the statistics; of 0.9 and "
               "before: requests / iops [s]"),
        Column("bytes", "Total bytes of the requests in the statistics; null: not printed [bytes]"),
        Column("iops", "Requests per second of their own time [1/s]"),
        Column("bytes_per_second", "Bytes per second of their own time [bytes/s]"),
        Column("min_us", "Shortest time of a request [us]"),
        Column("avg_us", "Average time of a request [us]"),
        Column("max_us", "Longest time of a request [us]"),
        Column("mdev_us", "Standard deviation of the time of a request [us]"),
        Column("all_requests", "Requests including those that the statistics exclude", pl.Int64),
        Column("all_seconds", "Time of the test [s]"),
    ),
}  # fmt: skip
SCHEMAS, COLUMN_DOCS = describe_tables(TABLES)
TITLES = {
    "bench_ioping_request": "One row per request in the output of ioping",
    "bench_ioping": "One row per set of statistics in the output of ioping",
}

TEXT_KIND, RAW_KIND, JSON_KIND = "ioping", "ioping_raw", "ioping_json"
_REQUEST = re.compile(
    r"(?P<when>[^<>]{0,60}? )??(?P<size>[\d.]+ [KMGTkmgt]?i?[Bb](?:ytes)?) "
    r"(?P<way><<<|>>>|from|to) "
    r"(?P<target>.{1,300}?) \((?P<place>[^()]{0,200})\): request=(?P<request>\d{1,18}) "
    r"time=(?P<time>[\d.]+ \w+)(?: \((?P<note>.*)\))?\s*"
)
_HEADING = re.compile(
    r"--- (?P<target>.{1,300}?) \((?P<place>[^()]{0,200})\) ioping statistics ---"
)
_COUNT = r"[\d.]{1,18}(?: [kMGT])?"
_COMPLETED = re.compile(
    rf"({_COUNT}) requests completed in ([\d.]+ \w+)(?:, ({_COUNT}) cache hits)?"
    rf"(?:, ([\d.]+ \w+)(?: read| written)?)?, ({_COUNT}) iops, ([\d.]+ \w+)/s"
)
_GENERATED = re.compile(
    rf"(?:{_COUNT} too (?:fast|slow), ){{0,2}}generated ({_COUNT}) requests in ([\d.]+ \w+),"
)
_LATENCY = re.compile(r"min/avg/max/mdev = ([\d.]+)( \w+)?" + r" ?/ ?([\d.]+)( \w+)?" * 3)
_CAPACITY = re.compile(r"(?:^|\s+)[\d.]+ ?[KMGTPE]?i?B\s*$", re.IGNORECASE)
_RAW = re.compile(r"\d{1,18}(?: \d{1,18}){9}")
#: Notes on requests that the statistics exclude; those marked fast or slow count.
_IGNORED = ("warmup", "too fast", "too slow")
_BETWEEN = re.compile(r"[\s,\[]*(?=\{)")
_IS_JSON = re.compile(r'\A\s*\[\s*\{\s*"timestamp"[^{}]*"target"\s*:\s*\{[^{}]*"device_size"')
_US = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6, "min": 6e7, "hour": 3.6e9, "hours": 3.6e9,
       "day": 8.64e10, "days": 8.64e10}  # fmt: skip
_THOUSANDS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_BYTES = {
    f"{prefix}{i}{b}": 1024.0**power
    for power, prefixes in enumerate(("", "Kk", "Mm", "Gg", "Tt"))
    for prefix in prefixes or [""]
    for i in ("", "i")
    for b in ("B", "b", "bytes")
}


def recognise(head: bytes) -> str | None:
    """Return the kind of file, by a request, a set of statistics, or consistent raw figures."""
    text = sample(head)
    if _IS_JSON.search(text):
        return JSON_KIND
    if "request=" in text or "ioping statistics" in text:
        is_text = any(_REQUEST.match(line) or _HEADING.match(line) for line in text.splitlines())
        return TEXT_KIND if is_text else None
    rows = [line for line in text.splitlines() if line.strip()]
    rows = rows[:-1] or rows  # the last one may be cut
    return RAW_KIND if rows and all(_fits(row.strip()) for row in rows) else None


def parse(content: bytes) -> Parsed:
    """Parse one whole file; lines that are neither request nor statistics go to `rejected`."""
    kind = recognise(content) or TEXT_KIND
    out = Output(SCHEMAS)
    {TEXT_KIND: _text, RAW_KIND: _raw, JSON_KIND: _json}[kind](content, out)
    return Parsed(kind, out.frames(), out.rejected)


def _fits(row: str) -> bool:
    """Return whether ten figures can be ioping's: rate and average follow from count and time."""
    if not _RAW.fullmatch(row):
        return False
    count, time, iops, _, low, average, high, *_, total, all_time = map(int, row.split(" "))
    is_ordered = low <= average <= high and count <= total and time <= all_time
    return count > 0 and is_ordered and abs(count * 10**9 - iops * time) <= time


def _text(content: bytes, out: Output) -> None:
    """Read requests, and statistics of two or three lines below their heading."""
    row: dict[str, object] = {}
    for number, text in lines(content, is_print=False):
        if request := _REQUEST.fullmatch(text):
            out.add("bench_ioping_request", _request(request) | {"record_no": number})
        elif heading := _HEADING.search(text):
            row = _place(heading["target"], heading["place"]) | {"record_no": number}
        elif completed := _COMPLETED.match(text):
            row |= _complete(completed)
        elif generated := _GENERATED.match(text):
            row |= {"all_requests": _count(generated[1]), "all_seconds": _seconds(generated[2])}
        elif latency := _LATENCY.match(text):
            out.add("bench_ioping", {"record_no": number} | row | _latency(latency))
            row = {}
        elif text.strip() and text.strip() != "^C":
            out.reject(number, "neither a request nor statistics of ioping")


def _complete(found: re.Match[str]) -> dict[str, object]:
    """Return the columns of the first line of statistics; without bytes, its time is the test's."""
    count, time, hits, size, iops, rate = found.groups()
    requests, per_second = _count(count), number_with_unit(iops, _THOUSANDS)
    row: dict[str, object] = {
        "requests": requests, "request_seconds": _seconds(time),
        "bytes": number_with_unit(size, _BYTES), "iops": per_second,
        "bytes_per_second": number_with_unit(rate, _BYTES),
    }  # fmt: skip
    if size is None:
        seconds = round(requests / per_second, 9) if requests and per_second else None
        row |= {"request_seconds": seconds, "all_requests": requests, "all_seconds": _seconds(time)}
    elif hits is not None and requests is not None:
        row["all_requests"] = requests + (_count(hits) or 0)
    return row


def _latency(found: re.Match[str]) -> dict[str, object]:
    """Return the four times; 0.6 prints the unit once, after the last."""
    values, units = found.groups()[::2], found.groups()[1::2]
    names = ("min_us", "avg_us", "max_us", "mdev_us")
    return {
        name: number_with_unit(value + (unit or units[-1] or ""), _US)
        for name, value, unit in zip(names, values, units, strict=True)
    }


def _request(found: re.Match[str]) -> dict[str, object]:
    ways = {"<<<": "read", ">>>": "write"}
    return _place(found["target"], found["place"]) | {
        "request": int(found["request"]),
        "operation": ways.get(found["way"]),
        "request_bytes": number_with_unit(found["size"], _BYTES),
        "time_us": number_with_unit(found["time"], _US),
        "is_ignored": found["note"] in _IGNORED,
        "time_printed": (found["when"] or "").strip() or None,
    }


def _place(target: str | None, place: str) -> dict[str, object]:
    """Return target, file system and device of `. (ext4 /dev/vda 252.0 GiB)`."""
    first, _, rest = _CAPACITY.sub("", place).strip().partition(" ")
    if (rest or first) == "device":
        return {"target": target, "file_system": None, "device": target}
    if first.startswith("/"):
        first, rest = "", first
    return {"target": target, "file_system": first or None, "device": rest.strip() or None}


def _seconds(text: str) -> float | None:
    value = number_with_unit(text, _US)
    return None if value is None else round(value / 1e6, 9)


def _count(text: str) -> int | None:
    """Return a count such as 1.28 k."""
    value = number_with_unit(text, _THOUSANDS)
    return None if value is None else round(value)


def _raw(content: bytes, out: Output) -> None:
    for number, text in lines(content, is_print=False):
        if not text.strip():
            continue
        if not _RAW.fullmatch(text.strip()):
            out.reject(number, "not the ten figures of ioping's raw statistics")
            continue
        given: list[int | None] = [*map(int, text.split())]
        out.add("bench_ioping", {"record_no": number} | _statistics([*given[:2], None, *given[2:]]))


def _statistics(given: Sequence[float | None]) -> dict[str, object]:
    """Return the columns of statistics, whose times are given in ns."""
    scales = {"seconds": 1e9, "us": 1e3}
    return {
        column.name: value
        if value is None or (scale := scales.get(column.name.rpartition("_")[2])) is None
        else value / scale
        for column, value in zip(TABLES["bench_ioping"][-len(given) :], given, strict=True)
    }


def _json(content: bytes, out: Output) -> None:
    for number, line, item in _objects(decode(content), out):
        try:
            _add(number, item, out)
        except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
            out.reject(line, f"object {number} is not as ioping writes it: {error!r:.80}")


def _objects(text: str, out: Output) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """Yield number, line and content of the objects, until the text ends or is not JSON."""
    decoder = json.JSONDecoder()
    at, number, line, counted = 0, 0, 1, 0
    while match := _BETWEEN.match(text, at):
        start = match.end()
        line += text.count("\n", counted, start)
        counted = start
        try:
            item, at = decoder.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError, ValueError):
            out.reject(line, "from here on it is not JSON")
            return
        number += 1
        yield number, line, item


def _add(number: int, item: Mapping[str, Any], out: Output) -> None:
    """Add the row of one object: a request, or statistics."""
    target = item["target"]
    path, system, device = (_name(target[name]) for name in ("path", "fstype", "device"))
    label = " ".join(word for word in (system, device) if word)
    key: dict[str, object] = {"record_no": number} | _place(path, label)
    if "io" in item:
        io = item["io"]
        moment = datetime.fromtimestamp(float(item["timestamp"]), UTC).replace(tzinfo=None)
        out.add("bench_ioping_request", key | {
            "request": _whole(io["request"]), "operation": _name(io["operation"]),
            "request_bytes": float(io["size"]), "time_us": float(io["time"]) / 1e3,
            "is_ignored": io["ignored"] is True, "time_utc": moment,
        })  # fmt: skip
    if "stat" in item:
        stat, load = item["stat"], item.get("load", {})
        size = [
            float(stat[name])
            for name in ("time", "size", "iops", "bps", "min", "avg", "max", "mdev")
        ]
        of_all = [_whole(load["count"]), float(load["time"])]
        out.add("bench_ioping", key | _statistics([_whole(stat["count"]), *size, *of_all]))


def _whole(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value < 2**63:
        raise ValueError(f"{value!r:.20} is not a count")
    return value


def _name(value: object) -> str | None:
    """Return text that can be stored. Raises ValueError for any other value."""
    text = str(value)
    text.encode("utf-8")  # lone surrogates raise
    return text or None
