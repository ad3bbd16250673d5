"""The morning's questions: how was last night, what is open, are figures sound.

Code of its own: it says in words what several other pages find.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import polars as pl
import streamlit as st

from app.dashboard import components, health, session, units
from app.dashboard.no_runs import no_runs
from app.dashboard.state import draw_state
from app.results.labels import figure_of
from app.results.last_night import MISSING, LastNight, read_last_night
from app.results.queries import loads, pipeline, regressions, today
from app.results.reader import Reader
from app.results.words import counted, listed
from expectations.metrics import metric_label
from expectations.verdicts.verdict import NOT_JUDGED, SAME, SUSPECTED, WORSE

_MOST = 10  # regressions
_SHOWN_AS = {
    WORSE: (st.error, "trending_down"),
    MISSING: (st.warning, "hourglass_empty"),
    SUSPECTED: (st.warning, "help"),
    NOT_JUDGED: (st.info, "info"),
    SAME: (st.success, "check"),
}


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header(
        "Today", "What came last night, what got worse, and whether the data are complete."
    )
    feeds, night = today.feeds(reader), read_last_night(reader)
    if feeds.is_empty() or night is None:
        components.empty("Nothing is loaded yet. Load SMF dumps, RMF reports or benchmark outputs.")
        return
    every = regressions.known(reader)
    opened = regressions.changes(every.filter(pl.col("state").is_in(regressions.OPEN)))
    runs = today.latest_runs(reader)
    _tiles(reader, feeds, opened, runs, night)
    ended = regressions.changes(
        today.of_last_check(reader, every).filter(~pl.col("state").is_in(regressions.OPEN))
    )
    _last_night(night, ended)
    _open(reader, opened, night, is_first=every.is_empty())
    _runs(reader, runs)
    components.section("Are systems and queue managers well?")
    health.draw_latest(reader)
    verdict = loads.verdict(reader)
    draw_state(reader, verdict)
    _issues(today.findings(reader), verdict)
    _steps(pipeline.states(reader))


def _tiles(
    reader: Reader,
    feeds: pl.DataFrame,
    opened: pl.DataFrame,
    runs: pl.DataFrame,
    night: LastNight,
) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    newest = loads.newest(reader)
    moment = newest["moment"].item()
    missing = night.absent.height
    incomplete = int(runs["incomplete"].sum())
    components.tiles(
        {
            "Open regressions": (units.number(opened.height), _worst(opened)),
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
                units.since(feeds["last_utc"].max(), now),  # type: ignore[arg-type]
                f"{missing:,} missing" if missing else "",
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
    return f"greatest: {_change(changes.row(0, named=True))}"


def _last_night(night: LastNight, ended: pl.DataFrame) -> None:
    """Draw how last night was, and what is not as it should be."""
    components.section("How was last night?")
    draw, icon = _SHOWN_AS[night.verdict]
    answer = night.answer[:1].upper() + night.answer[1:]
    draw(units.plain(f"{answer}."), icon=f":material/{icon}:")
    is_odd = pl.col("is_expected") & pl.col("verdict").is_in([MISSING, SUSPECTED])
    odd = night.subjects.filter(pl.col("is_worse") | is_odd)
    if odd.height:
        components.table(
            odd.with_columns(
                metric=pl.col("metric").map_elements(metric_label, return_dtype=pl.String),
                change=pl.when("is_worse").then("change"),
            ),
            "last_night",
            columns={
                "kind": "Kind",
                "subject": "Name",
                "metric": "Metric",
                "verdict": "Verdict",
                "since_utc": "Since",
                "change": "Change",
                "change_unit": "Unit of change",
                "reason": "Why",
                "expected_utc": "Expected",
                "last_utc": "Came last",
                "origin": "Origin",
            },
        )
    components.link("loads", "All feeds")
    if ended.height:
        components.name("Fixed or withdrawn by the last check")
        _pick(ended, "ended", {"state": "State"})


def _change(row: Mapping[str, Any]) -> str:
    """Return a change as it stands in a sentence: by how much, or what it is."""
    percent = row["change_percent"]
    # The first of the causes of a change without a size: there may be many.
    cause = (row["cause"] or row["state"]).partition(";")[0]
    text = cause if percent is None else f"{percent:+.1f} %"
    return f"{figure_of(row)} {text}"


def _open(reader: Reader, opened: pl.DataFrame, night: LastNight, *, is_first: bool) -> None:
    components.section(
        "Open regressions", "The greatest first. Click one for its runs, its parts and its history."
    )
    if opened.is_empty():
        if night.verdict == SAME:
            why = "there never was one" if is_first else "every regression is fixed or answered"
            st.success(f"None: {why}.", icon=":material/check:")
        else:
            components.note("None is open.")
        return
    _pick(
        today.recent_values(reader, opened.head(_MOST)),
        "open_regressions",
        {
            "onset_utc": "Since",
            "last_good_build": "Last good",
            "onset_build": "First bad",
            "state": "State",
        },
    )
    if opened.height > _MOST:
        components.link("regressions", f"All {opened.height} open regressions")


def _pick(frame: pl.DataFrame, name: str, columns: Mapping[str, Any]) -> None:
    """Draw a list of regressions; go to the one that is clicked."""
    recent = "recent" in frame.columns
    chosen = components.pick(
        frame,
        name,
        columns={
            "label": ("Metric", 165),
            "change_percent": st.column_config.NumberColumn("Change, %", format="%+.1f", width=85),
            **({"recent": st.column_config.LineChartColumn("Runs", width=90)} if recent else {}),
            "cause": ("Cause", 285),
            "configuration": ("Configuration", 330),
            **columns,
        },
    )
    if chosen:
        components.go("regressions", id=chosen["regression_id"])


def _runs(reader: Reader, runs: pl.DataFrame) -> None:
    components.section("Latest runs", "The last 24 hours that have runs. Click one for its charts.")
    if runs.is_empty():
        no_runs(reader, "To follow a workload, say when it ran.")
        return
    chosen = components.pick(
        runs,
        "latest_runs",
        columns={
            "campaign": "Campaign",
            "git_revision": "Build",
            "runs": "Runs",
            "incomplete": "Incomplete",
            "configurations": "Configurations",
            "first_utc": "First",
            "last_utc": "Last",
            "origin": "Origin",
        },
    )
    if chosen:
        components.go("runs", campaign=chosen["campaign"], origin=chosen["origin"])


def _issues(findings: dict[str, int], verdict: pl.DataFrame) -> None:
    components.section("Data issues")
    counts = [counted(count, severity) for severity, count in findings.items() if count]
    if not counts:
        if verdict.height and not sum(verdict.select("faults", "errors", "warnings").row(0)):
            st.success("Nothing is wrong with the loaded data.", icon=":material/verified_user:")
        else:
            components.note("No run or interval has an issue; the last audit has more to say.")
        return
    components.link("data-issues", f"{listed(counts)} in the loaded data")


def _steps(states: pl.DataFrame) -> None:
    """Draw the steps of the pipeline that did not end well when they last ran."""
    if states.is_empty():
        return
    components.section("Pipeline")
    bad = states.filter(pl.col("status").fill_null("") != "ok")
    if bad.is_empty():
        last = states.sort("last_ok_at").row(-1, named=True)
        components.note(
            f"Every step ended well when it last ran; the last was {last['step']}, "
            f"{units.moment(last['last_ok_at'])} UTC."
        )
    else:
        components.table(
            bad.with_columns(pl.col("status").fill_null("under way")),
            "steps",
            columns={
                "step": "Step",
                "status": "State",
                "last_begun_at": "Started",
                "last_ok_at": "Last success",
                "failed": "Failures since",
                "reason": "Why it failed",
            },
        )
    components.link("loads", "All steps")


if __name__ == "__main__":
    draw(session.reader())
