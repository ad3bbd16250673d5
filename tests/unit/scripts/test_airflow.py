"""`make airflow` keeps its secrets to the user who runs it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.pipeline.places import ROOT

#: In place of `airflow` and `supervisord`: they prepare what the real ones prepare.
COMMANDS = {
    "airflow": """#!/bin/sh
touch "$AIRFLOW_HOME/airflow.cfg" "$AIRFLOW_HOME/airflow.db"
echo "$@ on $AIRFLOW__API__HOST"
""",
    "supervisord": """#!/bin/sh
echo "supervisord on $AIRFLOW__API__HOST" >"$AIRFLOW_HOME/supervisord.log"
exec sleep 600
""",
}


@pytest.fixture
def started(tmp_path: Path) -> dict[str, str]:
    """The environment of the script in a project of its own, with COMMANDS."""
    for folder in ("scripts", ".venv/bin"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("airflow.sh", "quiet.env"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    for name, script in COMMANDS.items():
        command = tmp_path / ".venv/bin" / name
        command.write_text(script)
        command.chmod(0o755)
    (tmp_path / ".venv/bin/python").symlink_to(shutil.which("python3") or "python3")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
    return kept | {"PERFHOUSE_AIRFLOW_PORT": "1", "AIRFLOW_HOME": str(tmp_path / "home")}


def run(folder: Path, environment: dict[str, str], *arguments: str) -> tuple[int, str]:
    """Run the script for as long as it takes to start, or until it ends."""
    process = subprocess.Popen(
        ["sh", folder / "scripts/airflow.sh", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    printed = ""
    assert process.stdout
    for line in process.stdout:
        printed += line
        if "logs in" in line:  # it is starting
            process.send_signal(signal.SIGTERM)
    return process.wait(), printed


def mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def test_secrets_are_for_the_user_alone_and_not_printed(
    tmp_path: Path, started: dict[str, str]
) -> None:
    _, printed = run(tmp_path, started)
    home = tmp_path / "home"
    passwords = home / "simple_auth_manager_passwords.json.generated"
    (password,) = re.findall(r'"admin": "(\S{20,})"', passwords.read_text())
    assert mode(home) == "0o700"
    files = [passwords, home / "airflow.cfg", home / "airflow.db"]
    run(tmp_path, started)  # files that Airflow made the first time
    assert {mode(file) for file in files} == {"0o600"}
    assert password in passwords.read_text()
    logs = "".join((home / name).read_text() for name in ("setup.log", "supervisord.log"))
    assert password not in printed + logs
    assert "db migrate on 127.0.0.1" in logs
    assert "supervisord on 127.0.0.1" in logs


def test_airflow_is_not_opened_to_other_machines(tmp_path: Path, started: dict[str, str]) -> None:
    status, printed = run(tmp_path, started | {"AIRFLOW__API__HOST": "0.0.0.0"})
    assert status == 2
    assert "serves this machine only" in printed


@pytest.mark.parametrize(("killed", "gone"), [("airflow", "its child"), ("script", "airflow")])
def test_what_a_killed_process_had_started_ends_too(tmp_path: Path, killed: str, gone: str) -> None:
    airflow, noted = tmp_path / "airflow", tmp_path / "pids"
    airflow.write_text(
        f"#!/bin/sh\nsleep 600 &\necho $$ $! >{noted}.new\nmv {noted}.new {noted}\nwait"
    )
    airflow.chmod(0o755)
    script = subprocess.Popen(
        ["sh", ROOT / "scripts/supervised.sh", "triggerer"],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        start_new_session=True,
    )
    wait_until(noted.exists)
    pids = dict(zip(("airflow", "its child"), map(int, noted.read_text().split()), strict=True))
    os.kill((pids | {"script": script.pid})[killed], signal.SIGKILL)
    assert script.wait() == -signal.SIGKILL
    wait_until(lambda: not is_running(pids[gone]))
    if is_running(pids["its child"]):
        os.kill(pids["its child"], signal.SIGKILL)


def is_running(pid: int) -> bool:
    """Return whether a process runs; one that nobody waits for has ended, too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(done: Callable[[], bool]) -> None:
    while not done():
        time.sleep(0.05)
