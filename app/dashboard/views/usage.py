"""Who used CPUs, zIIPs and MQ, by hour or day, with or without benchmark runs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import polars as pl
import streamlit as st

from app.charts.stacked import stacked
from app.charts.time import Span
from app.dashboard import components, filters, session
from app.results.queries import usage as queries
from app.results.reader import Reader

_MOST = 7  # names with a colour of their own
_HOURLY = timedelta(days=4)  # longer times are shown by day
_EVERY = "all"


def draw(reader: Reader) -> None:
    """Draw the page."""
    known = queries.subjects(reader)
    if known.is_empty():
        components.header("Usage")
        components.empty(
            "No intervals are loaded. Load SMF 30, 70 and 72 for CPU time, and 115 and 116 for MQ."
        )
        return
    with st.sidebar:
        origins = known["origin"].unique(maintain_order=True).to_list()
        origin = filters.switch("Origin", origins, "origin")
        here = known.filter(pl.col("origin") == origin)
        found = set(here["subject"])
        subject = filters.choice("Of", [s for s in queries.SUBJECTS if s in found], "subject")
        systems = here.filter(pl.col("subject") == subject)["system_id"].to_list()
        system = filters.choice("System", [_EVERY, *systems], "system")
        of = "" if system == _EVERY else system
        start, end = filters.time_range(*queries.time_of(reader, origin, subject, of))
    components.header(
        "Usage", "By hour or day, from SMF. These hours stay when old records are removed.", origin
    )
    daily = end - start > _HOURLY
    with components.panels():
        for measure in queries.SUBJECTS[subject]:
            amounts = queries.over_time(
                reader, origin, subject, of, measure, start, end, daily=daily, most=_MOST
            )
            chart = None
            if not amounts.is_empty():
                totals = amounts.group_by("series").agg(pl.col("value").sum())
                order = totals.sort(
                    pl.col("series") == "others", -pl.col("value"), "series"
                )["series"].to_list()  # fmt: skip
                step = "day" if daily else "hour"
                chart = stacked(
                    amounts, unit=f"{measure.unit} per {step}", span=Span(start, end), order=order
                )
            components.panel(measure.label, chart, empty="Nothing was used in this time range.")
    _days(reader, origin, subject, of, start, end)


def _days(reader: Reader, *of: Any) -> None:
    days = queries.by_day(reader, *of)
    components.section("By day", "The largest first; at most 5,000 rows.")
    if days.is_empty():
        components.info("No hour is in this time range.", "filter_alt_off")
        return
    components.table(
        days,
        "usage_by_day",
        columns={
            "day": st.column_config.DateColumn("Day, UTC", format="YYYY-MM-DD"),
            "system": st.column_config.TextColumn("System"),
            "name": st.column_config.TextColumn("Name"),
            "hours": components.count("Hours"),
            **{
                f"m{i}": st.column_config.NumberColumn(
                    f"{measure.label}, {measure.unit}", format="%.4g"
                )
                for i, measure in enumerate(queries.SUBJECTS[of[1]])
            },
        },
    )


if __name__ == "__main__":
    draw(session.reader())
