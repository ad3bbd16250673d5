"""What the main script hands to the page it runs, within one session."""

from __future__ import annotations

import streamlit as st

from app.results.queries.scope import Scope
from app.results.reader import Reader

__all__ = ["hand_over", "reader", "scope"]


def hand_over(reader: Reader, scope: Scope | None) -> None:
    """Set the reader and the scope of the page that runs next."""
    st.session_state["_reader"] = reader
    st.session_state["_scope"] = scope


def reader() -> Reader:
    """The published warehouse."""
    handed: Reader = st.session_state["_reader"]
    return handed


def scope() -> Scope:
    """The scope of the page; only for pages that the navigation marks as scoped."""
    handed: Scope = st.session_state["_scope"]
    return handed
