"""Commands and steps that find another process at work on their warehouse."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import perfhouse
from app.cli.main import main
from app.pipeline import retention, steps
from expectations.outcome import AuditResult, ExpectationOutcome
from ingest.base.waiting import locked
from ingest.lake.alone import alone, waiting
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from tests.unit.ingest.base.test_waiting import other_process

COMMAND = Path(sys.executable).with_name("perfhouse")


def manifest(folder: Path, name: str, day: int) -> Path:
    """Write a manifest of one run."""
    file = folder / f"{name}.toml"
    start, stop = (f"2021-03-{day:02}T{hour}:00:00Z" for hour in (10, 11))
    file.write_text(
        'perfhouse_manifest = 1\ncampaign = "c"\n[[run]]\n'
        f'run_id = "{name}"\nstart = {start}\nstop = {stop}\n'
    )
    return file


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """Return a warehouse with one load."""
    made = Warehouse(tmp_path / "w.duckdb")
    steps.prepare(made)
    load_file(made, manifest(tmp_path, "first", 1))
    return made


def lock_of(warehouse: Warehouse) -> Path:
    return warehouse.lake / "build.lock"


COMMANDS: dict[str, list[str]] = {
    "run": ["run", "{file}"],
    "build": ["build"],
    "check": ["check"],
    "publish": ["publish"],
    "forget": ["forget", "{load}"],
    "reload": ["reload", "--all"],
    "retain": ["retain"],
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("wait", ["0", "0.2"])
def test_a_command_whose_wait_is_over_names_the_holder(
    name: str,
    wait: str,
    warehouse: Warehouse,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (load,) = warehouse.loads()
    given = {"file": manifest(tmp_path, "second", 2), "load": load}
    arguments = [part.format(**given) for part in COMMANDS[name]]
    with other_process(lock_of(warehouse), "perfhouse run") as holder:
        status = main([*arguments, "--wait", wait, "--warehouse", str(warehouse.file)])
    assert status == 2
    (line,) = capsys.readouterr().err.splitlines()
    verb = "in use by" if wait == "0" else "waited 0.2 seconds for"
    expected = f"perfhouse: {warehouse.file}: {verb} process {holder.pid} (perfhouse run, since "
    assert line.startswith(expected)


def test_loads_do_not_wait(warehouse: Warehouse, tmp_path: Path) -> None:
    second = manifest(tmp_path, "second", 2)
    with other_process(lock_of(warehouse)):
        assert main(["ingest", str(second), "--warehouse", str(warehouse.file)]) == 0
    assert len(warehouse.loads()) == 2


@pytest.mark.parametrize("wait", ["-1", "nan", "inf", "soon", ""])
def test_a_wait_that_is_no_number_of_seconds_is_refused(
    wait: str, warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", f"--wait={wait}", "--warehouse", str(warehouse.file)]) == 2
    assert "--wait" in capsys.readouterr().err


STEPS: dict[str, Callable[[Warehouse], object]] = {
    "build": steps.build,
    "check": steps.check,
    "publish": steps.publish,
    "merge": steps.merge_loads,
    "reload": lambda warehouse: steps.reload(warehouse, []),
    "forget": lambda warehouse: steps.forget_load(warehouse, next(iter(warehouse.loads()))),
    "retain": retention.retain,
    "build in Python": lambda warehouse: perfhouse.Warehouse(warehouse.file).build(),
    "check in Python": lambda warehouse: perfhouse.Warehouse(warehouse.file).check(),
    "publish in Python": lambda warehouse: perfhouse.Warehouse(warehouse.file).publish(),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_step_waits_as_long_as_it_is_told(name: str, warehouse: Warehouse) -> None:
    with (
        locked(lock_of(warehouse), wait=0),
        waiting(0),
        pytest.raises(steps.StepError, match=f"in use by process {os.getpid()}"),
    ):
        STEPS[name](warehouse)


def test_steps_wait_by_default(warehouse: Warehouse) -> None:
    order: list[str] = []

    def forget() -> None:
        steps.forget_load(warehouse, next(iter(warehouse.loads())))
        order.append("forgotten")

    with locked(lock_of(warehouse), wait=0):
        thread = threading.Thread(target=forget)
        thread.start()
        time.sleep(0.5)
        order.append("free")
    thread.join()
    assert order == ["free", "forgotten"]
    assert not warehouse.loads()


def test_steps_in_one_change_do_not_wait_for_each_other(warehouse: Warehouse) -> None:
    with waiting(0), alone(warehouse):
        assert steps.merge_loads(warehouse) == 0
        with alone(warehouse):
            pass
        with pytest.raises(Exception, match="in use"), locked(lock_of(warehouse), wait=0):
            pass
    with locked(lock_of(warehouse), wait=0):
        pass


def test_a_load_that_another_process_removed_meanwhile_is_said(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    (load,) = warehouse.loads()
    monkeypatch.setattr(steps, "mark_forgotten", lambda *_: warehouse.forget(load))
    with pytest.raises(steps.StepError, match="another process removed this load"):
        steps.forget_load(warehouse, load)


def test_ctrl_c_ends_a_wait(warehouse: Warehouse) -> None:
    with other_process(lock_of(warehouse)):
        waiting_one = subprocess.Popen(
            [COMMAND, "build", "--warehouse", warehouse.file], stderr=subprocess.PIPE, text=True
        )
        assert waiting_one.stderr
        assert "waiting for process" in waiting_one.stderr.readline()
        waiting_one.send_signal(signal.SIGINT)
        _, complaint = waiting_one.communicate()
    assert (waiting_one.returncode, complaint) == (130, "perfhouse: stopped\n")


def test_a_build_that_came_between_is_audited_before_it_is_published(warehouse: Warehouse) -> None:
    steps.build(warehouse)
    audit = steps.check(warehouse)
    load_file(warehouse, manifest(warehouse.file.parent, "between", 3))
    steps.build(warehouse)  # by another process
    made = steps.publish(warehouse)
    assert made is not None
    assert made.check_id > audit.check_id
    assert steps.is_current(warehouse)
    assert steps.publish(warehouse) is None  # it is audited now


def test_a_build_whose_own_audit_finds_a_fault_is_not_published(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    with warehouse.open_work() as db:
        db.execute(
            "CREATE TABLE meta.build AS SELECT 'b' AS build_id, now()::TIMESTAMP AS built_at, "
            "'' AS code_version, 0 AS loads, '' AS models, '' AS predictions"
        )
    lost = ExpectationOutcome("raw", "raw.t", "x", "", False, "fault", "", "", "rows are lost")
    found = AuditResult("c", "b", (lost,))
    monkeypatch.setattr(steps, "run_audit", lambda *_, **__: found)
    before = warehouse.file.stat().st_ino
    with pytest.raises(steps.StepError, match=r"not published.*rows are lost"):
        steps.publish(warehouse)
    assert warehouse.file.stat().st_ino == before


def test_three_runs_at_once_end_as_each_would_alone(tmp_path: Path) -> None:
    """The last one's file cannot be read."""
    file = tmp_path / "w.duckdb"
    inputs = [manifest(tmp_path, f"r{day}", day) for day in (1, 2)]
    (tmp_path / "unread").symlink_to("unread")
    inputs.append(tmp_path / "unread")
    begun = [
        subprocess.Popen(
            [COMMAND, "run", one, "--warehouse", file],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for one in inputs
    ]
    said = [process.communicate() for process in begun]
    assert [process.returncode for process in begun] == [0, 0, 2], said
    warehouse = Warehouse(file)
    assert steps.is_current(warehouse)
    with warehouse.connect() as db:
        runs = db.execute("SELECT run_id FROM marts.fct_run ORDER BY 1").fetchall()
        query = "SELECT count(*) FROM meta.pipeline_step WHERE step = 'build'"
        ((builds,),) = db.execute(query).fetchall()
    assert runs == [("r1",), ("r2",)]
    assert builds <= 2  # the second has all loads
    if builds == 1:  # both were loaded before it
        printed = "".join(out for out, _ in said)
        assert "already published" in printed or "nothing new since the published" in printed
