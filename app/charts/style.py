"""Heights, axes and number formats shared by all charts."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import altair as alt
import polars as pl

__all__ = ["HEIGHT", "NUMBER", "AnyChart", "axis", "height_with_legend", "legend", "shaped_legend",
           "tooltip_of"]  # fmt: skip

AnyChart: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart | alt.VConcatChart

HEIGHT = 215  # pixels, with axes, without legend
NUMBER = ",.4~r"  # four significant digits, grouped by thousands

_LEGEND_ROW = 22  # pixels
# "20k" only if the whole number would take too much room.
_LABEL = "abs(datum.value) >= 10000 ? format(datum.value, '~s') : format(datum.value, ',.6~r')"


def axis(title: str, **options: Any) -> alt.Axis:
    """Return a quantitative axis; `title` must give the unit."""
    return alt.Axis(title=title, labelExpr=_LABEL, tickCount=4, titlePadding=8, **options)


def legend(
    columns: int = 4, *, symbol: str = "stroke", orient: Literal["top", "bottom"] = "top"
) -> alt.Legend:
    """Return a legend with this many columns, above or below the plot."""
    return alt.Legend(
        orient=orient,
        title=None,
        columns=columns,
        symbolType=symbol,
        symbolOpacity=1,
        symbolSize=70,
        labelLimit=320,
        rowPadding=2,
        columnPadding=14,
        offset=6,
        padding=0,
    )


def shaped_legend(columns: int = 4) -> alt.Legend:
    """Return a legend like `legend` that shows the shapes of the marks."""
    key = legend(columns)
    key.symbolType = alt.Undefined
    key.symbolStrokeWidth = 0
    return key


def height_with_legend(height: int, entries: int, columns: int = 4) -> int:
    """Return the height of a chart whose legend does not shrink the plot."""
    return height + _LEGEND_ROW * -(-entries // columns)


def tooltip_of(frame: pl.DataFrame, column: str, title: str) -> alt.Tooltip:
    """Return the tooltip of one column; numbers have four significant digits."""
    if frame.schema[column].is_numeric():
        return alt.Tooltip(f"{column}:Q", title=title, format=NUMBER)
    return alt.Tooltip(f"{column}:N", title=title)
