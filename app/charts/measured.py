"""Measured figures by configuration, with their spread, and the published figure beside."""

from __future__ import annotations

import altair as alt
import polars as pl

from app.charts.style import (
    COLORS,
    NUMBER,
    PUBLISHED,
    AnyChart,
    axis,
    decades,
    height_with_legend,
    legend,
    names_axis,
    row_of,
)

__all__ = ["measured"]

_ROW = 20  # pixels
_AXIS = 50
_WHAT = {"this campaign": (COLORS[0], "circle"), "published": (PUBLISHED, "diamond")}


def measured(
    frame: pl.DataFrame,
    *,
    name: str,
    unit: str,
    label_width: int = 300,
    line: int = 52,
    log_values: bool = False,
) -> AnyChart:
    """Return a bar for each row, with a line from its lowest to its highest run.

    `log_values`: a point on a logarithmic axis instead of a bar, where the smallest would vanish.

    `frame`: `name`, value, low and high in `unit`; if it has published, a diamond marks that
    figure. `label_width`: pixels for the names; `line`: letters of a name in one line.
    """
    rows = frame.with_columns(
        pl.col(name).cast(pl.String).alias("name"), what=pl.lit("this campaign")
    )
    order = rows["name"].unique(maintain_order=True).to_list()
    y = alt.Y(
        "name:N",
        sort=order,
        axis=names_axis(order, line, label_width),
    )
    has_published = "published" in rows.columns and rows["published"].drop_nulls().len() > 0
    present = list(_WHAT) if has_published else ["this campaign"]
    color = alt.Color(
        "what:N",
        scale=alt.Scale(domain=present, range=[_WHAT[what][0] for what in present]),
        legend=legend(symbol="square") if has_published else None,
    )
    tooltip = [
        alt.Tooltip("name:N", title="configuration"),
        alt.Tooltip("value:Q", title=f"median, {unit}", format=NUMBER),
        alt.Tooltip("low:Q", title="lowest run", format=NUMBER),
        alt.Tooltip("high:Q", title="highest run", format=NUMBER),
    ]
    base = alt.Chart(rows).encode(y=y)
    drawn = rows.select(pl.col({"value", "low", "high", "published"} & set(rows.columns)))
    least, most = drawn.min().min_horizontal()[0], drawn.max().max_horizontal()[0]
    x = alt.X("value:Q", **(decades(unit, least, most) if log_values else {"axis": axis(unit)}))
    mark = (
        base.mark_point(filled=True, size=70, opacity=1)
        if log_values
        else base.mark_bar(cornerRadiusEnd=2, opacity=0.75)
    )
    layers = [
        mark.encode(x=x, color=color, tooltip=tooltip),
        base.transform_filter("datum.high > datum.low")
        .mark_rule(strokeWidth=2)
        .encode(x=alt.X("low:Q"), x2="high:Q"),
    ]
    if has_published:
        layers.append(
            alt.Chart(rows.drop_nulls("published").with_columns(what=pl.lit("published")))
            .mark_point(filled=True, shape="diamond", size=90, opacity=1)
            .encode(
                y=y,
                x=alt.X("published:Q"),
                color=color,
                tooltip=[alt.Tooltip("published:Q", title=f"published, {unit}", format=NUMBER)],
            )
        )
    height = len(order) * row_of(order, line, _ROW) + _AXIS
    return alt.layer(*layers).properties(
        height=height_with_legend(height, len(present)) if has_published else height
    )
