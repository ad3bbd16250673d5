"""python -m tests.cluster: an estate on one machine, compared with an embedded warehouse.

PostgreSQL, Redis, an object store and Airflow with Celery workers are started on free ports of
127.0.0.1, in one temporary folder. Dumps of an estate and a small campaign of runs arrive in the
landing folder; the DAGs load, build, audit and publish them. `perfhouse run` loads the same files
into an embedded warehouse, and every table of the marts and of what they are made of must have the
same rows. In the end all is taken down.

With --faults, something else is lost while each day of the estate is loaded: a worker, PostgreSQL,
the object store, Redis. Nobody helps; after each fault the tables must be the same again.

The exit status is 1 if anything differs, or is not done in time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
from rich.console import Console
from rich.table import Table

from app.pipeline import landing
from ingest.base.errors import PerfhouseError
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.bulk.estate import estate
from models_sim.simulator.campaigns import simulate, write
from models_sim.simulator.campaigns.files import write_files
from tests.bench.week import left_over
from tests.cluster.airflow import Cluster, started
from tests.cluster.compare import different
from tests.cluster.services import BUCKET, Door, ObjectStore, PostgreSQL, Redis
from tests.kit.airflow import ROOT, wait

LPARS, DAYS, HOURS = 10, 4, 24  # dumps of 22 MB
OUTAGE = 60  # seconds that the store or the broker is away
_LONGEST = 3600.0  # seconds until what has arrived is published
MB = 1e6


class Estate(NamedTuple):
    """What runs, and where files are put."""

    airflow: Cluster
    warehouse: Warehouse
    landing: Path
    database: PostgreSQL
    broker: Redis
    store: ObjectStore
    door: Door | None


def main() -> int:
    """Run, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster")
    parser.add_argument("--workers", type=int, default=2, help="Celery workers (default: 2)")
    parser.add_argument("--lpars", type=int, default=LPARS, help=f"default: {LPARS}")
    parser.add_argument("--days", type=int, default=DAYS, help=f"default: {DAYS}")
    parser.add_argument("--hours", type=int, default=HOURS, help=f"of a day (default: {HOURS})")
    parser.add_argument(
        "--faults", nargs="*", choices=FAULTS, metavar="PART",
        help=f"lose these parts, one after the other: {', '.join(FAULTS)} (default: all)",
    )  # fmt: skip
    parser.add_argument("--embedded", action="store_true", help="without DuckLake")
    parser.add_argument("--keep", action="store_true", help="leave the folder, to look at logs")
    arguments = parser.parse_args()
    console = Console()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    try:
        with folder(keep=arguments.keep) as place, running(console, place, arguments) as made:
            run = throughput if arguments.faults is None else faults
            return int(not run(console, made, place, arguments))
    except KeyboardInterrupt:
        console.print("cluster: stopped")
        return 130
    except TimeoutError as error:
        console.print(f"cluster: {error}")
        return 1


@contextmanager
def folder(*, keep: bool) -> Iterator[Path]:
    """Make a folder that PostgreSQL's user may pass through, and remove it in the end."""
    place = Path(tempfile.mkdtemp(prefix="perfhouse-cluster-"))
    place.chmod(0o711)
    try:
        yield place
    finally:
        if not keep:
            shutil.rmtree(place)


@contextmanager
def running(console: Console, place: Path, arguments: argparse.Namespace) -> Iterator[Estate]:
    """Run everything, and take it down however this ends."""
    arrive = place / "landing"
    for name in ("shared", "landing", "data"):
        (place / name).mkdir()
    with ExitStack() as down:
        database = PostgreSQL(place / "postgresql")
        broker = Redis(place / "redis")
        store = ObjectStore(place / "store")
        for service in (database, broker, store):
            down.callback(service.stop)
            service.start()
        door = None
        if arguments.faults is not None:
            door = Door(store.port)
            down.callback(door.close)
            door.open()
        file = place / "shared/perfhouse.duckdb"
        if not arguments.embedded:
            _write_profile(file, database, door.port if door else store.port)
        warehouse = Warehouse(file)
        # For us; the tasks get theirs from Airflow's connections.
        os.environ |= {
            "AWS_ACCESS_KEY_ID": store.key,
            "AWS_SECRET_ACCESS_KEY": store.secret,
            "PGUSER": "perfhouse",
            "PGPASSWORD": database.passwords["perfhouse"],
        }
        console.print(f"cluster: Airflow starts, with {arguments.workers} workers")
        airflow = down.enter_context(
            started(
                place,
                database,
                broker,
                {
                    "PERFHOUSE_HOME": str(place / "data"),
                    "PERFHOUSE_LANDING": str(arrive),
                    "PERFHOUSE_WAREHOUSE": str(warehouse.file),
                },
                {
                    "perfhouse_catalog": {
                        "conn_type": "postgres",
                        "login": "perfhouse",
                        "password": database.passwords["perfhouse"],
                    },
                    "perfhouse_storage": {
                        "conn_type": "aws",
                        "login": store.key,
                        "password": store.secret,
                    },
                },
                arguments.workers,
            )
        )
        yield Estate(airflow, warehouse, arrive, database, broker, store, door)


