"""What got worse, since which build, how certain that is, where, and what was decided.

Code of its own: it draws one regression with its cause, and takes answers.
"""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.dashboard import components, filters, roles, session, units
from app.dashboard.no_runs import no_runs
from app.pipeline import steps
from app.pipeline.places import default_warehouse
from app.pipeline.regressions import REOPENED, Answer, AnsweredError, this_user
from app.results.labels import configuration_label, figure_of
from app.results.next_runs import bisect_command, in_words
from app.results.queries import regressions as queries
from app.results.queries.recorded import has_runs
from app.results.reader import Reader
from app.results.regressions import plot, split_of
from expectations.regressions.finding import DATA, MODEL
from expectations.regressions.states import FIXED
from expectations.regressions.store import DETECTOR
from ingest.base.errors import PerfhouseError, SettingsError

_KINDS = {
    "level": "level shift",
    "slope": "drift",
    "pair": "worse than previous build",
    "environment": "change of the environment",
    "model": "unlike the model",
    "data": "missing data",
}
_MOST_PARTS = 12
_LONGEST = 500  # characters of a note, an owner or a bug
_FIRST = "_first_regression"  # the one that a list began with, and the filters of the list
_SEEN = "_regression_seen"  # what a person saw when they answered
_STALE = "_regression_stale"  # fields of the form that are to be filled again
_SAID = "_regression_said"  # why an answer was not stored

#: The word that the command line has for an answer.
_VERBS = {"acknowledged": "acknowledge", "expected": "expect", "false alarm": "false-alarm"}


def draw(reader: Reader) -> None:
    """Draw the page."""
    regressions = queries.known(reader)
    origins = regressions["origin"].unique().to_list()
    components.header(
        "Regressions",
        "What got worse, since which build, and where. Times are UTC.",
        origins[0] if len(origins) == 1 else None,
    )
    if regressions.is_empty() and not has_runs(reader):
        no_runs(
            reader,
            "Regressions are looked for among runs of the same work: declare one a day, say.",
        )
        return
    if regressions.is_empty():
        components.empty(
            "No check has found a regression in the loaded runs. Load more runs and check again."
        )
        return
    components.tiles(_tiles(regressions))
    components.link("reports", "As a report", report="regressions")
    with st.sidebar:
        shown = filters.switch("Show", ["open", "all"], "shown")
        kinds = [name for kind, name in _KINDS.items() if kind in set(regressions["kind"])]
        chosen = filters.choices("Kind", kinds, "kind")
    listed = regressions.with_columns(kind=pl.col("kind").replace(_KINDS))
    if shown == "open":
        listed = listed.filter(pl.col("state").is_in(queries.OPEN))
    if chosen:
        listed = listed.filter(pl.col("kind").is_in(chosen))
    listed = queries.changes(listed)
    row = _chosen(listed, regressions, (shown, *chosen))
    _choose_by_name(listed, row)
    if row:
        _draw_regression(reader, row, regressions)


def _chosen(
    listed: pl.DataFrame, known: pl.DataFrame, filtered: tuple[str, ...]
) -> dict[str, Any] | None:
    """Draw the list; return the regression that the address names, or the first.

    The address names any regression, whether or not it is in the list, so that a link stays valid.
    What is clicked goes into it. filtered: what the filters of the list are.
    """
    names = listed["regression_id"].to_list()
    regression_id = st.query_params.get("id", "")
    first, last_filter = st.session_state.get(_FIRST, ("", filtered))
    if regression_id == first and regression_id not in names and last_filter != filtered:
        regression_id = ""  # nobody asked for it: it was the first of another list
    row = queries.named(known, regression_id) if regression_id else None
    if listed.is_empty():
        st.success(
            'Nothing is open: every regression is fixed or accepted. Choose "all" to see them.'
        )
    else:
        asked_for = row["regression_id"] if row else names[0]

        def choose(number: int) -> None:
            st.query_params["id"] = names[number]

        components.pick(
            listed,
            "regressions",
            chosen=names.index(asked_for) if asked_for in names else None,
            chose=choose,
            key=f" {' '.join(names)}",
            columns={
                "cause": ("Cause", 270),
                "label": ("Metric", 165),
                "change_percent": st.column_config.NumberColumn("Change, %", format="%+.1f"),
                "last_good_build": "Last good",
                "onset_build": "First bad",
                "onset_utc": "Since",
                "state": "State",
                "owner": "Owner",
                "bug": "Bug",
                "configuration": "Configuration",
                "metrics": "Metrics of the change",
                "kind": "Kind",
                "note": "Note",
                "origin": "Origin",
                "regression_id": "Regression",
            },
        )
    if row is None:
        if regression_id:
            components.info(f"There is no regression {regression_id}.", "search_off")
        if listed.is_empty():
            return None
        row = queries.named(known, names[0])
        st.query_params["id"] = names[0]
        st.session_state[_FIRST] = (names[0], filtered)
    elif row["regression_id"] not in names:
        components.info(_why_not_listed(row, known), "link")
    return row


