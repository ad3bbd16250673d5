"""Time and memory until a dump can be queried, compared with plain DuckDB.

A real dump (or a synthetic one if there is none) is repeated to a few hundred MB. Each measurement
runs in its own process; peak memory is that of the whole process. This module imports nothing
heavy, because the peak of a child starts at that of its parent.

    decode            bytes to columns, without writing
    load and query    load_file into a new warehouse, then a query on the views of four tables
    perfhouse ingest  the command, including its start; with one process, and with as many as it
                      starts by itself for so many bytes
    DuckDB            reference: CREATE TABLE AS SELECT from the Parquet files of that load
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Container, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

ROOT = Path(__file__).parents[2]
SAMPLES = Path(os.environ.get("PERFHOUSE_SAMPLES") or ROOT.parent / "shared" / "samples")
MB = 1_000_000
COMMAND = Path(sys.executable).with_name("perfhouse")


@dataclass(slots=True)
class Run:
    """One measurement in its own process.

    seconds: measured time; wall_seconds: time of the whole process from `begun` (UTC) on; bytes:
    size of its input; peak_mb: peak memory; other: further figures that the child printed.
    """

    begun: str
    wall_seconds: float
    seconds: float
    cpu_seconds: float
    peak_mb: float
    other: dict[str, float]
    bytes: int = 0


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures and True, because speed does not fail a benchmark."""
    dump = find_dump(folder)
    sizes = (60 * MB, 200 * MB) if quick else (300 * MB, 1000 * MB)
    file, big = (repeat(dump, folder / f"{size // MB}.smf", size) for size in sizes)
    size, times = file.stat().st_size, 2 if quick else 5
    warehouse = folder / "warehouse" / "w.duckdb"

    def fresh() -> None:
        shutil.rmtree(warehouse.parent, ignore_errors=True)
        child("create", warehouse)

    def ingest(*options: str) -> Run:
        return command("ingest", file, "--warehouse", warehouse, *options)

    measures: dict[str, tuple[Callable[[], None] | None, Callable[[], Run]]] = {
        "decode": (None, lambda: child("decode", file)),
        "perfhouse ingest --jobs 1": (fresh, lambda: ingest("--jobs", "1")),
        "perfhouse ingest": (fresh, ingest),
        "load and query": (fresh, lambda: child("load", file, warehouse)),
        "DuckDB": (None, lambda: child("duckdb", warehouse, folder / "reference.duckdb")),
    }
    runs: dict[str, list[Run]] = {name: [] for name in measures}
    child("decode", file)  # fills the file system cache
    for _ in track(range(times), "load", console=console, transient=True):
        for name, (prepare, measure) in measures.items():
            if prepare:
                prepare()
            runs[name].append(replace(measure(), bytes=size))
    fresh()
    large = replace(child("load", big, warehouse), bytes=big.stat().st_size)
    figures = {
        "runs": {name: [asdict(r) for r in measured] for name, measured in runs.items()}
        | {"load and query, large": asdict(large)},
    }
    source = "real" if dump.is_relative_to(SAMPLES) else "synthetic"
    console.print(_table(runs, size, source))
    speed = big.stat().st_size / MB / large.seconds
    console.print(
        f"A file of {big.stat().st_size / MB:.0f} MB: {speed:.0f} MB/s, "
        f"peak memory {large.peak_mb:.0f} MB."
    )
    return figures, True


def _table(runs: dict[str, list[Run]], size: int, source: str) -> Table:
    """Return a row per measure: medians, the range, and the time relative to the reference."""
    table = Table(title=f"{size / MB:.0f} MB of a repeated {source} dump")
    table.add_column("measure")
    for head in ("MB/s", "range", "seconds", "CPU s", "peak MB", "vs DuckDB"):
        table.add_column(head, justify="right")
    reference = statistics.median(r.seconds for r in runs["DuckDB"])
    for name, measured in runs.items():
        seconds = [r.seconds for r in measured]
        median = statistics.median(seconds)
        table.add_row(
            name,
            f"{size / MB / median:.0f}",
            f"{size / MB / max(seconds):.0f}-{size / MB / min(seconds):.0f}",
            f"{median:.2f}",
            f"{statistics.median(r.cpu_seconds for r in measured):.2f}",
            f"{max(r.peak_mb for r in measured):.0f}",
            f"{median / reference:.2f} x",
        )
    return table


# --- files


def find_dump(folder: Path) -> Path:
    """Return the longest real dump, or the longest synthetic one with descriptor words."""
    real = sorted((SAMPLES / "mq-smf").glob("*.dat"), key=lambda p: p.stat().st_size)
    if real:
        return real[-1]
    synthetic = folder / "synthetic.smf"
    child("synthetic", synthetic)
    return synthetic


def repeat(dump: Path, file: Path, size: int) -> Path:
    """Write complete copies of a dump to a file of about `size` bytes."""
    content = dump.read_bytes()
    with file.open("wb") as out:
        for _ in range(max(1, round(size / len(content)))):
            out.write(content)
    return file


# --- measurements, each in its own process


