"""What got worse, since which build, how sure that is, where, and what was decided."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.dashboard import components, filters, roles, session, units
from app.dashboard.no_runs import no_runs
from app.pipeline import steps
from app.pipeline.places import default_warehouse
from app.results.labels import metric_label
from app.results.queries import regressions as queries
from app.results.queries.recorded import has_runs
from app.results.reader import Reader
from app.results.regressions import plot, split_of
from ingest.errors import PerfhouseError

_KINDS = {
    "level": "level shift",
    "slope": "drift",
    "pair": "worse than previous build",
    "model": "unlike the model",
    "data": "missing data",
}
_MOST_PARTS = 12
_LONGEST_NOTE = 500  # characters


def draw(reader: Reader) -> None:
    """Draw the page."""
    known = queries.known(reader)
    origins = known["origin"].unique().to_list()
    components.header(
        "Regressions",
        "What got worse, since which build, and where. Times are UTC.",
        origins[0] if len(origins) == 1 else None,
    )
    if known.is_empty() and not has_runs(reader):
        no_runs(
            reader,
            "Regressions are looked for among runs of the same work: declare one a day, say.",
        )
        return
    if known.is_empty():
        components.empty(
            "No check has found a regression in the loaded runs. Load more runs and check again."
        )
        return
    components.tiles(_tiles(known))
    components.link("reports", "As a report", report="regressions")
    with st.sidebar:
        shown = filters.switch("Show", ["open", "all"], "shown")
        kinds = [name for kind, name in _KINDS.items() if kind in set(known["kind"])]
        chosen = filters.choices("Kind", kinds, "kind")
    listed = known.with_columns(
        kind=pl.col("kind").replace(_KINDS),
        metrics=pl.len().over("group_id"),
        label=pl.col("metric").map_elements(metric_label, return_dtype=pl.String),
    )
    if shown == "open":
        listed = listed.filter(pl.col("state").is_in(queries.OPEN), "leads")
    if chosen:
        listed = listed.filter(pl.col("kind").is_in(chosen))
    if listed.is_empty():
        st.success(
            'Nothing is open: every regression is fixed or accepted. Choose "all" to see them.'
        )
        return
    _one(reader, _chosen(listed), known)


def _chosen(listed: pl.DataFrame) -> dict[str, Any]:
    """Draw the list; return the regression that was clicked, that the address names, or the first.

    The address follows, so that it can be sent.
    """
    names = listed["regression_id"].to_list()
    asked = st.query_params.get("id")
    if asked and asked not in names:
        components.info(
            f'{asked} is not in this list. Choose "all" and every kind, or look at its history: '
            f"perfhouse regressions show {asked}",
            "search_off",
        )
    row = components.pick(
        listed,
        "regressions",
        chosen=names.index(asked) if asked in names else 0,
        columns={
            "label": st.column_config.TextColumn("Metric"),
            "change_percent": st.column_config.NumberColumn("Change, %", format="%+.1f"),
            "cause": st.column_config.TextColumn("Cause", width="large"),
            "last_good_build": st.column_config.TextColumn("Last good", width="small"),
            "onset_build": st.column_config.TextColumn("First bad", width="small"),
            "onset_utc": st.column_config.DatetimeColumn("Since, UTC", format="YYYY-MM-DD HH:mm"),
            "state": st.column_config.TextColumn("State", width="small"),
            "configuration": st.column_config.TextColumn("Configuration", width="medium"),
            "address_space": st.column_config.TextColumn("Address space", width="small"),
            "metrics": components.count("Metrics of the change"),
            "kind": st.column_config.TextColumn("Kind"),
            "note": st.column_config.TextColumn("Note"),
            "origin": st.column_config.TextColumn("Origin", width="small"),
            "regression_id": st.column_config.TextColumn("Regression", width="small"),
        },
    ) or listed.row(0, named=True)
    st.query_params["id"] = row["regression_id"]
    return row


def _tiles(known: pl.DataFrame) -> dict[str, str | tuple[str, str]]:
    """Count the regressions in each state; those of one group count once."""
    kinds = {
        "New": (("new",), "found once"),
        "Confirmed": (("confirmed",), "found again with more runs"),
        "Accepted": (
            ("acknowledged", "expected", "false alarm"),
            "acknowledged, expected, false alarm",
        ),
        "Fixed": (("fixed",), "no longer seen"),
    }
    tiles: dict[str, str | tuple[str, str]] = {}
    for title, (states, note) in kinds.items():
        own = known.filter(pl.col("state").is_in(states))
        leading = own["group_id"].n_unique()
        more = f"{note}; {units.number(own.height)} metrics" if own.height > leading else note
        tiles[title] = (units.number(leading), more)
    return tiles


def _one(reader: Reader, row: dict[str, Any], known: pl.DataFrame) -> None:
    """Draw one regression: its series, where the change is, its history, and how to answer it."""
    components.section(_title(row), row["message"])
    with st.container(horizontal=True):
        for run, what in (("last_good_run_id", "Last good run"), ("onset_run_id", "First bad run")):
            if row[run]:
                components.link("run", what, run=row[run])
        if row["onset_run_id"] and row["metric"]:
            components.link(
                "lineage", "Where the figure comes from", run=row["onset_run_id"],
                metric=row["metric"],
            )  # fmt: skip
        if row["last_good_build"] and row["onset_build"]:
            components.link(
                "comparison", "Compare the builds", compare="Build",
                candidate=row["onset_build"], baseline=row["last_good_build"],
                origin=row["origin"],
            )  # fmt: skip
    with components.panels():
        if row["metric"]:
            spec = plot(row, queries.runs_of(reader, row)) | {"width": "container", "title": ""}
            with st.container(gap="xxsmall"):
                components.name(f"{metric_label(row['metric'])}, by run")
                st.vega_lite_chart(spec, width="stretch")
                st.caption("Lines: the levels before and after. Band: 95 % interval of the second.")
        split = split_of(row)
        own = split.filter(pl.col("dimension") != "figure")
        for (dimension, unit), parts in own.group_by("dimension", "unit", maintain_order=True):
            components.panel(
                f"Change by {dimension}",
                bars(parts.head(_MOST_PARTS), name="name", value="change", unit=f"change, {unit}"),
                help="The total change, split into its parts.",
            )
    others = split.filter(pl.col("dimension") == "figure")
    if not others.is_empty():
        components.section("What else changed", "Means of other metrics of the same runs.")
        components.table(
            others,
            "others",
            columns={
                "name": st.column_config.TextColumn("Metric"),
                "before": st.column_config.NumberColumn("Before", format="%.4g"),
                "after": st.column_config.NumberColumn("After", format="%.4g"),
                "unit": st.column_config.TextColumn("Unit", width="small"),
            },
        )
    _group(row, known)
    components.section("History", row["regression_id"])
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
    if row["state"] in queries.OPEN and session.role() == roles.TRIAGER:
        _decide(row["regression_id"])
    elif row["state"] in queries.OPEN and session.role() is None:
        st.markdown("To acknowledge it, or to mark it as expected or as a false alarm:")
        components.code(
            *(
                f"regressions {act} {row['regression_id']} --note 'why'"
                for act in ("acknowledge", "expect", "false-alarm")
            )
        )


def _title(row: dict[str, Any]) -> str:
    change = "" if row["change_percent"] is None else f" {row['change_percent']:+.1f} %"
    return f"{metric_label(row['metric'])}{change}" if row["metric"] else _KINDS[row["kind"]]


def _group(row: dict[str, Any], known: pl.DataFrame) -> None:
    """Draw the other metrics that changed with this one."""
    others = known.filter(
        pl.col("group_id") == row["group_id"], pl.col("regression_id") != row["regression_id"]
    )
    if others.is_empty():
        return
    components.section("The same change in other figures")
    components.table(
        others.with_columns(
            label=pl.col("metric").map_elements(metric_label, return_dtype=pl.String)
        ),
        "group",
        columns={
            "label": st.column_config.TextColumn("Metric"),
            "change_percent": st.column_config.NumberColumn("Change, %", format="%+.1f"),
            "configuration": st.column_config.TextColumn("Configuration", width="large"),
            "address_space": st.column_config.TextColumn("Address space", width="small"),
            "system_id": st.column_config.TextColumn("System", width="small"),
            "state": st.column_config.TextColumn("State", width="small"),
            "regression_id": st.column_config.TextColumn("Regression", width="small"),
        },
    )


def _decide(regression_id: str) -> None:
    """Draw a form for the decision of who is signed in."""
    components.section("Decide")
    with st.form("decide", clear_on_submit=True):
        state = st.selectbox("It is", queries.DECISIONS)
        note = st.text_input("Why", max_chars=_LONGEST_NOTE)
        decided = st.form_submit_button("Save")
    if decided and not note.strip():
        components.info("Say why, for those who come later.", "edit_note")
    elif decided:
        by = str(session.person().get("email"))
        try:
            steps.mark_regression(default_warehouse(), regression_id, state, note.strip(), by)
        except PerfhouseError as error:
            components.problem(f"{error}.")
        else:
            st.rerun()


if __name__ == "__main__":
    draw(session.reader())
