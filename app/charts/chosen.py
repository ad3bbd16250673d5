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


def chosen(frame: pl.DataFrame, kind: Kind, *, x: str, y: str, series: str | None) -> AnyChart:
    """Return a chart of column `y`, a number, by `x`, with one colour per value of `series`."""
    moment = frame.schema[x].is_temporal()
    names = [x, y, *([series] if series else [])]
    data = frame.select(pl.col(n).alias(f"c{i}") for i, n in enumerate(names))
    field = "T" if moment else "Q" if frame.schema[x].is_numeric() and kind != "bar" else "N"
    encoding: dict[str, object] = {
        "x": alt.X(f"c0:{field}", title=f"{x}, UTC", scale=alt.Scale(type="utc"))
        if moment
        else alt.X(f"c0:{field}", title=x),
        "y": alt.Y("c1:Q", scale=alt.Scale(zero=kind == "bar"), axis=axis(y)),
        "tooltip": [
            alt.Tooltip("c0:T", title=x, format="%Y-%m-%d %H:%M:%S", formatType="time")
            if moment
            else tooltip_of(data, "c0", x),
            tooltip_of(data, "c1", y),
        ],
    }
    if series:
        encoding["color"] = alt.Color("c2:N", legend=legend(2, symbol="circle"))
    base = alt.Chart(data)
    marks = {"line": base.mark_line(point=True), "point": base.mark_point(filled=True)}
    return marks.get(kind, base.mark_bar()).encode(**encoding).properties(height=_HEIGHT)
