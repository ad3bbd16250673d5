"""A predicted figure with its band, over the settings of one factor."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from app.charts.style import HEIGHT, NUMBER, AnyChart, axis

__all__ = ["banded"]


def banded(frame: pl.DataFrame, *, x: str, unit: str, order: Sequence[str] = ()) -> AnyChart:
    """Return a line with its band if `at` is a number, otherwise points with error bars.

    `frame`: at, predicted, low and high in `unit`. `x`: the title of
    the horizontal axis. `order`: names from left to right.
    """
    number = frame.schema["at"].is_numeric()
    whole = number and frame.select((pl.col("at") == pl.col("at").round()).all()).item()
    ticks = alt.Axis(title=x, tickMinStep=1 if whole else alt.Undefined, format="~s")
    across = (
        alt.X("at:Q", axis=ticks, scale=alt.Scale(zero=False, nice=False))
        if number
        else alt.X("at:N", title=x, sort=list(order), axis=alt.Axis(labelAngle=0))
    )
    y = alt.Y("predicted:Q", axis=axis(unit), scale=alt.Scale(zero=True))
    base = alt.Chart(frame).encode(x=across)
    span = base.mark_area(opacity=0.2) if number else base.mark_rule(strokeWidth=5, opacity=0.3)
    middle = base.mark_line(point=True) if number else base.mark_point(filled=True, size=70)
    return alt.layer(
        span.encode(y=alt.Y("low:Q", axis=axis(unit)), y2="high:Q"),
        middle.encode(
            y=y,
            tooltip=[
                alt.Tooltip("at", title=x),
                alt.Tooltip("predicted:Q", title=unit, format=NUMBER),
                alt.Tooltip("low:Q", title="10 %", format=NUMBER),
                alt.Tooltip("high:Q", title="90 %", format=NUMBER),
            ],
        ),
    ).properties(height=HEIGHT)
