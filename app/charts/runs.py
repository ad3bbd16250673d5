"""Figures of single runs in the order of time, and ratios with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from app.charts.style import (
    NUMBER,
    AnyChart,
    axis,
    height_with_legend,
    legend,
    tooltip_of,
)

__all__ = ["over_runs", "ratios"]

_COLUMNS = 1  # names of configurations are long
_ROW = 20  # pixels
_AXIS = 60
_NAME = 340
_LEAST = 4.0  # percent that the axis shows each way


def over_runs(
    frame: pl.DataFrame,
    *,
    unit: str,
    order: Sequence[str],
    told: Mapping[str, str] | None = None,
    key: bool = True,
    height: int = 260,
) -> AnyChart:
    """A point a run, joined by a line within its configuration; hollow where it is not complete.

    `frame`: start_utc, configuration, value in `unit`, is_complete. `order`: the configurations in
    the order in which they take their colours. `told`: further columns that the tooltip tells.
    """
    legends = legend(_COLUMNS, symbol="circle", orient="bottom") if key else None
    base = alt.Chart(frame).encode(
        x=alt.X("start_utc:T", axis=alt.Axis(title="start of the run, UTC", grid=False)),
        y=alt.Y("value:Q", scale=alt.Scale(zero=False), axis=axis(unit)),
        color=alt.Color("configuration:N", scale=alt.Scale(domain=list(order)), legend=legends),
    )
    tooltip = [
        alt.Tooltip("configuration:N"),
        alt.Tooltip("start_utc:T", title="start, UTC", format="%Y-%m-%d %H:%M:%S"),
        alt.Tooltip("value:Q", title=unit, format=NUMBER),
        *(tooltip_of(frame, column, title) for column, title in (told or {}).items()),
    ]
    lines = base.transform_filter("datum.is_complete").mark_line(strokeWidth=1.2, opacity=0.6)
    points = base.mark_point(size=30, filled=True, opacity=1).encode(
        fillOpacity=alt.condition("datum.is_complete", alt.value(1), alt.value(0)),
        tooltip=tooltip,
    )
    return alt.layer(lines, points).properties(
        height=height_with_legend(height, len(order), _COLUMNS) if key else height
    )


def ratios(frame: pl.DataFrame, *, order: Sequence[str], verdicts: Mapping[str, str]) -> AnyChart:
    """A row a comparison: the change in percent and its interval, coloured by verdict.

    The axis spans the changes; an interval that reaches far beyond them is cut there.

    `frame`: name, change, low, high (percent; null ends are unknown), verdict. `order`: the names
    from above. `verdicts`: the verdicts and their colours.
    """
    color = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=list(verdicts), range=list(verdicts.values())),
        legend=legend(symbol="circle"),
    )
    y = alt.Y(
        "name:N",
        sort=list(order),
        axis=alt.Axis(title=None, labelLimit=_NAME, ticks=False, labelOverlap=False),
    )
    low, high = frame.select(
        low=pl.min_horizontal(pl.col("change").min(), pl.lit(-_LEAST)),
        high=pl.max_horizontal(pl.col("change").max(), pl.lit(_LEAST)),
    ).row(0)
    room = 0.25 * (high - low)
    scale = alt.Scale(domain=[max(low - room, -100), high + room], nice=False)
    x = alt.X("change:Q", scale=scale, axis=axis("change against the baseline, %"))
    base = alt.Chart(frame).encode(y=y, color=color)
    spans = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(
        strokeWidth=3, opacity=0.45, clip=True
    )
    zero = alt.Chart(pl.DataFrame({"none": [0.0]})).mark_rule(strokeDash=[4, 3], opacity=0.6)
    points = base.mark_point(size=60, filled=True, opacity=1).encode(
        x=x,
        tooltip=[
            alt.Tooltip("name:N", title="what"),
            alt.Tooltip("change:Q", title="change, %", format="+.2f"),
            alt.Tooltip("low:Q", title="from, %", format="+.2f"),
            alt.Tooltip("high:Q", title="to, %", format="+.2f"),
            alt.Tooltip("verdict:N"),
        ],
    )
    return alt.layer(
        zero.encode(x=alt.X("none:Q", scale=scale)),
        spans.encode(x=alt.X("low:Q", scale=scale), x2="high:Q"),
        points,
    ).properties(height=height_with_legend(len(order) * _ROW + _AXIS, len(verdicts)))
