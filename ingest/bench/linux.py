"""Read the output of `top -b` and `free` on Linux.

    top - 13:30:22 up  1:51,  0 user,  load average: 11.47, 9.56, 8.68
    %Cpu(s): 55.6 us, 11.1 sy, 33.3 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
    MiB Mem :  24105.6 total,  21113.2 free,   1461.6 used,   1792.3 buff/cache
        PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
     404574 mqperf    20   0 5686512 686052  16404 S 105.6   2.1  10:17.27 java

Facts: the manual pages top(1) and free(1) of procps-ng: memory of processes is in KiB unless it has
a suffix m, g or t; TIME+ is minutes:seconds.hundredths; 100 %CPU is one CPU. `free` prints no unit
unless -h is given; it is KiB unless -b, -m or -g was given, which the output does not show. Neither
prints a date, and the time of day is as printed.
"""

from __future__ import annotations

import re

import polars as pl

from ingest.text.figures import integer, measured
from ingest.text.lines import lines, sample
from ingest.text.parser import Parsed
from ingest.text.table import Column, Output

__all__ = ["COLUMN_DOCS", "SCHEMAS", "TITLES", "parse", "recognise"]

_CPU = ("us", "sy", "ni", "id", "wa", "hi", "si", "st")
_CPU_DOCS = ("user", "system", "nice", "idle", "waiting for I/O", "hardware interrupts",
             "software interrupts", "stolen by the hypervisor")  # fmt: skip
_MEMORY = ("total", "free", "used", "buff/cache", "avail")
_ITERATION = Column("iteration", "Number of the display in its file, from 1; null: no heading",
                    pl.Int32)  # fmt: skip
_TIME = Column("time_printed", "Time of day as printed, local", pl.String)
TABLES = {
    "bench_top": (
        Column("record_no", "First line of the display", pl.Int64),
        _ITERATION,
        _TIME,
        *(
            Column(f"load_average_{minutes}min", f"Load average over {minutes} min")
            for minutes in (1, 5, 15)
        ),
        Column("tasks", "Processes", pl.Int64),
        Column("tasks_running", "Processes that run or can run", pl.Int64),
        *(
            Column(f"cpu_{name}_pct", f"CPU time {doc}, of all CPUs [%]")
            for name, doc in zip(_CPU, _CPU_DOCS, strict=True)
        ),
        *(
            Column(f"{kind}_{name.replace('/', '_')}_bytes", f"{title}: {name} [bytes]")
            for kind, title, names in (
                ("memory", "Memory", _MEMORY),
                ("swap", "Swap space", _MEMORY[:3]),
            )
            for name in names
        ),
    ),
    "bench_top_process": (
        Column("record_no", "Line of the process", pl.Int64),
        _ITERATION,
        _TIME,
        Column("pid", "Process", pl.Int64),
        Column("user", "Its user", pl.String),
        Column("priority", "Priority as printed", pl.String),
        Column("nice", "Nice value", pl.Int32),
        Column("virtual_bytes", "Virtual memory [bytes]"),
        Column("resident_bytes", "Memory in RAM [bytes]"),
        Column("shared_bytes", "Memory that may be shared [bytes]"),
        Column("state", "R running, S sleeping, D waiting for I/O, I idle, T stopped, Z zombie",
               pl.String),
        Column("cpu_pct", "CPU since the previous display, relative to one CPU [%]"),
        Column("memory_pct", "Share of the memory [%]"),
        Column("cpu_seconds", "CPU time since the process started; with -S, including its ended "
               "children [s]"),
        Column("command", "Command", pl.String),
    ),
    "bench_free": (
        Column("record_no", "Line of the figure", pl.Int64),
        Column("report", "Number of the report in its file, from 1", pl.Int32),
        Column("kind", "Mem, Swap, Total, Low or High", pl.String),
        Column("measure", "Column of the report: total, used, free and so on", pl.String),
        Column("value", "Figure as printed [unit]"),
        Column("unit", "Unit as printed; null: not printed, KiB unless changed by option",
               pl.String),
        Column("bytes", "The figure in bytes, if its unit is printed [bytes]"),
    ),
}  # fmt: skip
SCHEMAS = {t: {c.name: c.dtype() for c in columns} for t, columns in TABLES.items()}
COLUMN_DOCS = {t: {c.name: c.doc for c in columns} for t, columns in TABLES.items()}
TITLES = {
    "bench_top": "One row per display of top",
    "bench_top_process": "One row per display of top and process",
    "bench_free": "One row per figure in the output of free",
}