def _choose_by_name(listed: pl.DataFrame, row: dict[str, Any] | None) -> None:
    """Offer the list once more as names, for those who do not click: rows have no keys."""
    names = {
        regression[
            "regression_id"
        ]: f"{regression['label']}, {regression['cause'] or regression['kind']}"
        for regression in listed.iter_rows(named=True)
    }
    if row is None or row["regression_id"] not in names:
        return
    key = f"_open {row['regression_id']}"

    def choose() -> None:
        st.query_params["id"] = st.session_state[key]

    with st.sidebar:
        st.selectbox(
            "Regression",
            list(names),
            index=list(names).index(row["regression_id"]),
            format_func=lambda name: names[name],
            key=key,
            on_change=choose,
        )


def _why_not_listed(row: dict[str, Any], known: pl.DataFrame) -> str:
    """Say why a regression that the address names is not in the list."""
    name = row["regression_id"]
    if row["state"] not in queries.OPEN:
        return f"{name}, below, is {row['state']}."
    if not row["leads"]:
        return f"{name}, below, is a part of a change: the list has one line per change."
    return f"{name}, below, is not among the kinds that are listed."


def _tiles(known: pl.DataFrame) -> dict[str, str | tuple[str, str]]:
    """Count the regressions in each state; those of one group count once."""
    kinds = {
        "Suspected": (("suspected",), "seen in a run or two"),
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
        of_states = known.filter(pl.col("state").is_in(states))
        leading = of_states["group_id"].n_unique()
        more = (
            f"{note}; {units.number(of_states.height)} metrics"
            if of_states.height > leading
            else note
        )
        tiles[title] = (units.number(leading), more)
    return tiles


def _draw_regression(reader: Reader, row: dict[str, Any], known: pl.DataFrame) -> None:
    """Draw one regression: its series, where the change is, its history, and how to answer it."""
    message, configuration = row["message"], row["configuration"] or ""
    if configuration:
        message = message.replace(configuration, configuration_label(configuration))
    components.section(_title(row), message)
    components.note(f"{_known(row)}. {_smallest_reported(row)}")
    with st.container(horizontal=True):
        for run, label_ in (
            ("last_good_run_id", "Last good run"),
            ("onset_run_id", "First bad run"),
        ):
            if row[run]:
                components.link("run", label_, run=row[run])
        if row["onset_run_id"] and row["metric"]:
            components.link(
                "lineage", "Where the figure comes from", run=row["onset_run_id"],
                metric=row["metric"],
            )  # fmt: skip
        if row["metric"]:
            components.link(
                "noise", "Noise of the metric", origin=row["origin"], campaign=row["campaign"],
                metric=row["metric"], configuration=row["configuration"],
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
            components.panel(
                f"{figure_of(row)}, by run",
                spec,
                help="Lines: the levels before and after. Band: 95 % interval of the second.",
            )
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
            others.rename({"what": "metric"}),
            "others",
            columns={
                "name": "Metric",
                "before": components.figure("Before"),
                "after": components.figure("After"),
                "unit": "Unit",
            },
        )
    if hint := queries.to_run(reader, row):
        components.section("Next runs", " ".join(in_words(hint)))
        if command := bisect_command(hint):
            st.code(command, language="bash")
    _group(row, known)
    if session.role() in {None, roles.TRIAGER}:
        _answer(row, known)
    components.section("History", row["regression_id"])
    story = queries.story(reader, row["regression_id"])
    components.table(
        story,
        "story",
        columns={
            "event_at": "When",
            "state": "State",
            "by": "By",
            "note": "Note",
            "owner": "Owner",
            "bug": "Bug",
        },
    )


def _smallest_reported(row: dict[str, Any]) -> str:
    """Say what the smallest reported change of a regression's series is, and why."""
    if row["kind"] in {MODEL, DATA}:
        return ""
    try:
        least = queries.least_percent(row)
    except SettingsError as error:
        return f"{error}."
    why = f" ({least.why})" if least.why else ""
    return f"Changes of less than {least.least_percent:g} % are not reported{why}."


def _title(row: dict[str, Any]) -> str:
    change = "" if row["change_percent"] is None else f" {row['change_percent']:+.1f} %"
    return f"{figure_of(row)}{change}" if row["metric"] else _KINDS[row["kind"]].capitalize()


def _group(row: dict[str, Any], known: pl.DataFrame) -> None:
    """Draw the other metrics that changed with this one."""
    others = known.filter(
        pl.col("group_id") == row["group_id"], pl.col("regression_id") != row["regression_id"]
    )
    if others.is_empty():
        return
    components.section("The same change in other figures")
    components.table(
        others,
        "group",
        columns={
            "label": "Metric",
            "change_percent": st.column_config.NumberColumn("Change, %", format="%+.1f"),
            "configuration": "Configuration",
            "state": "State",
            "regression_id": "Regression",
        },
    )


def _known(row: dict[str, Any]) -> str:
    """Return the state of a regression, who set it and why, its owner and its bug."""
    why = f": {row['note']}" if row["note"] else ""
    parts = [f"{row['state']}, by {row['by']}{why}"]
    parts += [f"owner: {row['owner']}"] if row["owner"] else []
    parts += [f"bug: {row['bug']}"] if row["bug"] else []
    return f"{parts[0][:1].upper()}{'; '.join(parts)[1:]}"


def _answer(row: dict[str, Any], known: pl.DataFrame) -> None:
    """Draw a form for what a person says of a regression, and the words of the command line."""
    components.section("Answer", _for_whom(row, known))
    if problem := st.session_state.pop(_SAID, ""):
        components.info(problem, "person_alert")
    name, is_open = row["regression_id"], row["state"] in queries.OPEN
    fields = {key: f"_regression_{key}_{name}" for key in ("note", "owner", "bug")}
    now = {"note": "" if is_open and row["by"] == DETECTOR else row["note"]}
    now |= {key: row[key] for key in ("owner", "bug")}
    stale = st.session_state.pop(_STALE, set())
    for key, field in fields.items():
        if field not in st.session_state or key in stale:
            st.session_state[field] = now[key]
    states = [*queries.DECISIONS, REOPENED] if row["state"] != FIXED else [FIXED]
    with components.panels():
        with st.form(f"answer_{name}"):
            state = st.selectbox(
                "It is", states,
                index=states.index(row["state"]) if row["state"] in states else 0,
                key=f"_regression_state_{row['event_id']}",
                help="open: to open it again, or to name an owner or a bug without deciding",
            )  # fmt: skip
            texts = {
                "note": st.text_input("Why", key=fields["note"], max_chars=_LONGEST).strip(),
                "owner": st.text_input("Owner", key=fields["owner"], max_chars=_LONGEST).strip(),
                "bug": st.text_input(
                    "Bug", key=fields["bug"], max_chars=_LONGEST, help="its number, or a link"
                ).strip(),
            }
            answered = st.form_submit_button("Save")
        with st.container(gap="xxsmall"):
            components.name("The same on the command line")
            components.code(
                *(f"regressions {_VERBS[next_state]} {name} --note 'why'" for next_state in states
                  if next_state in _VERBS),
                *([] if is_open or row["state"] == FIXED else [f"regressions reopen {name}"]),
                f"regressions note {name} --owner NAME --bug LINK --note 'more'",
            )  # fmt: skip
    # What a person saw is what was drawn before the click: somebody else may have answered since.
    seen = st.session_state.get(_SEEN) or {}
    seen = seen if seen.get("name") == name else {"name": name, "event_id": row["event_id"]} | now
    st.session_state[_SEEN] = {"name": name, "event_id": row["event_id"]} | now
    if answered and state in queries.DECISIONS and not texts["note"]:
        components.info("Give the reason, for those who come later.", "edit_note")
    elif answered:
        _save(name, state if state != FIXED else None, is_open=is_open, said=texts, seen=seen)


def _for_whom(row: dict[str, Any], known: pl.DataFrame) -> str:
    """Say which regressions an answer is for."""
    others = known.filter(pl.col("group_id") == row["group_id"]).height - 1
    if not others:
        return "Its state, owner and bug. Everyone can see the answer."
    if row["leads"]:
        return f"For the whole change: this figure and {units.number(others)} more."
    return f"For this figure alone. The answer to {row['group_id']} is for the whole change."


def _save(
    name: str, state: str | None, *, is_open: bool, said: dict[str, str], seen: dict[str, str]
) -> None:
    """Store what a person said, and draw the page again; what is as they saw it stays as it is."""
    given = {key: text if text != seen[key] else None for key, text in said.items()}
    if state == REOPENED and is_open:
        state = None
    elif state in queries.DECISIONS:
        given["note"] = said["note"]
    by = str(session.person().get("email")) if session.role() else this_user()
    try:
        steps.mark_regression(
            default_warehouse(), name, Answer(by, state, **given), seen["event_id"]
        )
        st.session_state[_STALE] = set(said)
    except AnsweredError as error:
        st.session_state[_SAID] = f"{error}. Save again to replace that."
        st.session_state[_STALE] = {key for key, text in given.items() if text is None}
    except PerfhouseError as error:
        st.session_state[_SAID] = f"{error}."
    st.rerun()


if __name__ == "__main__":
    draw(session.reader())
