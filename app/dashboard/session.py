"""What the main script hands to the page that it runs, within one reader's session."""

from __future__ import annotations

import streamlit as st

from app.results.queries.scope import Scope
from app.results.reader import Reader

__all__ = ["hand_over", "reader", "scope"]


def hand_over(reader: Reader, scope: Scope | None) -> None:
    """Set what the next page reads, and what it is narrowed to."""
    st.session_state["_reader"] = reader
    st.session_state["_scope"] = scope


def reader() -> Reader:
    """The published warehouse."""
    handed: Reader = st.session_state["_reader"]
    return handed


def scope() -> Scope:
    """What the page is narrowed to; only for pages that the navigation has as scoped."""
    handed: Scope = st.session_state["_scope"]
    return handed
