"""python -m tests.cluster.loading: how fast one, two and four processes load into a lake.

An estate is loaded by `perfhouse ingest --jobs N` into an empty lake. Its catalog is in PostgreSQL,
its files are in a folder: what a worker does, without Airflow, a broker and an object store
on the same processors. The CPU time of PostgreSQL is that of its processes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from models_sim.simulator.bulk.estate import estate
from models_sim.simulator.campaigns.files import write_files
from tests.cluster.growth import MB, made, served
from tests.dags.airflow import ROOT

PROCESSES = (1, 2, 4)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.loading")
    parser.add_argument("--lpars", type=int, default=10)
    parser.add_argument("--days", type=int, default=4)
    parser.add_argument("--hours", type=int, default=24, help="of a day (default: 24)")
    arguments = parser.parse_args()
    table = Table(title="Loading into a lake")
    for head in ("processes", "files", "MB", "s", "MB/s", "s a file", "CPU s", "of PostgreSQL"):
        table.add_column(head, justify="right")
    with tempfile.TemporaryDirectory(prefix="perfhouse-loading-") as name:
        place = Path(name)
        place.chmod(0o711)  # PostgreSQL's user has to pass through
        dumps = place / "estate"
        write_files(estate(arguments.lpars, arguments.days, hours=arguments.hours), dumps)
        sizes = [file.stat().st_size for file in dumps.rglob("*.smf")]
        for processes in PROCESSES:
            seconds, cpu, of_catalog = loaded(place / f"{processes}", dumps, processes)
            speed = sum(sizes) / MB / seconds
            figures = (sum(sizes) / MB, seconds, speed, processes * seconds / len(sizes))
            table.add_row(
                str(processes), str(len(sizes)), *(f"{figure:.1f}" for figure in figures),
                f"{cpu:.0f}", f"{of_catalog:.0f}",
            )  # fmt: skip
    Console().print(table)
    return 0


def loaded(folder: Path, dumps: Path, processes: int) -> tuple[float, float, float]:
    """Load all dumps; return seconds, CPU seconds of the processes that load, and of PostgreSQL."""
    folder.mkdir()
    folder.chmod(0o711)
    with served(folder / "postgresql") as database:
        warehouse = made(folder / "lake", database)
        command = [sys.executable, "-m", "app.cli.main", "ingest", dumps, "--jobs", str(processes)]
        of_catalog, before = _cpu_of(database.process), _cpu_of_children()
        begun = time.perf_counter()
        subprocess.run(
            [*map(str, command), "--warehouse", str(warehouse.file)],
            cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        seconds = time.perf_counter() - begun
        return seconds, _cpu_of_children() - before, _cpu_of(database.process) - of_catalog


def _cpu_of(process: subprocess.Popen[bytes] | None) -> float:
    """Return the CPU seconds of a server, of its processes that ended too."""
    assert process
    server = psutil.Process(process.pid)
    times = [server.cpu_times(), *(child.cpu_times() for child in server.children())]
    own = sum(found.user + found.system for found in times)
    return float(own + times[0].children_user + times[0].children_system)


def _cpu_of_children() -> float:
    """Return the CPU seconds of the processes that were started here and ended."""
    times = psutil.Process().cpu_times()
    return float(times.children_user + times.children_system)


if __name__ == "__main__":
    sys.exit(main())
