"""Draws arrivals: what came last when, and what is missing."""

from __future__ import annotations

import polars as pl

from app.dashboard import components
from app.results.labels import issue_label

__all__ = ["draw_arrivals"]


def draw_arrivals(arrivals: pl.DataFrame, name: str) -> None:
    """Draw arrivals (from `queries.today.arrivals`) as a table; `name`: of its file."""
    is_feed = pl.col("kind") == "feed"
    components.table(
        arrivals.select(
            "kind",
            name=pl.when(is_feed)
            .then(pl.col("name").map_elements(issue_label, return_dtype=pl.String))
            .otherwise(pl.col("name")),
            state=pl.col("state"),
            last_utc=pl.col("last_utc"),
            expected_utc=pl.col("expected_utc"),
            last_record_utc=pl.col("last_record_utc"),
            usual_hours=pl.col("usual_seconds") / 3600,
            arrivals=pl.col("arrivals"),
            origin=pl.col("origin"),
        ),
        name,
        columns={
            "kind": "Kind",
            "name": "Name",
            "state": "State",
            "last_utc": "Came last",
            "expected_utc": "Expected",
            "last_record_utc": "Newest record",
            "usual_hours": "Usually every, h",
            "arrivals": "Arrivals",
            "origin": "Origin",
        },
    )
