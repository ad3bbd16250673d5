"""Published figures beside those of runs and models, drawn as documents draw them."""

from __future__ import annotations

import altair as alt
import polars as pl

from app.charts.style import (
    LETTERS,
    NUMBER,
    PREDICTED,
    PUBLISHED,
    AnyChart,
    axis,
    height_with_legend,
    names_axis,
    shaped_legend,
    width_of,
)

__all__ = ["SOURCES", "beside_by_name", "beside_by_size"]

#: Where a figure comes from: its colour, its shape and its line, so that none depends on colour.
SOURCES = {
    "published": (PUBLISHED, "circle", [1, 0]),
    "measured": ("#2f9e6e", "square", [6, 3]),
    "simulated": ("#d9822b", "triangle-up", [6, 3]),
    "predicted": (PREDICTED, "diamond", [2, 2]),
}
_NAMES = 330  # pixels, at most
_ROW = 19  # pixels of one source of a name
_AXIS = 70


def beside_by_size(
    frame: pl.DataFrame,
    *,
    size: str,
    title: str,
    unit: str,
    ends: tuple[float, float],
    key: bool = True,
    height: int = 230,
) -> AnyChart:
    """Return a line per source over sizes, on a log scale: one configuration.

    `frame`: source (of SOURCES), `size` (> 0; `title` names it with its unit), value in `unit`,
    low, high (null: unknown), difference (from the published one, with its unit). `ends`: of the
    value axis, to share it with other configurations. `key`: whether to draw a legend.
    """
    sizes = sorted(frame[size].unique().to_list())
    x = alt.X(
        f"{size}:Q",
        scale=alt.Scale(type="log", base=2, nice=False, padding=14),
        axis=alt.Axis(title=title, values=sizes, format=",~r", grid=False, labelOverlap=True),
    )
    scale = alt.Scale(domain=[min(ends[0], 0), max(ends[1], 0)], nice=True)
    y = alt.Y("value:Q", scale=scale, axis=axis(unit))
    low = alt.Y("low:Q", scale=scale, axis=axis(unit))
    base = alt.Chart(frame).encode(x=x, color=_color(frame, key=key))
    spans = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2, opacity=0.5)
    points = base.mark_point(size=45, filled=True, opacity=0.9)
    return alt.layer(
        spans.encode(y=low, y2="high:Q"),
        base.mark_line(strokeWidth=1.5).encode(y=y, strokeDash=_dash(frame)),
        points.encode(y=y, shape=_shape(frame, key=key), tooltip=_tooltip(size, title, unit)),
    ).properties(height=height_with_legend(height, 1) if key else height)


def beside_by_name(frame: pl.DataFrame, *, unit: str) -> AnyChart:
    """Return bars per name (in the order of the frame), one for each source beside the others.

    `frame`: name, source (of SOURCES), value in `unit`, low, high (null: unknown), difference.
    """
    names = frame["name"].unique(maintain_order=True).to_list()
    sources = _shown_sources(frame)
    base = alt.Chart(frame).encode(
        y=alt.Y(
            "name:N",
            sort=names,
            axis=names_axis(names, LETTERS, _NAMES),
            scale=alt.Scale(paddingInner=0.25, paddingOuter=0.1),
        ),
        yOffset=alt.YOffset("source:N", sort=sources, scale=alt.Scale(domain=sources)),
    )
    bars = base.mark_bar().encode(
        x=alt.X("value:Q", axis=axis(unit)),
        color=_color(frame, beside=width_of(names, _NAMES)),
        tooltip=_tooltip("name", "configuration", unit),
    )
    spans = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.5).encode(
        x=alt.X("low:Q", axis=axis(unit)), x2="high:Q"
    )  # fmt: skip
    return alt.layer(bars, spans).properties(
        height=height_with_legend(len(names) * (_ROW * len(sources) + 6) + _AXIS, len(sources))
    )


def _shown_sources(frame: pl.DataFrame) -> list[str]:
    present = set(frame["source"])
    return [source for source in SOURCES if source in present]


def _color(frame: pl.DataFrame, *, key: bool = True, beside: int = 0) -> alt.Color:
    sources = _shown_sources(frame)
    scale = alt.Scale(domain=sources, range=[SOURCES[source][0] for source in sources])
    legend = shaped_legend(beside=beside) if key else None
    return alt.Color("source:N", scale=scale, legend=legend)


def _shape(frame: pl.DataFrame, *, key: bool) -> alt.Shape:
    sources = _shown_sources(frame)
    scale = alt.Scale(domain=sources, range=[SOURCES[source][1] for source in sources])
    return alt.Shape("source:N", scale=scale, legend=shaped_legend() if key else None)


def _dash(frame: pl.DataFrame) -> alt.StrokeDash:
    sources = _shown_sources(frame)
    scale = alt.Scale(domain=sources, range=[SOURCES[source][2] for source in sources])
    return alt.StrokeDash("source:N", scale=scale, legend=None)


def _tooltip(column: str, title: str, unit: str) -> list[alt.Tooltip]:
    kind = "N" if column == "name" else "Q"
    return [
        alt.Tooltip(f"{column}:{kind}", title=title),
        alt.Tooltip("source:N", title="figure"),
        alt.Tooltip("value:Q", title=unit, format=NUMBER),
        alt.Tooltip("low:Q", title="from", format=NUMBER),
        alt.Tooltip("high:Q", title="to", format=NUMBER),
        alt.Tooltip("difference:N", title="difference from published"),
    ]
