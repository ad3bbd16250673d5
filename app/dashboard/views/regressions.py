"""What got worse, since which build, how sure that is, where it lies, what was said of it."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import streamlit as st

from app.dashboard import components, filters, session, units
from app.dashboard.charts.bars import bars
from app.dashboard.queries import regressions as queries
from app.dashboard.reader import Reader
from app.regressions import plot

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
    states = dict(known.group_by("state").len().iter_rows())
    answered = sum(states.get(s, 0) for s in ("acknowledged", "expected", "false alarm"))
    return {
        "New": (units.number(states.get("new", 0)), "found by one check"),
        "Confirmed": (units.number(states.get("confirmed", 0)), "and found again"),
        "Answered": (units.number(answered), "acknowledged, expected or a false alarm"),
        "Fixed": (units.number(states.get("fixed", 0)), "gone again"),
    }


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
    parts = pl.DataFrame(json.loads(row["parts"] or "[]"))
    with components.panels():
        if row["metric"]:
            spec = plot(row, queries.runs_of(reader, row)) | {"width": "container", "title": ""}
            with st.container(gap="xxsmall"):
                st.markdown("**" + _words(row["metric"]) + " of each run**")
                st.vega_lite_chart(spec, width="stretch")
                st.caption("The lines are the levels before and after.")
        if not parts.is_empty():
            unit = str(parts["unit"].drop_nulls().first() or row["unit"])
            split = parts.with_columns(
                name=pl.concat_str("dimension", "what", separator=": ", ignore_nulls=True),
                change=pl.col("after") - pl.col("before"),
            ).sort(pl.col("change").abs(), descending=True)
            components.panel(
                "Where it lies",
                bars(split.head(12), name="name", value="change", unit=f"change, {unit}"),
                says="The difference of the whole, split into its parts.",
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


if __name__ == "__main__":
    draw(session.reader())