def _write_profile(file: Path, database: PostgreSQL, store: int) -> None:
    file.with_suffix(".toml").write_text(
        f'catalog = "postgres:host=127.0.0.1 port={database.port} dbname=perfhouse"\n'
        f'data = "s3://{BUCKET}/lake"\n\n'
        f'[s3]\nendpoint = "127.0.0.1:{store}"\nregion = "us-east-1"\n'
        "path_style = true\ntls = false\n"
    )


# --- the estate, without a fault


def throughput(console: Console, made: Estate, place: Path, arguments: argparse.Namespace) -> bool:
    """Load an estate and print how fast; return whether its tables are right."""
    campaign, dumps = place / "made/campaign", place / "made/estate"
    write(simulate("smoke"), campaign)
    write_files(estate(arguments.lpars, arguments.days, hours=arguments.hours), dumps)
    put(made, dumps.parent)
    catch_up(made)
    figures = {**what_arrived(made), **speed(made, arguments.workers), **stored(made)}
    wrong = compare(made, place / "embedded/perfhouse.duckdb")
    table = Table("an estate", "", title=f"{arguments.lpars} LPARs, {arguments.days} days")
    for name, found in figures.items():
        table.add_row(name, str(found))
    console.print(table)
    return _judged(console, "the estate", wrong)


def put(made: Estate, folder: Path) -> None:
    """Let a folder of files arrive at once."""
    folder.rename(made.landing / folder.name)


def catch_up(made: Estate) -> float:
    """Wait until readers see all that has arrived and nothing is under way; return the seconds."""
    begun = time.monotonic()

    def is_done() -> bool:
        try:
            return (
                not left_over(made.airflow)
                and not landing.arrivals(made.warehouse, made.landing, settled=0)
                and not landing.is_behind(made.warehouse)
            )
        except (PerfhouseError, duckdb.Error):
            return False

    wait(is_done, "all that arrived is published", _LONGEST)
    return time.monotonic() - begun


def what_arrived(made: Estate) -> dict[str, Any]:
    """Return how much there is to load."""
    files = [file for file in made.landing.rglob("*") if file.is_file() and file.name != "ORIGIN"]
    size = sum(file.stat().st_size for file in files)
    with made.warehouse.connect() as db:
        rows = db.execute("SELECT count(*), sum(records_loaded) FROM raw.ledger").fetchall()
    ((loaded, records),) = rows
    return {
        "files that arrived": len(files),
        "files loaded": loaded,
        "MB": round(size / MB),
        "records": f"{records:,}",
    }


def speed(made: Estate, workers: int) -> dict[str, Any]:
    """Return how long tasks took, by Airflow's own times."""
    tasks = [task for task in made.airflow.tasks() if task["state"] == "success"]
    loading = [t for t in tasks if (t["dag_id"], t["task_id"]) == ("perfhouse_ingest", "ingest")]
    begun = min(_moment(task["start_date"]) for task in loading)
    seconds = (max(_moment(task["end_date"]) for task in loading) - begun).total_seconds()
    size = sum(f.stat().st_size for f in made.landing.rglob("*") if f.is_file())
    of_step = {
        step: sum(t["duration"] for t in tasks if (t["dag_id"], t["task_id"]) == place)
        for step in ("build", "check", "publish")
        if (place := ("perfhouse_build", step))
    }
    return {
        "tasks that loaded": len(loading),
        "seconds of loading": round(seconds, 1),
        f"MB/s, {workers} workers": round(size / MB / seconds, 1),
        **{f"seconds of {step}": round(took, 1) for step, took in of_step.items()},
    }


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def stored(made: Estate) -> dict[str, Any]:
    """Return what is in the object store, and what it was asked."""
    asked = made.store.requests()
    return {
        "MB in the object store": round(made.store.bytes() / MB, 1),
        "requests to it": ", ".join(f"{number:,} {verb}" for verb, number in asked.most_common()),
    }


