"""Tens of thousands of damaged dumps: none may crash, hang, or lose a record before the damage.

tests.kit.damaged has the mutations and the conditions. Each mutant has a number: examine one
that failed with `python -m tests.bench.fuzz NUMBER`.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from tests.bench.load import SAMPLES

MUTANTS, MUTANTS_QUICK = 20_000, 1_000
LOADED_EACH = 100  # one of so many mutants is loaded completely
BATCH = 25
CHUNK = 1 << 16
LARGE, LARGE_QUICK = 30_000_000, 3_000_000  # bytes


class Outcome(NamedTuple):
    """The result of one mutant; `broken` is empty if all conditions hold."""

    number: int
    base: str
    mutation: str
    seconds: float
    broken: str


def run(console: Console, _folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Examine all mutants on all processors; return figures, and whether none failed."""
    number = MUTANTS_QUICK if quick else MUTANTS
    batches = [range(i, min(i + BATCH, number)) for i in range(0, number, BATCH)]
    outcomes: list[Outcome] = []
    begun = time.monotonic()
    columns = ("[progress.description]{task.description}", BarColumn(), MofNCompleteColumn())
    # Spawn instead of fork: Polars' threads do not survive a fork.
    with (
        Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress,
        multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool,
    ):
        task = progress.add_task("damaged files", total=number)
        for done in pool.imap_unordered(_examine, batches):
            outcomes += done
            progress.advance(task, len(done))
    broken = sorted(o for o in outcomes if o.broken)
    console.print(_table(outcomes))
    for outcome in broken[:20]:
        console.print(f"{outcome.number} ({outcome.base}, {outcome.mutation}): {outcome.broken}")
    slowest = max(outcomes, key=lambda o: o.seconds)
    console.print(
        f"{len(outcomes)} damaged files in {time.monotonic() - begun:.0f} s, {len(broken)} failed; "
        f"the slowest ({slowest.number}) took {slowest.seconds:.2f} s."
    )
    large = _run_large(console, LARGE_QUICK if quick else LARGE)
    figures = {
        "large": large,
        "mutants": len(outcomes),
        "broken": [o._asdict() for o in broken],
        "slowest_seconds": slowest.seconds,
    }
    return figures, not broken and all(isinstance(seconds, float) for seconds in large.values())


def _run_large(console: Console, size: int) -> dict[str, float | str]:
    """Read large files that are damaged throughout; return seconds, or the error, by name."""
    from tests.kit import damaged as mutants
    from tests.kit import framings

    results: dict[str, float | str] = {}
    dump = framings.longest_plain(_dumps())
    for name, content in mutants.make_large(dump, size):
        try:
            results[name] = round(mutants.examine_large(content), 2)
        except Exception as error:
            results[name] = f"{type(error).__name__}: {error}"
    table = Table(title=f"Every second record of {size / 1_000_000:.0f} MB damaged")
    table.add_column("damage")
    table.add_column("s", justify="right")
    for name, result in results.items():
        table.add_row(name, str(result))
    console.print(table)
    return results


def _table(outcomes: list[Outcome]) -> Table:
    table = Table(title="Damaged files")
    table.add_column("mutation")
    for head in ("files", "failed", "slowest, s"):
        table.add_column(head, justify="right")
    for mutation in sorted({o.mutation for o in outcomes}):
        of = [o for o in outcomes if o.mutation == mutation]
        broken, slowest = sum(bool(o.broken) for o in of), max(o.seconds for o in of)
        table.add_row(mutation.replace("_", " "), f"{len(of)}", f"{broken}", f"{slowest:.2f}")
    return table


# --- in the workers


def _dumps() -> list[Path]:
    if real := sorted((SAMPLES / "mq-smf").glob("*.dat")):
        return real
    from models_sim.simulator.mq.samples import write_samples

    folder = Path(tempfile.mkdtemp(prefix="perfhouse-bench-"))
    write_samples(folder, 1)
    return sorted(folder.glob("*.smf*"))


class _Scene:
    """What a worker needs once: undamaged dumps and a warehouse."""

    def __init__(self) -> None:
        from ingest.lake.warehouse import Warehouse
        from tests.kit import damaged as mutants
        from tests.kit import framings

        self.bases = mutants.make_bases(framings.longest_plain(_dumps()))
        self.temporary = tempfile.TemporaryDirectory(prefix="perfhouse-bench-")
        self.folder = Path(self.temporary.name)
        self.warehouse = Warehouse(self.folder / "w.duckdb")
        self.warehouse.create()


_scene: _Scene | None = None


def _examine(numbers: Iterable[int]) -> list[Outcome]:
    global _scene  # noqa: PLW0603 - one per worker
    _scene = _scene or _Scene()
    return [_examine_one(_scene, number) for number in numbers]


def _examine_one(scene: _Scene, number: int) -> Outcome:
    from tests.kit import damaged as mutants

    base, mutation, content = mutants.mutate(number, scene.bases)
    begun, broken = time.monotonic(), ""
    try:
        mutants.examine(base, content, CHUNK)
        if number % LOADED_EACH == 0:
            file = scene.folder / "mutant"
            mutants.examine_load(base, content, scene.warehouse, file)
    except Exception as error:
        broken = f"{type(error).__name__}: {error}"
    return Outcome(number, base.name, mutation, time.monotonic() - begun, broken)


if __name__ == "__main__":
    for outcome in _examine(map(int, sys.argv[1:])):
        print(outcome)
