"""Write excerpts of z/OS's SYSLOG and job logs: messages of CSM, of structures, and of MQ.

The form of a line depends on its row. With a system it is the hardcopy log (its date is that of
`time_local`, its time has hundredths), with only a time it is a job log, otherwise a command
response. Text longer than a console line continues in lines that carry the message's number. CSM
pools and limits without a row in bench_syslog_message (by `record_no`) are printed as messages of D
NET,CSM, in M if whole, else rounded to K.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from models_sim.simulator.outputs.text import Row, Tables, dicts

__all__ = ["WRITERS", "write"]

_KEY = ("record_no", "system_id", "time_local", "time_printed")
MESSAGE = (*_KEY, "job_id", "message_id", "text")
POOL = (*_KEY, "buffer_size", "source", "in_use_bytes", "free_bytes", "total_bytes")
LIMIT = (*_KEY, "name", "since", "bytes")
_SINCE = {"LAST DISPLAY CSM": "IVT5541I", "IPL": "IVT5594I"}
_LIMITS = {"FIXED": "IVT5538I", "ECSA": "IVT5539I", "HVCOMM": "IVT5604I"}
_FLAGS = "00000090"
_WIDTH = 71  # characters of message text per line
_KIB, _MIB = 1024, 1024**2


def write(tables: Tables) -> bytes:
    """Return the messages of bench_syslog_message, bench_csm_pool and bench_csm_limit."""
    messages = list(dicts(tables, "bench_syslog_message", MESSAGE))
    told = {row["record_no"] for row in messages}
    messages += [row for row in _csm(tables) if row["record_no"] not in told]
    messages.sort(key=itemgetter("record_no"))
    lines = [line for number, row in enumerate(messages, 1) for line in _lines(row, number)]
    return ("\n".join(lines) + "\n").encode()


def _csm(tables: Tables) -> Iterator[Row]:
    """Yield the messages with which D NET,CSM would have shown the pools and limits."""
    for row in dicts(tables, "bench_csm_pool", POOL):
        amounts = (_amount(row[f"{name}_bytes"]) for name in ("in_use", "free", "total"))
        is_total, is_all = row["buffer_size"] == "TOTAL", row["source"] == "ALL SOURCES"
        message = "IVT5536I" if is_all else "IVT5535I" if is_total else "IVT5533I"
        text = " ".join((row["buffer_size"], row["source"], *amounts))
        yield row | {"job_id": None, "message_id": message, "text": text}
    limits = dicts(tables, "bench_csm_limit", LIMIT)
    for _, found in groupby(limits, itemgetter("record_no")):
        rows = list(found)
        name, since = rows[0]["name"], rows[0]["since"]
        message = _SINCE[since] if since else _LIMITS[name.split()[0]]
        text = " ".join(f"{row['name']} = {_amount(row['bytes'])}" for row in rows)
        text += f" SINCE {since}" if since else ""
        yield rows[0] | {"job_id": None, "message_id": message, "text": text}


def _amount(value: float) -> str:
    return f"{value / _MIB:.0f}M" if value % _MIB == 0 else f"{value / _KIB:.0f}K"


def _lines(row: Row, number: int) -> list[str]:
    """Return the lines of one message; the first ends in its number if others follow."""
    mark = f"{number % 1000:03d}"
    first, *more = textwrap.wrap(row["text"], _WIDTH, break_on_hyphens=False) or [""]
    text = f"{row['message_id']} {first}{f' {mark}' if more else ''}"
    job = f"{row['job_id'] or '':<8}"
    if row["system_id"] is not None:
        moment = row["time_local"]
        time = row["time_printed"] or f"{moment:%H:%M:%S}.{moment.microsecond // 10_000:02d}"
        head = f"N 0000000 {row['system_id']:<8} {moment:%Y%j} {time} {job} {_FLAGS}  "
        return [head + text, *(f"D         {mark}{_FLAGS:>31}  {part}" for part in more)]
    head = "" if row["time_printed"] is None else f"{row['time_printed']} {job} {_FLAGS} "
    return [head + text, *(f"{mark} {_FLAGS} {part}" for part in more)]


WRITERS = {"zos_syslog": write}
