"""Filters kept in the URL, so that a copied address opens the same view.

Each is a Streamlit widget bound both ways to the query parameter of the same name. A filter shared
by several pages must be drawn by the main script, or the URL loses it when the page changes. The
URL holds the option as the widget shows it. Streamlit drops values that the data does not offer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, TypedDict

import streamlit as st

from app.dashboard import period, pictures
from app.results.queries.owners import Known, Owner
from app.results.queries.scope import Scope

__all__ = ["amount", "choice", "choices", "on", "scope", "switch", "time_range"]


class _Bound(TypedDict):
    bind: Literal["query-params"]


_BOUND: _Bound = {"bind": "query-params"}
_MOST_OWNERS = 4
_MOST_SHOWN = timedelta(days=2)  # until somebody asks for more


def choice(
    label: str, options: Sequence[str], key: str, *, default: str | None = None, help: str = ""
) -> str:
    """Return the chosen option: `default` or the first one, unless the URL says otherwise."""
    chosen = st.selectbox(
        label,
        options,
        index=options.index(default) if default in options else 0,
        key=key,
        help=help or None,
        **_BOUND,
    )
    pictures.say_choice(key, chosen)
    return chosen


def amount(label: str, usual: float, key: str, *, least: float = 0.0) -> float:
    """Return the number that is set: `usual`, unless the URL says otherwise."""
    return st.number_input(label, min_value=least, value=usual, key=key, format="%g", **_BOUND)


def choices(
    label: str,
    options: Sequence[str],
    key: str,
    *,
    default: Sequence[str] = (),
    most: int | None = None,
    placeholder: str = "all",
) -> list[str]:
    """Return the chosen options in their order; `placeholder` says what none chosen means."""
    chosen = st.multiselect(
        label,
        options,
        default=list(default),
        key=key,
        max_selections=most,
        placeholder=placeholder,
        **_BOUND,
    )
    return [option for option in options if option in chosen]


def switch(label: str, options: Sequence[str], key: str) -> str:
    """Return the chosen one of a few options, all visible."""
    return st.segmented_control(
        label, options, default=options[0], key=key, required=True, **_BOUND
    )


def scope(known: Sequence[Known], owner: Owner) -> Scope:
    """Return origin, owners and time range; `known` must not be empty."""
    origins = sorted({one.origin for one in known})
    origin = switch("Origin", origins, "origin")
    here = {one.label: one for one in known if one.origin == origin}
    labels = (
        choices(
            owner.label,
            list(here),
            owner.key,
            default=list(here)[:1],
            most=_MOST_OWNERS,
            placeholder=next(iter(here)),
        )
        or list(here)[:1]
    )
    earliest = min(here[label].start for label in labels)
    latest = max(here[label].end for label in labels)
    shown = max(min(here[label].latest for label in labels), latest - _MOST_SHOWN)
    start, end = time_range(earliest, latest, shown)
    return Scope(origin, tuple(labels), start, end, owner.name)


def time_range(earliest: datetime, latest: datetime, shown: datetime) -> tuple[datetime, datetime]:
    """Return the chosen range of the records between earliest and latest; default: from `shown`."""
    return period.choose(earliest, latest, shown)


def on(label: str, key: str, *, help: str = "") -> bool:
    """Return whether something is switched on, as it is by default."""
    return st.toggle(label, value=True, key=key, help=help or None, **_BOUND)
