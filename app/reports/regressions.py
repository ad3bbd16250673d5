"""The report of regressions: each with its series, where it lies and what was said of it."""

from __future__ import annotations

import json

import polars as pl

from app.charts.bars import bars
from app.reports.page import Page
from app.results.queries import regressions as queries
from app.results.reader import Reader
from app.results.regressions import plot

__all__ = ["regressions_report"]


def regressions_report(reader: Reader) -> Page:
    """The report of the open regressions, and the list of all."""
    known = queries.known(reader)
    open_ones = known.filter(pl.col("state").is_in(queries.OPEN), "leads")
    page = Page(
        "Regressions",
        f"{open_ones.height} open, {known.height} known in all.",
    )
    for row in open_ones.iter_rows(named=True):
        page.section(f"{row['regression_id']} ({row['state']})", row["message"])
        if row["metric"]:
            page.drawn(f"{row['metric']} of each run", plot(row, queries.runs_of(reader, row)))
        parts = pl.DataFrame(json.loads(row["parts"] or "[]"))
        if not parts.is_empty():
            split = parts.with_columns(change=pl.col("after") - pl.col("before"))
            page.chart(
                "Where it lies",
                bars(split.head(12), name="what", value="change", unit=f"change, {row['unit']}"),
            )
    if not known.is_empty():
        page.section("All that is known")
        page.table(
            known,
            {
                "regression_id": "Regression",
                "state": "State",
                "onset_utc": "Since, UTC",
                "onset_build": "Build",
                "message": "What",
                "note": "Note",
            },
        )
    return page
