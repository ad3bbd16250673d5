"""Airflow with Celery workers on this machine, with the settings of deploy/.

Where this user may make namespaces, each worker is on a host of its own: it has its own process
numbers and host name, as in a container.
"""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.cluster.services import PostgreSQL, Redis, free_port
from tests.kit.airflow import PASSWORDS, ROOT, Airflow, below, wait
from tests.kit.processes import OTHER_HOST, has_other_hosts

__all__ = ["Cluster", "settings", "started"]

PARTS = (
    "api-server",
    "scheduler --skip-serve-logs",
    "dag-processor",
    "triggerer --skip-serve-logs",
)
_UP, _DOWN = 300.0, 90.0  # seconds to come up, and to stop
_CREDENTIALS = re.compile(r"(AIRFLOW|AWS_|PG[A-Z]|PERFHOUSE_)")


def settings(file: Path) -> dict[str, str]:
    """Return the settings in a file of NAME=VALUE."""
    lines = (line.strip() for line in file.read_text().splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name: value for name, _, value in pairs}


class Cluster(Airflow):
    """A running Airflow whose tasks run on Celery workers."""

    def workers(self) -> list[int]:
        """Return the process groups of the workers, in order."""
        supervisor = int((self.home / "supervisord.pid").read_text())
        found: dict[int, int] = {}
        for pid, command in below(supervisor):  # parents first
            if of := re.search(r"supervised\.sh.* celery worker .*w(\d+)@", command):
                found.setdefault(int(of[1]), pid)
        return [found[number] for number in sorted(found)]

    def kill_worker_of(self, task: Mapping[str, Any]) -> None:
        """Kill the worker of a task and all that it started, as when its host loses power."""
        of = {group: [pid for pid, _ in below(group)] for group in self.workers()}
        group, children = next(
            (group, pids)
            for number, (group, pids) in enumerate(of.items(), 1)
            if task["pid"] in map(_number_on_its_host, pids)
            and (not has_other_hosts() or task["hostname"] == f"host{number}")
        )
        os.killpg(group, signal.SIGKILL)
        for pid in children:  # those that left the group
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def _number_on_its_host(process: int) -> int | None:
    """Return the number that a process has for itself; None if it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    return int(re.findall(r"NSpid:.*\t(\d+)", status)[0])


@contextmanager
def started(
    folder: Path,
    database: PostgreSQL,
    broker: Redis,
    perfhouse: Mapping[str, str],
    connections: Mapping[str, Mapping[str, str]],
    workers: int,
) -> Iterator[Cluster]:
    """Run Airflow with its home in `folder`.

    perfhouse: its settings. connections: those of Airflow, by name.
    """
    home = folder / "airflow"
    home.mkdir(mode=0o700)
    port = free_port()
    environment = _environment(home, port, database, broker, workers) | perfhouse
    _prepare(home, environment, connections)
    configuration = _supervised(home, workers)
    process = subprocess.Popen(
        [sys.executable, "-m", "supervisor.supervisord", "-c", configuration],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            airflow = Cluster(client, home, environment)
            wait(airflow.log_in, "Airflow comes up", _UP)
            wait(lambda: len(airflow.workers()) == workers, "the workers come up", _UP)
            yield airflow
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=_DOWN)


def _environment(
    home: Path, port: int, database: PostgreSQL, broker: Redis, workers: int
) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not _CREDENTIALS.match(name)}
    address = f"http://127.0.0.1:{port}"
    return (
        own
        | settings(ROOT / "deploy/settings.env")
        | {
            "AIRFLOW_HOME": str(home),
            "AIRFLOW__API__BASE_URL": f"{address}/",
            "AIRFLOW__API__HOST": "127.0.0.1",
            "AIRFLOW__API__PORT": str(port),
            "AIRFLOW__API__SECRET_KEY": secrets.token_urlsafe(48),
            "AIRFLOW__API__WORKERS": "1",
            "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_urlsafe(48),
            "AIRFLOW__CELERY__BROKER_URL": broker.address,
            "AIRFLOW__CELERY__RESULT_BACKEND": f"db+{database.address('airflow')}",
            "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{address}/execution/",
            "AIRFLOW__CORE__FERNET_KEY": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": database.address("airflow"),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PERFHOUSE_LOADERS": str(workers),
            "PERFHOUSE_LOOK_EVERY": "2",
            "PERFHOUSE_SETTLED": "0",
            "PYTHONPATH": str(ROOT),
        }
    )


def _prepare(
    home: Path, environment: Mapping[str, str], connections: Mapping[str, Mapping[str, str]]
) -> None:
    """Make the database, the pool, the connections and the password."""
    password = secrets.token_urlsafe(16)
    for name, content in ((PASSWORDS, {"admin": password}), ("connections.json", connections)):
        file = home / name
        file.touch(mode=0o600)
        file.write_text(json.dumps(content))
    pool = environment["PERFHOUSE_POOL"]
    for arguments in (
        ("db", "migrate"),
        ("pools", "set", pool, "1", "builds"),
        ("connections", "import", home / "connections.json"),
        ("users", "create", "--username", "admin", f"--password={password}", "--role", "Admin",
         "--firstname", "-", "--lastname", "-", "--email", "admin@localhost"),
    ):  # fmt: skip
        done = subprocess.run(
            ["airflow", *arguments], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(
                f"airflow {arguments[0]}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
            )


def _supervised(home: Path, workers: int) -> Path:
    """Write the configuration of supervisord, which starts each process again when it ends."""
    commands = {part.split()[0]: part for part in PARTS}
    commands |= {
        f"worker-{n}": f"celery worker --skip-serve-logs --celery-hostname w{n}@%%h"
        for n in range(1, workers + 1)
    }
    script = f"sh {ROOT / 'scripts/supervised.sh'}"
    hosts = dict.fromkeys(commands, script)
    if has_other_hosts():
        apart = " ".join(OTHER_HOST)
        hosts |= {
            f"worker-{n}": f"{apart} sh -c 'hostname host{n}; exec {script} \"$@\"' sh"
            for n in range(1, workers + 1)
        }
    sections = [
        (
            f"[supervisord]\nnodaemon=true\nlogfile={home}/supervisord.log\n"
            f"pidfile={home}/supervisord.pid\numask=077\n"
        )
    ]
    sections += [
        f"[program:{name}]\ncommand={hosts[name]} {command}\nautorestart=true\nstartsecs=5\n"
        "startretries=100\nstopasgroup=true\nkillasgroup=true\nredirect_stderr=true\n"
        f"stopwaitsecs=30\nstdout_logfile={home}/{name}.log\n"
        for name, command in commands.items()
    ]
    file = home / "supervisord.conf"
    file.write_text("\n".join(sections))
    return file