TOP_KIND, FREE_KIND = "top", "free"
_TOP = re.compile(r"top - (\d\d:\d\d:\d\d) up .*load average: ([\d.]+), ([\d.]+), ([\d.]+)")
_TASKS = re.compile(r"(?:Tasks|Threads): +(\d{1,9}) total, +(\d{1,9}) running")
_CPU_LINE = re.compile(r"%?Cpu\(s\):")
_CPU_SHARE = re.compile(r"([\d.]{1,6})\s*%?\s*(us|sy|ni|id|wa|hi|si|st)\b")
_MEMORY_LINE = re.compile(r"\s*([KMGTPE]iB) (Mem|Swap)\s*:(.*)")
_MEMORY_PART = re.compile(r"([\d.]{1,18})[+ ]*\s*(total|free|used|buff/cache|avail)")
_HEADING = re.compile(r"\s*PID\s+USER\b.*%CPU\b.*\bCOMMAND\s*")
_FREE_HEADING = re.compile(r"\s+total\s+used\s+free\s+shared\b[ \w/]*")
_FREE_LINE = re.compile(r"(Mem|Swap|Total|Low|High):((?:\s+[\d.]{1,20}\s?[A-Za-z]{0,2})+)\s*")
_FREE_FIGURE = re.compile(r"([\d.]{1,20})([A-Za-z]{0,2})")
_IEC = {f"{prefix}iB": 1024.0**power for power, prefix in enumerate("KMGTPE", 1)}
_FREE_UNITS = {"B": 1.0} | {f"{prefix}i": 1024.0**n for n, prefix in enumerate("KMGTPE", 1)}
_PROCESS_UNITS = {"": 1024.0, "m": 1024.0**2, "g": 1024.0**3, "t": 1024.0**4, "p": 1024.0**5}
_WIDEST = 512  # characters of a line that are looked at
_CLOCK = re.compile(r"(\d{1,9}):(\d\d(?:\.\d{1,2})?)|(\d{1,9}),(\d\d)")
_PLAIN = {"": 1.0}


def recognise(head: bytes) -> str | None:
    """Return the kind of file, by the first line of a display or the heading of its processes."""
    found = [line[:_WIDEST] for line in sample(head).splitlines() if line.strip()]
    for line, following in zip(found, [*found[1:], ""], strict=bool(found)):
        if _TOP.match(line) or _HEADING.fullmatch(line):
            return TOP_KIND
        if _FREE_HEADING.fullmatch(line) and _FREE_LINE.fullmatch(following):
            return FREE_KIND
    return None


def parse(content: bytes) -> Parsed:
    """Parse one whole file; lines that are not part of a display go to `rejected`."""
    kind = recognise(content) or TOP_KIND
    out = Output(SCHEMAS)
    (_parse_top if kind == TOP_KIND else _parse_free)(content, out)
    return Parsed(kind, out.frames(), out.rejected)


