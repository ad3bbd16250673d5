"""What every chart shares: heights, axes, numbers."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import altair as alt
import polars as pl

__all__ = ["HEIGHT", "NUMBER", "AnyChart", "axis", "height_with_legend", "legend", "tooltip_of"]

AnyChart: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart | alt.VConcatChart

HEIGHT = 215  # pixels, axes included and legend not
NUMBER = ",.4~r"  # four digits that count, thousands apart

_LEGEND_ROW = 22  # pixels
# "20k" only where the whole number would take too much room.
_LABEL = "abs(datum.value) >= 10000 ? format(datum.value, '~s') : format(datum.value, ',.6~r')"


def axis(title: str, **options: Any) -> alt.Axis:
    """A quantitative axis; `title` must give the unit."""
    return alt.Axis(title=title, labelExpr=_LABEL, tickCount=4, titlePadding=8, **options)


def legend(
    columns: int = 4, *, symbol: str = "stroke", orient: Literal["top", "bottom"] = "top"
) -> alt.Legend:
    """A legend of so many columns above or below the plot."""
    return alt.Legend(
        orient=orient,
        title=None,
        columns=columns,
        symbolType=symbol,
        symbolSize=70,
        labelLimit=320,
        rowPadding=2,
        columnPadding=14,
        offset=6,
        padding=0,
    )


def height_with_legend(height: int, entries: int, columns: int = 4) -> int:
    """The height of a chart whose plot shall not give room to its legend."""
    return height + _LEGEND_ROW * -(-entries // columns)


def tooltip_of(frame: pl.DataFrame, column: str, title: str) -> alt.Tooltip:
    """What a tooltip tells of a column: numbers with the digits that count."""
    if frame.schema[column].is_numeric():
        return alt.Tooltip(f"{column}:Q", title=title, format=NUMBER)
    return alt.Tooltip(f"{column}:N", title=title)
