"""Values over time: one step per interval, with gaps where there is no interval."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import altair as alt
import polars as pl
from polars import selectors as cs

from app.charts.spec import Spec
from app.charts.style import (
    HEIGHT,
    NUMBER,
    axis_spec,
    columns_of,
    dashes,
    height_with_legend,
    legend_spec,
)

__all__ = ["Clock", "Span", "over_time", "time_axis"]

# Consecutive intervals may leave a small gap: a fraction of a second, or a late start.
_SLACK = timedelta(seconds=2)
# If intervals cover less of the range than this, points mark them.
_SPARSE = 0.3
_DAY, _MONTH = "%d %b", "%b %Y"  # labels of a time axis
_STRETCHES = 150  # of an axis, each with one point of a series that tells its figure
_LONG = 300  # days of an axis on which a day of a month is not one day
_MOMENT = "%Y-%m-%d %H:%M:%S"
_END = re.compile(r"^(?:.*_)?(?:end|stop|to|until)(?:_utc)?$")  # names of columns


class Clock(NamedTuple):
    """The clock by which a page shows times: its name, and how far it is from UTC.

    offsets: each from a moment (UTC) on; the first one holds before that, too.
    """

    offsets: tuple[tuple[datetime, timedelta], ...] = ((datetime(1, 1, 1), timedelta()),)
    name: str = "UTC"

    @property
    def is_utc(self) -> bool:
        """Whether this clock always shows UTC."""
        return not any(offset for _, offset in self.offsets)

    def local(self, moment: datetime) -> datetime:
        """Return the time by this clock of a moment, UTC."""
        naive, ((_, first), *changes) = moment.replace(tzinfo=None), self.offsets
        return moment + [first, *(by for since, by in changes if since <= naive)][-1]

    def utc(self, local: datetime) -> datetime:
        """Return the moment, UTC, of a time by this clock; of two such moments, the later one."""
        return max(
            (local - by for _, by in self.offsets if self.local(local - by) == local),
            default=local - self.offsets[0][1],
        )

    def shown(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a frame of UTC times with those of this clock, as if they were UTC.

        An end, by the name of its column, is of the time before it.
        """
        if self.is_utc:
            return frame
        return frame.with_columns(
            pl.col(name) + self._offset(name) for name in frame.select(cs.datetime()).columns
        )

    def parts(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a frame with `part`: how often the clock had changed before `start`."""
        start = pl.col("start").dt.replace_time_zone(None)
        changed = (start >= since for since, _ in self.offsets[1:])
        return frame.with_columns(part=pl.sum_horizontal(pl.lit(0), *changed))

    def _offset(self, name: str) -> pl.Expr:
        (_, first), *changes = self.offsets
        moment, by = pl.col(name).dt.replace_time_zone(None), pl.lit(first)
        for since, offset in changes:
            after = moment > since if _END.search(name) else moment >= since
            by = pl.when(after).then(pl.lit(offset)).otherwise(by)
        return by


class Span(NamedTuple):
    """The time range of an axis, UTC, shared by all charts of a page; clock: of its labels."""

    start: datetime
    end: datetime
    clock: Clock = Clock()

    @classmethod
    def of(cls, frame: pl.DataFrame) -> Span:
        """Return the range from the first start to the last end; `frame` must have rows."""
        return cls(*frame.select(pl.col("start").min(), pl.col("end").max()).row(0))


def time_axis(column: str, span: Span, title: str = "") -> alt.X:
    """Return the horizontal axis for a column of moments, by the clock of the span."""
    x = _time_axis(column, span, title)
    return alt.X(
        f"{column}:T", scale=alt.Scale.from_dict(x["scale"]), axis=alt.Axis.from_dict(x["axis"])
    )


def _time_axis(column: str, span: Span, title: str = "") -> dict[str, Any]:
    days = (span.end - span.start) / timedelta(days=1)
    ends = (span.clock.local(span.start), span.clock.local(span.end))
    return {
        "field": column,
        "type": "temporal",
        "scale": {"type": "utc", "domain": [_moment(end) for end in ends]},
        "axis": {
            "title": title or f"time, {span.clock.name}",
            "grid": False,
            "tickCount": 6,
            "labelOverlap": True,
            "format": "%H:%M"
            if days <= 1
            else "%d %b %H:%M"
            if days <= 6
            else _DAY
            if days < _LONG
            else _MONTH,
            "titlePadding": 4,
        },
    }


def over_time(
    frame: pl.DataFrame,
    *,
    unit: str,
    span: Span,
    series: Sequence[str],
    high: float | None = None,
    key: bool = True,
    height: int = HEIGHT,
    domain: Sequence[str] = (),
    bands: pl.DataFrame | None = None,
    brush: bool = False,
) -> Spec:
    """Return stepped lines over time, one colour and kind of dashes per series.

    `frame`: start and end (UTC), series, value in `unit`, of one queue manager. `series`: all of
    them, in the order in which they take their colours. `high`: the end of the value axis;
    without `high` it ends at the largest value. `key`: whether to draw a legend. `bands`: times
    to shade: start, end, and any columns, which the tooltip shows. `brush`: whether a range of time
    can be selected. `domain`: of the colours, from `Places`.
    """
    if high is None:
        most = frame["value"].max()
        high = 1 if most is None or most <= 0 else None  # type: ignore[operator]
    columns, places = columns_of(series), list(domain or series)
    legends = legend_spec(columns, values=series) if key else None
    shown, frame = span.clock.shown, span.clock.shown(span.clock.parts(frame))
    time = {"field": "time", "type": "nominal", "title": span.clock.name}
    scale: dict[str, Any] = {"zero": False, "nice": True, "domainMin": 0}
    shared = {
        "y": {
            "field": "value",
            "type": "quantitative",
            "scale": scale if high is None else {**scale, "domainMax": high},
            "axis": axis_spec(unit),
        },
        "color": {
            "field": "series",
            "type": "nominal",
            "scale": {"domain": places},
            "legend": legends,
        },
    }
    dashed = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": places, "range": dashes(places, series)},
        "legend": legends,
    }
    drawn = _steps(frame)
    name = _name(drawn)
    data = {name: drawn}
    lines: dict[str, Any] = {
        "data": {"name": name},
        "mark": {
            "type": "line", "interpolate": "step-after", "strokeWidth": 1.75,
            "invalid": "break-paths-show-domains", "clip": True,
        },
        "encoding": {
            "x": _time_axis("start", span),
            **shared,
            **({"strokeDash": dashed} if len(series) > 1 else {}),
            # no line across a change of the clock, where an hour comes twice
            **({"detail": {"field": "part"}} if len(span.clock.offsets) > 1 else {}),
        },
    }  # fmt: skip
    if brush:
        lines["name"] = "lines"
    sparse = _is_sparse(frame, span)
    drawn_points = (frame if sparse else _highest(frame, span)).select(
        "start", "end", "series", "value",
        middle=pl.col("start") + (pl.col("end") - pl.col("start")) / 2,
    )  # fmt: skip
    name = _name(drawn_points)
    data[name] = drawn_points
    points = {
        "data": {"name": name},
        "transform": [{"calculate": _between("start", "end"), "as": "time"}],
        "mark": {
            "type": "point", "filled": True, "clip": True,
            "opacity": 1 if sparse else 0, "size": 14 if sparse else 120,
        },
        "encoding": {
            "x": {"field": "middle", "type": "temporal", "scale": {"type": "utc"}},
            **shared,
            "tooltip": [
                {"field": "series", "type": "nominal", "title": "series"},
                {"field": "value", "type": "quantitative", "title": unit, "format": NUMBER},
                time,
            ],
        },
    }  # fmt: skip
    layers = [lines, points]
    if bands is not None and not bands.is_empty():
        shaded = _bands(shown(bands), span)
        data[_name(shaded)] = shaded
        about = [name for name in bands.columns if name not in ("start", "end")]
        layers.insert(0, _shade(shaded, time, about))
    body: dict[str, Any] = {
        "layer": layers,
        "height": height_with_legend(height, len(series), columns) if key else height,
    }
    if brush:
        select = {"type": "interval", "encodings": ["x"]}
        body["params"] = [{"name": "brush", "select": select, "views": ["lines"]}]
    return Spec(body, data)


def _name(frame: pl.DataFrame) -> str:
    """Return a name for the data: a page that is drawn again draws charts of other data again."""
    return f"data-{frame.hash_rows().sum():x}"


def _between(start: str, end: str) -> str:
    """Return, in Vega's language, the words for a time; it formats other times in local zones."""
    return (
        f"utcFormat(toDate(datum['{start}']), '{_MOMENT}') + ' to ' + "
        f"utcFormat(toDate(datum['{end}']), '{_MOMENT.split(' ')[1]}')"
    )


def _shade(times: pl.DataFrame, time: dict[str, Any], about: Sequence[str]) -> dict[str, Any]:
    """Return grey bands over the whole height, which say what they are about, and when."""
    x = {"field": "from", "type": "temporal", "scale": {"type": "utc"}}
    tooltips = (
        {"field": name, "type": "nominal", "title": name.replace("_", " ")} for name in about
    )
    return {
        "data": {"name": _name(times)},
        "mark": {"type": "rect", "opacity": 0.12, "color": "#888888", "clip": True},
        "transform": [{"calculate": _between("from", "end"), "as": "time"}],
        "encoding": {"x": x, "x2": {"field": "to"}, "tooltip": [*tooltips, time]},
    }


def _bands(bands: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Return the bands from `from` to `to`, wide enough to be seen."""
    least = (span.end - span.start) / 400
    return bands.select(
        pl.exclude("start"),
        pl.col("start").alias("from"),
        pl.max_horizontal("end", pl.col("start") + least).alias("to"),
    )


def _is_sparse(frame: pl.DataFrame, span: Span) -> bool:
    """Whether the steps may be too short to see."""
    covered = frame.unique("start").select((pl.col("end") - pl.col("start")).sum()).item()
    return bool(covered < (span.end - span.start) * _SPARSE)


def _moment(moment: datetime) -> dict[str, Any]:
    return {
        "year": moment.year,
        "month": moment.month,
        "date": moment.day,
        "hours": moment.hour,
        "minutes": moment.minute,
        "seconds": moment.second,
        "utc": True,
    }


def _steps(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the corners of each series' steps: start, series, part, value.

    A null value breaks the line where no interval follows.
    """
    order = ("series", "part", "start")
    ordered = frame.select("start", "end", "series", "part", "value").sort(order)
    following = pl.col("start").shift(-1).over("series", "part")
    last = ordered.with_columns(following=following).filter(
        pl.col("following").is_null() | (pl.col("following") - pl.col("end") > _SLACK)
    )
    corner = last.select(pl.col("end").alias("start"), "series", "part", "value")
    gap = corner.with_columns(
        pl.col("start") + timedelta(milliseconds=1),
        pl.lit(None, dtype=pl.Float64).alias("value"),
    )
    return pl.concat([ordered.drop("end"), corner, gap]).sort(order)


def _highest(frame: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Return the highest interval of each series in each of the stretches that one can point at.

    Each point that tells its figure is an element of the page: thousands take a browser seconds.
    """
    width = (span.end - span.start).total_seconds() / _STRETCHES
    since = (pl.col("start") - pl.col("start").min()).dt.total_seconds(fractional=True)
    return (
        frame.with_columns(stretch=(since / width).floor())
        .sort("value", "start", descending=[True, False], nulls_last=True)
        .unique(["series", "part", "stretch"], keep="first", maintain_order=True)
    )
