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
    text = st.session_state.pop(_ASKED, "").strip()
    if not text:
        return
    targets = [
        Destination(view.title, view.path, {})
        for view in views()
        if text.lower() in f"{view.title} {view.about}".lower()
    ]
    targets += destinations(reader, text)
    exact = [target for target in targets if target.words.lower().endswith(text.lower())]
    if len(targets) == 1 or len(exact) == 1:
        only = (exact or targets)[0]
        components.go(only.path, **only.parameters)
    with st.container(border=True, gap="xxsmall"):
        if not targets:
            components.note(f'Nothing has "{units.plain(text)}" in its name.')
        for target in targets[:_MOST]:
            components.link(target.path, target.words, **target.parameters)
        if len(targets) > _MOST:
            components.note(f"{len(targets) - _MOST} more; type more of the name.")


def _ask() -> None:
    """Keep what was asked for, and empty the box."""
    st.session_state[_ASKED] = st.session_state[_KEY]
    st.session_state[_KEY] = ""
