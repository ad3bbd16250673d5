"""Runs that a manifest declares and cannot give."""

from app.results.answers import answers_of


def test_run_that_stops_before_it_starts_is_listed_with_its_place(cases):
    (refused,) = (a.frame for a in answers_of(cases, "loads") if a.title == "Refused runs")
    (row,) = refused.filter(refused["Run"].is_null()).rows(named=True)
    assert row["Manifest"].endswith("runs: backwards.toml")
    assert row["Why"] == (
        "run 1: key stop is 2026-01-01 11:00:00 UTC, not after the start, 2026-01-01 11:10:00 UTC"
    )
