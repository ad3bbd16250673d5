"""Values over time: one step per interval, with gaps where there is no interval."""

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
    columns_of,
    height_with_legend,
    legend,
)

__all__ = ["Span", "by_series", "long", "over_time", "time_axis"]

# Consecutive intervals may leave a small gap: a fraction of a second, or a late start.
_SLACK = timedelta(seconds=2)
# If intervals cover less of the range than this, points mark them.
_SPARSE = 0.3
_MOMENT = "%Y-%m-%d %H:%M:%S"


class Span(NamedTuple):
    """The time range of an axis, shared by all charts of a page."""

    start: datetime
    end: datetime

    @classmethod
    def of(cls, frame: pl.DataFrame) -> Span:
        """Return the range from the first start to the last end; `frame` must have rows."""
        return cls(*frame.select(pl.col("start").min(), pl.col("end").max()).row(0))


def long(frame: pl.DataFrame, series: Mapping[str, str]) -> pl.DataFrame:
    """Turn columns into rows: queue_manager, start, end, series, value.

    `series` maps columns to their names in the legend. A series without values is left out, and so
    is one that is always zero, unless all of them are.
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
    """Return the rows that have a value, in the shape of `long`, from two of their columns."""
    return frame.select(
        "queue_manager",
        "start",
        "end",
        pl.col(series).cast(pl.String).alias("series"),
        pl.col(value).cast(pl.Float64).alias("value"),
    ).drop_nulls("value")


def time_axis(column: str, span: Span) -> alt.X:
    """Return the horizontal axis for a column of moments (UTC)."""
    days = (span.end - span.start) / timedelta(days=1)
    return alt.X(
        f"{column}:T",
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
    domain: Sequence[str] = (),
    marked: tuple[datetime, datetime] | None = None,
    bands: pl.DataFrame | None = None,
    brush: bool = False,
) -> AnyChart:
    """Return stepped lines over time, one colour per series.

    `frame`: start and end (UTC), series, value in `unit`, of one queue manager. `series`: all of
    them, in the order in which they take their colours. `low`, `high`: the ends of the value axis;
    without `high` it ends at the largest value. `key`: whether to draw a legend. `marked`: a time
    to shade. `bands`: more times to shade: start, end, and any columns, which the tooltip shows.
    `brush`: whether a range of time can be selected. `domain`: of the colours, from `Places`.
    """
    if high is None:
        most = frame.select(pl.col("value").max()).item()
        high = low + 1 if most is None or most <= low else None
    columns = columns_of(series)
    x = time_axis("start", span)
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
        scale=alt.Scale(domain=list(domain or series)),
        legend=legend(columns, values=series) if key else None,
    )
    lines = (
        alt.Chart(_steps(frame))
        .mark_line(
            interpolate="step-after", strokeWidth=1.75, invalid="break-paths-show-domains",
            clip=True,
        )
        .encode(x=x, y=y, color=color)
    )  # fmt: skip
    if brush:
        lines = lines.add_params(alt.selection_interval(name="brush", encodings=["x"]))
    sparse = _is_sparse(frame, span)
    # Vega formats times in the viewer's zone, so the tooltip's times are formatted here.
    timed = frame.with_columns(
        middle=pl.col("start") + (pl.col("end") - pl.col("start")) / 2,
        time=pl.format(
            "{} to {}",
            pl.col("start").dt.strftime(_MOMENT),
            pl.col("end").dt.strftime(_MOMENT.split(" ")[1]),
        ),
    )
    points = (
        alt.Chart(timed)
        .mark_point(filled=True, opacity=1 if sparse else 0, size=14 if sparse else 120, clip=True)
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
    layers: list[alt.Chart] = [lines, points]
    if bands is not None and not bands.is_empty():
        layers.insert(0, _bands(bands, span))
    if marked is not None:
        layers.insert(0, _shade(marked))
    return alt.layer(*layers).properties(
        height=height_with_legend(height, len(series), columns) if key else height
    )


def _shade(marked: tuple[datetime, datetime]) -> alt.Chart:
    """Return a band over the whole height, from one moment to another."""
    frame = pl.DataFrame({"from": [marked[0]], "to": [marked[1]]}).with_columns(
        pl.all().dt.replace_time_zone("UTC")
    )
    return alt.Chart(frame).mark_rect(opacity=0.15).encode(
        x=alt.X("from:T", scale=alt.Scale(type="utc")), x2="to:T"
    )  # fmt: skip


def _bands(bands: pl.DataFrame, span: Span) -> alt.Chart:
    """Return a band over the whole height for each row, wide enough to be seen."""
    least = (span.end - span.start) / 400
    shown = [name for name in bands.columns if name not in ("start", "end")]
    frame = bands.select(
        *shown,
        pl.col("start").alias("from"),
        pl.max_horizontal("end", pl.col("start") + least).alias("to"),
        time=pl.format(
            "{} to {}",
            pl.col("start").dt.strftime(_MOMENT),
            pl.col("end").dt.strftime(_MOMENT.split(" ")[1]),
        ),
    )
    return alt.Chart(frame).mark_rect(opacity=0.12, color="#888888", clip=True).encode(
        x=alt.X("from:T", scale=alt.Scale(type="utc")),
        x2="to:T",
        tooltip=[
            *(alt.Tooltip(f"{name}:N", title=name.replace("_", " ")) for name in shown),
            alt.Tooltip("time:N", title="UTC"),
        ],
    )  # fmt: skip


def _is_sparse(frame: pl.DataFrame, span: Span) -> bool:
    """Whether the steps may be too short to see."""
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
    """Return the corners of each series' steps: start, series, value.

    A null value breaks the line where no interval follows.
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
