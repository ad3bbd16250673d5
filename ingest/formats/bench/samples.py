"""What vmstat, iostat, mpstat, sar, pidstat and dstat print every few seconds: one run, its means.

A heading names the columns of the rows below it, up to the next. Where a program prints averages,
these count. The first report of vmstat, iostat and dstat is about the time since the system was
started, and counts only if it is the only one. A banner (Linux 5.4 ...) begins another run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.formats.bench.results import Entry, Execution, Figure, runs_of

__all__ = ["MARKS", "means"]

_TIME = r"(?:\d\d-\d\d )?\d\d:\d\d:\d\d(?: [AP]M)?"
#: How the heading of each program begins.
MARKS = {
    "vmstat": r"^ *r +b +(?:swpd|avm|free)\b.* us +sy",
    "iostat": r"^avg-cpu: +%user|^Device:? +(?:tps|rrqm/s|r/s)",
    "dstat": r"^(?:.*\|| *)usr +sys +idl +wai",
    "pidstat": rf"^(?:{_TIME}|# *Time) +UID +(?:PID|TGID) ",
    "mpstat": rf"^{_TIME} +CPU +%usr .*%gnice",
    "sar": rf"^Linux \d.*\n\n(?:.*RESTART.*\n\n)?{_TIME} +[A-Za-z%][\w%/-]+ +[\w%/-]*[A-Za-z]",
}
_LEAD = re.compile(rf" *({_TIME}) |avg-cpu:|(?!Device)[^\W\d]+\.? ?:(?= )|(#) ")
_OF_BOOT = ("vmstat", "iostat", "dstat")
_KEYS = ("Command", "Device", "DEV", "IFACE", "CPU", "FILESYSTEM", "INTR", "TTY")
_OTHERS = {"Time", "time", "date/time", "CPU", "UID", "PID", "TGID", "TID", "kB_read", "kB_wrtn"}
_UNITS = {
    r"%.*|us|sy|id|wa|st|gu|usr|sys|idl|wai|hiq|siq|stl": "%",
    r"read|writ|recv|send|dstat in|out": "B/s",
    r".*MB.*/s": "MB/s",
    r".*kB.*/s|si|so": "KB/s",
    r".*/s|tps|bi|bo|in|int|cs|csw|first (?:sy|read|writ)": "1/s",
    r".*await|svctm": "ms",
    r"(?:dstat|first) (?:used|free|buff|cach)|used|cach": "B",
    r"kb.*|swpd|free|buff|cache|inact|active|VSZ|RSS": "KB",
    r"runq-sz|ldavg-\d+|\w*sck": "count",
}
_POWERS = {"": 0, "B": 0, "k": 1, "M": 2, "G": 3}  # of 1024 for bytes, otherwise of 1000
_CELL = re.compile(r"(-?\d+(?:[.,]\d+)?)%?([BkMG]?)")


def means(program: str, text: str) -> Iterator[Execution]:
    """Yield the runs of a text, as the means of their samples."""
    text = text.replace("|", " ")
    starts = [0, *(match.start() for match in re.finditer(r"(?m)^Linux \d", text) if match.start())]
    for start, stop in zip(starts, [*starts[1:], len(text)], strict=True):
        line = text.count("\n", 0, start) + 1
        yield from runs_of([Entry("", list(_figures(program, text[start:stop])))], line=line)


def _figures(program: str, text: str) -> Iterator[Figure]:
    columns: list[str] = []
    samples: dict[tuple[bool, str], dict[str, list[float]]] = {}
    times, is_listed = set(), False
    for row in text.splitlines():
        lead = _LEAD.match(row)
        cells = row[lead.end() if lead else 0 :].split()
        if not any(map(_CELL.fullmatch, cells)):
            if cells:
                columns = [cell.rstrip(":") for cell in cells]
                # vmstat of AIX has two columns sy, dstat two read: the first are of calls.
                columns = [
                    f"first {c}" if c in columns[n:] else c for n, c in enumerate(columns, 1)
                ]
                is_listed = bool(lead and lead[2])
                columns = [c for c in columns if c not in ("Time", "time", "date/time")]
            continue
        time = lead[1] if lead else ""
        if is_listed and not time:
            time = cells.pop(0)
        if len(cells) < len(columns) or not any(_unit(program, column) for column in columns):
            continue
        times.add(time)
        sample = dict(zip(columns, cells, strict=False))
        key = next((key for key in _KEYS if key in sample), "")
        is_average = lead is not None and lead[0].endswith(":") and lead[0] != "avg-cpu:"
        name = "" if sample.get(key, "all") == "all" else sample[key]
        if key == "CPU" and name and (is_average, "") in samples:
            continue  # the mean of all is there
        values = samples.setdefault((is_average, name), {})
        for column, cell in sample.items():
            if column not in _OTHERS and column != key and (match := _CELL.fullmatch(cell)):
                base = 1024 if _unit(program, column).startswith("B") else 1000
                number = float(match[1].replace(",", ".")) * base ** _POWERS[match[2]]
                values.setdefault(column, []).append(number)
    has_averages = any(is_average for is_average, _ in samples)
    for (is_average, name), values in samples.items():
        for column, given in values.items() if is_average == has_averages else ():
            kept = (given[1:] or given) if program in _OF_BOOT else given
            # pidstat lists a process only while it works, and several may have one name.
            samples_of = 1 if is_average else len(times)
            value = sum(kept) / (samples_of if program == "pidstat" else len(kept))
            unit = _unit(program, column) or "count"
            # Only times say what is better.
            yield Figure(f"{name} {column}".strip(), value, unit, has_direction=unit == "ms")


def _unit(program: str, column: str) -> str:
    names = (column, f"{program} {column}")
    forms = (unit for form, unit in _UNITS.items() if any(re.fullmatch(form, n) for n in names))
    return next(forms, "")
