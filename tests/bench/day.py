"""Time and memory until a day of busy systems can be queried, compared with plain DuckDB.

The day is synthetic: at least 2 GB of types 30, 42, 70, 72, 74, 113, 115 and 116. Memory is also
measured with a quarter of the size: if it does not depend on size, the peaks are equal. Each
measurement runs in its own process.

    perfhouse ingest  the command, into a new warehouse, including its start
    perfhouse build   the command, once all is loaded
    load and query    load_file into a new warehouse, then a query on the views of four tables
    DuckDB            reference: CREATE TABLE AS SELECT from the Parquet files of that load
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench.load import MB, Run, child, command, timed

SIZE, SIZE_QUICK = 2000 * MB, 200 * MB
GOAL = 100  # MB/s
_QUERY = (
    "SELECT (SELECT count(*) FROM raw.smf_record), "
    "(SELECT sum(epoch(smf30cpt)) FROM raw.smf30_processor_accounting), "
    "(SELECT sum(r723ccpu) FROM raw.smf72_3_service_report_class_period), "
    "(SELECT sum(s42dsion) FROM raw.smf42_6_data_set_io_statistics)"
)


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; return the figures and True, because speed does not fail a benchmark."""
    size = SIZE_QUICK if quick else SIZE
    file, quarter = folder / "day.smf", folder / "quarter.smf"
    for path, length in ((file, size), (quarter, size // 4)):
        _child("write", path, length)
    warehouse = folder / "day" / "w.duckdb"
    runs: dict[str, Run] = {}
    for path, of in ((quarter, ", quarter"), (file, "")):
        _new(warehouse)
        runs[f"perfhouse ingest{of}"] = command("ingest", path, "--warehouse", warehouse)
        runs[f"perfhouse build{of}"] = command("build", "--warehouse", warehouse)
    _new(warehouse)
    runs["load and query"] = _child("load", file, warehouse)
    runs["DuckDB"] = child("duckdb", warehouse, folder / "day.duckdb")
    figures = {
        "runs": {
            name: asdict(r)
            | {"bytes": (quarter if name.endswith("quarter") else file).stat().st_size}
            for name, r in runs.items()
        },
    }
    _print(console, runs, file.stat().st_size, quarter.stat().st_size)
    shutil.rmtree(warehouse.parent)
    for path in (file, quarter, folder / "day.duckdb"):
        path.unlink()
    return figures, True


def _print(console: Console, runs: dict[str, Run], size: int, quarter: int) -> None:
    reference = runs["DuckDB"].seconds
    table = Table(title=f"A synthetic day of {size / MB:.0f} MB")
    for head in ("", "MB/s", "seconds", "CPU s", "peak MB", "vs DuckDB"):
        table.add_column(head, justify="right" if head else "left")
    for name, measured in runs.items():
        bytes_read = quarter if name.endswith("quarter") else size
        table.add_row(
            name.replace("quarter", f"{quarter / MB:.0f} MB"),
            f"{bytes_read / MB / measured.seconds:.0f}",
            f"{measured.seconds:.1f}",
            f"{measured.cpu_seconds:.1f}",
            f"{measured.peak_mb:.0f}",
            "" if name.endswith("quarter") else f"{measured.seconds / reference:.2f} x",
        )
    console.print(table)
    whole = runs["perfhouse ingest"]
    console.print(
        f"{size / MB / whole.seconds:.0f} MB/s (goal: {GOAL}); peak memory "
        f"{whole.peak_mb:.0f} MB, and {runs['perfhouse ingest, quarter'].peak_mb:.0f} MB for "
        f"{quarter / MB:.0f} MB of input."
    )


def _new(warehouse: Path) -> None:
    shutil.rmtree(warehouse.parent, ignore_errors=True)
    child("create", warehouse)


# --- measurements, each in its own process


def _child(action: str, *arguments: object) -> Run:
    return timed([sys.executable, "-m", "tests.bench.day", action, *map(str, arguments)])


def _write(path: str, size: str) -> dict[str, float]:
    from tests.kit.large_day import write_day

    return {"records": write_day(Path(path), int(size))}


def _load(file: str, warehouse: str) -> dict[str, float]:
    from tests.bench.load import load_and_query

    return load_and_query(Path(file), Path(warehouse), _QUERY)


ACTIONS: dict[str, Callable[..., dict[str, float]]] = {"write": _write, "load": _load}

if __name__ == "__main__":
    print(json.dumps(ACTIONS[sys.argv[1]](*sys.argv[2:])))
