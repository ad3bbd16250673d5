"""A chart of columns that a person chose."""

from __future__ import annotations

from typing import Literal

import altair as alt
import polars as pl

from app.charts.style import AnyChart, axis, legend, tooltip_of

__all__ = ["KINDS", "chosen"]

Kind = Literal["line", "point", "bar"]
#: The kinds of charts by what a page calls them.
KINDS: dict[str, Kind] = {"lines": "line", "points": "point", "bars": "bar"}
_HEIGHT = 360  # pixels
_MOMENT = "%Y-%m-%d %H:%M"


def chosen(frame: pl.DataFrame, kind: Kind, *, x: str, y: str, series: str | None) -> AnyChart:
    """Return a chart of column `y`, a number, by `x`, with one colour per value of `series`."""
    moment = frame.schema[x].is_temporal()
    names = [x, y, *([series] if series else [])]
    data = frame.select(pl.col(n).alias(f"c{i}") for i, n in enumerate(names))
    if moment:
        began = pl.col("c0").cast(pl.Datetime("us"))  # the tooltip writes it in UTC
        data = data.with_columns(began, t=began.dt.strftime("%Y-%m-%d %H:%M:%S"))
    field = "T" if moment else "Q" if frame.schema[x].is_numeric() and kind != "bar" else "N"
    encoding: dict[str, object] = {
        "x": alt.X(
            "c0:T",
            title=f"{x}, UTC",
            scale=alt.Scale(type="utc"),
            axis=alt.Axis(format=_MOMENT, tickCount=5, labelOverlap=True),
        )
        if moment
        else alt.X(f"c0:{field}", title=x),
        "y": alt.Y("c1:Q", scale=alt.Scale(zero=kind == "bar"), axis=axis(y)),
        "tooltip": [
            alt.Tooltip("t:N", title=f"{x}, UTC") if moment else tooltip_of(data, "c0", x),
            tooltip_of(data, "c1", y),
        ],
    }
    if series:
        encoding["color"] = alt.Color("c2:N", legend=legend(2, symbol="circle"))
    base = alt.Chart(data)
    marks = {"line": base.mark_line(point=True), "point": base.mark_point(filled=True)}
    return marks.get(kind, base.mark_bar()).encode(**encoding).properties(height=_HEIGHT)
