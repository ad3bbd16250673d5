"""One regression from its first night until it is fixed: manifests, ingest, dbt and judgement."""

from __future__ import annotations

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from app.cli.main import main
from app.pipeline import steps
from expectations.limits import read_limits
from expectations.regressions.judge import judge_build
from ingest.warehouse import Warehouse

SLOW, FIXED = 20, 30


def manifest(file: Path, nights: range) -> Path:
    """Write one run per night of one configuration; its rate falls by 10 % and recovers."""
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
    """Build the marts and judge the runs; return (metric, state) of the campaign's events."""
    steps.build(warehouse)
    with warehouse.open_work() as db:
        events = judge_build(db, warehouse.regressions, build_id, read_limits()).events
    return [(row["metric"], row["state"]) for row in events if row["campaign"] == "life"]


@pytest.mark.timeout(600)
def test_a_regression_is_new_and_later_fixed(
    full: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = Warehouse(tmp_path / full.name)
    shutil.copytree(full.with_suffix(".lake"), warehouse.lake, symlinks=True)
    shutil.copy(full, warehouse.file)
    events, begin = [], 0
    for end in (26, 40):  # during the regression, after it
        steps.ingest_paths(warehouse, [manifest(tmp_path / f"{end}.json", range(begin, end))])
        events.append(check(warehouse, f"b{end}"))
        begin = end
        if end == 26:
            warehouse.publish()
            assert main(["regressions", "--warehouse", str(warehouse.file)]) == 0
            listed = capsys.readouterr().out
    assert events == [[("rate", "new")], [("rate", "fixed")]]
    assert "new" in listed
    # The published file is of an earlier build, but its view is live.
    with warehouse.connect() as db:
        (state,) = db.execute(
            "SELECT state, onset_run_id, recovered_run_id, change_percent, is_open "
            "FROM meta.regression WHERE campaign = 'life'"
        ).fetchall()
    assert state[:3] == ("fixed", f"n{SLOW:03}", f"n{FIXED:03}")
    assert state[3] == pytest.approx(-10, abs=1)
    assert not state[4]
