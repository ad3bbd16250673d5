"""Read the output of `top -b` and `free` on Linux.

    top - 13:30:22 up  1:51,  0 user,  load average: 11.47, 9.56, 8.68
    %Cpu(s): 55.6 us, 11.1 sy, 33.3 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
    MiB Mem :  24105.6 total,  21113.2 free,   1461.6 used,   1792.3 buff/cache
        PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
     404574 mqperf    20   0 5686512 686052  16404 S 105.6   2.1  10:17.27 java

Facts: the manual pages top(1) and free(1) of procps-ng: memory of processes is in KiB unless it has
a suffix m, g or t; TIME+ is minutes:seconds.hundredths; 100 %CPU is one CPU. Any fields may be
shown in any order; those of variable width start below their heading, may hold blanks and end
before the next one. `free` prints no unit unless -h is given; it is KiB unless -b, -m or -g was
given, which the output does not show. With -h, releases before 3.3.16 print K, M and G for powers
of 1024, as BusyBox does; later ones print Ki, Mi and Gi, and G only for powers of 1000 with --si,
which the output does not show either. Neither prints a date, and the time of day is as printed.
"""

from __future__ import annotations

import re

import polars as pl

from ingest.formats.text.figures import integer, number_with_unit
from ingest.formats.text.lines import lines, sample
from ingest.formats.text.parser import Parsed
from ingest.formats.text.table import Column, Output, describe_tables

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
        Column("kind", "Mem, Swap, Total, Low, High or Comm; -/+ buffers/cache in older releases",
               pl.String),
        Column("measure", "Column of the report: total, used, free and so on", pl.String),
        Column("value", "Figure as printed [unit]"),
        Column("unit", "Unit as printed; null: not printed, KiB unless changed by option",
               pl.String),
        Column("bytes", "The figure in bytes, if its unit is printed; K, M and G are taken as "
               "powers of 1024 [bytes]"),
    ),
}  # fmt: skip
SCHEMAS, COLUMN_DOCS = describe_tables(TABLES)
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
#: Fields that show how much a process uses, and fields of variable width, which may hold blanks.
_USAGE = frozenset(("%CPU", "%MEM", "TIME", "TIME+", "RES", "VIRT"))
_WIDE = frozenset(("COMMAND", "CGNAME", "CGROUPS", "ENVIRON", "EXE", "SUPGIDS", "SUPGRPS"))
_HEADING_WORD = re.compile(r"[A-Za-z%+]+")
_FREE_HEADING = re.compile(r"\s+total\s+used\s+free\s+shared\b[ \w/]*")
_WITHOUT_CACHE = "-/+ buffers/cache"
_FREE_LINE = re.compile(
    rf"(Mem|Swap|Total|Low|High|Comm|{re.escape(_WITHOUT_CACHE)}):"
    r"((?:\s+[\d.]{1,20}\s?[A-Za-z]{0,2})+)\s*"
)
_FREE_FIGURE = re.compile(r"([\d.]{1,20})([A-Za-z]{0,2})")
_IEC = {f"{prefix}iB": 1024.0**power for power, prefix in enumerate("KMGTPE", 1)}
_FREE_UNITS = {"B": 1.0} | {
    f"{prefix}{i}": 1024.0**n for n, prefix in enumerate("KMGTPE", 1) for i in ("", "i")
}
_PROCESS_UNITS = {"": 1024.0, "m": 1024.0**2, "g": 1024.0**3, "t": 1024.0**4, "p": 1024.0**5}
_WIDEST = 512  # characters of a line that are looked at
_CLOCK = re.compile(r"(\d{1,9}):(\d\d(?:\.\d{1,2})?)|(\d{1,9}),(\d\d)")
_PLAIN = {"": 1.0}


def recognise(head: bytes) -> str | None:
    """Return the kind of file, by the first line of a display or the heading of its processes."""
    texts = [line[:_WIDEST] for line in sample(head).splitlines() if line.strip()]
    for line, following in zip(texts, [*texts[1:], ""], strict=bool(texts)):
        if _TOP.match(line) or _headings(line):
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
    headings: list[tuple[str, int]] = []
    iteration = 0
    for number, text in lines(content, is_print=False):
        if top := _TOP.match(text):
            if row:
                out.add("bench_top", row)
            iteration += 1
            loads = (number_with_unit(load, _PLAIN) for load in top.groups()[1:])
            row = {"record_no": number, "iteration": iteration, "time_printed": top[1]} | {
                f"load_average_{minutes}min": load
                for minutes, load in zip((1, 5, 15), loads, strict=True)
            }
            headings = []
        elif row and not headings and (header := _header(text)):
            row |= header
        elif head := _headings(text):
            headings = head
        elif headings and text.strip():
            process = _process(headings, text)
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
        return {
            f"cpu_{n}_pct": number_with_unit(value, _PLAIN) for value, n in _CPU_SHARE.findall(text)
        }
    if memory := _MEMORY_LINE.match(text):
        unit, kind = _IEC[memory[1]], {"Mem": "memory", "Swap": "swap"}[memory[2]]
        row: dict[str, object] = {}
        for value, name in _MEMORY_PART.findall(memory[3]):
            # Available memory is printed on the line of the swap space.
            owner = "memory" if name == "avail" else kind
            row[f"{owner}_{name.replace('/', '_')}_bytes"] = number_with_unit(value, {"": unit})
        return row
    return {}


