"""A week of simulated nights under the real scheduler, with faults, and nobody who helps.

A backfill simulates seven nights. While its tasks run, the scheduler is killed. When the first
night is published, the lake's disk is full until the webhook is told so. The landing folder has a
gzip with a wrong checksum, a truncated dump, and a link that leads out of it. In the end Airflow
must be at rest, and the marts be those of the same files loaded without faults.
"""

from __future__ import annotations

import errno
import gzip
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from app.pipeline import nights
from ingest.lake.warehouse import Warehouse
from tests.bench.faults import OWN_DISK, digest, has_disks
from tests.kit.airflow import ROOT, Airflow, running, wait
from tests.kit.tables import TIMES_OF_LOADS, different_tables

FIRST = date(2026, 1, 5)
WEEK = [FIRST + timedelta(day) for day in range(7)]
NIGHTLY = "perfhouse_nightly"
_FULL = os.strerror(errno.ENOSPC)
_LONGEST = 7200  # seconds for each part of the week
_UNDER_WAY = {"queued", "running", "scheduled", "restarting", "up_for_retry", "up_for_reschedule"}


def run(console: Console, folder: Path, *, quick: bool) -> tuple[dict[str, object], bool]:
    """Measure and print; the figures, and whether nothing was wrong, whether or not `quick`."""
    if not has_disks(folder):
        console.print("This machine does not let a process mount a disk: the week is left out.")
        return {}, True
    place, out = folder / "week", folder / "week.json"
    place.mkdir()
    command = [*OWN_DISK, sys.executable, "-m", "tests.bench.week", str(place), str(out)]
    subprocess.run(command, cwd=ROOT, check=True)
    figures = json.loads(out.read_text())
    table = Table("a week of nights", "", "", title="Week")
    for name, (found, wanted) in figures.items():
        table.add_row(name, str(found), "" if wanted is None else f"must be {wanted}")
    console.print(table)
    return figures, all(wanted in (None, found) for found, wanted in figures.values())


def main(folder: Path) -> dict[str, tuple[Any, Any]]:
    """Run the week on a disk of its own; return name -> figure and what it must be (None: any)."""
    disk, landing = folder / "disk", folder / "landing"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2g", "tmpfs", disk], check=True)
    warehouse = Warehouse(disk / "perfhouse.duckdb")
    readable = put_damaged(landing, folder)
    figures: dict[str, tuple[Any, Any]] = {}
    with webhook() as (url, told), running(
        folder, {"PERFHOUSE_WAREHOUSE": str(warehouse.file), "PERFHOUSE_NOTIFY": url}
    ) as airflow:  # fmt: skip
        begun = time.monotonic()
        airflow.unpause(NIGHTLY)
        airflow.command(
            "backfill", "create", "--dag-id", NIGHTLY, "--max-active-runs", "3",
            "--from-date", str(WEEK[0]), "--to-date", str(WEEK[-1] + timedelta(1)),
        )  # fmt: skip
        figures |= kill_scheduler(airflow)
        wait(
            lambda: any(is_published(warehouse, landing, night) for night in WEEK),
            "a night",
            _LONGEST,
        )
        figures |= fill_disk(disk, told)
        wait(lambda: is_at_rest(airflow), "the week", _LONGEST)
        figures["minutes in all"] = round((time.monotonic() - begun) / 60, 1), None
        figures |= outcome(airflow)
    figures["nights published"] = sum(is_published(warehouse, landing, n) for n in WEEK), len(WEEK)
    figures |= notices(told) | damaged(warehouse, readable)
    return figures | lost_and_doubled(warehouse, landing, folder)


