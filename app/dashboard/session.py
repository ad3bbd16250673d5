"""What the main script hands to the page it runs, within one session."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from app.results.queries.scope import Scope
from app.results.reader import Reader

__all__ = ["hand_over", "is_phone", "is_signed_in", "messages", "page", "person", "reader", "role",
           "scope", "set_messages", "set_pages", "set_role"]  # fmt: skip


def hand_over(reader: Reader, scope: Scope | None) -> None:
    """Set the reader and the scope of the page that runs next."""
    st.session_state["_reader"] = reader
    st.session_state["_scope"] = scope


def set_pages(pages: dict[str, StreamlitPage]) -> None:
    """Set the pages that links may lead to, by their paths."""
    st.session_state["_pages"] = pages


def page(path: str) -> StreamlitPage:
    """The page with this URL path, to link to."""
    pages: dict[str, StreamlitPage] = st.session_state["_pages"]
    return pages[path]


def is_signed_in() -> bool:
    """Return whether the provider of sign-in knows who this is."""
    return bool(st.user.get("is_logged_in"))


def person() -> dict[str, object]:
    """Return the claims of who is signed in: email, email_verified and others."""
    return dict(st.user.to_dict())


def is_phone() -> bool:
    """Return whether the browser says that it is one of a phone."""
    return "Mobi" in (st.context.headers.get("User-Agent") or "")


def set_role(role: str | None) -> None:
    """Set the role of who is signed in; None: nobody has to sign in."""
    st.session_state["_role"] = role


def role() -> str | None:
    """The role of who is signed in, None where nobody has to."""
    handed: str | None = st.session_state.get("_role")
    return handed


def set_messages(place: DeltaGenerator | None) -> None:
    """Set where messages about the whole page belong: below its title; None: no title yet."""
    st.session_state["_messages"] = place


def messages() -> DeltaGenerator:
    """Where messages about the whole page belong."""
    area: DeltaGenerator | None = st.session_state.get("_messages")
    return st.container() if area is None else area


def reader() -> Reader:
    """The published warehouse."""
    handed: Reader = st.session_state["_reader"]
    return handed


def scope() -> Scope:
    """The scope of the page; only for pages that the navigation marks as scoped."""
    handed: Scope = st.session_state["_scope"]
    return handed
