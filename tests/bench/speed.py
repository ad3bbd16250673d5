"""What a user waits for on one machine: files of each kind, the first query, a build, a command.

Whole commands are timed in new processes, their start included, with warm files. The median of some
runs counts; the ratio is to `python -c "import duckdb, polars"`, started as often between them. The
figures are also written to docs/developers/speed-figures.md, unless --quick.
"""

from __future__ import annotations

import random
import shutil
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tests.bench.load import MB, Run, command, find_dump, repeat, timed
from tests.bench.manifest import machine, revision

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "developers" / "speed-figures.md"
_DAMAGED = 10  # one of so many records
_REFERENCE = "import duckdb, polars"
#: Kind -> MB of its file, what it is, and MB/s that are wanted of two processors.
KINDS = {
    "MQ records": (354, "a real dump, repeated", 200),
    "z/OS records": (180, "types 30, 42, 70, 72, 74, 113, 115 and 116", 110),
    "RMF reports": (40, "printed reports of a simulated campaign, repeated", 10),
    "damaged MQ records": (354, f"one of {_DAMAGED} records has no date, is cut or gone", 160),
}
_PREPARE = """
import pathlib, sys
from app.pipeline.steps import prepare
from ingest.lake.warehouse import Warehouse
prepare(Warehouse(pathlib.Path(sys.argv[1])))
"""
_RUN = """
perfhouse_manifest = 1
campaign = "one more"
[[run]]
start = 2026-06-01T10:00:00Z
stop = 2026-06-01T10:02:00Z
measurement = [{metric = "rate", value = 100.0, unit = "MB/s"}]
"""
_COMMANDS = {
    "perfhouse --help": ("--help",),
    "perfhouse sql": ("sql", "SELECT 1"),
    "perfhouse regressions": ("regressions", "list"),
    "perfhouse doctor": ("doctor",),
}


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures and True, because speed does not fail a benchmark."""
    dump = find_dump(folder)
    files = {
        kind: _file(dump, folder, kind, size * MB // (10 if quick else 1))
        for kind, (size, *_) in KINDS.items()
    }
    warehouse = folder / "speed" / "w.duckdb"
    asked = ("sql", "SELECT count(*) FROM raw.smf_record", "--warehouse", warehouse)

    def empty() -> None:
        shutil.rmtree(warehouse.parent, ignore_errors=True)
        timed([sys.executable, "-c", _PREPARE, str(warehouse)])

    runs: dict[str, list[Run]] = defaultdict(list)
    for _ in track(range(1 if quick else 3), "speed", console=console, transient=True):
        runs["reference"].append(timed([sys.executable, "-c", _REFERENCE]))
        for kind, file in files.items():
            for jobs, options in (("1 process", ("--jobs", "1")), ("all", ())):
                empty()
                done = _ended("ingest", file, "--warehouse", warehouse, *options)
                runs[f"{kind}, {jobs}"].append(replace(done, bytes=file.stat().st_size))
        empty()
        _ended("ingest", dump, "--warehouse", warehouse)
        runs["first query after a load"].append(command(*asked))
        runs["the same query again"].append(command(*asked))
        runs["first build, of one small dump"].append(command("build", "--warehouse", warehouse))
        (folder / "run.toml").write_text(_RUN)
        command("ingest", folder / "run.toml", "--warehouse", warehouse)
        runs["build of one more run"].append(command("build", "--warehouse", warehouse))
        runs["check"].append(_ended("check", "--warehouse", warehouse))
        runs["publish"].append(command("publish", "--warehouse", warehouse))
        for name, arguments in _COMMANDS.items():
            more = () if arguments == ("--help",) else ("--warehouse", warehouse)
            runs[name].append(_ended(*arguments, *more))
    console.print(_loads(runs))
    console.print(_waits(runs))
    if not quick:
        PAGE.write_text(_page(runs))
    return {"runs": {name: [asdict(run) for run in of] for name, of in runs.items()}}, True


def _ended(*arguments: object) -> Run:
    """Run perfhouse, which may say by its status that something is damaged or missing."""
    return command(*arguments, statuses={0, 1})


# --- files


def _file(dump: Path, folder: Path, kind: str, size: int) -> Path:
    """Write a file of about `size` bytes."""
    file = folder / f"{kind.replace('/', '')}.dump"
    if kind == "MQ records":
        return repeat(dump, file, size)
    if kind == "z/OS records":
        timed([sys.executable, "-m", "tests.bench.day", "write", str(file), str(size)])
        return file
    if kind == "RMF reports":
        return repeat(_reports(folder), file, size)
    return repeat(_damaged(dump, folder / "damaged.smf"), file, size)


def _reports(folder: Path) -> Path:
    """Write the printed reports of a campaign."""
    from models_sim.simulator.campaigns import simulate, write

    made = folder / "reports"
    write(simulate("z16"), made)
    whole = folder / "reports.txt"
    whole.write_bytes(b"".join(f.read_bytes() for f in sorted((made / "rmf").glob("*.txt"))))
    return whole


def _damaged(dump: Path, file: Path) -> Path:
    """Write a dump with some records damaged: no date, cut in the middle, or noise instead."""
    from tests.kit.framings import framed, read_records

    damage: list[Callable[[bytes], bytes]] = [
        lambda record: framed([record[:6] + b"\xff" * 4 + record[10:]]),
        lambda record: framed([record])[: len(record) // 2],
        lambda record: random.Random(len(record)).randbytes(len(record)),
    ]
    with file.open("wb") as out:
        for number, record in enumerate(read_records(dump.read_bytes())):
            is_damaged = number % _DAMAGED == 0
            damaged = damage[number // _DAMAGED % len(damage)]
            out.write(damaged(record) if is_damaged else framed([record]))
    return file


# --- figures


def _median(runs: list[Run]) -> Run:
    return sorted(runs, key=lambda run: run.seconds)[len(runs) // 2]


def _rows(runs: dict[str, list[Run]], *, loads: bool) -> list[tuple[str, ...]]:
    """Return a row of text for each load, or for each of the others."""
    reference = statistics.median(run.seconds for run in runs["reference"])
    rows = []
    for name, measured in runs.items():
        median = _median(measured)
        if bool(median.bytes) != loads:
            continue
        figures = [f"{median.seconds:.2f}", f"{median.cpu_seconds:.2f}"]
        if loads:
            wanted = KINDS[name.rpartition(",")[0]][2] if name.endswith("all") else ""
            speed = f"{median.bytes / MB / median.seconds:.1f}"
            figures = [f"{median.bytes / MB:.0f}", speed, str(wanted), *figures,
                       f"{max(run.peak_mb for run in measured):.0f}"]  # fmt: skip
        rows.append((name, *figures, f"{median.seconds / reference:.1f}"))
    return rows


_LOADS = ("perfhouse ingest", "MB", "MB/s", "wanted", "s", "CPU s", "peak MB", "ratio")
_WAITS = ("", "s", "CPU s", "ratio")


def _loads(runs: dict[str, list[Run]]) -> Table:
    return _shown(_LOADS, _rows(runs, loads=True))


def _waits(runs: dict[str, list[Run]]) -> Table:
    return _shown(_WAITS, _rows(runs, loads=False))


def _shown(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    table = Table()
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    return table


def _page(runs: dict[str, list[Run]]) -> str:
    """Return the figures as a page of Markdown."""

    def written(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
        lines = [heads, ("---", *["---:"] * (len(heads) - 1)), *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    made_of = "\n".join(f"- {kind}: {what}" for kind, (_, what, _) in KINDS.items())
    return f"""\
# What a user waits for on one machine: figures

Written by `python -m tests.bench speed`, on {machine()}, at {revision()}. Each is a whole command
in a new process, its start included; the median of {len(runs["reference"])} runs counts. The ratio
is to `python -c "{_REFERENCE}"`, started between them.

"1 process" is `--jobs 1`; "all" is the default, which takes a process for each processor where that
pays. The peak is that of the largest process.

{made_of}

{written(_LOADS, _rows(runs, loads=True))}

{written(_WAITS, _rows(runs, loads=False))}
"""