def compare(made: Estate, file: Path) -> list[str]:
    """Load the same files into an embedded warehouse; return the tables that differ, and how."""
    again = Warehouse(file)
    again.file.parent.mkdir(exist_ok=True)
    with made.warehouse.connect() as db:  # of two rows about the same, marts take that loaded first
        paths = db.execute("SELECT path FROM raw.ledger ORDER BY loaded_at, source_id").fetchall()
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "run", *(path for (path,) in paths),
         "--warehouse", str(again.file)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode > 1:
        raise RuntimeError(done.stderr)
    return different(made.warehouse, again)


def _judged(console: Console, what: str, wrong: list[str]) -> bool:
    for line in wrong:
        console.print(f"{what}: {line}", highlight=False, soft_wrap=True)
    if not wrong:
        console.print(f"{what}: every table has the rows of an embedded warehouse")
    return not wrong


# --- faults


def faults(console: Console, made: Estate, place: Path, arguments: argparse.Namespace) -> bool:
    """Lose one part after the other; return whether all tables are right after each."""
    begun = place / "made/0"
    write(simulate("smoke"), begun / "campaign")
    put(made, begun)
    catch_up(made)
    table = Table("lost", "while", "seconds until published", "tasks tried again", title="Faults")
    passed = True
    lost = [FAULTS[part] for part in arguments.faults or FAULTS]
    write_files(estate(arguments.lpars, len(lost), hours=arguments.hours), place / "made/estate")
    arrivals = sorted(day for day in (place / "made/estate").iterdir() if day.is_dir())
    for (name, during, lose), day in zip(lost, arrivals, strict=True):
        console.print(f"cluster: {name} is lost while {during}")
        (day / "ORIGIN").write_text("simulated\n")
        before = _tried_again(made)
        put(made, day)
        lose(made)
        seconds = catch_up(made)
        again = _tried_again(made) - before
        wrong = compare(made, place / "embedded/perfhouse.duckdb")
        passed &= _judged(console, name, wrong)
        table.add_row(name, during, f"{seconds:.0f}", str(again))
    console.print(table)
    return passed


def _tried_again(made: Estate) -> int:
    """Return how often tasks were tried again."""
    return sum(max(task["try_number"] - 1, 0) for task in made.airflow.tasks())


def _under_way(made: Estate, dag: str, task: str) -> dict[str, Any]:
    """Wait until a task runs, and return it."""

    def runs() -> list[dict[str, Any]]:
        tasks = made.airflow.tasks(dag)
        return [
            found
            for found in tasks
            if (found["task_id"], found["state"]) == (task, "running") and found["pid"]
        ]

    (found, *_) = wait(runs, f"{task} runs", _LONGEST)
    time.sleep(1)  # it has begun
    return dict(found)


def lose_worker(made: Estate) -> None:
    """Kill a worker that loads; it is started again, as a host would be."""
    task = _under_way(made, "perfhouse_ingest", "ingest")
    made.airflow.kill_worker_of(task)


def lose_database(made: Estate) -> None:
    """Let PostgreSQL crash while marts are built."""
    _under_way(made, "perfhouse_build", "build")
    made.database.restart()


def lose_store(made: Estate) -> None:
    """Refuse all connections to the object store while files are loaded."""
    _under_way(made, "perfhouse_ingest", "ingest")
    assert made.door
    made.door.shut()
    time.sleep(OUTAGE)
    made.door.open()


def lose_broker(made: Estate) -> None:
    """Kill Redis while files are loaded, and start it empty."""
    _under_way(made, "perfhouse_ingest", "ingest")
    made.broker.stop(signal.SIGKILL)
    time.sleep(OUTAGE)
    made.broker.start()


FAULTS: dict[str, tuple[str, str, Callable[[Estate], None]]] = {
    "worker": ("a worker", "files are loaded", lose_worker),
    "database": ("PostgreSQL", "marts are built", lose_database),
    "store": ("the object store", "files are loaded", lose_store),
    "broker": ("Redis", "files are loaded", lose_broker),
}


if __name__ == "__main__":
    sys.exit(main())
