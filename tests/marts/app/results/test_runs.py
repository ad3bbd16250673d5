"""Runs that a manifest declares and cannot give."""

from app.results.queries.runs import refused
from app.results.reader import Reader


def test_run_that_stops_before_it_starts_is_listed_with_its_place(cases):
    listed = refused(Reader(cases), "simulated").rows(named=True)
    (row,) = [row for row in listed if row["run_id"] is None]
    assert row == listed[-1]
    assert row["file"].endswith("runs: backwards.toml")
    assert row["refused"] == (
        "run 1: key stop is 2026-01-01 11:00:00 UTC, not after the start, 2026-01-01 11:10:00 UTC"
    )
    assert refused(Reader(cases), "measured").is_empty()
