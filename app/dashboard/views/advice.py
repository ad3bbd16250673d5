"""Advice: what the published documents recommend, judged on what is loaded."""

from __future__ import annotations

from datetime import datetime

import polars as pl
import streamlit as st

from app.dashboard import components, filters, session, units
from app.results.queries import advice
from app.results.queries.runs import campaigns
from app.results.reader import Reader

_ALL = "all that is loaded"


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header(
        "Advice", "What the published documents recommend, judged on the records that are loaded."
    )
    known = advice.origins(reader)
    if not known:
        components.empty("Nothing is loaded yet, so there is nothing to judge.")
        return
    left, right = st.columns(2)
    with left:
        origin = filters.switch("Origin", known, "origin")
    with right:
        names = campaigns(reader).filter(pl.col("origin") == origin)["campaign"].to_list()
        chosen = filters.choice("Runs", [_ALL, *names], "campaign")
    campaign = None if chosen == _ALL else chosen
    _say_what(advice.judged_time(reader, origin, campaign), origin, campaign)
    rules = advice.judged(reader, origin, campaign)
    components.section("What to do")
    acts = [rule for rule in rules if rule["state"] == "act"]
    if not acts:
        components.note("None of the rules that could be judged asks for a change.")
    with components.panels():
        for rule in acts:
            with st.container(border=True, gap="xxsmall", height="stretch"):
                components.name(rule["title"])
                st.markdown(units.plain(rule["evidence"]))
                st.markdown(units.plain(rule["do"]))
                components.note(f"Source: {rule['source']}")
    _rules(
        [rule for rule in rules if rule["state"] == "fine"],
        "What is as it should be",
        "No rule is known to be kept.",
        {"title": "Advice", "evidence": "Evidence", "source": "Source"},
        "advice_kept",
    )
    _rules(
        [rule for rule in rules if rule["state"] == "unknown"],
        "What could not be judged",
        "Every rule could be judged.",
        {"title": "Advice", "needs": "Records that are missing", "source": "Source"},
        "advice_not_judged",
    )


def _say_what(time: tuple[datetime, datetime] | None, origin: str, campaign: str | None) -> None:
    """Say on what the rules are judged."""
    span = "" if time is None else f", {units.moment(time[0])} to {units.moment(time[1])} UTC"
    if campaign is None:
        components.note(
            f"Judged on all {origin} records and runs{span}. Choose a campaign to judge its runs, "
            "and the systems over their time."
        )
    else:
        components.note(f"Judged on the runs of {campaign}, and the systems over their time{span}.")


def _rules(
    rules: list[dict[str, str]], title: str, none: str, columns: dict[str, str], name: str
) -> None:
    components.section(title)
    if not rules:
        components.note(none)
        return
    components.table(
        pl.DataFrame(rules).select(columns.keys()),
        name,
        columns={
            column: st.column_config.TextColumn(
                label, width="large" if column in {"evidence", "do", "needs"} else "medium"
            )
            for column, label in columns.items()
        },
    )


if __name__ == "__main__":
    draw(session.reader())
