"""The cost of building one more run, after few runs and after ten thousand.

Each warehouse holds nights of the campaign `nightly`, with the records of all its LPARs. Everything
is built, then one more run is loaded and built. `perfhouse compare` is timed on the result.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from ingest.lake.warehouse import Warehouse
from models_sim.simulator.campaigns import simulate, write
from models_sim.simulator.campaigns.scenarios.nightly import CONFIGURATIONS, NIGHTS, revision
from tests.bench.load import COMMAND, Run, command, timed

SIZES = (100, 1_000, 10_000)  # runs
_WHOLE = NIGHTS * len(CONFIGURATIONS)  # runs of a campaign
_LATER = timedelta(days=NIGHTS + 30)


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures and True, because speed does not fail a benchmark."""
    sizes = (20, 100) if quick else SIZES
    runs: dict[str, Run] = {}
    for size in track(sizes, "runs", console=console, transient=True):
        file = folder / f"runs-{size}.duckdb"
        loaded = sum(
            _load(file, time, min(_WHOLE, size - time * _WHOLE))
            for time in range(-(-size // _WHOLE))
        )
        of_all = f"of {size:,} runs"
        runs[f"build {of_all}"] = _of(loaded, command("build", "--warehouse", file))
        more = _load(file, -(-size // _WHOLE), 1)
        runs[f"build one more {of_all}"] = _of(more, command("build", "--warehouse", file))
        Warehouse(file).publish()  # without an audit, which is not measured here
        two = [str(COMMAND), "compare", revision(0), revision(1), "--warehouse", str(file)]
        runs[f"compare {of_all}"] = _of(loaded, timed(two, statuses={0, 1}))
        shutil.rmtree(file.with_suffix(".lake"))
        file.unlink()
    console.print(_table(sizes, runs))
    return {"runs": {measure: asdict(of) for measure, of in runs.items()}}, True


def _load(file: Path, times: int, limit: int) -> int:
    """Load the first runs of the campaign, `times` lengths later; return the bytes of its files."""
    with tempfile.TemporaryDirectory(dir=file.parent) as temporary:
        folder = Path(temporary) / "nights"
        paths = write(simulate("nightly", limit=limit, later=times * _LATER), folder)
        command("ingest", folder, "--warehouse", file)
        return sum(path.stat().st_size for path in paths)


def _of(size: int, measured: Run) -> Run:
    measured.bytes = size
    return measured


def _table(sizes: tuple[int, ...], runs: dict[str, Run]) -> Table:
    table = Table(title="Building and comparing runs with the records of all their LPARs")
    columns = ("runs", "MB", "build all", "one more run", "relative", "CPU", "compare")
    for name in columns:
        table.add_column(name, justify="right")
    least = runs[f"build one more of {sizes[0]:,} runs"]
    for size in sizes:
        whole, more, compared = (
            runs[f"{what} of {size:,} runs"] for what in ("build", "build one more", "compare")
        )
        table.add_row(
            f"{size:,}",
            f"{whole.bytes / 1e6:,.0f}",
            f"{whole.seconds:.1f} s",
            f"{more.seconds:.1f} s",
            f"{more.seconds / least.seconds:.2f} x",
            f"{more.cpu_seconds:.1f} s",
            f"{compared.seconds:.2f} s",
        )
    return table
