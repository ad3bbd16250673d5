"""Memory and time of the first build of a backlog: three days of an estate of 4 and 12 LPARs.

Each backlog is built twice: with as much memory as the build wants, and with the least that
PERFHOUSE_BUILD_MEMORY allows. The peak is that of all processes of a build together. Both builds
must make the same marts. Check and publish are measured after the second build. The records are
simulated.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from ingest.lake.memory import SETTING
from ingest.lake.warehouse import Warehouse
from scripts.same_marts import main as compare_marts
from tests.bench.load import MB, Run, command

SIZES = ((4, 3), (12, 3))  # LPARs, days: 254 and 762 MB
MEMORY = "1.5GB"
GOAL = 1.2  # most that a build within this memory may take, as a multiple
_SECONDS = 0.1  # between two looks at the memory


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; the figures, and whether both builds of each size made the same marts."""
    table = Table(title=f"First build of a backlog, within {MEMORY} and without a limit")
    for head in ("LPARs", "days", "MB", "", "seconds", "CPU s", "peak MB", "ratio", "same marts"):
        table.add_column(head, justify="right")
    runs: dict[str, Run] = {}
    all_same = True
    for lpars, days in ((1, 2),) if quick else SIZES:
        files, place = folder / "estate", folder / "backlog"
        command("simulate", "estate", "--lpars", lpars, "--days", days, "--out", files)
        size = sum(file.stat().st_size for file in files.rglob("*") if file.is_file())
        whole, bounded = place / "whole.duckdb", place / "bounded.duckdb"
        command("ingest", files, "--warehouse", whole)
        shutil.rmtree(files)
        _copy(whole, bounded)
        measured = {
            "build without a limit": (whole, str(psutil.virtual_memory().total), "build"),
            "build": (bounded, MEMORY, "build"),
            "check": (bounded, MEMORY, "check"),
            "publish": (bounded, MEMORY, "publish"),
        }
        done = {
            name: _measure(file, memory, step, size)
            for name, (file, memory, step) in measured.items()
        }
        same = compare_marts(Warehouse(whole).work, Warehouse(bounded).work) == 0
        all_same &= same
        for name, of in done.items():
            ratio = of.seconds / done["build without a limit"].seconds
            table.add_row(
                f"{lpars}", f"{days}", f"{size / MB:,.0f}", name, f"{of.seconds:.1f}",
                f"{of.cpu_seconds:.1f}", f"{of.peak_mb:,.0f}",
                f"{ratio:.2f} (at most {GOAL:g})" if name == "build" else "",
                ("yes" if same else "NO") if name == "build" else "",
            )  # fmt: skip
            runs[f"{name}, {lpars} LPARs"] = of
        shutil.rmtree(place)
    console.print(table)
    return {"runs": {name: asdict(of) for name, of in runs.items()}}, all_same


def _copy(warehouse: Path, copy: Path) -> None:
    one, other = Warehouse(warehouse), Warehouse(copy)
    shutil.copytree(one.lake, other.lake, symlinks=True)
    shutil.copyfile(one.file, other.file)


def _measure(file: Path, memory: str, step: str, size: int) -> Run:
    """Run a step within some memory; peak_mb is that of all its processes together."""
    before = os.environ.get(SETTING)
    os.environ[SETTING] = memory
    try:
        with _watched() as peak:
            measured = command(step, "--warehouse", file, statuses=(0, 1))  # 1: findings
    finally:
        del os.environ[SETTING]
        if before is not None:
            os.environ[SETTING] = before
    return replace(measured, peak_mb=peak() / MB, bytes=size)


@contextmanager
def _watched() -> Iterator[Callable[[], int]]:
    """Yield a function that returns the most bytes that the children held so far."""
    peak, ended = 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not ended.wait(_SECONDS):
            held = 0
            for process in psutil.Process().children(recursive=True):
                try:
                    held += process.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            peak = max(peak, held)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield lambda: peak
    finally:
        ended.set()
        thread.join()
