"""The morning's questions: is it sound and fresh, what got worse, what came last night."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import streamlit as st

from app.dashboard import components, session, units
from app.dashboard.no_runs import no_runs
from app.dashboard.state import draw_state
from app.results.labels import figure_of
from app.results.queries import loads, pipeline, regressions, today
from app.results.reader import Reader

_MOMENT = "YYYY-MM-DD HH:mm"
_MOST = 10  # regressions


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header("Today", "What is new, what got worse, and whether it can be trusted.")
    feeds = today.feeds(reader)
    if feeds.is_empty():
        components.empty("Nothing is loaded yet. Load SMF dumps, RMF reports or benchmark outputs.")
        return
    draw_state(reader)
    opened = regressions.changes(
        regressions.known(reader).filter(pl.col("state").is_in(regressions.OPEN))
    )
    runs = today.latest_runs(reader)
    _tiles(reader, feeds, opened, runs)
    _regressions(opened, runs)
    _runs(reader, runs)
    _issues(today.findings(reader))
    _feeds(feeds)
    _steps(pipeline.states(reader))


def _tiles(reader: Reader, feeds: pl.DataFrame, opened: pl.DataFrame, runs: pl.DataFrame) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    newest = loads.newest(reader)
    moment = newest["moment"].item()
    last_load = feeds["last_loaded_at"].max()
    late = int(feeds["is_late"].sum())
    incomplete = int(runs["incomplete"].sum())
    components.tiles(
        {
            "Open regressions": (
                units.number(opened.height),
                _worst(opened)
                if opened.height
                else "nothing got worse" * bool(runs.height) or "no runs to judge",
            ),
            "Latest runs": (
                units.number(int(runs["runs"].sum())),
                f"{incomplete} incomplete" if incomplete else "all complete" * bool(runs.height),
            ),
            "Newest interval": (
                (f"{moment:%H:%M}", f"{moment:%Y-%m-%d} UTC, {newest['origin'].item()}")
                if moment
                else (units.MISSING, "no intervals loaded")
            ),
            "Last load": (
                units.since(last_load, now),  # type: ignore[arg-type]
                f"{late} feeds are late" if late > 1 else "1 feed is late" if late else "",
            ),
            "Published": (
                units.since(reader.published_at, now), f"{units.moment(reader.published_at)} UTC"
            ),
        }
    )  # fmt: skip


def _worst(opened: pl.DataFrame) -> str:
    changes = opened.drop_nulls("change_percent")
    if changes.is_empty():
        return ""
    row = changes.row(0, named=True)
    return f"greatest: {figure_of(row)} {row['change_percent']:+.1f} %"


def _regressions(opened: pl.DataFrame, runs: pl.DataFrame) -> None:
    components.section("Open regressions", "Click one for its runs, its parts and its history.")
    if opened.is_empty():
        if runs.is_empty():
            components.note("There are no runs that could be judged.")
        else:
            st.success("None: every regression is fixed or answered.", icon=":material/check:")
        return
    chosen = components.pick(
        opened.head(_MOST),
        "open_regressions",
        columns={
            "label": st.column_config.TextColumn("Metric"),
            "change_percent": st.column_config.NumberColumn("Change, %", format="%+.1f"),
            "cause": st.column_config.TextColumn("Cause", width="medium"),
            "last_good_build": st.column_config.TextColumn("Last good", width="small"),
            "onset_build": st.column_config.TextColumn("First bad", width="small"),
            "onset_utc": st.column_config.DatetimeColumn("Since, UTC", format=_MOMENT),
            "configuration": st.column_config.TextColumn("Configuration", width="medium"),
            "state": st.column_config.TextColumn("State", width="small"),
        },
    )
    if chosen:
        components.go("regressions", id=chosen["regression_id"])
    if opened.height > _MOST:
        components.link("regressions", f"All {opened.height} open regressions")


def _runs(reader: Reader, runs: pl.DataFrame) -> None:
    components.section("Latest runs", "The last 24 hours that have runs. Click one for its charts.")
    if runs.is_empty():
        no_runs(reader, "To follow a workload, say when it ran.")
        return
    chosen = components.pick(
        runs,
        "latest_runs",
        columns={
            "campaign": st.column_config.TextColumn("Campaign"),
            "git_revision": st.column_config.TextColumn("Build"),
            "runs": components.count("Runs"),
            "incomplete": components.count("Incomplete"),
            "configurations": components.count("Configurations"),
            "first_utc": st.column_config.DatetimeColumn("First, UTC", format=_MOMENT),
            "last_utc": st.column_config.DatetimeColumn("Last, UTC", format=_MOMENT),
            "origin": st.column_config.TextColumn("Origin", width="small"),
        },
    )
    if chosen:
        components.go("runs", campaign=chosen["campaign"], origin=chosen["origin"])


def _issues(findings: dict[str, int]) -> None:
    components.section("Data issues")
    said = [
        f"{units.number(count)} {severity}{'s' * (count != 1)}"
        for severity, count in findings.items()
        if count
    ]
    if not said:
        st.success("Nothing is wrong with the loaded data.", icon=":material/verified_user:")
        return
    components.link("data-issues", f"{components.listed(said)} in the loaded data")


def _feeds(feeds: pl.DataFrame) -> None:
    components.section(
        "Feeds", "A feed is late if nothing came for three times its usual time between loads."
    )
    components.table(
        feeds.with_columns(
            state=pl.when("is_late")
            .then(pl.lit("late"))
            .when(pl.col("usual").is_not_null())
            .then(pl.lit("on time")),
            usual_hours=pl.col("usual") / 3600,
        ),
        "feeds",
        columns={
            "feed": st.column_config.TextColumn("Feed"),
            "origin": st.column_config.TextColumn("Origin", width="small"),
            "state": st.column_config.TextColumn("State", width="small"),
            "last_record_at": st.column_config.DatetimeColumn("Newest record, UTC", format=_MOMENT),
            "last_loaded_at": st.column_config.DatetimeColumn("Last load, UTC", format=_MOMENT),
            "usual_hours": st.column_config.NumberColumn("Usually every, h", format="%.1f"),
            "loads": components.count("Loads"),
        },
    )


def _steps(states: pl.DataFrame) -> None:
    if states.is_empty():
        return
    components.section("Pipeline")
    components.table(
        states.with_columns(pl.col("status").fill_null("under way")),
        "steps",
        columns={
            "step": st.column_config.TextColumn("Step", width="small"),
            "status": st.column_config.TextColumn("State", width="small"),
            "last_begun_at": st.column_config.DatetimeColumn("Started, UTC", format=_MOMENT),
            "seconds": st.column_config.NumberColumn("Time, s", format="%.1f"),
            "last_ok_at": st.column_config.DatetimeColumn("Last success, UTC", format=_MOMENT),
            "failed": components.count("Failures since"),
            "reason": st.column_config.TextColumn("Why it failed", width="large"),
        },
    )


if __name__ == "__main__":
    draw(session.reader())