def child(action: str, *arguments: Path) -> Run:
    """Run an action of this module in its own process."""
    return timed([sys.executable, "-m", "tests.bench.load", action, *map(str, arguments)])


def command(*arguments: object, statuses: Container[int] = (0,)) -> Run:
    """Run perfhouse with these arguments. Raises RuntimeError for any other exit status."""
    return timed([str(COMMAND), *map(str, arguments)], statuses)


def timed(arguments: list[str], statuses: Container[int] = (0,)) -> Run:
    """Run a command; take the timing that it prints, otherwise the time of the whole process.

    Raises RuntimeError for an exit status that is not in `statuses`.
    """
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", "")  # compiled modules are cached, as for a user
    moment, begun = datetime.now(UTC), time.perf_counter()
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=ROOT, env=environment) as process:
        assert process.stdout
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begun
    if process.returncode not in statuses:
        raise RuntimeError(f"{' '.join(arguments)} ended with status {process.returncode}")
    other = json.loads(printed) if printed.startswith(b"{") else {}
    return Run(
        moment.isoformat(),
        seconds,
        other.pop("seconds", seconds),
        other.pop("cpu_seconds", usage.ru_utime + usage.ru_stime),
        usage.ru_maxrss / 1024 * 1.048576,
        other,
    )


# --- actions of the children


def _clock() -> Iterator[float]:
    """Yield wall and CPU seconds since the start, in turn."""
    begun, cpu = time.perf_counter(), time.process_time()
    yield 0.0
    yield time.perf_counter() - begun
    yield time.process_time() - cpu


def _decode(file: Path) -> dict[str, float]:
    from ingest.formats.binary.framing import detect_framing, read_batches
    from ingest.formats.binary.records import decode_batch
    from ingest.formats.sources import HEAD, open_source
    from ingest.lake.catalogue import smf_catalogue

    catalogue, records = smf_catalogue(), 0
    with open_source(file) as stream:
        framing = detect_framing(stream.read(HEAD), whole=False)
    assert framing
    clock = _clock()
    next(clock)
    with open_source(file) as stream:
        for batch in read_batches(stream, framing):
            decode_batch(batch, catalogue)
            records += len(batch.start)
    return {"seconds": next(clock), "cpu_seconds": next(clock), "records": records}


def _create(warehouse: Path) -> dict[str, float]:
    from ingest.lake.warehouse import Warehouse

    Warehouse(warehouse).create()
    return {}


def _load(file: Path, warehouse_file: Path) -> dict[str, float]:
    return load_and_query(
        file,
        warehouse_file,
        "SELECT (SELECT count(*) FROM raw.smf_record), "
        "(SELECT sum(qmstput + qmstget) FROM raw.smf115_qmst), "
        "(SELECT max(qpsttpw) FROM raw.smf115_qpst), "
        "(SELECT sum(epoch(wtascmet)) FROM raw.smf116_wtas)",
    )


def load_and_query(file: Path, warehouse_file: Path, query: str) -> dict[str, float]:
    """Load a file and run a query whose first value is the number of records; return figures."""
    from ingest.lake.warehouse import Warehouse
    from ingest.load import load_file

    warehouse = Warehouse(warehouse_file)
    clock = _clock()
    next(clock)
    load = load_file(warehouse, file)
    with warehouse.connect() as db:
        counts = db.execute(query).fetchall()
    seconds, cpu = next(clock), next(clock)
    if load.status != "loaded" or counts[0][0] != load.records:
        raise RuntimeError(f"the load is {load.status}: {load.reasons[:3]}")
    return {"seconds": seconds, "cpu_seconds": cpu, "records": load.records, "rows": load.rows}


def _duckdb(warehouse_file: Path, out: Path) -> dict[str, float]:
    import duckdb

    from ingest.lake.warehouse import Warehouse

    raw, rows = Warehouse(warehouse_file).raw, 0
    tables = sorted({p.name.split(".")[0] for p in raw.glob("*/smf*.parquet")})
    out.unlink(missing_ok=True)
    clock = _clock()
    next(clock)
    with duckdb.connect(str(out)) as db:
        for table in tables:
            files = f"read_parquet('{raw}/*/{table}.*.parquet', union_by_name=true)"
            made = f"CREATE TABLE {table} AS FROM {files}"
            rows += db.execute(made).fetchall()[0][0]
        db.execute("CHECKPOINT")
    return {"seconds": next(clock), "cpu_seconds": next(clock), "rows": rows}


def _synthetic(file: Path) -> dict[str, float]:
    from models_sim.simulator.mq.samples import write_samples
    from tests.kit.framings import longest_plain

    folder = file.with_suffix(".samples")
    folder.mkdir()
    write_samples(folder, 1)
    file.write_bytes(longest_plain(sorted(folder.glob("*.smf*"))))
    return {}


ACTIONS: dict[str, Callable[..., dict[str, float]]] = {
    "decode": _decode,
    "create": _create,
    "load": _load,
    "duckdb": _duckdb,
    "synthetic": _synthetic,
}

if __name__ == "__main__":
    print(json.dumps(ACTIONS[sys.argv[1]](*map(Path, sys.argv[2:]))))
