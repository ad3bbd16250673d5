"""python -m tests.cluster.growth: how a lake grows with the days in it.

The dump of one LPAR arrives each day, as one of many would: a load, and now and then the merge of
small files that builds do. The catalog is in PostgreSQL, the files are in a folder. At some numbers
of days the whole is measured: what a load, a query, a merge and the build of one more day take, and
how many rows and bytes the catalog has. The estate is about a millionth of one that writes a
terabyte a day, but has as many days, partitions and tables: those are what its catalog counts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import psycopg2
from rich.console import Console
from rich.progress import track
from rich.table import Table

from app.pipeline import steps
from ingest.lake.store import ENOUGH
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from models_sim.simulator.bulk.estate import estate
from tests.cluster.services import PostgreSQL

DAYS = (30, 90, 365, 1095, 1826)
_MEASURED = 5  # loads and queries of which the median counts
MB = 1e6

#: What users and the pipeline ask most: one load, one day, one figure of all days.
QUERIES = {
    "holds": "FROM lake_raw.raw.ledger WHERE source_id = 'none'",
    "one day": "SELECT count(*), sum(smf70pdt) FROM lake_raw.raw.smf70_1_prsm_logical_processor "
    "WHERE day = (SELECT max(day) FROM lake_raw.raw.smf70_1_prsm_logical_processor)",
    "all days": "SELECT count(*), sum(smf70pdt) FROM lake_raw.raw.smf70_1_prsm_logical_processor",
}
#: Tables of the catalog that grow.
_CATALOG = {
    "files": "SELECT count(*) FROM perfhouse_raw.ducklake_data_file",
    "files that readers see": "SELECT count(*) FROM perfhouse_raw.ducklake_data_file "
    "WHERE end_snapshot IS NULL",
    "rows of column statistics": "SELECT count(*) FROM perfhouse_raw.ducklake_file_column_stats",
    "snapshots": "SELECT count(*) FROM perfhouse_raw.ducklake_snapshot",
    "catalog, MB": "SELECT pg_database_size('perfhouse') / 1e6",
}


def main() -> int:
    """Measure, print a table, and write the figures if a file is named."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.growth")
    parser.add_argument("--days", type=int, nargs="+", default=DAYS, help="when to measure")
    parser.add_argument("--hours", type=int, default=2, help="of a day (default: 2)")
    parser.add_argument("--builds", action="store_true", help="build marts, too")
    parser.add_argument("--out", type=Path, help="JSON file for the figures")
    arguments = parser.parse_args()
    console = Console()
    with tempfile.TemporaryDirectory(prefix="perfhouse-growth-") as name:
        place = Path(name)
        place.chmod(0o711)  # PostgreSQL's user has to pass through
        with served(place / "postgresql") as database:
            warehouse = made(place / "lake", database)
            measured = dict(grow(console, warehouse, database, place, arguments))
    table = Table("days", *map(str, measured), title="Growth of a lake")
    for row in next(iter(measured.values())):
        table.add_row(row, *(f"{figures[row]:,.6g}" for figures in measured.values()))
    console.print(table)
    if arguments.out:
        arguments.out.write_text(json.dumps(measured, indent=1) + "\n")
    return 0


@contextmanager
def served(folder: Path) -> Iterator[PostgreSQL]:
    """Run a server, and its role's password in the environment."""
    database = PostgreSQL(folder)
    database.start()
    os.environ |= {"PGUSER": "perfhouse", "PGPASSWORD": database.passwords["perfhouse"]}
    try:
        yield database
    finally:
        database.stop()


def made(folder: Path, database: PostgreSQL) -> Warehouse:
    """Make an empty warehouse in DuckLake."""
    folder.mkdir()
    (folder / "w.toml").write_text(
        f'catalog = "postgres:host=127.0.0.1 port={database.port} dbname=perfhouse"\n'
        'data = "data"\n'
    )
    warehouse = Warehouse(folder / "w.duckdb")
    warehouse.create()
    return warehouse


def grow(
    console: Console,
    warehouse: Warehouse,
    database: PostgreSQL,
    place: Path,
    arguments: argparse.Namespace,
) -> Iterator[tuple[int, dict[str, float]]]:
    """Load day after day; yield the figures at each number of days."""
    last = max(arguments.days)
    days = (dump for path, dump in estate(1, last, hours=arguments.hours) if path.endswith(".smf"))
    took: list[float] = []
    arrived = merges = 0.0
    for day, dump in enumerate(track(days, "loading", last, console=console, transient=True), 1):
        file = place / f"{day}.smf"
        file.write_bytes(dump)
        arrived += len(dump)
        took.append(seconds(load_file, warehouse, file))
        file.unlink()
        if day in arguments.days:
            yield (
                day,
                {
                    "MB that arrived": arrived / MB,
                    "s of a load": statistics.median(took[-_MEASURED:]),
                    **measure(warehouse, database, builds=arguments.builds),
                    "s of merges so far": merges,
                },
            )
        elif day % ENOUGH == 0:
            merges += seconds(warehouse.store.compact)


def measure(warehouse: Warehouse, database: PostgreSQL, *, builds: bool) -> dict[str, float]:
    """Return what it takes to merge, to build and to ask, and how large the catalog is."""
    found = {"s of a merge": seconds(warehouse.store.compact, 1)}
    if builds:
        found["s of a build"] = seconds(steps.build, warehouse)
    for name, query in QUERIES.items():
        with warehouse.connect() as db:
            asked = [seconds(answered, db, query) for _ in range(_MEASURED)]
        found[f"ms of a query: {name}"] = 1000 * statistics.median(asked)
    found["ms to attach"] = 1000 * statistics.median(
        seconds(attached, warehouse) for _ in range(_MEASURED)
    )
    dsn = database.address("perfhouse").replace("+psycopg2", "")
    with closing(psycopg2.connect(dsn)) as catalog, catalog.cursor() as cursor:
        for name, query in _CATALOG.items():
            cursor.execute(query)
            ((count,),) = cursor.fetchall()
            found[name] = float(count)
    files = [file for file in (warehouse.file.parent / "data").rglob("*") if file.is_file()]
    return found | {
        "files in the folder": len(files),
        "MB in the folder": sum(file.stat().st_size for file in files) / MB,
    }


def attached(warehouse: Warehouse) -> None:
    """Open a connection that reads, as a command does."""
    with warehouse.connect():
        pass


def answered(db: duckdb.DuckDBPyConnection, query: str) -> None:
    """Run a query and take all of its rows."""
    db.execute(query).fetchall()


def seconds(do: Callable[..., Any], *arguments: Any) -> float:
    """Return how long something takes."""
    begun = time.perf_counter()
    do(*arguments)
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
