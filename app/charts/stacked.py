"""Amounts over time: a stack of bars per step, one colour per series."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from app.charts.style import HEIGHT, NUMBER, AnyChart, axis, columns_of, height_with_legend, legend
from app.charts.time import Span, time_axis

__all__ = ["stacked"]


def stacked(
    frame: pl.DataFrame, *, unit: str, span: Span, order: Sequence[str], domain: Sequence[str] = ()
) -> AnyChart:
    """Return one stack of bars per step.

    `frame`: start, end (UTC), series, value in `unit`. `order`: the series from below, in the order
    in which they take their colours. `domain`: of the colours, from `Places` of the page.
    """
    columns = columns_of(order)
    piled = (
        span.clock.shown(frame)
        .with_columns(
            rank=pl.col("series").replace_strict(
                {name: i for i, name in enumerate(order)}, return_dtype=pl.Int64
            ),
            time=pl.format(
                "{} to {}",
                pl.col("start").dt.strftime("%Y-%m-%d %H:%M"),
                pl.col("end").dt.strftime("%Y-%m-%d %H:%M"),
            ),
        )
        .sort("start", "rank")
        .with_columns(high=pl.col("value").cum_sum().over("start"))
    )
    piled = piled.with_columns(low=pl.col("high") - pl.col("value"))
    return (
        alt.Chart(piled)
        .mark_rect(clip=True)
        .encode(
            x=time_axis("start", span),
            x2="end:T",
            y=alt.Y("low:Q", axis=axis(unit)),
            y2="high:Q",
            color=alt.Color(
                "series:N", scale=alt.Scale(domain=list(domain or order)),
                legend=legend(columns, symbol="square", values=order),
            ),
            tooltip=[
                alt.Tooltip("series:N", title="of"),
                alt.Tooltip("value:Q", title=unit, format=NUMBER),
                alt.Tooltip("time:N", title=span.clock.name),
            ],
        )
        .properties(height=height_with_legend(HEIGHT, len(order), columns))
    )  # fmt: skip
