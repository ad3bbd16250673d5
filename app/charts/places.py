"""Where one run stands among others: each metric as a ratio to the level of its series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from app.charts.style import GREY, PREDICTED, PUBLISHED, AnyChart, axis, height_with_legend, legend

__all__ = ["places"]

_ROW = 34  # pixels
_AXIS = 60
#: What stands in the chart, with its colour, shape and size.
_MARKS = {
    "other runs": (GREY, "circle", 40),
    "published": (PUBLISHED, "diamond", 110),
    "predicted": (PREDICTED, "triangle-up", 110),
    "this run": ("#d6455d", "circle", 120),
}


def places(frame: pl.DataFrame, *, order: Sequence[str], details: Mapping[str, str]) -> AnyChart:
    """Return one row per metric with the places of runs along it.

    `frame`: label (a metric), what ("this run", "other runs", "published", "predicted"), percent
    (from the level of the series), value, unit. `order`: the labels from top to bottom.
    `details`: more columns for the tooltip, and their titles.
    """
    present = [kind for kind in _MARKS if kind in set(frame["what"])]
    colour, shape, size = zip(*(_MARKS[kind] for kind in present), strict=True)
    legends = legend(symbol="circle")
    base = alt.Chart(frame).encode(
        y=alt.Y("label:N", sort=list(order), axis=alt.Axis(title=None, labelLimit=240)),
        x=alt.X("percent:Q", axis=axis("from the level of its series, %")),
    )
    zero = (
        alt.Chart(pl.DataFrame({"none": [0.0]}))
        .mark_rule(strokeDash=[4, 3], opacity=0.6)
        .encode(x="none:Q")
    )
    points = base.mark_point(filled=True).encode(
        color=alt.Color(
            "what:N", scale=alt.Scale(domain=present, range=list(colour)), legend=legends
        ),
        shape=alt.Shape("what:N", scale=alt.Scale(domain=present, range=list(shape)), legend=None),
        size=alt.Size("what:N", scale=alt.Scale(domain=present, range=list(size)), legend=None),
        opacity=alt.condition("datum.what == 'other runs'", alt.value(0.35), alt.value(1)),
        order=alt.Order("rank:Q"),
        tooltip=[
            alt.Tooltip("what:N", title=" "),
            alt.Tooltip("label:N", title="metric"),
            alt.Tooltip("percent:Q", title="from the level, %", format="+.1f"),
            *(alt.Tooltip(column, title=title) for column, title in details.items()),
        ],
    )
    ranked = frame.with_columns(
        rank=pl.col("what").replace_strict(
            {kind: i for i, kind in enumerate(_MARKS)}, return_dtype=pl.Int64
        )
    )
    return alt.layer(zero, points.properties(data=ranked)).properties(
        height=height_with_legend(len(order) * _ROW + _AXIS, len(present))
    )
