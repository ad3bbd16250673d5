"""Charts of reports: the dashboard's, at the width of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import polars as pl

from app.charts.bars import bars
from app.charts.moments import at_moments
from app.charts.runs import ratios
from app.charts.sizes import by_size
from app.charts.style import COLORS, LETTERS, AnyChart, lines
from app.charts.time import Span, over_time
from app.charts.topology import paths, systems
from app.reports.document import ReportError
from app.reports.words import name_of
from app.results.labels import factor_label, small, unit_label
from app.results.queries.comparison import VERDICTS
from app.results.regressions import plot

__all__ = ["WIDTH", "chart_spec", "fits_half", "regression", "topology", "with_width"]

WIDTH = 640  # pixels: an A4 page without its margins
_HALF = 312  # pixels of each of two charts side by side
_HALF_HEIGHT = 120
_AROUND = {"bars": 60}  # of a height on a page, which has room for the axis
_HALF_NAME = {"by_size": 46, "over_time": 46}  # letters that fit
_HALF_LINE = 24  # letters of a name beside the bars of a half chart in one of two lines
_LOG = frozenset(("file_size_mb", "message_size_bytes", "chunk_size", "block_size"))
_LABEL_WIDTH = 140  # pixels for them
_WHOLE_WIDTH = 300  # pixels for names beside the bars of a chart as wide as the page
_MOST_SERIES = len(COLORS)
_MOST_COLUMNS = 4  # of a legend whose names are short
_LOW = 130  # pixels of the plot of a regression: two of them share a page
_SEEN = 40  # times: a bar this much shorter than another is a hairline
_HEIGHT = 200  # pixels of a plot, so that two charts and their tables share a page
_CONFIG = {
    "font": "Arial, Liberation Sans, sans-serif",
    "view": {"stroke": "#d5dbe2"},
    "range": {"category": list(COLORS)},
    "axis": {"gridColor": "#e8ebef", "labelColor": "#333", "titleColor": "#333",
             "titleFontWeight": "normal", "labelSeparation": 6,
             "labelFontSize": 11, "titleFontSize": 11},
    "legend": {"labelFontSize": 11, "labelColor": "#333"},
    "scale": {"barBandPaddingInner": 0.3},
    "bar": {"color": COLORS[0]}, "point": {"color": COLORS[0]}, "rect": {"color": COLORS[0]},
}  # fmt: skip
_PLAIN = {"config": {"font": _CONFIG["font"], "view": {"stroke": None}}}  # of drawings
Row = dict[str, Any]


def chart_spec(
    kind: str, rows: Sequence[Row], *, half: bool = False, **options: Any
) -> dict[str, Any] | None:
    """Return the Vega-Lite specification of a chart of rows, or None without a value to draw.

    `half`: to stand beside another one.
    """
    if kind not in _KINDS:
        raise ReportError(f"there is no chart {kind!r}; known: {', '.join(_KINDS)}")
    if not rows:
        return None
    frame = pl.DataFrame(list(rows), infer_schema_length=None).drop_nulls("value")
    if half and kind in _AROUND:
        options["line"] = _HALF_LINE
    chart = _KINDS[kind](frame, **options)
    if chart is None:
        return None
    spec = chart.to_dict()
    if kind in _AROUND:
        spec["height"] -= _AROUND[kind]
    elif half:
        spec["height"] = _HALF_HEIGHT
    return with_width(_narrow(spec), _HALF) if half else with_width(spec)


def fits_half(kind: str, rows: Sequence[Row]) -> bool:
    """Whether the names of a chart can be read at half the width of the page."""
    names = {str(row.get("name") or "") for row in rows}
    if kind in _HALF_NAME:
        return max(map(len, names), default=0) <= _HALF_NAME[kind]
    return kind in _AROUND and all(len(lines(name, _HALF_LINE)) <= 2 for name in names)


def regression(row: Mapping[str, Any], runs: pl.DataFrame) -> dict[str, Any]:
    """Return the chart of a regression's runs and levels; the caption says its title."""
    spec = {k: v for k, v in plot(dict(row), runs).items() if k != "title"}
    return with_width(spec | {"height": _LOW})


