"""What a series varies by: the distances of its runs from their level, and what they can show."""

from __future__ import annotations

import altair as alt
import polars as pl

from app.charts.style import GREY, HEIGHT, NUMBER, PREDICTED, AnyChart, axis

__all__ = ["distances", "smallest_changes"]

_BINS = 30


def distances(frame: pl.DataFrame) -> AnyChart:
    """Return how many runs are how far from their level; `frame`: percent."""
    return (
        alt.Chart(frame)
        .mark_bar(color=GREY)
        .encode(
            x=alt.X(
                "percent:Q",
                bin=alt.Bin(maxbins=_BINS),
                axis=alt.Axis(title="distance from the level, %", grid=False),
            ),
            y=alt.Y("count()", axis=axis("runs")),
            tooltip=[
                alt.Tooltip("percent:Q", bin=alt.Bin(maxbins=_BINS), title="distance, %"),
                alt.Tooltip("count()", title="runs"),
            ],
        )
        .properties(height=HEIGHT)
    )


def smallest_changes(frame: pl.DataFrame, *, least: float) -> AnyChart:
    """Return the smallest change that is shown by the runs a side, and the least that is reported.

    `frame`: runs, percent; `least`: percent.
    """
    base = alt.Chart(frame).encode(
        x=alt.X(
            "runs:Q",
            scale=alt.Scale(type="log", nice=False, padding=18),
            axis=alt.Axis(
                title="runs a side (log scale)",
                values=frame["runs"].to_list(),
                format="d",
                grid=False,
            ),
        ),
        y=alt.Y("percent:Q", scale=alt.Scale(domainMin=0), axis=axis("change, %")),
        tooltip=[
            alt.Tooltip("runs:Q", title="runs a side"),
            alt.Tooltip("percent:Q", title="smallest change, %", format=NUMBER),
        ],
    )
    rule = alt.Chart(pl.DataFrame({"percent": [least]})).encode(
        y="percent:Q",
        tooltip=[alt.Tooltip("percent:Q", title="least change that is reported, %", format=NUMBER)],
    )
    return alt.layer(
        rule.mark_rule(color=PREDICTED, strokeDash=[4, 3]),
        base.mark_line(color=GREY, strokeWidth=1.75),
        base.mark_point(color=GREY, size=55, filled=True, opacity=1),
    ).properties(height=HEIGHT)
