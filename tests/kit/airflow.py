"""Airflow as `make airflow` runs it, and its REST API."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from app.pipeline.places import ROOT

SCRIPT = ROOT / "scripts/airflow.sh"
DAGS = sorted(file.stem for file in (ROOT / "dags").glob("*.py"))
PASSWORDS = "simple_auth_manager_passwords.json.generated"
RUN = 1500.0  # seconds for a run to end
_UP, _DOWN = 240.0, 90.0  # seconds for Airflow to come up, and to stop


def wait(done: Callable[[], Any], what: str, seconds: float = RUN) -> Any:
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
    """A running Airflow."""

    def __init__(self, client: httpx.Client, home: Path, environment: Mapping[str, str]) -> None:
        self.client = client
        self.home = home
        self.environment = environment

    def log_in(self) -> bool:
        """Log in with the generated password; return whether all DAGs are known."""
        passwords = json.loads((self.home / PASSWORDS).read_text())
        user, password = next(iter(passwords.items()))
        answer = self.client.post("/auth/token", json={"username": user, "password": password})
        token = answer.raise_for_status().json()["access_token"]
        self.client.headers["Authorization"] = f"Bearer {token}"
        return sorted(dag["dag_id"] for dag in self.get("/dags")["dags"]) == DAGS

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(f"/api/v2{path}", params=query).raise_for_status().json()

    def post(self, path: str, **body: Any) -> Any:
        return self.client.post(f"/api/v2{path}", json=body).raise_for_status().json()

    def command(self, *arguments: str) -> None:
        """Run a command of Airflow."""
        subprocess.run(
            ["sh", SCRIPT, *arguments], env=self.environment, check=True, stdout=subprocess.DEVNULL
        )

    def unpause(self, dag: str) -> None:
        self.client.patch(f"/api/v2/dags/{dag}", json={"is_paused": False}).raise_for_status()

    def trigger(self, dag: str) -> str:
        """Start a run; return its name."""
        return str(self.post(f"/dags/{dag}/dagRuns", logical_date=None)["dag_run_id"])

    def runs(self, dag: str = "~", **query: Any) -> list[dict[str, Any]]:
        """Return the runs of a DAG or of all, oldest first."""
        path = f"/dags/{dag}/dagRuns"
        return list(self.get(path, order_by="run_after", limit=1000, **query)["dag_runs"])

    def tasks(self, dag: str = "~", run: str = "~") -> list[dict[str, Any]]:
        """Return the task instances of a run, or of all."""
        path, found = f"/dags/{dag}/dagRuns/{run}/taskInstances", []
        while page := self.get(path, limit=100, offset=len(found))["task_instances"]:
            found += page
        return found

    def ended(self, dag: str, run: str | None = None) -> dict[str, str]:
        """Return the states of the tasks of a run, by default the first, once it has ended."""
        runs = [r for r in self.runs(dag) if run in {None, r["dag_run_id"]}]
        if not runs or runs[0]["state"] not in {"success", "failed"}:
            return {}
        return {task["task_id"]: task["state"] for task in self.tasks(dag, runs[0]["dag_run_id"])}

    def rests(self, *dags: str) -> bool:
        """Return whether no run of these DAGs is under way."""
        return not any(self.runs(dag, state=["queued", "running"]) for dag in dags)

    def kill(self, name: str) -> bool:
        """Kill one of Airflow's own processes, and not its children; return whether it ran."""
        supervisor = int((self.home / "supervisord.pid").read_text())
        for pid, command in below(supervisor):
            if f"airflow {name}" in command:
                os.kill(pid, signal.SIGKILL)
                return True
        return False


def below(process: int) -> Iterator[tuple[int, str]]:
    """Yield the identities and commands of the processes that descend from one, parents first."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            command = stat.with_name("cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:  # it has ended
            continue
        if parent == process:
            yield int(stat.parent.name), command
            yield from below(int(stat.parent.name))


@contextmanager
def running(folder: Path, settings: Mapping[str, str]) -> Iterator[Airflow]:
    """Run Airflow with its home, its landing folder and the data folder in `folder`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "AIRFLOW_HOME": str(folder / "home"),
        "PERFHOUSE_AIRFLOW_PORT": str(port),
        "PERFHOUSE_HOME": str(folder / "data"),
        "PERFHOUSE_LANDING": str(folder / "landing"),
        "PERFHOUSE_LOOK_EVERY": "2",
        "PERFHOUSE_SETTLED": "0",
        **settings,
    }
    process = subprocess.Popen(["sh", SCRIPT], env=environment)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            airflow = Airflow(client, folder / "home", environment)
            wait(airflow.log_in, "Airflow comes up", _UP)
            yield airflow
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=_DOWN)
    with socket.socket() as closed:
        if not closed.connect_ex(("127.0.0.1", port)):
            raise RuntimeError("Airflow still listens after it was stopped")
