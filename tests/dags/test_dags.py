"""The DAGs under a real scheduler: from the landing folder to published marts and reports."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest

from app.pipeline import steps
from ingest.warehouse import Warehouse

ROOT = Path(__file__).resolve().parents[2]
NIGHT = "2026-01-05"
_UP, _RUN = 240.0, 600.0  # seconds: for Airflow to come up, and for a run to end

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(1800)]


def wait(done: Callable[[], Any], what: str, seconds: float = _RUN) -> Any:
    """Wait until `done` returns something true, and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if found := done():
                return found
        except (httpx.HTTPError, OSError, ValueError):
            pass
        time.sleep(1)
    raise TimeoutError(f"{what}: not within {seconds:.0f} s")


class Airflow:
    """Airflow's REST API."""

    def __init__(self, client: httpx.Client, home: Path) -> None:
        self.client = client
        self.home = home

    def log_in(self) -> bool:
        """Log in with the generated password; return whether all DAGs are known."""
        passwords = json.loads(
            (self.home / "simple_auth_manager_passwords.json.generated").read_text()
        )
        user, password = next(iter(passwords.items()))
        answer = self.client.post("/auth/token", json={"username": user, "password": password})
        token = answer.raise_for_status().json()["access_token"]
        self.client.headers["Authorization"] = f"Bearer {token}"
        return len(self.get("/dags")["dags"]) == len([*(ROOT / "dags").glob("*.py")])

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(f"/api/v2{path}", params=query).raise_for_status().json()

    def post(self, path: str, **body: Any) -> Any:
        return self.client.post(f"/api/v2{path}", json=body).raise_for_status().json()

    def trigger(self, dag: str) -> str:
        """Start a run; return its name."""
        return str(self.post(f"/dags/{dag}/dagRuns", logical_date=None)["dag_run_id"])

    def ended(self, dag: str, run: str | None = None) -> dict[str, str]:
        """Return the states of the tasks of a run, by default the first, once it has ended."""
        runs = self.get(f"/dags/{dag}/dagRuns", order_by="run_after")["dag_runs"]
        runs = [r for r in runs if run in {None, r["dag_run_id"]}]
        if not runs or runs[0]["state"] not in {"success", "failed"}:
            return {}
        path = f"/dags/{dag}/dagRuns/{runs[0]['dag_run_id']}/taskInstances"
        return {task["task_id"]: task["state"] for task in self.get(path)["task_instances"]}

    def rests(self, *dags: str) -> bool:
        """Return whether no run of these DAGs is under way."""
        under_way = {"state": ["queued", "running"]}
        return not any(self.get(f"/dags/{dag}/dagRuns", **under_way)["dag_runs"] for dag in dags)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for everything."""
    return tmp_path_factory.mktemp("airflow")


@pytest.fixture(scope="module")
def warehouse(folder: Path, dumps: list[Path]) -> Warehouse:
    """A warehouse with rows that no load has, as if perfhouse had lost its ledger."""
    landing = folder / "landing/simulated"
    landing.mkdir(parents=True)
    for dump in dumps:
        shutil.copy(dump, landing)
    made = Warehouse(folder / "perfhouse.duckdb")
    steps.prepare(made)
    rows = made.lake / "raw" / ("f" * 64)
    rows.mkdir()
    lost = pl.DataFrame({"source_id": ["f" * 64], "record_no": [1], "reason": ["lost"]})
    lost.write_parquet(rows / "quarantine.0.parquet")
    return made


@pytest.fixture(scope="module")
def airflow(folder: Path, warehouse: Warehouse) -> Iterator[Airflow]:
    """Airflow as `make airflow` runs it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = folder / "home"
    process = subprocess.Popen(
        ["sh", ROOT / "scripts/airflow.sh"],
        env=os.environ
        | {
            "AIRFLOW_HOME": str(home),
            "PERFHOUSE_AIRFLOW_PORT": str(port),
            "PERFHOUSE_HOME": str(folder / "data"),
            "PERFHOUSE_LANDING": str(folder / "landing"),
            "PERFHOUSE_LOOK_EVERY": "2",
            "PERFHOUSE_SETTLED": "0",
            "PERFHOUSE_WAREHOUSE": str(warehouse.file),
        },
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            running = Airflow(client, home)
            wait(running.log_in, "Airflow comes up", _UP)
            yield running
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=90)
    with socket.socket() as closed:
        assert closed.connect_ex(("127.0.0.1", port)), "Airflow still listens after it was stopped"


def test_a_fault_is_not_published(airflow: Airflow, warehouse: Warehouse) -> None:
    states = wait(lambda: airflow.ended("perfhouse_build"), "the first build")
    assert states == {
        "is_behind": "success",
        "build": "success",
        "check": "failed",
        "publish": "upstream_failed",
        "notify": "success",
    }
    with warehouse.connect() as db:
        assert not db.execute("FROM duckdb_tables() WHERE schema_name = 'marts'").fetchall()


def test_what_arrived_is_published_and_reported(
    airflow: Airflow, warehouse: Warehouse, folder: Path, dumps: list[Path]
) -> None:
    shutil.rmtree(warehouse.raw / ("f" * 64))
    run = airflow.trigger("perfhouse_build")
    states = wait(lambda: airflow.ended("perfhouse_build", run), "the second build")
    assert set(states.values()) == {"success"}
    with warehouse.connect() as db:
        loads = db.execute("SELECT path, origin FROM raw.ledger").fetchall()
        (marts,) = db.execute("SELECT count(*) FROM marts.fct_queue_manager_interval").fetchall()
    assert {(Path(path).name, origin) for path, origin in loads} == {
        (dump.name, "simulated") for dump in dumps
    }
    assert marts[0] > 0
    states = wait(lambda: airflow.ended("perfhouse_report"), "the reports")
    assert states == {"regressions": "success", "campaign": "skipped"}  # there are no runs yet
    assert "<h1" in (folder / "data/reports/regressions.html").read_text()


def test_a_night_is_simulated_and_compared_although_the_scheduler_is_killed(
    airflow: Airflow, warehouse: Warehouse
) -> None:
    pids = subprocess.run(
        ["pgrep", "-f", "airflow scheduler"], capture_output=True, text=True, check=True
    )
    for pid in pids.stdout.split():
        os.kill(int(pid), signal.SIGKILL)
    airflow.client.patch("/api/v2/dags/perfhouse_nightly", json={"is_paused": False})
    airflow.post(
        "/backfills",
        dag_id="perfhouse_nightly",
        from_date=f"{NIGHT}T00:00:00Z",
        to_date=f"{NIGHT}T23:59:59Z",
    )
    states = wait(lambda: airflow.ended("perfhouse_nightly"), "the night")
    assert states == {"simulate": "success", "published": "success", "compare": "success"}
    with warehouse.connect() as db:
        found = db.execute(
            "SELECT campaign, count(*) FROM marts.fct_run WHERE start_utc::DATE = $1 GROUP BY ALL",
            [NIGHT],
        ).fetchall()
    assert found == [("nightly", 10)]


def test_a_build_without_new_loads_does_nothing(airflow: Airflow, warehouse: Warehouse) -> None:
    # Today's night was simulated, too.
    wait(lambda: airflow.rests("perfhouse_nightly", "perfhouse_build"), "all builds")
    before = warehouse.file.stat()
    run = airflow.trigger("perfhouse_build")
    states = wait(lambda: airflow.ended("perfhouse_build", run), "the idle build")
    assert states["is_behind"] == "success"
    assert {states[task] for task in ("build", "check", "publish", "notify")} == {"skipped"}
    after = warehouse.file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
