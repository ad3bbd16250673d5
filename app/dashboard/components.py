"""What pages are put together from: header, tiles, panels, tables, and what to say without data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import polars as pl
import streamlit as st

from app.charts.style import HEIGHT, AnyChart
from app.charts.time import Span, over_time
from app.dashboard import units

__all__ = [
    "REBUILD",
    "empty",
    "header",
    "origin_badge",
    "panel",
    "panels",
    "problem",
    "section",
    "steps",
    "table",
    "tiles",
    "time_panel",
]

_HEIGHT_OF_SEVERAL = 150  # pixels
_ORIGIN_COLORS = {"measured": "green", "simulated": "orange", "published": "violet"}
_ORIGIN_HELP = {
    "measured": "from records or runs of a real system",
    "simulated": "made by the simulator",
    "published": "printed in a document",
}
_LOAD = "perfhouse run PATH"
REBUILD = "perfhouse build; perfhouse check; perfhouse publish"


def header(title: str, says: str = "", origin: str | None = None) -> None:
    """The title of a page, one line of what it shows, and the origin of its figures."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.title(title, anchor=False, width="content")
        if origin is not None:
            origin_badge(origin)
    if says:
        st.caption(says)


def origin_badge(origin: str) -> None:
    """The origin of figures, in its colour."""
    st.badge(
        origin,
        color=_ORIGIN_COLORS.get(origin, "gray"),  # type: ignore[arg-type]
        help=_ORIGIN_HELP.get(origin),
    )


def section(title: str, says: str | None = None) -> None:
    """A heading inside a page."""
    st.subheader(title, anchor=False)
    if says:
        st.caption(says)


def tiles(figures: Mapping[str, str | tuple[str, str]]) -> None:
    """Key numbers: a label and its figure, with a remark below where there is one to make."""
    with st.grid(len(figures), min_column_width=150, gap="small"):
        for label, figure in figures.items():
            value, remark = figure if isinstance(figure, tuple) else (figure, None)
            with st.container(border=True, gap=None, height="stretch"):
                st.metric(label, value)
                if remark:
                    st.caption(remark)


def steps(width: timedelta | None) -> None:
    """Say how wide the steps of the charts are, where a step is more than one interval."""
    if width is not None:
        st.caption(
            f"Each step of the charts stands for {units.width(width)}: means over its "
            "intervals, and the largest of what is a maximum."
        )


def panels() -> Any:
    """A grid of two charts to a row, or one where two would be too narrow."""
    return st.grid(2, min_column_width=400, gap=("small", "medium"))


def panel(
    title: str, chart: AnyChart | None, *, says: str | None = None, without: str = ""
) -> None:
    """A chart under its title. Without a chart, `without` says why there is none."""
    with st.container(gap="xxsmall"):
        st.markdown(f"**{title}**", help=says)
        if chart is None:
            st.caption(without or "No figures in this range.")
        else:
            st.altair_chart(chart, width="stretch", alt=title)


def time_panel(
    title: str,
    figures: pl.DataFrame,
    unit: str,
    span: Span,
    *,
    order: Sequence[str] = (),
    low: float = 0,
    high: float | None = None,
    named: bool = False,
    says: str | None = None,
    without: str = "",
) -> None:
    """Charts over time of `figures` (as `charts.time.long` gives them), or why there is none.

    One chart a queue manager, below each other, with the same axes and colours. `order`: the
    series in the order in which they take their colours; those not named follow by name. `low`
    and `high`: the ends of the axis of values. `named`: even a single series is named.
    """
    if figures.is_empty():
        panel(title, None, without=without)
        return
    found = set(figures["series"])
    series = [name for name in order if name in found]
    series += sorted(found - set(series))
    owners = figures["queue_manager"].unique(maintain_order=True).to_list()
    key = named or len(series) > 1
    if high is None and len(owners) > 1:
        most = figures.select(pl.col("value").max()).item()
        high = most if most > low else None
    with st.container(gap="xxsmall"):
        st.markdown(f"**{title}**", help=says)
        for place, owner in enumerate(owners):
            if len(owners) > 1:
                st.caption(owner)
            chart = over_time(
                figures.filter(pl.col("queue_manager") == owner),
                unit=unit,
                span=span,
                series=series,
                low=low,
                high=high,
                key=key and place == 0,
                height=HEIGHT if len(owners) == 1 else _HEIGHT_OF_SEVERAL,
            )
            st.altair_chart(chart, width="stretch", alt=f"{title}, {owner}")


def table(
    frame: pl.DataFrame,
    name: str,
    *,
    columns: Mapping[str, Any] | None = None,
) -> None:
    """A table with the button that downloads it as CSV; `name` is the file's, without suffix."""
    st.dataframe(
        frame,
        hide_index=True,
        column_config=dict(columns or {}),
        column_order=list(columns) if columns else None,
        placeholder=units.MISSING,
    )
    st.download_button(
        "CSV",
        data=frame.write_csv,
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key=f"csv_{name}",
        help=f"Download {frame.height:,} rows with all columns",
    )


def empty(what: str, command: str = _LOAD) -> None:
    """Say that there is nothing to show, and what to do about it."""
    st.info(what, icon=":material/inbox:")
    st.markdown("What to run:")
    st.code(command, language="shell")


def problem(what: str, do: str) -> None:
    """Say what keeps the page from being drawn, and what to do about it."""
    st.warning(what, icon=":material/error:")
    st.code(do, language="shell")


def listed(names: Sequence[str]) -> str:
    """Names as a sentence would have them: a, b and c."""
    return " and ".join(", ".join(names).rsplit(", ", 1))