def _parse_top(content: bytes, out: Output) -> None:
    row: dict[str, object] = {}
    names: list[str] = []
    iteration = 0
    for number, text in lines(content, is_print=False):
        if top := _TOP.match(text):
            if row:
                out.add("bench_top", row)
            iteration += 1
            loads = (measured(load, _PLAIN) for load in top.groups()[1:])
            row = {"record_no": number, "iteration": iteration, "time_printed": top[1]} | {
                f"load_average_{minutes}min": load
                for minutes, load in zip((1, 5, 15), loads, strict=True)
            }
            names = []
        elif row and not names and (header := _header(text)):
            row |= header
        elif _HEADING.fullmatch(text):
            names = text.split()
        elif names and text.strip():
            process = _process(names, text)
            if process is None:
                out.reject(number, "not a process below the heading")
                continue
            key = {name: row.get(name) for name in ("iteration", "time_printed")}
            out.add("bench_top_process", key | process | {"record_no": number})
        elif text.strip():
            out.reject(number, "not a line of top")
    if row:
        out.add("bench_top", row)


def _header(text: str) -> dict[str, object]:
    """Return the columns from a line above the processes; none if it is another line."""
    if tasks := _TASKS.match(text):
        return {"tasks": int(tasks[1]), "tasks_running": int(tasks[2])}
    if _CPU_LINE.match(text):
        return {f"cpu_{n}_pct": measured(value, _PLAIN) for value, n in _CPU_SHARE.findall(text)}
    if memory := _MEMORY_LINE.match(text):
        unit, kind = _IEC[memory[1]], {"Mem": "memory", "Swap": "swap"}[memory[2]]
        row: dict[str, object] = {}
        for value, name in _MEMORY_PART.findall(memory[3]):
            # Available memory is printed on the line of the swap space.
            owner = "memory" if name == "avail" else kind
            row[f"{owner}_{name.replace('/', '_')}_bytes"] = measured(value, {"": unit})
        return row
    return {}


def _process(names: list[str], text: str) -> dict[str, object] | None:
    """Return the columns of one process, or None if it does not fit the heading."""
    words = text.split(None, len(names) - 1)
    given = dict(zip(names, words, strict=False))
    pid = integer(given.get("PID"))
    if len(words) < len(names) or pid is None:
        return None
    return {
        "pid": pid,
        "user": given["USER"],
        "priority": given.get("PR"),
        "nice": integer(given.get("NI", "")[:4]),
        "virtual_bytes": measured(given.get("VIRT"), _PROCESS_UNITS),
        "resident_bytes": measured(given.get("RES"), _PROCESS_UNITS),
        "shared_bytes": measured(given.get("SHR"), _PROCESS_UNITS),
        "state": given.get("S"),
        "cpu_pct": measured(given["%CPU"], _PLAIN),
        "memory_pct": measured(given.get("%MEM"), _PLAIN),
        "cpu_seconds": _cpu_seconds(given.get("TIME+") or given.get("TIME")),
        "command": given["COMMAND"].strip(),
    }


def _cpu_seconds(text: str | None) -> float | None:
    """Return the seconds of minutes:seconds.hundredths, or hours,minutes if those do not fit."""
    found = _CLOCK.fullmatch(text or "")
    if not found:
        return None
    if found[1]:
        return round(int(found[1]) * 60 + float(found[2]), 2)
    return float(int(found[3]) * 3600 + int(found[4]) * 60)


def _parse_free(content: bytes, out: Output) -> None:
    names: list[str] = []
    report = 0
    for number, text in lines(content, is_print=False):
        if _FREE_HEADING.fullmatch(text):
            names, report = text.split(), report + 1
            continue
        line = _FREE_LINE.fullmatch(text)
        figures = _FREE_FIGURE.findall(line[2]) if line else []
        if line is None or not names or len(figures) > len(names):
            if text.strip():
                out.reject(number, "not a line of free")
            continue
        for name, (value, unit) in zip(names, figures, strict=False):
            out.add("bench_free", {
                "record_no": number, "report": report, "kind": line[1], "measure": name,
                "value": measured(value, _PLAIN), "unit": unit or None,
                "bytes": measured(value + unit, _FREE_UNITS) if unit else None,
            })  # fmt: skip
