"""Single runs over time, and changes with their confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from app.charts.style import (
    GREY,
    NUMBER,
    PREDICTED,
    AnyChart,
    axis,
    columns_of,
    height_with_legend,
    legend,
    names_axis,
    row_of,
    shaped_legend,
    tooltip_of,
)

__all__ = ["both_sides", "over_runs", "ratios"]

_ROW = 24  # pixels
_AXIS = 60
_LETTERS = 44  # of a name in one line
_NAME = 330
_PAIR = 30  # pixels for both sides of a configuration
_ROOM = 0.005  # beside the values, as part of them, at least
_FEW = 4  # runs up to which each one is drawn
#: The colours of baseline and candidate: dull and strong, also where colours look alike.
_SIDES = (GREY, PREDICTED)
_LEAST = 4.0  # percent that the axis shows to either side, at least


def over_runs(
    frame: pl.DataFrame,
    *,
    unit: str,
    order: Sequence[str],
    details: Mapping[str, str] | None = None,
    key: bool = True,
    height: int = 260,
    domain: Sequence[str] = (),
) -> AnyChart:
    """Return a point per run, hollow if excluded from comparisons, and a line per configuration.

    `frame`: start_utc, configuration, value in `unit`, is_compared. `order`: the order in which
    configurations take their colours. `details`: more columns for the tooltip, and their titles.
    `domain`: of the colours, from `Places` of the page.
    """
    columns = columns_of(order)
    legends = legend(columns, symbol="circle", orient="bottom", values=order) if key else None
    if legends is not None:
        legends.symbolType = alt.Undefined  # the shapes of the points
    # Vega formats times in the viewer's zone, so the tooltip's times are formatted here.
    timed = frame.with_columns(
        started=pl.col("start_utc").dt.strftime("%Y-%m-%d %H:%M:%S"),
    )
    places = list(domain or order)
    base = alt.Chart(timed).encode(
        x=alt.X(
            "start_utc:T",
            scale=alt.Scale(type="utc", padding=8),
            axis=alt.Axis(
                title="start of the run, UTC",
                grid=False,
                tickCount=5,
                labelOverlap=True,
                format=_format(frame),
            ),
        ),
        y=alt.Y("value:Q", scale=alt.Scale(zero=False), axis=axis(unit)),
        color=alt.Color("configuration:N", scale=alt.Scale(domain=places), legend=legends),
    )
    tooltip = [
        alt.Tooltip("configuration:N"),
        alt.Tooltip("started:N", title="start, UTC"),
        alt.Tooltip("value:Q", title=unit, format=NUMBER),
        *(tooltip_of(frame, column, title) for column, title in (details or {}).items()),
    ]
    lines = base.transform_filter("datum.is_compared").mark_line(strokeWidth=1.2, opacity=0.6)
    points = base.mark_point(size=30, filled=True, opacity=1).encode(
        shape=alt.Shape("configuration:N", scale=alt.Scale(domain=places), legend=legends),
        fillOpacity=alt.condition("datum.is_compared", alt.value(1), alt.value(0)),
        tooltip=tooltip,
    )
    return alt.layer(lines, points).properties(
        height=height_with_legend(height, len(order), columns) if key else height
    )


def _format(frame: pl.DataFrame) -> str:
    """Return how an axis writes the starts of runs: with hours, days, or months and years."""
    moments = pl.col("start_utc")
    days = frame.select((moments.max() - moments.min()).dt.total_days()).item() or 0
    return "%d %b %H:%M" if days < 4 else "%d %b" if days < 300 else "%b %Y"


def ratios(frame: pl.DataFrame, *, order: Sequence[str], verdicts: Mapping[str, str]) -> AnyChart:
    """Return one row per comparison: the change and its interval, coloured by verdict.

    The axis covers the changes, and as much again on a side; intervals beyond that are cut off.

    `frame`: name, change, low, high (percent; null: unknown), verdict. `order`: the names from top
    to bottom. `verdicts`: the verdicts and their colours.
    """
    shown = set(frame["verdict"])
    verdicts = {verdict: color for verdict, color in verdicts.items() if verdict in shown}
    key = shaped_legend()
    color = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=list(verdicts), range=list(verdicts.values())),
        legend=key,
    )
    shape = alt.Shape("verdict:N", scale=alt.Scale(domain=list(verdicts)), legend=key)
    y = alt.Y(
        "name:N",
        sort=list(order),
        axis=names_axis(order, _LETTERS, _NAME),
        scale=alt.Scale(type="band"),
    )
    low, high, least, most = frame.select(
        low=pl.min_horizontal(pl.col("change").min(), pl.lit(-_LEAST)),
        high=pl.max_horizontal(pl.col("change").max(), pl.lit(_LEAST)),
        least=pl.col("low").min(),
        most=pl.col("high").max(),
    ).row(0)
    width = high - low
    left = min(max(low - (low if least is None else least), 0.2 * width), width)
    right = min(max((high if most is None else most) - high, 0.2 * width), width)
    domain = [max(low - left - 0.05 * width, -100), high + right + 0.05 * width]
    scale = alt.Scale(domain=domain, nice=False)
    x = alt.X("change:Q", scale=scale, axis=axis("change from baseline, %"))
    base = alt.Chart(frame).encode(y=y, color=color)
    spans = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(
        strokeWidth=3, opacity=0.45, clip=True
    )
    zero = alt.Chart(pl.DataFrame({"none": [0.0]})).mark_rule(
        strokeDash=[4, 3], strokeWidth=1.5, color=GREY
    )
    points = base.mark_point(size=60, filled=True, opacity=1).encode(
        x=x,
        shape=shape,
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
    ).properties(
        height=height_with_legend(len(order) * row_of(order, _LETTERS, _ROW) + _AXIS, len(verdicts))
    )


def both_sides(frame: pl.DataFrame, *, unit: str, names: tuple[str, str]) -> AnyChart:
    """Return two points per configuration, baseline above candidate, with their 95 % intervals.

    Of a few runs each is drawn too, as a tick. `frame`: name (in the order of the chart), side
    (baseline or candidate), value in `unit`, low, high (null: unknown), values (of each run).
    `names`: of the baseline and the candidate.
    """
    order = frame["name"].unique(maintain_order=True).to_list()
    frame = frame.with_columns(
        side=pl.col("side").replace({"baseline": names[0], "candidate": names[1]}),
        runs=pl.col("values").list.len(),
    )
    side = alt.Scale(domain=list(names))
    columns = 2 if columns_of(names) == 4 else 1  # two short names, or a line for each
    base = alt.Chart(frame.drop("values")).encode(
        y=alt.Y(
            "name:N",
            sort=order,
            axis=names_axis(order, _LETTERS, _NAME),
            scale=alt.Scale(paddingInner=0.25, paddingOuter=0.15),
        ),
        yOffset=alt.YOffset("side:N", sort=list(names), scale=side),
        color=alt.Color(
            "side:N",
            scale=alt.Scale(domain=list(names), range=list(_SIDES)),
            legend=shaped_legend(columns),
        ),
    )
    ends = frame.select(
        low=pl.min_horizontal(pl.col("value").min(), pl.col("low").min()),
        high=pl.max_horizontal(pl.col("value").max(), pl.col("high").max()),
    ).row(0)
    # equal values still have an axis, whose labels differ
    room = max(0.04 * (ends[1] - ends[0]), _ROOM * abs(ends[1]), 1e-9)
    scale = alt.Scale(domain=[ends[0] - room, ends[1] + room], nice=False)
    spans = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(
        strokeWidth=2.5, opacity=0.55
    )
    points = base.mark_point(size=55, filled=True, opacity=1).encode(
        x=alt.X("value:Q", scale=scale, axis=axis(unit)),
        shape=alt.Shape("side:N", scale=side, legend=shaped_legend(columns)),
        tooltip=[
            alt.Tooltip("name:N", title="configuration"),
            alt.Tooltip("side:N", title="side"),
            alt.Tooltip("value:Q", title=f"median, {unit}", format=NUMBER),
            alt.Tooltip("low:Q", title="95 % interval from", format=NUMBER),
            alt.Tooltip("high:Q", title="95 % interval to", format=NUMBER),
            alt.Tooltip("runs:Q", title="runs or figures"),
        ],
    )
    layers = [spans.encode(x=alt.X("low:Q", scale=scale), x2="high:Q"), points]
    few = frame.filter(pl.col("runs").is_between(2, _FEW)).explode("values")
    if few.height:
        ticks = alt.Chart(few).mark_tick(thickness=1.5, size=9, opacity=0.8)
        layers.append(
            ticks.encode(
                y=base.encoding.y, yOffset=base.encoding.yOffset, color=base.encoding.color,
                x=alt.X("values:Q", scale=scale),
            )
        )  # fmt: skip
    return alt.layer(*layers).properties(
        height=height_with_legend(len(order) * _PAIR + _AXIS, 2, columns)
    )