def topology(parts: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Return the drawing of systems and what connects them; see app.charts.topology."""
    return systems(parts, width=WIDTH) | _PLAIN


def ways(boxes_and_arrows: Sequence[tuple[Sequence[str], Sequence[str]]]) -> dict[str, Any]:
    """Return the drawing of the ways that data go; see app.charts.topology."""
    return paths(boxes_and_arrows, width=WIDTH) | _PLAIN


def _narrow(part: Any) -> Any:
    """Return a part of a specification whose legends and labels fit in half of the page."""
    if isinstance(part, list):
        return [_narrow(item) for item in part]
    if not isinstance(part, dict):
        return part
    narrow = {key: value if key == "datasets" else _narrow(value) for key, value in part.items()}
    if "columns" in narrow:
        most = str(narrow["columns"]).removesuffix("'}").split()[-1]  # a number, or what ends in it
        narrow |= {"columns": 2 if most == str(_MOST_COLUMNS) else 1, "labelLimit": _HALF}
    elif "labelLimit" in narrow:
        narrow["labelLimit"] = _LABEL_WIDTH
    return narrow


def with_width(spec: dict[str, Any], width: int = WIDTH) -> dict[str, Any]:
    """Return a specification of this width, with all that stands around its plot."""
    config = spec.get("config", {}) | _CONFIG
    return spec | {
        "width": width,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": config,
    }


def _size_chart(frame: pl.DataFrame, *, unit: str, axis: str) -> AnyChart | None:
    rows = frame.with_columns(configuration="name").drop_nulls("level")
    if rows.is_empty():
        return None
    order = rows["configuration"].unique(maintain_order=True).to_list()
    highest = rows.group_by("name").agg(pl.col("value").max())["value"]
    levels = sorted(rows["level"].unique().to_list())
    labels = {int(level): name_of(axis, f"{int(level)}") for level in levels}
    is_sized = axis in _LOG and levels[0] > 0
    return by_size(
        rows, unit=unit_label(unit), order=order, height=_HEIGHT, level="level",
        title=small(factor_label(axis)), log=is_sized,
        log_values=_vanishes(highest, rows["value"]), labels=labels if is_sized else None,
    )  # fmt: skip


def _vanishes(sizes: pl.Series, values: pl.Series) -> bool:
    """Whether the smallest of these sizes could not be seen on a linear axis of the largest."""
    least, most = float(sizes.min() or 0), float(sizes.max() or 0)  # type: ignore[arg-type]
    return float(values.min() or 0) > 0 and most > _SEEN * least  # type: ignore[arg-type]


def _bar_chart(
    frame: pl.DataFrame,
    *,
    unit: str,
    series: str | None = None,
    stacked: bool = True,
    line: int = LETTERS,
) -> AnyChart | None:
    order: list[str] = []
    if series is not None:
        totals = frame.group_by(series).agg(pl.col("value").sum()).sort("value", descending=True)
        order = totals[series].to_list() if stacked else sorted(totals[series].to_list())
        if len(order) > _MOST_SERIES:
            leading = order[: _MOST_SERIES - 1]
            name = (
                pl.when(pl.col(series).is_in(leading)).then(series).otherwise(pl.lit("all others"))
            )
            frame = frame.group_by("name", name.alias(series), maintain_order=True).agg(
                pl.col("value").sum()
            )
            order = [*leading, "all others"]
    return bars(
        frame, name="name", value="value", unit=unit_label(unit), series=series, order=order,
        stacked=stacked, label_width=_WHOLE_WIDTH, line=line,
    )  # fmt: skip


def _change_chart(frame: pl.DataFrame, *, unit: str = "%") -> AnyChart | None:
    rows = frame.rename({"value": "change"}).with_columns(
        pl.when(pl.col(end).is_finite()).then(end).alias(end) for end in ("low", "high")
    )
    return ratios(rows, order=rows["name"].to_list(), verdicts=VERDICTS)


def _time_chart(frame: pl.DataFrame, *, unit: str) -> AnyChart | None:
    rows = frame.with_columns(_utc_columns("start", "end"), series=pl.col("name").cast(pl.String))
    series = rows["series"].unique(maintain_order=True).to_list()
    return over_time(
        rows, unit=unit_label(unit), span=Span.of(frame), series=series, key=len(series) > 1
    )


def _moment_chart(frame: pl.DataFrame, *, unit: str) -> AnyChart | None:
    rows = frame.drop_nulls("moment").with_columns(series="name")
    first, last = rows.select(pl.col("moment").min(), last=pl.col("moment").max()).row(0)
    room = max((last - first) * 0.02, timedelta(minutes=30))
    order = rows["series"].unique(maintain_order=True).to_list()
    return at_moments(
        rows, unit=unit_label(unit), span=Span(first - room, last + room), order=order,
        title="local date",
    )  # fmt: skip


def _utc_columns(*columns: str) -> pl.Expr:
    """Name the zone of moments: otherwise a chart takes them for local times."""
    return pl.col(columns).dt.replace_time_zone("UTC")


_KINDS: dict[str, Callable[..., AnyChart | None]] = {
    "by_size": _size_chart,
    "bars": _bar_chart,
    "changes": _change_chart,
    "over_time": _time_chart,
    "at_moments": _moment_chart,
}
