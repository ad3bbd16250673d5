"""Horizontal bars: one or several per name."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from app.charts.style import (
    LETTERS,
    NUMBER,
    AnyChart,
    axis,
    columns_of,
    height_with_legend,
    legend,
    lines,
    names_axis,
    row_of,
    width_of,
)

__all__ = ["bars"]

_ROW, _BESIDE = 24, 18  # pixels: of a bar with its gap, and of one of several side by side
_AXIS = 70


def bars(
    frame: pl.DataFrame,
    *,
    name: str,
    value: str,
    unit: str,
    names: Sequence[str] = (),
    series: str | None = None,
    order: Sequence[str] = (),
    stacked: bool = True,
    label_width: int = 180,
    line: int = LETTERS,
    most: float | None = None,
) -> AnyChart:
    """Return horizontal bars, one per name; with `series`, stacked or side by side.

    `name`, `value` and `series` are columns of `frame`; `value` is in `unit`. `names`: the order of
    the bars (default: the order of the rows). `order`: the order of the series' colours.
    `label_width`: pixels for the names, at most; `line`: letters of a name in one line. `most`: the
    end of the axis, to share it with other bars.
    """
    present = frame[name].unique(maintain_order=True).to_list()
    rows = [n for n in names if n in present] or present
    tooltip = [alt.Tooltip(f"{name}:N", title=name)]
    encoding: dict[str, object] = {
        "y": alt.Y(
            f"{name}:N",
            sort=rows,
            axis=names_axis(list(map(str, rows)), line, label_width),
        ),
        "x": alt.X(
            f"{value}:Q",
            stack="zero" if stacked else None,
            axis=axis(unit),
            scale=alt.Undefined if most is None else alt.Scale(domain=[0, most]),
        ),
    }
    entries, columns = 0, 1
    if series is not None:
        levels = set(frame[series].unique())
        domain = [s for s in order if s in levels] + sorted(levels - set(order))
        encoding["color"] = alt.Color(
            f"{series}:N",
            scale=alt.Scale(domain=domain),
            legend=legend(
                columns_of(domain),
                symbol="square",
                beside=width_of(
                    [part for row in rows for part in lines(str(row), line)], label_width
                ),
            ),
        )
        encoding["order"] = alt.Order("rank:Q")
        frame = frame.with_columns(
            rank=pl.col(series).replace_strict(
                {s: i for i, s in enumerate(domain)}, return_dtype=pl.Int64
            )
        )
        entries, columns = len(domain), columns_of(domain)
        tooltip.append(alt.Tooltip(f"{series}:N", title=series))
        if not stacked:
            encoding["yOffset"] = alt.YOffset(f"{series}:N", sort=domain)
    tooltip.append(alt.Tooltip(f"{value}:Q", title=unit, format=NUMBER))
    least = _ROW if stacked else max(_ROW, _BESIDE * entries + 6)
    row = row_of(rows, line, least, around=8)
    height = len(rows) * row + _AXIS
    return (
        alt.Chart(frame)
        .mark_bar(cornerRadiusEnd=2)
        .encode(**encoding, tooltip=tooltip)
        .properties(height=height_with_legend(height, entries, columns))
    )
