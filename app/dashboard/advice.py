"""Draws what the published documents recommend on the subject of a page."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.dashboard import components, units
from app.results.queries import advice
from app.results.queries.rules import Rule
from app.results.reader import Reader
from ingest.base.errors import SettingsError

__all__ = ["draw"]


def draw(rules: Sequence[Rule], reader: Reader, origin: str, campaign: str) -> None:
    """Draw recommendations, judged on the runs of a campaign."""
    try:
        judged = advice.judged_by(rules, reader, origin, campaign)
    except SettingsError as error:
        components.problem(f"{error}.")
        return
    judged_rules = [rule for rule in judged if rule["state"] != "unknown"]
    if not judged_rules:
        return
    components.section("What the published documents recommend", f"Judged on {campaign}.")
    with components.panels():
        for rule in sorted(judged_rules, key=lambda rule: rule["state"]):  # what to do comes first
            is_kept = rule["state"] == "fine"
            with st.container(border=True, gap="xxsmall", height="stretch"):
                with st.container(horizontal=True, vertical_alignment="center"):
                    components.name(rule["title"])
                    st.badge("kept" if is_kept else "act", color="green" if is_kept else "orange")
                st.markdown(units.plain(rule["evidence"]))
                if not is_kept:
                    st.markdown(units.plain(rule["do"]))
                components.note(f"Source: {rule['source']}")