def put_damaged(landing: Path, folder: Path) -> dict[str, int]:
    """Put files in the landing folder; return the records that can be read in each damaged one."""
    from models_sim.simulator.mq.samples import write_samples

    first, second, *_ = write_samples(folder / "dumps", 1)
    place = landing / "simulated/damaged"
    place.mkdir(parents=True)
    packed = bytearray(gzip.compress(content(first)))
    packed[-8] ^= 0xFF  # of the checksum
    (place / "checksum.smf.gz").write_bytes(packed)
    (place / "truncated.smf").write_bytes(content(second)[:-1])  # of the last record
    (place / "outside.smf").symlink_to(first)
    return {"checksum.smf.gz": records(first, folder), "truncated.smf": records(second, folder) - 1}


def content(dump: Path) -> bytes:
    from ingest.formats.sources import open_source

    with open_source(dump) as source:
        return source.read()


def records(dump: Path, folder: Path) -> int:
    """Return the number of records of a dump."""
    from ingest.load import decode_file

    out = folder / f"{dump.name}.tables"
    out.mkdir()
    return decode_file(dump, out, "simulated").records


@contextmanager
def webhook() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Run a webhook; yield its URL and the bodies that it receives."""
    bodies: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", bodies
        server.shutdown()


def kill_scheduler(airflow: Airflow) -> dict[str, tuple[Any, Any]]:
    """Kill the scheduler while tasks run, and wait for its successor."""

    def running_tasks() -> list[str]:
        return [task["task_id"] for task in airflow.tasks(NIGHTLY) if task["state"] == "running"]

    tasks = wait(running_tasks, "tasks run")
    heard = airflow.get("/monitor/health")["scheduler"]["latest_scheduler_heartbeat"]
    begun = time.monotonic()
    if not airflow.kill("scheduler"):
        raise RuntimeError("there is no scheduler")

    def is_back() -> bool:
        health = airflow.get("/monitor/health")["scheduler"]
        return health["status"] == "healthy" and health["latest_scheduler_heartbeat"] > heard

    wait(is_back, "the scheduler is back")
    return {
        "tasks running when the scheduler was killed": (", ".join(tasks), None),
        "seconds until a scheduler was back": (round(time.monotonic() - begun), None),
    }


def fill_disk(disk: Path, told: list[dict[str, Any]]) -> dict[str, tuple[Any, Any]]:
    """Leave no room on the disk until the webhook was told that."""
    begun = time.monotonic()
    filler = disk / "filler"

    def fill() -> None:
        free = os.statvfs(disk)
        size = filler.stat().st_size if filler.exists() else 0
        with filler.open("ab") as opened:
            os.posix_fallocate(opened.fileno(), size, max(free.f_bavail * free.f_frsize, 1))

    def is_told() -> bool:
        with suppress(OSError):
            fill()  # also what a task that failed has given back
        return any(_FULL in message for message in messages(told))

    wait(is_told, "a notice of the full disk", _LONGEST)
    filler.unlink()
    minutes = round((time.monotonic() - begun) / 60, 1)
    return {"minutes for which the disk was full": (minutes, None)}


def is_published(warehouse: Warehouse, landing: Path, night: date) -> bool:
    return warehouse.file.exists() and nights.is_published(warehouse, landing, night)


def is_at_rest(airflow: Airflow) -> bool:
    """Return whether every night has ended and nothing else is under way but the wait for files."""
    ended = [run for run in airflow.runs(NIGHTLY) if run["state"] in {"success", "failed"}]
    return len(ended) > len(WEEK) and not left_over(airflow)  # and the night of today


def left_over(airflow: Airflow) -> list[str]:
    """Return the tasks that are under way, but for one wait for files."""
    left = [
        f"{task['dag_id']}.{task['task_id']} {task['state']}"
        for task in airflow.tasks()
        if task["state"] in _UNDER_WAY | {"deferred"}
    ]
    if "perfhouse_ingest.wait deferred" in left:
        left.remove("perfhouse_ingest.wait deferred")
    under_way = Counter(run["dag_id"] for run in airflow.runs(state=["queued", "running"]))
    under_way -= Counter(["perfhouse_ingest"])
    return left + sorted(under_way.elements())


def outcome(airflow: Airflow) -> dict[str, tuple[Any, Any]]:
    """Return what became of runs and tasks."""
    tasks = airflow.tasks()
    failed = [task for task in tasks if task["state"] == "failed"]
    compared = 0
    for run in airflow.runs(NIGHTLY, run_type="backfill"):
        path = f"/dags/{NIGHTLY}/dagRuns/{run['dag_run_id']}/taskInstances/compare/xcomEntries"
        found = airflow.get(f"{path}/return_value")["value"]
        compared += bool(json.loads(found) if isinstance(found, str) else found)
    pool = airflow.get("/pools/perfhouse_writer")
    return {
        "nights compared": (compared, len(WEEK)),
        "tasks": (len(tasks), None),
        "tasks that were tried again": (sum(task["try_number"] > 1 for task in tasks), None),
        "tasks that failed after their retries": (
            dict(Counter(f"{task['dag_id']}.{task['task_id']}" for task in failed)), None
        ),
        "tasks that failed without retries": (
            sum(task["try_number"] <= task["max_tries"] for task in failed), 0
        ),
        "left under way": (left_over(airflow), []),
        "slots of the pool in use": (pool["occupied_slots"], 0),
    }  # fmt: skip


def messages(told: list[dict[str, Any]]) -> list[str]:
    return [message for body in told for message in (*body["faults"], *body["errors"])]


def notices(told: list[dict[str, Any]]) -> dict[str, tuple[Any, Any]]:
    """Return what the webhook was told."""
    counts = Counter(messages(told))
    events = Counter(row["event_id"] for body in told for row in body["regressions"])
    figures: dict[str, tuple[Any, Any]] = {
        f"told: {message}": (number, 1) for message, number in counts.items()
    }
    about = ("damaged_bytes: 2 found", "outside.smf", _FULL)
    return figures | {
        "failures that reached the webhook": (
            sum(any(words in message for message in counts) for words in about), len(about)
        ),
        "events of regressions told": (len(events), None),
        "events told twice": (sum(number > 1 for number in events.values()), 0),
    }  # fmt: skip


def damaged(warehouse: Warehouse, readable: dict[str, int]) -> dict[str, tuple[Any, Any]]:
    """Return what was loaded of damaged files."""
    with warehouse.connect() as db:
        rows = db.execute(
            "SELECT parse_filename(path), records_loaded, records_quarantined FROM raw.ledger "
            "WHERE contains(path, '/damaged/')"
        ).fetchall()
    loaded = {name: number for name, number, _ in rows}
    return {
        "records of damaged files that were loaded": (loaded, readable),
        "their lines in quarantine": ({name: number for name, _, number in rows}, None),
    }


def lost_and_doubled(
    warehouse: Warehouse, landing: Path, folder: Path
) -> dict[str, tuple[Any, Any]]:
    """Compare the warehouse with one that has the same files without faults."""
    again = Warehouse(folder / "again/perfhouse.duckdb")
    again.file.parent.mkdir()
    with warehouse.connect() as db:  # of two rows about the same, marts take that loaded first
        paths = db.execute("SELECT path FROM raw.ledger ORDER BY loaded_at, source_id").fetchall()
    files = [path for (path,) in paths]
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "run", *files,
         "--origin", "simulated", "--warehouse", str(again.file)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not again.work.exists():
        raise RuntimeError(done.stderr)
    seen, wanted = digest(warehouse), digest(again)
    raw = [table for table in {*seen, *wanted} if table.startswith("raw.")]
    different = [table for table in raw if seen.get(table) != wanted.get(table)]
    put = [file for file in landing.rglob("*") if file.is_file() and not file.is_symlink()]
    return {
        "source files": (len(files), sum(file.name != "ORIGIN" for file in put)),
        "tables of raw that differ from a load without faults": (sorted(different), []),
        "tables built that differ": (
            sorted(different_tables(warehouse, again, without=TIMES_OF_LOADS)), []
        ),
    }  # fmt: skip


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(main(Path(sys.argv[1]))))
