"""The figures of a benchmark are a valid run manifest."""

import json
from datetime import UTC, datetime, timedelta

from ingest.formats.bench import manifest as ingested
from tests.bench.manifest import CAMPAIGN, manifest

START = datetime(2026, 3, 1, 10, tzinfo=UTC)


def timed(after, seconds):
    """Return the figures of a timed process."""
    begun = START + timedelta(seconds=after)
    figures = {"seconds": seconds, "cpu_seconds": 2 * seconds, "peak_mb": 300.0, "other": {}}
    return figures | {
        "begun": begun.isoformat(),
        "wall_seconds": seconds + 0.5,
        "bytes": 300 << 20,
    }


def test_every_timed_process_is_a_run_with_its_figures():
    parts = {
        "load": {"begun": START, "ended": START, "runs": {"decode": [timed(0, 2), timed(5, 3)],
                                                          "DuckDB": [timed(9, 4)]}},
        "fuzz": {"begun": START + timedelta(minutes=1), "ended": START + timedelta(minutes=2),
                 "mutants": 100, "broken": [["cut", 7]], "slowest_seconds": 1.5},
    }  # fmt: skip
    parsed = ingested.parse(json.dumps(manifest(parts, quick=False)).encode())
    assert parsed.rejected == []
    runs = parsed.tables["bench_run"]
    assert set(runs["campaign"]) == {CAMPAIGN}
    assert runs["repetition"].to_list() == [1, 2, 1, 1]
    figures = parsed.tables["bench_measurement"]
    metrics = {(row["metric"], round(row["value"], 3), row["unit"]) for row in figures.to_dicts()}
    assert {("rate", 150.0, "MB/s"), ("rate", 100.0, "MB/s"), ("rate", 75.0, "MB/s"),
            ("cpu_seconds", 4.0, "CPU s"), ("fuzz_broken", 1.0, "files")} <= metrics  # fmt: skip
    labels = parsed.tables["bench_run_label"]
    assert {"machine", "git_revision"} <= set(labels["label"])
