"""What got worse, since which build, how sure that is, where it lies, what was said of it."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.dashboard import components, filters, session, units
from app.results.queries import regressions as queries
from app.results.reader import Reader
from app.results.regressions import plot

_KINDS = {
    "level": "level shift",
    "pair": "against the build before",
    "model": "against the model",
    "data": "data missing",
}


def draw(reader: Reader) -> None:
    """Draw the page."""
    known = queries.known(reader)
    components.header("Regressions", "What the checks found, and what became of it.")
    if known.is_empty():
        components.empty("No check has found a regression in the runs that are loaded.")
        return
    components.tiles(_tiles(known))
    with st.sidebar:
        shown = filters.switch("Shown", ["open", "all"], "shown")
        kinds = [name for kind, name in _KINDS.items() if kind in set(known["kind"])]
        chosen = filters.choices("Kind", kinds, "kind")
    listed = known.with_columns(kind=pl.col("kind").replace(_KINDS))
    if shown == "open":
        listed = listed.filter(pl.col("state").is_in(queries.OPEN), "leads")
    if chosen:
        listed = listed.filter(pl.col("kind").is_in(chosen))
    if listed.is_empty():
        st.success("Nothing is open: every regression was fixed, or someone answered for it.")
        return
    _list(listed)
    name = filters.choice("Regression", listed["regression_id"].to_list(), "id")
    _one(reader, listed.row(by_predicate=pl.col("regression_id") == name, named=True))


def _tiles(known: pl.DataFrame) -> dict[str, str | tuple[str, str]]:
    """How many there are of each state: of one cause, those of one build are one."""
    said = {
        "New": (("new",), "found by one check"),
        "Confirmed": (("confirmed",), "and found again"),
        "Answered": (("acknowledged", "expected", "false alarm"), "expected, or not so"),
        "Fixed": (("fixed",), "gone again"),
    }
    tiles: dict[str, str | tuple[str, str]] = {}
    for title, (states, note) in said.items():
        own = known.filter(pl.col("state").is_in(states))
        leading = own["group_id"].n_unique()
        more = f"{note}; {units.number(own.height)} figures" if own.height > leading else note
        tiles[title] = (units.number(leading), more)
    return tiles


def _list(listed: pl.DataFrame) -> None:
    components.table(
        listed,
        "regressions",
        columns={
            "regression_id": st.column_config.TextColumn("Regression", width="small"),
            "state": st.column_config.TextColumn("State", width="small"),
            "onset_utc": st.column_config.DatetimeColumn("Since, UTC", format="YYYY-MM-DD HH:mm"),
            "onset_build": st.column_config.TextColumn("Build", width="small"),
            "kind": st.column_config.TextColumn("Kind"),
            "configuration": st.column_config.TextColumn("Configuration", width="medium"),
            "metric": st.column_config.TextColumn("Figure"),
            "address_space": st.column_config.TextColumn("Address space", width="small"),
            "change_percent": st.column_config.NumberColumn("Change, %", format="%+.1f"),
            "cause": st.column_config.TextColumn("Cause"),
            "note": st.column_config.TextColumn("Note"),
        },
    )


def _words(name: object) -> str:
    return str(name).replace("_", " ")


def _one(reader: Reader, row: dict[str, Any]) -> None:
    """One regression: its series, where it lies, its story, and how to answer for it."""
    components.section(row["regression_id"], row["message"])
    with components.panels():
        if row["metric"]:
            spec = plot(row, queries.runs_of(reader, row)) | {"width": "container", "title": ""}
            with st.container(gap="xxsmall"):
                st.markdown("**" + _words(row["metric"]) + " of each run**")
                st.vega_lite_chart(spec, width="stretch")
                st.caption("The lines are the levels before and after.")
        split = _split(row)
        own = split.filter(pl.col("dimension") != "figure")
        for (unit,), parts in own.group_by("unit", maintain_order=True):
            components.panel(
                "Where it lies",
                bars(parts.head(12), name="name", value="change", unit=f"change, {unit}"),
                says="The difference of the whole, split into its parts.",
            )
    beside = split.filter(pl.col("dimension") == "figure")
    if not beside.is_empty():
        components.section("What changed with it", "Other figures of the same runs, in the mean.")
        components.table(
            beside,
            "beside",
            columns={
                "name": st.column_config.TextColumn("Figure"),
                "before": st.column_config.NumberColumn("Before", format="%.4g"),
                "after": st.column_config.NumberColumn("After", format="%.4g"),
                "unit": st.column_config.TextColumn("Unit", width="small"),
            },
        )
    story = queries.story(reader, row["regression_id"])
    components.table(
        story,
        "story",
        columns={
            "event_at": st.column_config.DatetimeColumn("When, UTC", format="YYYY-MM-DD HH:mm"),
            "state": st.column_config.TextColumn("State"),
            "by": st.column_config.TextColumn("By"),
            "note": st.column_config.TextColumn("Note", width="large"),
        },
    )
    if row["state"] in queries.OPEN:
        st.markdown("To answer for it, run one of:")
        st.code(
            "\n".join(
                f"perfhouse regressions {act} {row['regression_id']} --note 'why'"
                for act in ("acknowledge", "expect", "false-alarm")
            ),
            language="shell",
        )


def _split(row: dict[str, Any]) -> pl.DataFrame:
    """What changed with a regression, most first: name, dimension, unit, before, after, change.

    Parts of the dimension "figure" are other figures; those of any other are parts of this one.
    """
    columns = {"dimension": pl.String(), "what": pl.String(), "unit": pl.String(),
               "before": pl.Float64(), "after": pl.Float64()}  # fmt: skip
    parts = pl.DataFrame(json.loads(row["parts"] or "[]"), schema_overrides=columns)
    if parts.is_empty():
        parts = pl.DataFrame(schema=columns)
    kind = pl.when(pl.col("dimension") != "figure").then("dimension")
    what = pl.col("what").str.replace_all("_", " ")
    return parts.with_columns(
        unit=pl.col("unit").fill_null(row["unit"]),
        name=pl.concat_str(kind, what, separator=": ", ignore_nulls=True),
        change=pl.col("after") - pl.col("before"),
    ).sort(pl.col("change").abs(), descending=True)


if __name__ == "__main__":
    draw(session.reader())
