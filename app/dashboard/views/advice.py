"""Advice: what the published documents recommend, judged on what is loaded."""

from __future__ import annotations

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
    rules = advice.judged(reader, origin, None if chosen == _ALL else chosen)
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
