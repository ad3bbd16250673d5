"""The morning's questions: did the last runs get worse, what is open, are figures sound.

Code of its own: it says in words what several other pages find.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import polars as pl
import streamlit as st

from app.dashboard import components, health, session, units
from app.dashboard.arrivals import draw_arrivals
from app.dashboard.no_runs import no_runs
from app.dashboard.state import draw_state
from app.results.labels import figure_of
from app.results.queries import loads, pipeline, regressions, today
from app.results.reader import Reader
from app.results.words import counted, listed

_MOST = 10  # regressions
_NAMED = 3  # of those that came last


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header(
        "Today", "What came last night, what got worse, and whether the data are complete."
    )
    arrivals = today.arrivals(reader)
    if arrivals.is_empty():
        components.empty("Nothing is loaded yet. Load SMF dumps, RMF reports or benchmark outputs.")
        return
    known = regressions.known(reader)
    opened = regressions.changes(known.filter(pl.col("state").is_in(regressions.OPEN)))
    runs, judged = today.latest_runs(reader), today.judged(reader)
    missing = arrivals.filter(state="missing")
    _tiles(reader, arrivals, opened, runs, judged)
    ended = regressions.changes(
        today.of_last_check(reader, known).filter(~pl.col("state").is_in(regressions.OPEN))
    )
    _last_night(opened, today.begun(reader, opened), ended, runs, judged, missing)
    _arrivals(arrivals, missing)
    _open(reader, opened, judged, is_first=known.is_empty())
    _runs(reader, runs)
    components.section("Are systems and queue managers well?")
    health.draw_latest(reader)
    verdict = loads.verdict(reader)
    draw_state(reader, verdict)
    _issues(today.findings(reader), verdict)
    _steps(pipeline.states(reader))


def _tiles(
    reader: Reader,
    arrivals: pl.DataFrame,
    opened: pl.DataFrame,
    runs: pl.DataFrame,
    judged: today.Judged,
) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    newest = loads.newest(reader)
    moment = newest["moment"].item()
    last_load = arrivals.filter(kind="feed")["last_utc"].max()
    missing = arrivals.filter(state="missing").height
    incomplete = int(runs["incomplete"].sum())
    components.tiles(
        {
            "Open regressions": (units.number(opened.height), _worst(opened) or _judged(judged)),
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


def _judged(judged: today.Judged) -> str:
    if not judged.series:
        return "no runs to judge"
    which = "all" if judged.are_all else f"{judged.judged:,} of"
    return f"{which} {judged.series:,} series judged"


def _last_night(
    opened: pl.DataFrame,
    begun: pl.DataFrame,
    ended: pl.DataFrame,
    runs: pl.DataFrame,
    judged: today.Judged,
    missing: pl.DataFrame,
) -> None:
    """Answer whether the last runs are worse, whichever check found it; say what is not judged."""
    components.section("Did the last runs get worse?")
    if runs.is_empty():
        components.note("There are no runs that could be judged.")
        return
    if begun.height:
        st.error(f"Yes: {_first_of(begun)}.", icon=":material/trending_down:")
    elif opened.height:
        st.error(
            f"No further, but they are still worse than before: {_first_of(opened)}.",
            icon=":material/trending_down:",
        )
    elif not judged.judged:
        st.warning("Not known: no series could be judged yet.", icon=":material/help:")
    elif missing.height:
        st.warning(
            f"Nothing new in what came, but {counted(missing.height, 'arrival')} "
            f"{'is' if missing.height == 1 else 'are'} missing.",
            icon=":material/hourglass_empty:",
        )
    elif judged.are_all and not int(runs["incomplete"].sum()):
        st.success("No: no series is worse than it was.", icon=":material/check:")
    else:
        st.info("Nothing new in what could be judged.", icon=":material/info:")
    if judged.series and not judged.are_all:
        components.note(
            f"{judged.judged:,} of {judged.series:,} series could be judged. "
            f"{judged.reason[:1].upper()}{judged.reason[1:]}."
        )
    if ended.height:
        components.name("Fixed or withdrawn by the last check")
        _pick(ended, "ended", {"state": "State"})


def _first_of(found: pl.DataFrame) -> str:
    """Return the greatest changes as they stand in a sentence."""
    named = [_change(row) for row in found.head(_NAMED).iter_rows(named=True)]
    more = f" and {found.height - _NAMED} more" if found.height > _NAMED else ""
    return units.plain(f"{listed(named)}{more}")


def _change(row: Mapping[str, Any]) -> str:
    """Return a change as it stands in a sentence: by how much, or what it is."""
    percent = row["change_percent"]
    # The first of the causes of a change without a size: there may be many.
    cause = (row["cause"] or row["state"]).partition(";")[0]
    said = cause if percent is None else f"{percent:+.1f} %"
    return f"{figure_of(row)} {said}"


def _open(reader: Reader, opened: pl.DataFrame, judged: today.Judged, *, is_first: bool) -> None:
    components.section(
        "Open regressions", "The greatest first. Click one for its runs, its parts and its history."
    )
    if opened.is_empty():
        if judged.are_all:
            why = "there never was one" if is_first else "every regression is fixed or answered"
            st.success(f"None: {why}.", icon=":material/check:")
        else:
            components.note(f"None is open ({_judged(judged)}).")
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
    said = [counted(count, severity) for severity, count in findings.items() if count]
    if not said:
        if verdict.height and not sum(verdict.select("faults", "errors", "warnings").row(0)):
            st.success("Nothing is wrong with the loaded data.", icon=":material/verified_user:")
        else:
            components.note("No run or interval has an issue; the last audit has more to say.")
        return
    components.link("data-issues", f"{listed(said)} in the loaded data")


def _arrivals(arrivals: pl.DataFrame, missing: pl.DataFrame) -> None:
    """Draw what should have come and did not."""
    components.section("Is anything missing?")
    if missing.height:
        components.note(
            "These came regularly, or others of their sysplex or group go on, and nothing came at "
            "the expected time."
        )
        draw_arrivals(missing, "missing")
    else:
        known, every = arrivals["state"].count(), arrivals.height
        components.note(
            f"No: all that was expected came. {known:,} of {every:,} kinds of records, "
            "configurations, systems and queue managers came often enough to tell."
            if known
            else "Not known: nothing came often enough to tell."
        )
    components.link("loads", "All feeds")


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
