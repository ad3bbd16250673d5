"""Draws arrivals: what came last when, and what is missing."""

from __future__ import annotations

import polars as pl
import streamlit as st

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
            "kind": st.column_config.TextColumn("Kind", width="small"),
            "name": st.column_config.TextColumn("Name", width="medium"),
            "state": st.column_config.TextColumn("State", width="small"),
            "last_utc": components.moment("Came last"),
            "expected_utc": components.moment("Expected"),
            "last_record_utc": components.moment("Newest record"),
            "usual_hours": st.column_config.NumberColumn("Usually every, h", format="%.1f"),
            "arrivals": components.count("Arrivals"),
            "origin": st.column_config.TextColumn("Origin", width="small"),
        },
    )