def _headings(text: str) -> list[tuple[str, int]]:
    """Return the fields that a heading of processes names, and where each begins; else nothing."""
    if "PID" not in text or "COMMAND" not in text:
        return []
    words = [(word[0], word.start()) for word in re.finditer(r"\S+", text)]
    names = {name for name, _ in words}
    # The headings of ps and BusyBox's top have VSZ, and other columns.
    is_top = names >= {"PID", "COMMAND"} and names & _USAGE and "VSZ" not in names
    return words if is_top and all(map(_HEADING_WORD.fullmatch, names)) else []


def _process_fields(headings: list[tuple[str, int]], text: str) -> dict[str, str] | None:
    """Return each field of a process, or None if the line does not fit the headings.

    The line is cut where a field of variable width begins. Within each part, the other fields are
    single words on either side of that field.
    """
    wide = [at for at, (name, _) in enumerate(headings) if name in _WIDE]
    firsts = [0, *wide[1:]]
    starts = [0, *(headings[at][1] for at in wide[1:])]
    given: dict[str, str] = {}
    for first, end, start, stop in zip(
        firsts, [*firsts[1:], len(headings)], starts, [*starts[1:], len(text)], strict=True
    ):
        names = [name for name, _ in headings[first:end]]
        before = next(at for at, name in enumerate(names) if name in _WIDE)
        words = text[start:stop].split(None, before)
        words += words.pop().rsplit(None, len(names) - before - 1) if words else []
        if len(words) != len(names):
            return None
        given |= zip(names, words, strict=True)
    return given


def _process(headings: list[tuple[str, int]], text: str) -> dict[str, object] | None:
    """Return the columns of one process, or None if it does not fit the headings."""
    given = _process_fields(headings, text)
    pid = integer(given["PID"]) if given else None
    if given is None or pid is None:
        return None
    return {
        "pid": pid,
        "user": given.get("USER"),
        "priority": given.get("PR"),
        "nice": integer(given.get("NI", "")[:4]),
        "virtual_bytes": number_with_unit(given.get("VIRT"), _PROCESS_UNITS),
        "resident_bytes": number_with_unit(given.get("RES"), _PROCESS_UNITS),
        "shared_bytes": number_with_unit(given.get("SHR"), _PROCESS_UNITS),
        "state": given.get("S"),
        "cpu_pct": number_with_unit(given.get("%CPU"), _PLAIN),
        "memory_pct": number_with_unit(given.get("%MEM"), _PLAIN),
        "cpu_seconds": _cpu_seconds(given.get("TIME+") or given.get("TIME")),
        "command": given["COMMAND"].strip(),
    }


def _cpu_seconds(text: str | None) -> float | None:
    """Return the seconds of minutes:seconds.hundredths, or hours,minutes if those do not fit."""
    match = _CLOCK.fullmatch(text or "")
    if not match:
        return None
    if match[1]:
        return round(int(match[1]) * 60 + float(match[2]), 2)
    return float(int(match[3]) * 3600 + int(match[4]) * 60)


def _parse_free(content: bytes, out: Output) -> None:
    names: list[str] = []
    report = 0
    for number, text in lines(content, is_print=False):
        if _FREE_HEADING.fullmatch(text):
            names, report = text.split(), report + 1
            continue
        line = _FREE_LINE.fullmatch(text)
        figures = _FREE_FIGURE.findall(line[2]) if line else []
        # The line without buffers and cache has no total.
        measures = names[1:3] if line and line[1] == _WITHOUT_CACHE else names
        if line is None or len(figures) > len(measures):
            if text.strip():
                out.reject(number, "not a line of free")
            continue
        for name, (value, unit) in zip(measures, figures, strict=False):
            out.add("bench_free", {
                "record_no": number, "report": report, "kind": line[1], "measure": name,
                "value": number_with_unit(value, _PLAIN), "unit": unit or None,
                "bytes": number_with_unit(value + unit, _FREE_UNITS) if unit else None,
            })  # fmt: skip
