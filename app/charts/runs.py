"""Single runs over time, and changes with their confidence intervals."""

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
_NAME = 420
_LEAST = 4.0  # percent that the axis shows to either side, at least


def over_runs(
    frame: pl.DataFrame,
    *,
    unit: str,
    order: Sequence[str],
    details: Mapping[str, str] | None = None,
    key: bool = True,
    height: int = 260,
) -> AnyChart:
    """Return one point per run, hollow if it counts in no comparison, and a line per configuration.

    `frame`: start_utc, configuration, value in `unit`, is_compared. `order`: the order in which
    configurations take their colours. `details`: more columns for the tooltip, and their titles.
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
        *(tooltip_of(frame, column, title) for column, title in (details or {}).items()),
    ]
    lines = base.transform_filter("datum.is_compared").mark_line(strokeWidth=1.2, opacity=0.6)
    points = base.mark_point(size=30, filled=True, opacity=1).encode(
        fillOpacity=alt.condition("datum.is_compared", alt.value(1), alt.value(0)),
        tooltip=tooltip,
    )
    return alt.layer(lines, points).properties(
        height=height_with_legend(height, len(order), _COLUMNS) if key else height
    )


def ratios(frame: pl.DataFrame, *, order: Sequence[str], verdicts: Mapping[str, str]) -> AnyChart:
    """Return one row per comparison: the change and its interval, coloured by verdict.

    The axis covers the changes; intervals that reach far beyond them are cut off.

    `frame`: name, change, low, high (percent; null: unknown), verdict. `order`: the names from top
    to bottom. `verdicts`: the verdicts and their colours.
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
    x = alt.X("change:Q", scale=scale, axis=axis("change from baseline, %"))
    base = alt.Chart(frame).encode(y=y, color=color)
    spans = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(
        strokeWidth=3, opacity=0.45, clip=True
    )
    zero = alt.Chart(pl.DataFrame({"none": [0.0]})).mark_rule(strokeDash=[4, 3], opacity=0.6)
    points = base.mark_point(size=60, filled=True, opacity=1).encode(
        x=x,
        tooltip=[
            alt.Tooltip("name:N", title="metric"),
            alt.Tooltip("change:Q", title="change, %", format="+.2f"),
            alt.Tooltip("low:Q", title="95 % interval from, %", format="+.2f"),
            alt.Tooltip("high:Q", title="95 % interval to, %", format="+.2f"),
            alt.Tooltip("verdict:N"),
        ],
    )
    return alt.layer(
        zero.encode(x=alt.X("none:Q", scale=scale)),
        spans.encode(x=alt.X("low:Q", scale=scale), x2="high:Q"),
        points,
    ).properties(height=height_with_legend(len(order) * _ROW + _AXIS, len(verdicts)))
