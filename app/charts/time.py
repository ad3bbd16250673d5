"""Figures over time: a step an interval, broken where no interval is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import altair as alt
import polars as pl

from app.charts.style import (
    HEIGHT,
    NUMBER,
    AnyChart,
    axis,
    height_with_legend,
    legend,
)

__all__ = ["Span", "by_series", "long", "over_time"]

# Intervals that follow each other may lie a little apart: a fraction of a second, or a late start.
_SLACK = timedelta(seconds=2)
_SHORT = 14  # letters: four such names fit side by side
# Intervals that cover less of the range than this are marked with points.
_SPARSE = 0.3
_MOMENT = "%Y-%m-%d %H:%M:%S"


class Span(NamedTuple):
    """The range of time that an axis shows, so that all charts of a page can show the same."""

    start: datetime
    end: datetime

    @classmethod
    def of(cls, frame: pl.DataFrame) -> Span:
        """From the first start to the last end of a frame, which must have rows."""
        return cls(*frame.select(pl.col("start").min(), pl.col("end").max()).row(0))


def long(frame: pl.DataFrame, series: Mapping[str, str]) -> pl.DataFrame:
    """Columns of measures turned into rows: queue_manager, start, end, series, value.

    `series` maps a column to its name in the legend. A series without any figure is left out, as
    is one that is zero throughout, unless all of them are.
    """
    turned = frame.select(
        "queue_manager", "start", "end", *(pl.col(column).cast(pl.Float64) for column in series)
    ).unpivot(
        on=list(series),
        index=["queue_manager", "start", "end"],
        variable_name="series",
        value_name="value",
    )
    turned = turned.filter(pl.col("value").is_not_null()).with_columns(
        pl.col("series").replace_strict(series, return_dtype=pl.String)
    )
    moving = turned.filter((pl.col("value") != 0).any().over("series"))
    return turned if moving.is_empty() else moving


def by_series(frame: pl.DataFrame, series: str, value: str) -> pl.DataFrame:
    """The rows that have a figure, as `long` gives them: the columns' names say what is what."""
    return frame.select(
        "queue_manager",
        "start",
        "end",
        pl.col(series).cast(pl.String).alias("series"),
        pl.col(value).cast(pl.Float64).alias("value"),
    ).drop_nulls("value")


def over_time(
    frame: pl.DataFrame,
    *,
    unit: str,
    span: Span,
    series: Sequence[str],
    low: float = 0,
    high: float | None = None,
    key: bool = True,
    height: int = HEIGHT,
) -> AnyChart:
    """Lines over time, one colour a series.

    `frame`: start and end (UTC), series, value in `unit`, of one queue manager. `series`: all of
    them, in the order in which they take their colours. `low`, `high`: the ends of the axis of
    values; without `high` it ends where the figures do. `key`: whether there is a legend.
    """
    if high is None:
        most = frame.select(pl.col("value").max()).item()
        high = low + 1 if most is None or most <= low else None
    columns = 4 if max(map(len, series)) <= _SHORT else 2
    days = (span.end - span.start) / timedelta(days=1)
    x = alt.X(
        "start:T",
        scale=alt.Scale(type="utc", domain=[_moment(span.start), _moment(span.end)]),
        axis=alt.Axis(
            title="time, UTC",
            grid=False,
            tickCount=6,
            labelOverlap=True,
            format="%H:%M" if days <= 1 else "%d %b %H:%M" if days <= 6 else "%d %b",
            titlePadding=4,
        ),
    )
    y = alt.Y(
        "value:Q",
        scale=alt.Scale(
            zero=False,
            nice=True,
            domainMin=low,
            domainMax=alt.Undefined if high is None else high,
        ),
        axis=axis(unit),
    )
    color = alt.Color(
        "series:N",
        scale=alt.Scale(domain=list(series)),
        legend=legend(columns) if key else None,
    )
    lines = (
        alt.Chart(_steps(frame))
        .mark_line(interpolate="step-after", strokeWidth=1.75, invalid="break-paths-show-domains")
        .encode(x=x, y=y, color=color)
    )
    sparse = _is_sparse(frame, span)
    # Vega writes moments in the reader's own time: the tooltip's are written here.
    told = frame.with_columns(
        middle=pl.col("start") + (pl.col("end") - pl.col("start")) / 2,
        time=pl.format(
            "{} to {}",
            pl.col("start").dt.strftime(_MOMENT),
            pl.col("end").dt.strftime(_MOMENT.split(" ")[1]),
        ),
    )
    points = (
        alt.Chart(told)
        .mark_point(filled=True, opacity=1 if sparse else 0, size=14 if sparse else 120)
        .encode(
            x=alt.X("middle:T", scale=alt.Scale(type="utc")),
            y=y,
            color=color,
            tooltip=[
                alt.Tooltip("series:N", title="series"),
                alt.Tooltip("value:Q", title=unit, format=NUMBER),
                alt.Tooltip("time:N", title="UTC"),
            ],
        )
    )
    return alt.layer(lines, points).properties(
        height=height_with_legend(height, len(series), columns) if key else height
    )


def _is_sparse(frame: pl.DataFrame, span: Span) -> bool:
    """Whether the steps of the intervals may be too short to be seen."""
    covered = frame.unique("start").select((pl.col("end") - pl.col("start")).sum()).item()
    return bool(covered < (span.end - span.start) * _SPARSE)


def _moment(moment: datetime) -> alt.DateTime:
    return alt.DateTime(
        year=moment.year,
        month=moment.month,
        date=moment.day,
        hours=moment.hour,
        minutes=moment.minute,
        seconds=moment.second,
        utc=True,
    )


def _steps(frame: pl.DataFrame) -> pl.DataFrame:
    """The corners of each series' steps: where an interval has no next one, it ends and breaks.

    start, series, value; a value of null breaks the line.
    """
    ordered = frame.sort("series", "start").with_columns(
        following=pl.col("start").shift(-1).over("series")
    )
    last = ordered.filter(
        pl.col("following").is_null() | (pl.col("following") - pl.col("end") > _SLACK)
    )
    corner = last.select(pl.col("end").alias("start"), "series", "value")
    gap = last.select(
        (pl.col("end") + timedelta(milliseconds=1)).alias("start"),
        "series",
        pl.lit(None, dtype=pl.Float64).alias("value"),
    )
    return pl.concat([ordered.select("start", "series", "value"), corner, gap]).sort(
        "series", "start"
    )
