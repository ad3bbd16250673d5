"""A killed build leaves no dbt behind that goes on writing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from ingest.base.child import parent_environment
from tests.kit.manifests import load

if sys.platform != "linux":
    pytest.skip("only Linux ends children with their parent", allow_module_level=True)


def command_of(process: int) -> str:
    """Return the command line of a process that has not ended; '' of any other."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def dbt_of(process: int) -> list[int]:
    """Return the processes of dbt that this one has started."""
    children = psutil.Process(process).children()
    return [child.pid for child in children if "app.pipeline.dbt" in command_of(child.pid)]


def test_dbt_ends_with_a_build_that_is_killed(tmp_path: Path) -> None:
    warehouse = load(tmp_path)
    build = [sys.executable, "-m", "app.cli.main", "build", "--warehouse", str(warehouse.file)]
    with subprocess.Popen(build, stderr=subprocess.DEVNULL) as process:
        while not (found := dbt_of(process.pid)):  # the test's time limit ends the wait
            assert process.poll() is None
            time.sleep(0.01)
        while not (warehouse.dbt / "target").exists():  # it is at work
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    while command_of(found[0]):
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("parent", "status"), [(parent_environment(), 0), ({"PERFHOUSE_PARENT": "1"}, 1)]
)
def test_a_child_whose_parent_has_ended_already_ends_at_once(
    parent: dict[str, str], status: int
) -> None:
    code = "from ingest.base.child import end_with_parent; end_with_parent()"
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | parent, check=False)
    assert done.returncode == status
