"""Values at moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from app.charts.style import (
    HEIGHT,
    NUMBER,
    AnyChart,
    axis,
    columns_of,
    height_with_legend,
    legend,
    tooltip_of,
)
from app.charts.time import Span, time_axis

__all__ = ["at_moments"]

_MOMENT = "%Y-%m-%d %H:%M:%S"


def at_moments(
    frame: pl.DataFrame,
    *,
    unit: str,
    span: Span,
    order: Sequence[str],
    details: Mapping[str, str] | None = None,
    title: str = "",
) -> AnyChart:
    """Return a point for each value, and a line through those of a series.

    `frame`: moment (UTC), series, value in `unit`. `order`: all series, in the order in which they
    take their colours. `details`: more columns for the tooltip, and their titles. `title`: of the
    time axis, with its clock.
    """
    # Vega formats times in the viewer's zone, so the tooltip's times are formatted here.
    timed = span.clock.shown(frame).with_columns(time=pl.col("moment").dt.strftime(_MOMENT))
    columns = columns_of(order)
    base = alt.Chart(timed).encode(
        x=time_axis("moment", span, title),
        y=alt.Y("value:Q", scale=alt.Scale(domainMin=0), axis=axis(unit)),
        color=alt.Color(
            "series:N",
            scale=alt.Scale(domain=list(order)),
            legend=legend(columns, symbol="circle"),
        ),
    )
    points = base.mark_point(size=28, filled=True, opacity=1).encode(
        tooltip=[
            alt.Tooltip("series:N", title="series"),
            alt.Tooltip("value:Q", title=unit, format=NUMBER),
            alt.Tooltip("time:N", title=span.clock.name),
            *(tooltip_of(frame, column, title) for column, title in (details or {}).items()),
        ]
    )
    lines = base.mark_line(strokeWidth=1.2, opacity=0.5)
    return alt.layer(lines, points).properties(
        height=height_with_legend(HEIGHT, len(order), columns)
    )
