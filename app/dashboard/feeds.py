"""Draws feeds: kinds of records by origin, and when they came."""

from __future__ import annotations

import polars as pl
import streamlit as st

from app.dashboard import components
from app.results.labels import issue_label

__all__ = ["draw_feeds"]


def draw_feeds(feeds: pl.DataFrame, name: str) -> None:
    """Draw feeds (from `queries.today.feeds`) as a table; `name`: of its file."""
    components.table(
        feeds.with_columns(
            pl.col("feed").map_elements(issue_label, return_dtype=pl.String),
            state=pl.when("is_late")
            .then(pl.lit("late"))
            .when(pl.col("usual").is_not_null())
            .then(pl.lit("on time")),
            usual_hours=pl.col("usual") / 3600,
        ),
        name,
        columns={
            "feed": st.column_config.TextColumn("Feed"),
            "origin": st.column_config.TextColumn("Origin", width="small"),
            "state": st.column_config.TextColumn("State", width="small"),
            "last_record_at": components.moment("Newest record"),
            "last_loaded_at": components.moment("Last load"),
            "usual_hours": st.column_config.NumberColumn("Usually every, h", format="%.1f"),
            "loads": components.count("Loads"),
        },
    )
