"""What tools print about a run, as bytes: mq-cph, amqsrua, ioping, top, free, docker, DISPLAY."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

__all__ = ["Display", "Process", "amqsrua_log", "channel_status", "cph_total", "csm",
           "docker_stats", "free", "ioping", "top"]  # fmt: skip

_GREATEST_ON_ZOS = 999_999_999  # that DISPLAY shows
_TIMES = ((" us", 1.0), (" ms", 1e3), (" s", 1e6))
_BYTES = tuple((f" {prefix}B", 1024.0**power) for power, prefix in enumerate(("", "Ki", "Mi")))
_COUNTS = (("", 1.0), (" k", 1e3))
_TOP_HEADING = "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND"


def cph_total(process: int, transactions: int, seconds: float) -> bytes:
    """Return the last line of mq-cph: the total of a run."""
    values = {"id": process, "totalIterations": transactions, "totalSeconds": f"{seconds:.2f}",
              "avgRate": f"{transactions / seconds:.2f}"}  # fmt: skip
    return (",".join(f"{name}={value}" for name, value in values.items()) + "\n").encode()


def amqsrua_log(
    moment: datetime, seconds: float, figures: Mapping[str, tuple[float, str, float | None]]
) -> bytes:
    """Return `amqsrua -c DISK -t Log -n 1`: by metric its value, unit, and rate per second."""
    put = f"PutDate:{moment:%Y%m%d} PutTime:{moment:%H%M%S}{moment.microsecond // 10_000:02d}"
    lines = ["Enter Class selection", "==> DISK", "Enter Type selection", "==> Log",
             f"Publication received {put} Interval:{seconds:.3f} seconds"]  # fmt: skip
    for metric, (value, unit, rate) in figures.items():
        each = "" if rate is None else f" {rate:.0f}/sec"
        lines.append(f"Log - {metric} {value:.0f}{unit}{each}")
    return _printed(lines)


def channel_status(prefix: str, channels: Iterable[Mapping[str, float | str | None]]) -> bytes:
    """Return DISPLAY CHSTATUS on z/OS: attributes by keyword, without those that are None."""
    lines = []
    for attributes in channels:
        lines.append(f"CSQM201I {prefix} CSQMDRTC DISPLAY CHSTATUS DETAILS")
        for keyword, value in attributes.items():
            if value is not None:
                shown = value if isinstance(value, str) else min(round(value), _GREATEST_ON_ZOS)
                lines.append(f"{keyword}({shown})")
        lines.append(" END CHSTATUS DETAILS")
        lines.append(f"CSQ9022I {prefix} CSQMDRTC ' DISPLAY CHSTATUS' NORMAL COMPLETION")
    return _printed(lines)


def csm(
    system: str,
    moment: datetime,
    pools: tuple[int, int],
    fixed: tuple[int, int, int, int] | None = None,
) -> bytes:
    """Return D NET,CSM in the hardcopy log at a local moment; storage in KiB.

    pools: in use and free. fixed: the limit of fixed storage, what is in use, and the most since
    the last display and since IPL.
    """
    used, free_kib = pools
    messages = [f"IVT5536I TOTAL ALL SOURCES {used}K {free_kib}K {used + free_kib}K"]
    if fixed:
        limit, current, latest, since_ipl = fixed
        messages += [
            f"IVT5538I FIXED MAXIMUM = {limit // 1024}M FIXED CURRENT = {current}K",
            f"IVT5541I FIXED MAXIMUM USED = {latest}K SINCE LAST DISPLAY CSM",
            f"IVT5594I FIXED MAXIMUM USED = {since_ipl}K SINCE IPL",
        ]
    head = f"N 0000000 {system:<8} {moment:%Y%j} {moment:%H:%M:%S}.00 {'':<8} 00000090  "
    return _printed(head + message for message in messages)


def ioping(
    target: str, requests: int, size: int, average_us: float, bounds_us: tuple[float, float, float]
) -> bytes:
    """Return the statistics of ioping, which makes a request a second and ignores the first one.

    bounds_us: the shortest and longest time of a request, and their mean deviation.
    """
    counted, seconds = requests - 1, float(requests - 1)
    least, most, deviation = bounds_us
    done = f"{counted} requests completed in {_time(counted * average_us)}"
    rates = f"{_count(1e6 / average_us)} iops, {_size(size * 1e6 / average_us)}/s"
    made = f"generated {requests} requests in {_time(seconds * 1e6)}, {_size(size * requests)}"
    loads = f"{_count(requests / seconds)} iops, {_size(size * requests / seconds)}/s"
    times = " / ".join(map(_time, (least, round(average_us), most, deviation)))
    return _printed(
        [
            "",
            f"--- {target} ioping statistics ---",
            f"{done}, {_size(counted * size)}, {rates}",
            f"{made}, {loads}",
            f"min/avg/max/mdev = {times}",
        ]
    )


def _time(us: float) -> str:
    return _scaled(round(us * 1e3) / 1e3, _TIMES)


def _size(value: float) -> str:
    return _scaled(float(round(value)), _BYTES)


def _count(value: float) -> str:
    return _scaled(float(round(value)), _COUNTS)


def _scaled(value: float, units: Sequence[tuple[str, float]]) -> str:
    """Return a value in the largest unit that leaves at least 1, as ioping rounds it."""
    unit, size = [units[0], *(larger for larger in units[1:] if value >= larger[1])][-1]
    shown = value / size
    return f"{shown:.{0 if shown.is_integer() else 1 if shown >= 10 else 2}f}{unit}"


class Process(NamedTuple):
    """A process in a display of top; memory is virtual, resident and shared."""

    pid: int
    user: str
    memory_kib: tuple[float, float, float]
    cpu_percent: float
    memory_percent: float
    cpu_seconds: float
    command: str


class Display(NamedTuple):
    """A display of top on a machine that is `busy` percent, of which a part in the kernel.

    `memory` are the shares of the total that are free, used, buffers and cache, and available.
    """

    moment: datetime
    load: float
    tasks: int
    busy: float
    kernel: float
    memory_mib: float
    memory: tuple[float, float, float, float]
    processes: Sequence[Process]


def top(displays: Iterable[Display]) -> bytes:
    """Return displays of `top -b`; what they do not say is as small as it can be."""
    lines: list[str] = []
    for shown in displays:
        free_mib, used, cache, available = (part * shown.memory_mib for part in shown.memory)
        kernel = shown.busy * shown.kernel
        shares = {"us": shown.busy - kernel, "sy": kernel, "ni": 0, "id": 100 - shown.busy,
                  "wa": 0, "hi": 0, "si": 0, "st": 0}  # fmt: skip
        cpu = ", ".join(f"{share:5.1f} {name}" for name, share in shares.items())
        loads = ", ".join([f"{shown.load:.2f}"] * 3)
        tasks = f"{shown.tasks:3d} total,   1 running, {shown.tasks - 1:3d} sleeping"
        memory = f"{shown.memory_mib:8.1f} total, {free_mib:8.1f} free, {used:8.1f} used"
        swap = "     0.0 total,      0.0 free,      0.0 used"
        lines += [
            f"top - {shown.moment:%H:%M:%S} up 0 min,  0 user,  load average: {loads}",
            f"Tasks: {tasks},   0 stopped,   0 zombie",
            f"%Cpu(s):{cpu} ",
            f"MiB Mem : {memory}, {cache:8.1f} buff/cache     ",
            f"MiB Swap: {swap}. {available:8.1f} avail Mem ",
            "",
            _TOP_HEADING,
            *map(_process, shown.processes),
            "",
        ]
    return _printed(lines)


def _process(row: Process) -> str:
    virtual, resident, shared = row.memory_kib
    minutes, rest = divmod(round(row.cpu_seconds * 100), 6000)
    time = f"{minutes}:{rest // 100:02d}.{rest % 100:02d}"
    return (
        f"{row.pid:7d} {row.user:<8}  20   0 {virtual:7.0f} {resident:6.0f} {shared:6.0f} S "
        f"{row.cpu_percent:5.1f} {row.memory_percent:5.1f} {time:>9} {row.command}"
    )


def free(kinds: Mapping[str, Mapping[str, int]]) -> bytes:
    """Return what free shows: MiB, printed in Ki, by kind and by measure."""
    lines = [("", list(next(iter(kinds.values()))))]
    lines += [(f"{kind}:", [f"{mib * 1024}Ki" for mib in values.values()])
              for kind, values in kinds.items()]  # fmt: skip
    return _printed(f"{label:<8}" + "".join(c.rjust(12) for c in cells) for label, cells in lines)


def docker_stats(rows: Iterable[Sequence[str]]) -> bytes:
    """Return `docker stats` of the cells of its containers."""
    heading = ("CONTAINER ID", "NAME", "CPU %", "MEM USAGE / LIMIT", "MEM %", "NET I/O",
               "BLOCK I/O", "PIDS")  # fmt: skip
    cells = [heading, *rows]
    widths = [max(10, *(len(row[n]) + 3 for row in cells)) for n in range(len(heading))]
    return _printed("".join(map(str.ljust, row, widths)).rstrip() for row in cells)


def _printed(lines: Iterable[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()
