"""Write what `top -b` and `free` print on a Linux system.

top prints loads with two decimals, percentages and MiB with one; memory of processes in KiB if it
fits its column, else in m, g or t with one decimal; and CPU time to hundredths of a second.
`iteration` links a display and its processes; processes without one follow a bare heading. What the
rows do not have is printed as its minimum: no uptime, no users, and all tasks that are not running
asleep. `free` prints its figures unchanged, by `report` and `kind`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from models_sim.simulator.outputs.text import Row, Tables, dicts, fitting, whole

__all__ = ["WRITERS", "write_free", "write_top"]

_SHARES = ("us", "sy", "ni", "id", "wa", "hi", "si", "st")
_LOADS = tuple(f"load_average_{minutes}min" for minutes in (1, 5, 15))
_MEMORY = ("memory_total", "memory_free", "memory_used", "memory_buff_cache", "swap_total",
           "swap_free", "swap_used", "memory_avail")  # fmt: skip
TOP = ("iteration", "time_printed", *_LOADS, "tasks", "tasks_running",
       *(f"cpu_{share}_pct" for share in _SHARES),
       *(f"{name}_bytes" for name in _MEMORY))  # fmt: skip
PROCESS = ("iteration", "pid", "user", "priority", "nice", "virtual_bytes", "resident_bytes",
           "shared_bytes", "state", "cpu_pct", "memory_pct", "cpu_seconds", "command")  # fmt: skip
FREE = ("report", "kind", "measure", "value", "unit")
_KIB = 1024.0
_UNITS = (("m", 2), ("g", 3), ("t", 4), ("p", 5))
_HEADING = "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND"


def write_top(tables: Tables) -> bytes:
    """Return the displays of bench_top, each with its rows of bench_top_process."""
    processes: dict[int | None, list[str]] = {}
    for row in dicts(tables, "bench_top_process", PROCESS):
        processes.setdefault(row["iteration"], []).append(_process(row))
    printed: list[str] = []
    if None in processes:
        printed += [_HEADING, *processes[None]]
    for row in dicts(tables, "bench_top", TOP):
        printed += [*_display(row), "", _HEADING, *processes.get(row["iteration"], ()), ""]
    return ("\n".join(printed) + "\n").encode()


def _display(row: Row) -> list[str]:
    loads = ", ".join(f"{row[name]:.2f}" for name in _LOADS)
    shares = ", ".join(f"{row[f'cpu_{share}_pct']:5.1f} {share}" for share in _SHARES)
    tasks, running = row["tasks"], row["tasks_running"]
    asleep = f"{tasks - running:3d} sleeping,   0 stopped,   0 zombie"
    memory = [f"{row[f'{name}_bytes'] / _KIB**2:8.1f}" for name in _MEMORY]
    return [
        f"top - {row['time_printed']} up 0 min,  0 user,  load average: {loads}",
        f"Tasks: {tasks:3d} total, {running:3d} running, {asleep}",
        f"%Cpu(s):{shares} ",
        "MiB Mem : {} total, {} free, {} used, {} buff/cache     ".format(*memory[:4]),
        "MiB Swap: {} total, {} free, {} used. {} avail Mem ".format(*memory[4:]),
    ]


def _process(row: Row) -> str:
    cpu, command = row["cpu_pct"], row["command"]
    return (
        f"{row['pid']:7d} {row['user']:<8} {row['priority']:>3} {row['nice']:3d} "
        f"{_memory(row['virtual_bytes'], 7)} {_memory(row['resident_bytes'], 6)} "
        f"{_memory(row['shared_bytes'], 6)} {row['state']} "
        f"{fitting(5, f'{cpu:.1f}', f'{cpu:.0f}'):>5} {row['memory_pct']:5.1f} "
        f"{_clock(row['cpu_seconds']):>9} {command}"
    )


def _memory(value: float, width: int) -> str:
    """Return memory in KiB, or in the first unit that fits and loses nothing, or that fits."""
    scaled = [(f"{value / _KIB:.0f}", 1.0)]
    scaled += [(f"{value / _KIB**power:.1f}{unit}", _KIB ** (power - 1)) for unit, power in _UNITS]
    exact = [text for text, kib in scaled if float(text.rstrip("mgtp")) * kib * _KIB == value]
    return fitting(width, *exact, *(text for text, _ in scaled)).rjust(width)


def _clock(seconds: float) -> str:
    hundredths = round(seconds * 100)
    minutes, rest = divmod(hundredths, 6000)
    clock = f"{minutes}:{rest // 100:02d}"
    return fitting(9, f"{clock}.{rest % 100:02d}", clock)


def write_free(tables: Tables) -> bytes:
    """Return the reports of bench_free; columns have 12 characters, as in free."""
    printed: list[str] = []
    for _, report in groupby(dicts(tables, "bench_free", FREE), itemgetter("report")):
        rows = [(kind, list(found)) for kind, found in groupby(report, itemgetter("kind"))]
        printed.append(_line("", (row["measure"] for row in rows[0][1])))
        for kind, found in rows:
            figures = (whole(row["value"]) + (row["unit"] or "") for row in found)
            printed.append(_line(f"{kind}:", figures))
    return ("\n".join(printed) + "\n").encode()


def _line(label: str, cells: Iterable[str]) -> str:
    return f"{label:<8}" + "".join(f"{cell:>12}" for cell in cells)


WRITERS = {"top": write_top, "free": write_free}
