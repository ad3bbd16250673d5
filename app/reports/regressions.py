"""The report of regressions: each with its series, where the change is, and what was decided."""

from __future__ import annotations

import polars as pl

from app.charts.bars import bars
from app.reports.page import Page
from app.results.labels import metric_label
from app.results.queries import regressions as queries
from app.results.reader import Reader
from app.results.regressions import plot, split_of

__all__ = ["regressions_report"]

_MOST_PARTS = 12


def regressions_report(reader: Reader) -> Page:
    """Return the report of the open regressions, and the list of all."""
    known = queries.known(reader)
    open_ones = known.filter(pl.col("state").is_in(queries.OPEN), "leads")
    origins = known["origin"].unique().to_list()
    page = Page(
        "Regressions",
        f"{open_ones.height} open, {known.height} in total.",
        origins[0] if len(origins) == 1 else None,
    )
    for row in open_ones.iter_rows(named=True):
        page.section(f"{row['regression_id']} ({row['state']})", row["message"])
        if row["metric"]:
            chart = plot(row, queries.runs_of(reader, row)) | {"title": ""}
            page.drawn(f"{metric_label(row['metric'])}, by run", chart)
        split = split_of(row)
        parts = split.filter(pl.col("dimension") != "figure")
        for (dimension, unit), part in parts.group_by("dimension", "unit", maintain_order=True):
            page.chart(
                f"Change by {dimension}",
                bars(part.head(_MOST_PARTS), name="name", value="change", unit=f"change, {unit}"),
            )
        others = split.filter(pl.col("dimension") == "figure")
        if not others.is_empty():
            page.note("Means of other metrics of the same runs:")
            page.table(
                others, {"name": "Metric", "before": "Before", "after": "After", "unit": "Unit"}
            )
    if not known.is_empty():
        page.section("All regressions")
        page.table(
            known,
            {
                "regression_id": "Regression",
                "state": "State",
                "onset_utc": "Since, UTC",
                "onset_build": "Build",
                "message": "Description",
                "note": "Note",
            },
        )
    return page
