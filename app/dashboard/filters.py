"""Filters kept in the address, so that a copied address opens the same view, also tomorrow.

The address holds what every filter of the page is set to, its default included, as the widget shows
it. (Streamlit's own binding, bind="query-params", leaves defaults out and drops a value that the
data do not offer without a word.)

A filter takes its value from the address where that is news: when a page is opened, by a link, and
by the browser's Back. Otherwise it stays as it is, on whichever page, and follows its default until
somebody sets it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Generic, TypeVar, cast

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.dashboard import period, pictures, session, units
from app.results.queries.clock import Offsets, local_offsets
from app.results.queries.owners import Owner, RecordOwner
from app.results.queries.scope import Scope
from app.results.reader import Reader
from app.results.words import listed
from ingest.base.visible import visible

__all__ = [
    "MOST_OWNERS",
    "address",
    "amount",
    "asked_number",
    "begin",
    "choice",
    "choices",
    "clock",
    "end",
    "keep",
    "scope",
    "switch",
    "text",
    "time_range",
]

MOST_OWNERS = 4  # on a page at once
_MOST_SHOWN = timedelta(days=2)  # until somebody asks for more
_THERE_IS_NONE = "there is none here"
_MOST = 1e15  # of an amount: every whole number up to it is exact

T = TypeVar("T")
Values = list[str]  # of one filter, as the address has them


@dataclass
class _State:
    """What a session knows of its filters, by key.

    page: the page that is drawn; known: values that are no news, as the address had them before or
    was given them; kept: what a filter is set to, on whichever page; chosen: filters that somebody
    set; shown: what this run of the page puts into the address; said: what it tells of values that
    are not there; is_linked: it follows a link from the page to itself, for which Streamlit leaves
    the browser's address as it was.
    """

    page: str = ""
    known: dict[str, list[Values]] = field(default_factory=dict)
    kept: dict[str, Values] = field(default_factory=dict)
    chosen: set[str] = field(default_factory=set)
    shown: dict[str, Values] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    is_linked: bool = False


@dataclass(frozen=True)
class _Answer(Generic[T]):
    """What values of the address mean, None for nothing; `why` some of them (`wrong`) do not."""

    value: T | None
    wrong: Values = field(default_factory=list)
    why: str = ""


def begin(page: str) -> None:
    """Begin to draw a page: its address is news if it is another page, and after Back."""
    state, run = _state(), get_script_run_ctx()
    is_back = run is not None and run.is_history_navigation
    if state.page != page or is_back:
        for key in state.known:  # two pages may use one key for different kinds of filters
            st.session_state.pop(key, None)
        state.page, state.known = page, {}
    if is_back:  # what the address does not name was not set then
        state.kept, state.chosen = {}, set()
        period.forget()
    state.shown, state.said, state.is_linked = {}, [], False


def end() -> None:
    """Say which values of the address are not there, and put what is shown into the address."""
    state = _state()
    if state.said:  # one message, however much of the address is wrong
        said = "  \n".join(map(units.plain, state.said))
        session.messages().warning(said, icon=":material/search_off:")
    before = {key: st.query_params.get_all(key) for key in st.query_params}
    gone = state.known.keys() - state.shown.keys()
    complete = {key: before[key] for key in before if key not in gone}
    complete |= address()
    for key, values in state.shown.items():
        state.known.setdefault(key, []).append(values)
    if complete != before or state.is_linked:
        st.query_params.from_dict(complete)


def address() -> dict[str, Values]:
    """Return what the filters drawn so far are set to, as an address has it."""
    return {key: values for key, values in _state().shown.items() if values}


def keep(key: str, value: str) -> None:
    """Put a value into the address that no filter sets, such as the row that is shown."""
    _state().shown[key] = [value]


def choice(
    label: str,
    options: Sequence[str],
    key: str,
    *,
    default: str | None = None,
    help: str = "",
    is_free: bool = False,
    shown: Callable[[str], str] = str,
) -> str:
    """Return the chosen option: `default` or the first one, unless the address says otherwise.

    `is_free`: anything else may be typed. `shown`: how the list words an option.
    """
    usual = default if default is not None and default in options else options[0]
    read, write, show = _one_of(options)
    _settle(label, key, usual, _any_text if is_free else read, write, show)
    chosen = st.selectbox(
        label,
        options,
        key=key,
        help=help or None,
        accept_new_options=is_free,
        format_func=lambda option: visible(shown(option)),
    )
    pictures.say_choice(key, chosen or usual)
    return chosen or usual


def switch(label: str, options: Sequence[str], key: str) -> str:
    """Return the chosen one of a few options, all visible."""
    _settle(label, key, options[0], *_one_of(options))
    return st.segmented_control(label, options, key=key, required=True) or options[0]


def choices(
    label: str,
    options: Sequence[str],
    key: str,
    *,
    default: Sequence[str] = (),
    most: int | None = None,
    placeholder: str = "all",
    shown: Callable[[str], str] = str,
) -> list[str]:
    """Return the chosen options in their order; `placeholder` says what none chosen means.

    `shown`: how the list words an option.
    """
    usual = list(default)

    def read(values: Values) -> _Answer[list[str]]:
        names = [name for name in values if name]
        kept_names = [name for name in options if name in names]
        missing = [name for name in names if name not in options]
        if missing:
            return _Answer(kept_names or None, missing, _THERE_IS_NONE)
        if most is not None and len(kept_names) > most:
            return _Answer(kept_names[:most], names, f"at most {most} are shown at once")
        return _Answer(kept_names)

    def write(names: list[str]) -> Values:
        return list(names) or [""] * bool(usual)  # an empty value: none, where that is not usual

    _settle(label, key, usual, read, write, lambda names: listed(names) or placeholder)
    chosen = st.multiselect(
        label,
        options,
        key=key,
        max_selections=most,
        placeholder=placeholder,
        format_func=lambda option: visible(shown(option)),
    )
    return [option for option in options if option in chosen]


def asked_number(key: str) -> int | None:
    """Return the whole number that the address has under a key, None without one."""
    text = st.query_params.get(key, "")
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None


def amount(label: str, usual: float, key: str, *, least: float = 0.0) -> float:
    """Return the number that is set: `usual`, unless the address says otherwise."""

    def read(values: Values) -> _Answer[float]:
        try:
            value = float(values[-1])
        except (IndexError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            return _Answer(None, values, "that is not a number")
        if value > _MOST:
            return _Answer(None, values, f"the most is {_MOST:g}")
        if value < least:
            return _Answer(None, values, f"the least is {least:g}")
        return _Answer(value)

    _settle(
        label, key, float(usual), read, lambda value: [f"{value:.10g}"], lambda value: f"{value:g}"
    )
    return st.number_input(label, min_value=float(least), key=key, format="%g")


def text(
    label: str,
    usual: str,
    key: str,
    *,
    height: int | None = None,
    placeholder: str = "",
    help: str = "",
    changed: Callable[[], None] | None = None,
) -> str:
    """Return the text that is set: `usual`, unless the address says otherwise.

    `height`: of several lines, in pixels; None: one line. `changed`: what to do when somebody
    changed it, before the page is drawn again.
    """
    _settle(label, key, usual, _any_text, lambda value: [value] * bool(value or usual), str)
    if height is None:
        return st.text_input(
            label, key=key, placeholder=placeholder, help=help or None, on_change=changed
        )
    return st.text_area(
        label,
        key=key,
        height=height,
        placeholder=placeholder,
        help=help or None,
        on_change=changed,
    )


def scope(reader: Reader, known: Sequence[RecordOwner], owner: Owner) -> Scope:
    """Return origin, owners, time range and clock; `known` must not be empty."""
    origins = sorted({record_owner.origin for record_owner in known})
    origin = switch("Origin", origins, "origin")
    by_label = {
        record_owner.label: record_owner for record_owner in known if record_owner.origin == origin
    }
    labels = (
        choices(
            owner.label,
            list(by_label),
            owner.key,
            default=list(by_label)[:1],
            most=MOST_OWNERS,
            placeholder=next(iter(by_label)),
        )
        or list(by_label)[:1]
    )
    earliest = min(by_label[label].start for label in labels)
    latest = max(by_label[label].end for label in labels)
    shown = max(min(by_label[label].latest for label in labels), latest - _MOST_SHOWN)
    systems = [label.split("/")[owner.system] for label in labels]
    start, end = time_range(
        earliest, latest, shown, partial(local_offsets, reader, origin, systems)
    )
    return Scope(origin, tuple(labels), start, end, owner.name, period.clock().offsets)


def time_range(
    earliest: datetime, latest: datetime, shown: datetime, local: period.Local
) -> tuple[datetime, datetime]:
    """Return the chosen range of the records between earliest and latest; default: from `shown`.

    `local`: the clock of the systems, if it is chosen as that of the page.
    """
    drawn = period.choose(earliest, latest, shown, local if _is_local() else None)
    if wrong := period.wrong():
        start, end = map(period.moment, drawn)
        _state().said.append(f"{wrong}. Showing {start} to {end}.")
    for key, value in period.address(*drawn).items():
        keep(key, value)
    return drawn


def clock(local: Callable[[], Offsets | str]) -> None:
    """Draw the choice of the clock of a page that has no time range; `local`: of its systems."""
    if _is_local():
        period.follow(local())


def _is_local() -> bool:
    return switch("Clock", ["UTC", "local"], "clock") == "local"


def _state() -> _State:
    return cast("_State", st.session_state.setdefault("_filters", _State()))


def _settle(
    label: str,
    key: str,
    usual: T,
    read: Callable[[Values], _Answer[T]],
    write: Callable[[T], Values],
    show: Callable[[T], str],
) -> None:
    """Set a filter before it is drawn: to what the address says, to what it was, or to `usual`.

    `read` and `write` turn values of the address into one of the filter and back; `show` says it.
    """
    state = _state()
    news = _news(state, key)
    if news is not None:
        state.chosen.add(key)
        answer = read(news)
    else:
        values = state.kept.get(key)
        if key in st.session_state and write(st.session_state[key]) != values:
            state.chosen.add(key)  # somebody has just set it
            values = write(st.session_state[key])
        answer = read(values or [])
    if answer.value is None or (answer.why and news is None):
        state.chosen.discard(key)
    value = answer.value if key in state.chosen and answer.value is not None else usual
    if answer.why and news is not None:
        state.said.append(
            f"{label.partition(' (')[0]} in the address: {listed(answer.wrong)}; {answer.why}. "
            f"Showing {show(value)}."
        )
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    state.shown[key] = state.kept[key] = write(value)


def _news(state: _State, key: str) -> Values | None:
    """Return what the address says of a filter, if that is news.

    A browser that was given a new address may still send one from before it.
    """
    texts = st.query_params.get_all(key)
    seen_texts = state.known.setdefault(key, [])
    if texts in seen_texts:
        state.known[key] = seen_texts[seen_texts.index(texts) :]
        return None
    state.is_linked |= bool(seen_texts)
    state.known[key] = [texts]
    return texts or None


def _any_text(values: Values) -> _Answer[str]:
    return _Answer(values[-1] if values else None)


def _one_of(
    options: Sequence[str],
) -> tuple[Callable[[Values], _Answer[str]], Callable[[str], Values], Callable[[str], str]]:
    """Return how to read, write and show one of these options."""

    def read(values: Values) -> _Answer[str]:
        chosen = values[-1] if values else ""
        return _Answer(chosen) if chosen in options else _Answer(None, [chosen], _THERE_IS_NONE)

    return read, lambda value: [value], str
