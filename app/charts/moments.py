"""Values at moments and of days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

import altair as alt
import polars as pl

from app.charts.style import HEIGHT, NUMBER, AnyChart, axis, height_with_legend, legend, tooltip_of

__all__ = ["at_moments", "of_days"]

_MOMENT = "%Y-%m-%d %H:%M:%S"


def at_moments(
    frame: pl.DataFrame,
    *,
    unit: str,
    order: Sequence[str],
    details: Mapping[str, str] | None = None,
) -> AnyChart:
    """Return a point for each value, and a line through those of a series.

    `frame`: moment (UTC), series, value in `unit`. `order`: the order in which series take their
    colours. `details`: more columns for the tooltip, and their titles.
    """
    found = set(frame["series"].unique())
    series = [one for one in order if one in found]
    # Vega formats times in the viewer's zone, so the tooltip's times are formatted here.
    base = alt.Chart(frame.with_columns(time=pl.col("moment").dt.strftime(_MOMENT))).encode(
        x=alt.X("moment:T", scale=alt.Scale(type="utc"), axis=_time_axis(frame)),
        y=alt.Y("value:Q", scale=alt.Scale(domainMin=0), axis=axis(unit)),
        color=alt.Color("series:N", scale=alt.Scale(domain=list(order)), legend=legend())
        if len(series) > 1
        else alt.Color("series:N", scale=alt.Scale(domain=list(order)), legend=None),
    )
    points = base.mark_point(size=28, filled=True, opacity=1).encode(
        tooltip=[
            alt.Tooltip("series:N", title="series"),
            alt.Tooltip("value:Q", title=unit, format=NUMBER),
            alt.Tooltip("time:N", title="UTC"),
            *(tooltip_of(frame, column, title) for column, title in (details or {}).items()),
        ]
    )
    lines = base.mark_line(strokeWidth=1.2, opacity=0.6)
    height = height_with_legend(HEIGHT, len(series)) if len(series) > 1 else HEIGHT
    return alt.layer(lines, points).properties(height=height)


def of_days(frame: pl.DataFrame, *, unit: str) -> AnyChart:
    """Return a bar for each day; `frame`: day, value in `unit`."""
    timed = frame.select(
        "value",
        begin=pl.col("day").cast(pl.Datetime("us")) + timedelta(hours=2),
        end=pl.col("day").cast(pl.Datetime("us")) + timedelta(hours=22),
        date=pl.col("day").dt.strftime("%Y-%m-%d"),
    )
    return (
        alt.Chart(timed)
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=alt.X(
                "begin:T",
                scale=alt.Scale(type="utc"),
                axis=_time_axis(timed.select(moment="begin")),
            ),
            x2="end:T",
            y=alt.Y("value:Q", axis=axis(unit)),
            tooltip=[
                alt.Tooltip("date:N", title="day, UTC"),
                alt.Tooltip("value:Q", title=unit, format=NUMBER),
            ],
        )
        .properties(height=HEIGHT)
    )


def _time_axis(frame: pl.DataFrame) -> alt.Axis:
    first, last = frame.select(first=pl.col("moment").min(), last=pl.col("moment").max()).row(0)
    days = (last - first) / timedelta(days=1)
    return alt.Axis(
        title="time, UTC",
        grid=False,
        tickCount=6,
        labelOverlap=True,
        format="%H:%M" if days <= 1 else "%d %b %H:%M" if days <= 4 else "%d %b",
        titlePadding=4,
    )
