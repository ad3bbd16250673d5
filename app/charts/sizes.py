"""Values by file size, or by another factor with numbers, one colour per configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from app.charts.style import (
    NUMBER,
    AnyChart,
    axis,
    columns_of,
    decades,
    height_with_legend,
    legend,
    tooltip_of,
)

__all__ = ["by_size"]

_WHOLE, _BROKEN = ",d", ",.3~f"  # formats of levels


def by_size(
    frame: pl.DataFrame,
    *,
    unit: str,
    order: Sequence[str],
    details: Mapping[str, str] | None = None,
    key: bool = True,
    height: int = 290,
    level: str = "file_size_mb",
    title: str = "file size, MB",
    log: bool = True,
    log_values: bool = False,
    labels: Mapping[int, str] | None = None,
) -> AnyChart:
    """Return lines over file size, or another factor, on a logarithmic or linear scale.

    `frame`: configuration, `level` (a number, which the axis calls `title`), value in `unit`;
    if it has is_suspect, a ring marks doubtful values; if it has low and high, a bar spans them.
    `order`: the order in which configurations take their colours. `details`: more columns for the
    tooltip, and their titles. `key`: whether to draw a legend. `log_values`: a logarithmic
    axis, for series of which the smaller would vanish. `labels`: of levels in words, such as sizes
    of files.
    """
    levels = sorted(frame[level].unique().to_list())
    is_whole = all(float(level_).is_integer() for level_ in levels)
    scale = alt.Scale(type="log", base=2, nice=False, padding=18) if log else alt.Scale(padding=18)
    x = alt.X(
        f"{level}:Q",
        scale=scale,
        axis=alt.Axis(
            title=f"{title} (log scale)" if log else title,
            values=levels,
            format=_WHOLE if is_whole else _BROKEN,
            labelOverlap=True,
            labelSeparation=6,
            grid=False,
            labelExpr=f"({json.dumps(dict(labels))})[datum.value]" if labels else alt.Undefined,
        ),
    )
    spread = {"low", "high"} <= set(frame.columns)
    most = frame["high" if spread else "value"].max() or 1
    # room for the ring around the highest point
    upto = alt.Scale(domainMin=0, domainMax=1.08 * float(most), nice=False)  # type: ignore[arg-type]
    least = frame["low" if spread else "value"].min()
    shown = decades(unit, float(least), float(most)) if log_values else {  # type: ignore[arg-type]
        "scale": upto, "axis": axis(unit),
    }  # fmt: skip
    y = alt.Y("value:Q", **shown)
    columns = columns_of(order)
    legends = legend(columns, symbol="circle", orient="bottom") if key else None
    color = alt.Color("configuration:N", scale=alt.Scale(domain=list(order)), legend=legends)
    shape = alt.Shape("configuration:N", scale=alt.Scale(domain=list(order)), legend=legends)
    tooltip = [
        alt.Tooltip("configuration:N"),
        alt.Tooltip(f"{level}:Q", title=title, format=_WHOLE if is_whole else _BROKEN),
        alt.Tooltip("value:Q", title=unit, format=NUMBER),
        *(tooltip_of(frame, column, title) for column, title in (details or {}).items()),
    ]
    base = alt.Chart(frame).encode(x=x, y=y, color=color)
    layers: list[alt.Chart] = [
        base.mark_line(strokeWidth=1.75),
        base.mark_point(size=55, filled=True, opacity=1).encode(shape=shape, tooltip=tooltip),
    ]
    if spread:
        layers.insert(1, base.mark_rule(strokeWidth=3, opacity=0.45).encode(y="low:Q", y2="high:Q"))
    if "is_suspect" in frame.columns and frame["is_suspect"].any():
        layers.append(
            alt.Chart(frame.filter(pl.col("is_suspect")))
            .mark_point(shape="circle", size=230, strokeWidth=1.5, strokeDash=[3, 2], filled=False)
            .encode(x=x, y=y, color=color, tooltip=tooltip)
        )
    return alt.layer(*layers).properties(
        height=height_with_legend(height, len(order), columns) if key else height
    )
