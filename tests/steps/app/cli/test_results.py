"""From a table of results to a verdict in one command, a comparison and a report."""

import json
import random
from datetime import UTC, datetime, timedelta

import duckdb
import pytest

from app.cli.main import main

STEP = 30


def table():
    """Return 50 nights of a benchmark, 8 % slower from the 31st on."""
    noise = random.Random(3)
    rows = ["start,stop,build,clients,requests_per_second,p95_ms"]
    for night in range(50):
        slower = 1.08 if night >= STEP else 1
        start = datetime(2026, 1, 5, 3, tzinfo=UTC) + timedelta(days=night)
        rate, p95 = 1000 / slower * noise.gauss(1, 0.01), 40 * slower * noise.gauss(1, 0.012)
        times = f"{start.isoformat()},{(start + timedelta(minutes=5)).isoformat()}"
        rows.append(f"{times},b{night:03},64,{rate:.1f},{p95:.2f}")
    return "\n".join(rows) + "\n"


def compared(capsys, baseline, candidate, status=1):
    """Return the judgement of each metric of two files."""
    sides = ["--baseline", str(baseline), "--candidate", str(candidate)]
    assert main(["compare", *sides, "--format", "json"]) == status
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    return {pair["metric"]: pair["judged"] for pair in pairs}


def test_a_step_in_a_table_is_found_in_one_command(tmp_path, capsys):
    (tmp_path / "results.csv").write_text(table())
    of_the_same_times = table().replace("p95", "p99").splitlines()[:4]
    (tmp_path / "other.csv").write_text("\n".join(of_the_same_times).replace(",b", ",c"))
    files = [str(tmp_path / name) for name in ("results.csv", "other.csv")]
    file = tmp_path / "w.duckdb"
    assert main(["run", *files, "--warehouse", str(file)]) == 1
    assert f"build b0{STEP}" in " ".join(capsys.readouterr().out.split())
    with duckdb.connect(str(file), read_only=True) as db:
        found = db.execute("SELECT metric, unit, more_is_better FROM marts.dim_metric "
                           "WHERE NOT is_derived ORDER BY 1").fetchall()  # fmt: skip
        assert db.execute("FROM marts.fct_run SELECT count(*)").fetchall() == [(50 + 3,)]
        assert db.execute("FROM marts.fct_run_refused").fetchall() == []
    assert found == [
        ("p95", "ms", False),
        ("p99", "ms", False),
        ("requests_per_second", "1/s", True),
    ]
    header, *rows = table().splitlines()
    for name, part in (("before", rows[:STEP]), ("after", rows[STEP:])):
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *part]))
    of_files = compared(capsys, tmp_path / "before.csv", tmp_path / "after.csv")
    capsys.readouterr()
    sides = "b000..b029", "b030..b049"
    assert main(["compare", *sides, "--format", "json", "--warehouse", str(file)]) == 1
    of_runs = json.loads(capsys.readouterr().out)["pairs"]
    assert len(of_runs) == 2
    for pair in of_runs:
        judged = of_files[pair["metric"]]
        for name in ("verdict", "unit", "noise_source", "reason"):
            assert judged.pop(name) == pair["judged"].pop(name) != "better"
        assert judged == pytest.approx(pair["judged"], nan_ok=True)
    out = tmp_path / "c.md"
    assert main(["report", "campaign", "--warehouse", str(file), "--out", str(out)]) == 0
    said = out.read_text()
    assert f"| b0{STEP} |" in said
    assert "p95 rose from" in said
    assert "| Configuration | p95, ms | Requests per second |" in said
    assert "Not recorded" not in said
    # The file grows by a night, and a figure of another is corrected.
    rows[7] = rows[7].rpartition(",")[0] + ",39.99"
    rows.append("2026-03-01T03:00:00+00:00,2026-03-01T03:05:00+00:00,b050,64,925.9,43.2")
    (tmp_path / "results.csv").write_text("\n".join([header, *rows]))
    assert main(["run", files[0], "--warehouse", str(file)]) == 1
    copy = tmp_path / "copy.duckdb"  # as the file that it replaces is still open here
    copy.write_bytes(file.read_bytes())
    of_p95 = "WHERE run_id = 'results-20260112T030000' AND metric = 'p95'"
    with duckdb.connect(str(copy), read_only=True) as db:
        runs = db.execute("SELECT campaign, count(*) FROM marts.fct_run GROUP BY 1 ORDER BY 1")
        assert runs.fetchall() == [("other", 3), ("results", 51)]
        refused = db.execute("SELECT run_id, refused FROM marts.fct_run_refused").fetchall()
        assert [run_id for run_id, _ in refused] == ["results-20260112T030000"]
        assert refused[0][1].startswith("corrected by load ")
        figures = db.execute(f"SELECT value FROM marts.fct_measurement {of_p95}").fetchall()
        assert figures == [(39.99,)]
