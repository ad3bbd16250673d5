"""One regression from its first night to its end, through manifests, ingest, dbt and the judge."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from app import cli, steps
from app.dbt_build import DBT_PROJECT
from expectations.limits import read_limits
from expectations.regressions.judge import judge_build
from ingest.warehouse import Warehouse

SLOW, FIXED = 20, 30


def manifest(file: Path, nights: range) -> Path:
    """Runs of one configuration, a night each: 1 GB at a rate that falls by 10 % and comes back."""
    random = np.random.default_rng(5)
    noise = np.exp(random.normal(0, 0.01, 100))
    runs = []
    for night in nights:
        start = datetime(2026, 1, 1, 22) + timedelta(days=night)
        rate = 100 * noise[night] * (0.9 if SLOW <= night < FIXED else 1.0)
        runs.append({
            "run_id": f"n{night:03}",
            "start": start.isoformat() + "Z",
            "stop": (start + timedelta(seconds=60)).isoformat() + "Z",
            "labels": {"git_revision": f"g{night:03}"},
            "measurement": [{"metric": "rate", "value": rate, "unit": "MB/s"}],
        })  # fmt: skip
    held = {"perfhouse_manifest": 1, "campaign": "life", "run": runs,
            "factors": {"source": "A", "target": "B"}}  # fmt: skip
    file.write_text(json.dumps(held))
    return file


def check(warehouse: Warehouse, build_id: str) -> list[tuple[str, str]]:
    """Build the marts that are read, and judge: (metric, state) of each event."""
    environment = os.environ | {
        "PERFHOUSE_WORK": str(warehouse.work),
        "DBT_TARGET_PATH": str(warehouse.lake / "target"),
        "DBT_LOG_PATH": str(warehouse.lake / "log"),
    }
    command = [
        *(str(Path(sys.executable).with_name("dbt")), "build", "--select"),
        *("+fct_measurement", "+dim_configuration"),
        *("--exclude-resource-type", "test", "--exclude-resource-type", "unit_test"),
        *("--project-dir", str(DBT_PROJECT), "--profiles-dir", str(DBT_PROJECT)),
    ]
    with warehouse.open_work():
        pass  # defines the views of raw
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    with warehouse.open_work() as db:
        events = judge_build(db, warehouse.regressions, build_id, read_limits()).events
    return [(event["metric"], event["state"]) for event in events]


@pytest.mark.timeout(600)
def test_a_regression_lives_from_its_first_night_to_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    said, begin = [], 0
    for end in (26, 40):  # within it, after it
        steps.ingest_paths(warehouse, [manifest(tmp_path / f"{end}.json", range(begin, end))])
        said.append(check(warehouse, f"b{end}"))
        begin = end
        if end == 26:
            warehouse.publish()
            assert cli.main(["regressions", "--warehouse", str(warehouse.file)]) == 0
            listed = capsys.readouterr().out
    assert said == [[("rate", "new")], [("rate", "fixed")]]
    assert "new" in listed
    with warehouse.connect() as db:  # the published file is of the build before: its view is live
        (state,) = db.execute(
            "SELECT state, onset_run_id, recovered_run_id, change_percent, is_open "
            "FROM meta.regression"
        ).fetchall()
    assert state[:3] == ("fixed", f"n{SLOW:03}", f"n{FIXED:03}")
    assert state[3] == pytest.approx(-10, abs=1)
    assert not state[4]
