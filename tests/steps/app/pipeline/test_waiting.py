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
from tests.kit.cases import cases
from tests.kit.manifests import load, manifest
from tests.kit.processes import other_process
from tests.kit.warehouses import copied

COMMAND = Path(sys.executable).with_name("perfhouse")


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """A warehouse with one load."""
    return load(tmp_path)


def lock_of(warehouse: Warehouse) -> Path:
    return warehouse.lake / "build.lock"


@cases
def test_a_command_whose_wait_is_over_names_the_holder(
    name: str,
    words: list[str],
    warehouse: Warehouse,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (load,) = warehouse.loads()
    given = {"file": manifest(tmp_path, "june"), "load": load}
    arguments = [part.format(**given) for part in words]
    wait, verb = ("0", "in use by") if name == "run" else ("0.2", "waited 0.2 seconds for")
    with other_process(lock_of(warehouse), "perfhouse run") as holder:
        status = main([*arguments, "--wait", wait, "--warehouse", str(warehouse.file)])
    assert status == 2
    (line,) = capsys.readouterr().err.splitlines()
    expected = f"perfhouse: {warehouse.file}: {verb} process {holder.pid} (perfhouse run, since "
    assert line.startswith(expected)


def test_loads_do_not_wait(warehouse: Warehouse, tmp_path: Path) -> None:
    second = manifest(tmp_path, "june")
    with other_process(lock_of(warehouse)):
        assert main(["ingest", str(second), "--warehouse", str(warehouse.file)]) == 0
    assert len(warehouse.loads()) == 2


def test_a_wait_that_is_no_number_of_seconds_is_refused(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    for wait in ("-1", "nan", "inf", "soon", ""):
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


def test_a_step_waits_as_long_as_it_is_told(warehouse: Warehouse) -> None:
    with locked(lock_of(warehouse), wait=0), waiting(0):
        for step in STEPS.values():
            with pytest.raises(steps.StepError, match=f"in use by process {os.getpid()}"):
                step(warehouse)


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


def test_a_build_that_came_between_is_audited_before_it_is_published(
    small: Path, tmp_path: Path
) -> None:
    warehouse = copied(small, tmp_path / "w")
    audit = steps.last_audit(warehouse)
    with warehouse.open_work() as db:
        db.execute("UPDATE meta.build SET build_id = 'of another process'")
    made = steps.publish(warehouse)
    assert audit
    assert made
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
