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

from app.results.queries.scope import QueueManager, Scope

__all__ = ["amount", "choice", "choices", "scope", "switch", "time_range"]


class _Bound(TypedDict):
    bind: Literal["query-params"]


_BOUND: _Bound = {"bind": "query-params"}
_MOST_QUEUE_MANAGERS = 4
_EPOCH = datetime(1970, 1, 1)


def choice(
    label: str, options: Sequence[str], key: str, *, default: str | None = None, help: str = ""
) -> str:
    """Return the chosen option: `default` or the first one, unless the URL says otherwise."""
    return st.selectbox(
        label,
        options,
        index=options.index(default) if default in options else 0,
        key=key,
        help=help or None,
        **_BOUND,
    )


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


def scope(known: Sequence[QueueManager]) -> Scope:
    """Return origin, queue managers and time range; `known` must not be empty."""
    origins = sorted({manager.origin for manager in known})
    origin = switch("Origin", origins, "origin")
    here = {manager.label: manager for manager in known if manager.origin == origin}
    labels = (
        choices(
            "Queue manager",
            list(here),
            "qm",
            default=list(here)[:1],
            most=_MOST_QUEUE_MANAGERS,
            placeholder=next(iter(here)),
        )
        or list(here)[:1]
    )
    earliest = min(here[label].start for label in labels)
    latest = max(here[label].end for label in labels)
    start, end = time_range(earliest, latest, min(here[label].latest for label in labels))
    return Scope(origin, tuple(labels), start, end)


def time_range(earliest: datetime, latest: datetime, shown: datetime) -> tuple[datetime, datetime]:
    """Return the chosen range between earliest and latest; the default begins at `shown`."""
    span = latest - earliest
    step = next(
        (
            step
            for most, step in (
                (timedelta(days=2), timedelta(minutes=1)),
                (timedelta(days=60), timedelta(hours=1)),
            )
            if span <= most
        ),
        timedelta(days=1),
    )
    first = earliest - (earliest - _EPOCH) % step
    last = latest + (_EPOCH - latest) % step
    last = max(last, first + step)  # a single time
    if latest == last:  # include a row that begins at the very end
        last += step
    begin = shown - (shown - _EPOCH) % step
    start, end = st.slider(
        "Time, UTC",
        min_value=first,
        max_value=last,
        value=(begin, last),
        step=step,
        format="YYYY-MM-DD HH:mm" if span > timedelta(days=1) else "HH:mm",
        key="time",
        **_BOUND,
    )
    if span <= timedelta(days=1):
        st.caption(
            f"{first:%Y-%m-%d}" + (f" to {last:%Y-%m-%d}" if last.date() != first.date() else "")
        )
    if begin > first:
        st.caption("Starts after the last gap of half a day; move the slider for earlier data.")
    return start, end
