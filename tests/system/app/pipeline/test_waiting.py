"""Commands at once on one warehouse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from app.pipeline import steps
from ingest.lake.warehouse import Warehouse
from tests.kit.manifests import manifest

COMMAND = Path(sys.executable).with_name("perfhouse")


def test_three_runs_at_once_end_as_each_would_alone(tmp_path: Path) -> None:
    """The last one's file cannot be read."""
    file = tmp_path / "w.duckdb"
    inputs = [manifest(tmp_path, month) for month in ("may", "june")]
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
        runs = db.execute("SELECT campaign FROM marts.fct_run ORDER BY 1").fetchall()
        query = "SELECT count(*) FROM meta.pipeline_step WHERE step = 'build'"
        ((builds,),) = db.execute(query).fetchall()
    assert runs == [("june",), ("may",)]
    assert builds <= 2  # the second has all loads
    if builds == 1:  # both were loaded before it
        printed = "".join(out for out, _ in said)
        assert (
            "another process published" in printed or "nothing new since the published" in printed
        )
