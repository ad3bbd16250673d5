"""python -m tests.cluster.loading: how fast one, two and four processes load into a lake.

An estate is loaded by `perfhouse ingest --jobs N` into an empty lake. Its catalog is in PostgreSQL,
its files are in a folder: what a worker does, without Airflow, a broker and an object store
on the same processors. The CPU time of PostgreSQL is that of its processes.

With --wait SECONDS it measures the catalog instead: dumps were decoded before, and each worker
waits that long before it commits one, as if it decoded a larger one; so many workers fit on two
processors. That is compared with a model of two figures that are measured first, without waits:
the seconds that a worker alone needs for a commit, and those between two commits when several
workers do nothing else. Workers commit as often as if each were alone, but no more often than the
second says: min(workers / (wait + alone), 1 / between).
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

import psutil
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ingest.lake.warehouse import Warehouse
from ingest.load import decode_file
from models_sim.simulator.bulk.estate import estate
from models_sim.simulator.campaigns.files import write_files
from tests.cluster.growth import MB, made, served
from tests.kit.airflow import ROOT

PROCESSES = (1, 2, 4)
WAITING = (1, 2, 4, 8, 16, 32)
_BUSY = 16  # workers that commit all the time
_EACH = 4  # commits of a worker

_Took = tuple[list[float], float]  # seconds of each commit, and CPU seconds of all


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.loading")
    parser.add_argument("--lpars", type=int, default=10)
    parser.add_argument("--days", type=int, default=4)
    parser.add_argument("--hours", type=int, default=24, help="of a day (default: 24)")
    parser.add_argument("--wait", type=float, help="seconds of a wait in place of decoding")
    parser.add_argument("--workers", type=int, nargs="+", default=WAITING, help="that wait")
    arguments = parser.parse_args()
    if arguments.wait is not None:
        return measure_catalog(arguments.wait, arguments.workers)
    console = Console()
    table = Table(title="Loading into a lake")
    for head in ("processes", "files", "MB", "s", "MB/s", "s a file", "CPU s", "of PostgreSQL"):
        table.add_column(head, justify="right")
    with tempfile.TemporaryDirectory(prefix="perfhouse-loading-") as name:
        place = Path(name)
        place.chmod(0o711)  # PostgreSQL's user has to pass through
        dumps = place / "estate"
        write_files(estate(arguments.lpars, arguments.days, hours=arguments.hours), dumps)
        sizes = [file.stat().st_size for file in dumps.rglob("*.smf")]
        for processes in track(PROCESSES, "loading", console=console, transient=True):
            seconds, cpu, of_catalog = loaded(place / f"{processes}", dumps, processes)
            speed = sum(sizes) / MB / seconds
            figures = (sum(sizes) / MB, seconds, speed, processes * seconds / len(sizes))
            table.add_row(
                str(processes), str(len(sizes)), *(f"{figure:.1f}" for figure in figures),
                f"{cpu:.0f}", f"{of_catalog:.0f}",
            )  # fmt: skip
    console.print(table)
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


# --- the catalog alone


class Committed(NamedTuple):
    """What workers did that only commit: each of its seconds is of one commit."""

    a_second: float
    commit_seconds: float
    cpu_seconds: float
    catalog_cpu_seconds: float


def measure_catalog(wait: float, workers: Sequence[int]) -> int:
    """Measure how many commits a second workers do that wait before each; print it and the model.

    Return 1 if a figure is more than a third away from what the model says.
    """
    console = Console()
    table = Table(title=f"Commits of small dumps, each after a wait of {wait:g} s")
    for head in ("workers", "commits/s", "model", "s a commit", "CPU s a commit", "of PostgreSQL"):
        table.add_column(head, justify="right")
    worst = 0.0
    with tempfile.TemporaryDirectory(prefix="perfhouse-loading-") as name:
        place = Path(name)
        place.chmod(0o711)
        most = max(*workers, _BUSY)
        decoded = decode(place, most * _EACH)
        alone = committed(place / "alone", decoded[:_EACH], 1, 0)
        busy = committed(place / "busy", decoded[: _BUSY * _EACH], _BUSY, 0)
        for number in track(workers, "commits", console=console, transient=True):
            model = min(number / (wait + alone.commit_seconds), busy.a_second)
            found = committed(place / f"{number}", decoded[: number * _EACH], number, wait)
            worst = max(worst, abs(found.a_second / model - 1))
            console.print(f"{number} workers: {found.a_second:.2f} commits/s, model {model:.2f}")
            row = (found.a_second, model, *found[1:])
            table.add_row(str(number), *(f"{figure:.2f}" for figure in row))
    console.print(table)
    console.print(
        f"one worker without a wait: {alone.commit_seconds:.2f} s a commit; "
        f"{_BUSY}: {busy.a_second:.2f} commits/s, {busy.cpu_seconds:.2f} CPU s a commit, "
        f"{busy.catalog_cpu_seconds:.2f} of PostgreSQL"
    )
    console.print(f"the model is at most {100 * worst:.0f} % off")
    return int(worst > 1 / 3)


def decode(place: Path, number: int) -> list[Path]:
    """Decode small dumps into folders named by their source_id."""
    folders = []
    dumps = (dump for path, dump in estate(1, number, hours=1) if path.endswith(".smf"))
    for index, dump in enumerate(dumps):
        file, draft = place / f"{index}.smf", place / "drafts" / f"{index}"
        file.write_bytes(dump)
        draft.mkdir(parents=True)
        load = decode_file(file, draft, "simulated")
        folders.append(draft.rename(draft.with_name(load.source_id)))
        file.unlink()
    return folders


def committed(folder: Path, decoded: Sequence[Path], workers: int, wait: float) -> Committed:
    """Commit decoded dumps into an empty lake, each worker its share."""
    folder.mkdir()
    folder.chmod(0o711)
    processes = multiprocessing.get_context("spawn")
    with served(folder / "postgresql") as database:
        file = made(folder / "lake", database).file
        before = _cpu_of(database.process)
        ready, seconds = processes.Barrier(workers + 1), processes.SimpleQueue()
        crew = [
            processes.Process(
                target=_commit,
                args=(file, decoded[number::workers], wait, number / workers, ready, seconds),
            )
            for number in range(workers)
        ]
        for one in crew:
            one.start()
        ready.wait(600)
        begun = time.perf_counter()
        took = [seconds.get() for _ in crew]
        elapsed = time.perf_counter() - begun
        for one in crew:
            one.join()
        of_catalog = _cpu_of(database.process) - before
    shutil.rmtree(folder)
    return Committed(
        len(decoded) / elapsed,
        statistics.mean(one for each, _ in took for one in each),
        sum(cpu for _, cpu in took) / len(decoded),
        of_catalog / len(decoded),
    )


def _commit(
    file: Path,
    decoded: Sequence[Path],
    wait: float,
    begins: float,
    ready: Barrier,
    seconds: SimpleQueue[_Took],
) -> None:
    """Commit one dump after the other; send the seconds of each, and the CPU seconds of all.

    begins: the part of a wait that it has done already, so that not all workers commit at once.
    """
    store = Warehouse(file).store
    store.holds("")  # opens the lake
    ready.wait(600)
    took, cpu = [], time.process_time()
    for number, folder in enumerate(decoded):
        time.sleep(wait * (1 if number else 1 - begins))
        begun = time.perf_counter()
        if not store.commit(folder, folder.name):
            raise RuntimeError(f"{folder.name} was there")
        took.append(time.perf_counter() - begun)
    seconds.put((took, time.process_time() - cpu))


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
