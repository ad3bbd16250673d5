"""What one more day costs to build after ten days, after a hundred and after a thousand.

Each day is one run: small dumps of three LPARs, its manifest and its transfers. All days are loaded
and built; then three more days are loaded and built one by one, and later one whose build merges
the small loads. The ratios are to the median, and to that of the merge, after the fewest days.
"""

from __future__ import annotations

import shutil
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from ingest.lake.folders import SCHEMA_FOLDER
from ingest.lake.merged import MERGED
from ingest.lake.store import ENOUGH
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.campaigns import simulate, write
from tests.bench.load import Run, command

SIZES = (10, 100, 1_000)  # days
_MORE = 3  # days loaded one by one
_FILES = 5  # of one day
GOAL = 1.5  # most that one more day may cost, as a multiple


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; the figures, and True: speed does not fail a benchmark."""
    sizes = (5, 20) if quick else SIZES
    file = folder / "days.duckdb"
    whole: dict[int, Run] = {}
    more: dict[int, list[Run]] = {}
    merge: dict[int, Run] = {}
    last = 0
    for size in sizes:
        dumps = folder / f"dumps-{size}"
        days = range(last, size)
        for day in track(days, f"writing {size} days", console=console, transient=True):
            _write_day(dumps, day)
        command("ingest", dumps, "--warehouse", file)
        whole[size] = command("build", "--warehouse", file)
        more[size] = []
        for last in range(size, size + _MORE):
            command("ingest", _write_day(folder / "more", last), "--warehouse", file)
            more[size].append(command("build", "--warehouse", file))
        # Days that are built together, until the next day's loads are enough to merge.
        while _singles(file) + _FILES < ENOUGH:
            last += 1
            command("ingest", _write_day(folder / "more", last), "--warehouse", file)
        command("build", "--warehouse", file)
        last += 1
        command("ingest", _write_day(folder / "more", last), "--warehouse", file)
        merge[size] = command("build", "--warehouse", file)
        last += 1
    console.print(_table(whole, more, merge))
    runs = {f"build {size:,} days": of for size, of in whole.items()}
    runs |= {f"build one more day after {size:,}": _middle(of) for size, of in more.items()}
    runs |= {f"build a day that merges after {size:,}": of for size, of in merge.items()}
    return {"runs": {name: asdict(of) for name, of in runs.items()}}, True


def _singles(file: Path) -> int:
    """Return how many loads are not merged."""
    folders = Warehouse(file).raw.resolve().iterdir()
    return sum(not folder.name.startswith((MERGED, SCHEMA_FOLDER)) for folder in folders)


def _write_day(folder: Path, day: int) -> Path:
    """Write a day's files; return their folder."""
    place = folder / f"{day:04}"
    write(simulate("smoke", limit=1, later=timedelta(days=day)), place)
    shutil.rmtree(place / "rmf")
    return place


def _middle(runs: list[Run]) -> Run:
    return sorted(runs, key=lambda of: of.seconds)[len(runs) // 2]


def _table(whole: dict[int, Run], more: dict[int, list[Run]], merge: dict[int, Run]) -> Table:
    table = Table(title="Building one more small day")
    for name in ("days", "all days", "one more day", "CPU", "ratio", "a day that merges", "ratio"):
        table.add_column(name, justify="right")
    fewest = next(iter(more))
    least, least_merge = _middle(more[fewest]).seconds, merge[fewest].seconds
    for size, runs in more.items():
        middle = _middle(runs)
        table.add_row(
            f"{size:,}",
            f"{whole[size].seconds:.1f} s",
            f"{middle.seconds:.1f} s",
            f"{middle.cpu_seconds:.1f} s",
            f"{middle.seconds / least:.2f} (at most {GOAL:g})",
            f"{merge[size].seconds:.1f} s",
            f"{merge[size].seconds / least_merge:.2f}",
        )
    return table
