"""Run the DAG under a real `airflow standalone`, over its REST API.

    python scripts/airflow_smoke.py DUMP...

Airflow's home, the landing folder and the warehouse are in a temporary folder. The exit status is 0
if the DAG published the dumps, and a second run found nothing to build.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[1]
DAG = "/api/v2/dags/perfhouse_pipeline"
START, RUN = 180.0, 600.0  # timeouts in seconds: Airflow, one run


def wait(done: Callable[[], bool], seconds: float, complaint: str) -> None:
    """Wait until `done`, which is tried every second and may fail. Raises TimeoutError."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if done():
                return
        except (httpx.HTTPError, OSError, ValueError):
            pass
        time.sleep(1)
    raise TimeoutError(f"{complaint} within {seconds:.0f} s")


def log_in(airflow: httpx.Client, home: Path) -> bool:
    """Log in with the generated password; return whether Airflow knows the DAG."""
    passwords = json.loads((home / "simple_auth_manager_passwords.json.generated").read_text())
    user, password = next(iter(passwords.items()))
    answer = airflow.post("/auth/token", json={"username": user, "password": password})
    airflow.headers["Authorization"] = f"Bearer {answer.raise_for_status().json()['access_token']}"
    return airflow.get(DAG).is_success


def run_dag(airflow: httpx.Client) -> dict[str, str]:
    """Trigger a run, wait until all runs have ended, and return the states of its tasks."""

    def runs(**query: Any) -> list[dict[str, Any]]:
        found = airflow.get(f"{DAG}/dagRuns", params=query).raise_for_status().json()
        return list(found["dag_runs"])

    triggered = airflow.post(f"{DAG}/dagRuns", json={"logical_date": None}).raise_for_status()
    wait(lambda: not runs(state=["queued", "running"]), RUN, "the runs did not end")
    states: dict[str, dict[str, str]] = {}
    for run in runs(order_by="run_after"):
        path = f"{DAG}/dagRuns/{run['dag_run_id']}/taskInstances"
        tasks = airflow.get(path).raise_for_status().json()["task_instances"]
        print(f"smoke: {run['dag_run_id']}: {run['state']}, {run['duration']:.1f} s:", end=" ")
        print(*(f"{t['task_id']} {t['state']} {t['duration'] or 0:.1f} s" for t in tasks), sep=", ")
        states[run["dag_run_id"]] = {task["task_id"]: task["state"] for task in tasks}
    return states[triggered.json()["dag_run_id"]]


def smoke(folder: Path, dumps: list[Path]) -> None:
    """Start Airflow in `folder`, let the DAG publish `dumps`, and stop Airflow."""
    landing, warehouse, home = folder / "landing", folder / "perfhouse.duckdb", folder / "airflow"
    landing.mkdir()
    for dump in dumps:
        shutil.copy(dump, landing)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {
        **os.environ,
        "AIRFLOW_HOME": str(home),
        "PERFHOUSE_AIRFLOW_PORT": str(port),
        "PERFHOUSE_LANDING": str(landing),
        "PERFHOUSE_SETTLED": "1",
        "PERFHOUSE_WAREHOUSE": str(warehouse),
    }
    process = subprocess.Popen(["sh", ROOT / "scripts/airflow.sh"], env=env)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as airflow:
            wait(lambda: log_in(airflow, home), START, "Airflow did not come up")
            run_dag(airflow)
            query = """
                select queue_manager, count(*) as intervals, max(build_id) as build
                from marts.fct_queue_manager_interval cross join meta.build group by all
            """
            subprocess.run([ROOT / ".venv/bin/perfhouse", "sql", query], env=env, check=True)
            states = run_dag(airflow)  # nothing new has arrived
            if [states["ingest"], states["publish"]] != ["success", "skipped"]:
                raise RuntimeError(f"a run without new files should only look: {states}")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
    with socket.socket() as closed:
        if closed.connect_ex(("127.0.0.1", port)) == 0:
            raise RuntimeError("Airflow still listens after it was stopped")


if __name__ == "__main__":
    if not (given := [Path(name) for name in sys.argv[1:]]):
        sys.exit("usage: airflow_smoke.py DUMP...")
    with tempfile.TemporaryDirectory(prefix="perfhouse-airflow-") as scratch:
        smoke(Path(scratch), given)
    print("smoke: passed")
