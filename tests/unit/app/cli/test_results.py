"""From a table of results to a verdict in one command, and what --dry-run prints."""

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import duckdb
import pytest
import yaml

from app.cli.main import main
from app.pipeline.places import ROOT
from ingest.formats import about
from ingest.lake.warehouse import Warehouse


def test_a_dry_run_says_what_each_column_is_and_loads_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("os.environ", {})
    file = tmp_path / "r.csv"
    file.write_text("when,clients,p95_ms\n2026-01-05T03:00:00,64,40.6\n")
    warehouse = ["--warehouse", str(tmp_path / "w.duckdb")]
    run = ["run", str(file), "--dry-run", *warehouse]
    assert main(run) == 2
    assert "r.csv:1: no column says when a run started" in capsys.readouterr().err
    assert main([*run, "--map", "start=when", "--time-zone", "UTC", "--label", "machine=m"]) == 0
    said = capsys.readouterr().out
    assert "figure p95" in said
    assert "1 run, 1 figure, campaign r" in said
    assert not (tmp_path / "w.duckdb").exists()


FACTS = """
SELECT run_id, start_utc, l.value AS build, m.value
FROM raw.bench_run JOIN raw.bench_run_label l USING (run_id)
JOIN raw.bench_measurement m USING (run_id) WHERE label = 'git_revision' ORDER BY ALL
"""


def facts(file):
    with duckdb.connect(str(file), read_only=True) as db:
        return db.execute(FACTS).fetchall()


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    """A warehouse of one table whose start, zone and build only options and settings say."""
    monkeypatch.setattr("os.environ", {})
    file = tmp_path / "r.csv"
    file.write_text("when,p95_ms\n2026-07-05T03:00:00,40.6\n")
    (tmp_path / "r.csv.results.toml").write_text('time_zone = "Europe/Berlin"')
    warehouse = tmp_path / "w.duckdb"
    given = ["--map", "start=when", "--label", "git_revision=b1"]
    assert main(["ingest", str(file), *given, "--warehouse", str(warehouse)]) == 0
    monkeypatch.setattr("os.environ", {})
    assert facts(warehouse) == [("r-20260705T030000", datetime(2026, 7, 5, 1), "b1", 40.6)]
    return warehouse


@pytest.mark.parametrize("settings", ['labels = { git_revision = "b9" }', None])
def test_a_reload_gives_the_same_rows_whatever_is_said_by_then(loaded, settings):
    before = facts(loaded)
    beside = loaded.with_name("r.csv.results.toml")
    beside.write_text(settings) if settings else beside.unlink()
    assert main(["reload", "--all", "--warehouse", str(loaded)]) == 0
    assert facts(loaded) == before


def test_a_damaged_load_is_repaired_with_the_same_rows(loaded):
    before = facts(loaded)
    raw = Warehouse(loaded).raw.resolve()
    for file in raw.glob("[!_]*/bench_run.*.parquet"):
        file.write_bytes(b"damaged")
    assert main(["reload", "--warehouse", str(loaded)]) == 0
    assert facts(loaded) == before


def test_a_file_that_is_given_again_says_what_was_said_otherwise(loaded, capsys):
    ingest = ["ingest", str(loaded.with_name("r.csv")), "--warehouse", str(loaded)]
    before = facts(loaded)
    assert main([*ingest, "--label", "git_revision=b1"]) == 0
    assert "loaded before" not in capsys.readouterr().err
    assert main([*ingest, "--label", "git_revision=b2", "--time-zone", "UTC"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "loaded before without time_zone UTC, git_revision=b2; its rows stay" in said
    assert facts(loaded) == before
    forget = said.split("'perfhouse ")[1].split("'")[0]
    assert main(forget.split()) == 0
    given = ["--map", "start=when", "--label", "git_revision=b2"]
    assert main([*ingest, *given, "--time-zone", "UTC"]) == 0
    assert facts(loaded) == [("r-20260705T030000", datetime(2026, 7, 5, 3), "b2", 40.6)]


# --- two files, without a warehouse


def k6(rate, p95, name=None):
    """Return a summary of k6; with a name, of a trend of one's own."""
    metrics = {"http_reqs": {"rate": rate}, name or "http_req_duration": {"avg": 1, "p(95)": p95}}
    return json.dumps({"metrics": metrics})


def test_files_of_several_runs_are_compared_for_a_pull_request(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side, factor in (("base", 1), ("new", 1.1)):
        (tmp_path / side).mkdir()
        for run in range(5):
            text = k6(1000 / factor + run, 40 * factor + run / 10)
            (tmp_path / side / f"{run}.json").write_text(text)
    sides = ["--baseline", "base", "--candidate", "new"]
    assert main(["compare", *sides, "--format", "markdown"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("### Worse: `candidate` against `baseline`")
    assert "| worse | HTTP request p95 | 40.2 | 44.2 | ms | +10.0 % |" in said
    assert "| worse | HTTP requests per second | 1,002 | 911.1 | per second | -9.1 % |" in said
    assert "Made by `perfhouse compare --baseline base --candidate new`" in said
    assert main(["compare", "--baseline", "base", "--candidate", "base"]) == 0
    assert {file.name for file in tmp_path.iterdir()} == {"base", "new"}


@pytest.mark.parametrize("number", [0, 1])
def test_the_ci_jobs_of_the_page_measure_and_compare(tmp_path, monkeypatch, number):
    """All but what installs and comments is run, with git and bench.sh of the test."""
    page = (ROOT / "docs" / "pull-requests.md").read_text("utf-8")
    job = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[number])
    if number == 0:
        steps = [step.get("run", "") for step in job["jobs"]["performance"]["steps"]]
    else:
        steps = job["performance"]["script"]
    kept = [step for step in steps if step and not step.startswith(("pip ", "gh "))]
    here, base, tools = (tmp_path / name for name in ("here", "base", "tools"))
    for folder, p95 in ((here, 44), (base, 40)):
        folder.mkdir()
        script = f"#!/bin/sh\necho '{k6(1000, p95)}' | sed s/{p95}/{p95}.$$/\n"
        (folder / "bench.sh").write_text(script)
        (folder / "bench.sh").chmod(0o755)
    tools.mkdir()
    (tools / "git").symlink_to(shutil.which("true"))
    path = f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(kept)], cwd=here, check=False,
        env=os.environ | {"PATH": path},
    )  # fmt: skip
    assert done.returncode == 1
    assert (here / "comparison.md").read_text().startswith("### Worse: `candidate`")


def test_tables_are_compared_as_map_and_time_zone_say(tmp_path, capsys, monkeypatch):
    for name in (about.MAP, about.ZONE):
        monkeypatch.setenv(name, "")  # the command changes it
    for side, p95 in (("a", 10), ("b", 12)):
        rows = [f"2026-01-0{day} 03:00:00,q{side},{p95 + day / 50}" for day in range(1, 6)]
        (tmp_path / f"{side}.csv").write_text("when,stand,p95_ms\n" + "\n".join(rows))
    given = ["--map", "start=when", "--map", "build=stand", "--time-zone", "Europe/Berlin"]
    sides = ["--baseline", str(tmp_path / "a.csv"), "--candidate", str(tmp_path / "b.csv")]
    assert main(["compare", *sides, *given, "--format", "markdown"]) == 1
    said = capsys.readouterr().out
    assert "| worse | p95 |" in said
    assert "--map start=when --map build=stand --time-zone Europe/Berlin`" in said
