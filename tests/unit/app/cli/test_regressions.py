"""What `perfhouse regressions export` says beside the sessions: the plot."""

from __future__ import annotations

import json

import pytest

from app.cli.main import main
from ingest.lake.warehouse import Warehouse


def test_an_export_has_the_plot(judged: Warehouse, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["regressions", "export", "--warehouse", str(judged.file)]
    assert main(command) == 0
    rows = json.loads(capsys.readouterr().out)
    (leader,) = [row for row in rows if row["leads"]]
    band, points, levels = (layer["data"]["values"] for layer in leader["plot"]["layer"])
    assert len(points) == 40
    assert [round(level["level"], 2) for level in levels] == pytest.approx([1, 1.12], abs=0.03)
    parts = [point["part"] for point in points]
    onset = parts.index("after")
    assert parts == ["before"] * onset + ["after"] * (40 - onset)
    assert points[onset]["run"] == leader["onset_run_id"]
    assert levels[0]["to"] < levels[1]["from"] == points[onset]["start"]
    assert band[0]["low"] < levels[1]["level"] < band[0]["high"]
    assert main([*command, "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + len(rows)
    assert "plot" not in lines[0]
