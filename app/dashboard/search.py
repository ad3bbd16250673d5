"""The box that finds pages, also by subject, owners of records, campaigns, builds and runs."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.dashboard import components, units
from app.dashboard.navigation import views
from app.results.queries.finding import Destination, destinations
from app.results.reader import Reader

__all__ = ["draw"]

_KEY, _ASKED = "_find", "_found"
_MOST = 12  # links


def draw(reader: Reader, place: DeltaGenerator) -> None:
    """Draw the box in its place; go to the only thing with the text in its name, or list them."""
    place.text_input(
        "Find",
        key=_KEY,
        placeholder="Find a page, system, build, regression or run",
        label_visibility="collapsed",
        icon=":material/search:",
        on_change=_ask,
    )
    asked = st.session_state.pop(_ASKED, "").strip()
    if not asked:
        return
    found = [
        Destination(view.title, view.path, {})
        for view in views()
        if asked.lower() in f"{view.title} {view.about}".lower()
    ]
    found += destinations(reader, asked)
    exact = [one for one in found if one.words.lower().endswith(asked.lower())]
    if len(found) == 1 or len(exact) == 1:
        only = (exact or found)[0]
        components.go(only.path, **only.parameters)
    with st.container(border=True, gap="xxsmall"):
        if not found:
            components.note(f'Nothing has "{units.plain(asked)}" in its name.')
        for one in found[:_MOST]:
            components.link(one.path, one.words, **one.parameters)
        if len(found) > _MOST:
            components.note(f"{len(found) - _MOST} more; type more of the name.")


def _ask() -> None:
    """Keep what was asked for, and empty the box."""
    st.session_state[_ASKED] = st.session_state[_KEY]
    st.session_state[_KEY] = ""
