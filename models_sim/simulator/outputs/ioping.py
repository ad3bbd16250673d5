"""Write ioping's output: human-readable, raw statistics, or JSON.

As in ioping 1.3, a human-readable figure has two decimals below 10 of its unit, one from 10 on, and
none if it is whole; raw and JSON have whole nanoseconds. Requests and statistics share a file in
the order of `record_no`. The rows have no device size: it is left out, or 0 in JSON. Statistics
without bytes are printed in the two lines of 0.6, whose figures have no k; those without the time
of the test lack its line.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

from models_sim.simulator.outputs.text import Row, Tables, dicts, in_order, scaled

__all__ = ["WRITERS", "write_json", "write_raw", "write_text"]

_PLACE = ("record_no", "target", "file_system", "device")
REQUEST = (*_PLACE, "request", "operation", "request_bytes", "time_us", "is_ignored", "time_utc",
           "time_printed")  # fmt: skip
STATISTICS = (*_PLACE, "requests", "request_seconds", "bytes", "iops", "bytes_per_second", "min_us",
              "avg_us", "max_us", "mdev_us", "all_requests", "all_seconds")  # fmt: skip
_TIMES = ((" ns", 1.0), (" us", 1e3), (" ms", 1e6), (" s", 1e9), (" min", 6e10), (" hour", 3.6e12))
_BYTES = tuple(
    (f" {prefix}B", 1024.0**power) for power, prefix in enumerate(("", "Ki", "Mi", "Gi"))
)
_COUNTS = (("", 1.0), (" k", 1e3), (" M", 1e6))
_WAYS = {"read": "<<<", "write": ">>>"}
_DONE = {"read": " read", "write": " written"}


def write_text(tables: Tables) -> bytes:
    """Return the requests line by line, and the sets of statistics after them."""
    printed: list[str] = []
    operations: set[str | None] = set()
    for row in _rows(tables):
        if "request" in row:
            operations.add(row["operation"])
            printed.append(_request(row))
        else:
            printed += _statistics(row, operations)
            operations = set()
    return ("\n".join(printed) + "\n").encode()


def write_raw(tables: Tables) -> bytes:
    """Return the ten figures of each set of statistics."""
    printed = (" ".join(map(str, _raw(row))) for row in dicts(tables, "bench_ioping", STATISTICS))
    return ("\n".join(printed) + "\n").encode()


def write_json(tables: Tables) -> bytes:
    """Return an object for each request and each set of statistics."""
    objects: list[Row] = []
    latest = datetime.fromtimestamp(0, UTC)
    for row in _rows(tables):
        if row.get("time_utc"):
            latest = row["time_utc"].replace(tzinfo=UTC)
        objects.append({
            "timestamp": latest.timestamp(), "localtime": f"{latest:%Y-%m-%dT%H:%M:%S%z}",
            "target": {"path": row["target"], "fstype": row["file_system"] or "",
                       "device": row["device"] or "", "device_size": 0},
        } | (_json_request(row) if "request" in row else _json_statistics(row)))  # fmt: skip
    printed = ",".join(json.dumps(item, indent=2, ensure_ascii=False) for item in objects)
    return f"[{printed}]\n".encode()


def _rows(tables: Tables) -> list[Row]:
    requests = dicts(tables, "bench_ioping_request", REQUEST)
    return list(in_order(requests, dicts(tables, "bench_ioping", STATISTICS)))


def _short(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() else f"{value:.{1 if value >= 10 else 2}f}"


def _time(us: float) -> str:
    return scaled(float(round(us * 1e3)), _TIMES, _short)


def _size(value: float) -> str:
    return scaled(float(round(value)), _BYTES, _short)


def _count(value: float) -> str:
    return scaled(float(round(value)), _COUNTS, _short)


def _requests(count: int) -> str:
    """Return a count as ioping prints it, in k or M, unless that would round it."""
    shown = _count(count)
    figure = shown.rstrip(" kM")
    size = dict(_COUNTS)[shown.removeprefix(figure)]
    return shown if round(float(figure) * size) == count else str(count)


def _place(row: Row) -> str:
    if row["file_system"] is None and row["device"] == row["target"]:
        return f"{row['target']} (block device)"
    words = [word for word in (row["file_system"], row["device"]) if word]
    return f"{row['target']} ({' '.join(words)})"


def _request(row: Row) -> str:
    when = f"{row['time_printed']} " if row["time_printed"] else ""
    way = _WAYS.get(row["operation"], "from")
    note = " (warmup)" if row["is_ignored"] else ""
    return (
        f"{when}{_size(row['request_bytes'])} {way} {_place(row)}: "
        f"request={row['request']} time={_time(row['time_us'])}{note}"
    )


def _statistics(row: Row, operations: set[str | None]) -> list[str]:
    """Return the lines of a set; its bytes are called read or written if all its requests were."""
    done = _DONE.get(next(iter(operations)) or "", "") if len(operations) == 1 else ""
    count, total, seconds = row["requests"], row["all_requests"], row["all_seconds"]
    size, rate = row["bytes"], f"{_size(row['bytes_per_second'])}/s"
    if size is None:
        completed = [f"{count} requests completed in {seconds * 1e3:.1f} ms",
                     f"{row['iops']:.0f} iops", rate]  # fmt: skip
    else:
        own = _time(row["request_seconds"] * 1e6)
        completed = [f"{_requests(count)} requests completed in {own}", _size(size) + done,
                     f"{_count(row['iops'])} iops", rate]  # fmt: skip
    printed = ["", f"--- {_place(row)} ioping statistics ---", ", ".join(completed)]
    if size is not None and seconds is not None:
        generated = [
            f"generated {_requests(total)} requests in {_time(seconds * 1e6)}",
            _size(size * total / count),
            f"{_count(total / seconds)} iops",
            f"{_size(size * total / count / seconds)}/s",
        ]
        printed.append(", ".join(generated))
    times = (_time(row[name]) for name in ("min_us", "avg_us", "max_us", "mdev_us"))
    return [*printed, f"min/avg/max/mdev = {' / '.join(times)}"]


def _raw(row: Row) -> list[int]:
    times = [round(row[name] * 1e3) for name in ("min_us", "avg_us", "max_us", "mdev_us")]
    return [
        row["requests"], round(row["request_seconds"] * 1e9), round(row["iops"]),
        round(row["bytes_per_second"]), *times, row["all_requests"],
        round(row["all_seconds"] * 1e9),
    ]  # fmt: skip


def _json_request(row: Row) -> Row:
    return {"io": {
        "request": row["request"], "operation": row["operation"],
        "size": round(row["request_bytes"]), "time": round(row["time_us"] * 1e3),
        "ignored": row["is_ignored"],
    }}  # fmt: skip


def _json_statistics(row: Row) -> Row:
    size = row["bytes"] * row["all_requests"] / row["requests"]
    _, time, _, rate, low, average, high, deviation, total, all_time = _raw(row)
    return {
        "stat": {
            "count": row["requests"], "size": round(row["bytes"]), "time": time,
            "iops": round(row["iops"], 6), "bps": rate, "min": low, "avg": average, "max": high,
            "mdev": deviation,
        },
        "load": {
            "count": total, "size": round(size), "time": all_time,
            "iops": round(total / row["all_seconds"], 6), "bps": round(size / row["all_seconds"]),
        },
    }  # fmt: skip


WRITERS = {"ioping": write_text, "ioping_raw": write_raw, "ioping_json": write_json}
