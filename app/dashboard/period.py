"""The time that a page shows, to the minute: in the address, and kept from page to page.

The address has `from` and `to` (UTC), also where they are what a page shows by default. All pages
of a session share the range that was chosen last, by the fields, the buttons, or by dragging
across a chart.

A page has one clock, UTC or the local time of its systems. Queries, addresses and `Range` have UTC;
charts, tables and texts turn it into that clock where they are drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

import streamlit as st

from app.charts.time import Clock
from app.dashboard import pictures, units
from app.results.queries.clock import UTC, Offsets

__all__ = ["Local", "Range", "address", "begin", "choose", "clock", "dragged", "follow", "forget",
           "moment", "parameters", "says", "wrong"]  # fmt: skip

_MINUTE = timedelta(minutes=1)
_EPOCH = datetime(1970, 1, 1)
_YEARS = range(1900, 2201)  # a range that is moved or widened stays a time
_CHOSEN, _DEFAULT, _SHOWN = "_period", "_period_default", "_period_shown"
_WRONG, _CLOCK = "_period_wrong", "_period_clock"

#: Returns the clock of a page's systems from one moment to another, or why they have none.
Local = Callable[[datetime, datetime], Offsets | str]


class Range(NamedTuple):
    """A time range, UTC, in whole minutes."""

    start: datetime
    end: datetime

    @classmethod
    def around(cls, start: datetime, end: datetime) -> Range:
        """Return the least range of whole minutes that holds both moments, at least a minute."""
        first = start - (start - _EPOCH) % _MINUTE
        return cls(first, max(end + (_EPOCH - end) % _MINUTE, first + _MINUTE))

    def moved(self, lengths: float) -> Range:
        """Return the range that is this many times its length later."""
        return Range.around(*(moment + lengths * (self.end - self.start) for moment in self))

    def wider(self) -> Range:
        """Return the range with its length added on both sides."""
        length = self.end - self.start
        return Range.around(self.start - length, self.end + length)


def begin() -> None:
    """Begin to draw a page: its clock is UTC until `choose` finds another one."""
    st.session_state[_CLOCK] = Clock()


def clock() -> Clock:
    """The clock by which the page shows times."""
    stored: Clock = st.session_state.get(_CLOCK, Clock())
    return stored


def moment(value: datetime | None) -> str:
    """Format a UTC time to the minute by the clock of the page, without its name."""
    return units.moment(None if value is None else clock().local(value))


def says() -> str:
    """Return the sentence of a page that names its clock."""
    (_, first), *changes = clock().offsets
    if clock().is_utc:
        return "Times are UTC."
    later = [f"{_name(by)} from {units.moment(clock().local(since))} on" for since, by in changes]
    return f"Times are local, {', '.join([_name(first), *later])}."


def choose(
    earliest: datetime, latest: datetime, shown: datetime, local: Local | None = None
) -> Range:
    """Draw the fields and buttons; return the range that is chosen, by default from `shown` on.

    `earliest`, `latest`: the time of the records that the page has, UTC. A range without any of
    them is dropped, and the page says so. `local`: for local time, where it was asked for; if there
    is none, the page says why it stays in UTC.
    """
    # With a row that begins at the very end.
    whole = Range.around(earliest, latest - (latest - _EPOCH) % _MINUTE + _MINUTE)
    default = Range.around(shown, whole.end)
    chosen = _chosen()
    missed = chosen is not None and not (chosen.start < whole.end and chosen.end > whole.start)
    if chosen is None or missed:
        st.session_state[_CHOSEN], drawn = None, default
    else:
        st.session_state[_CHOSEN] = drawn = chosen
    st.session_state[_DEFAULT], st.session_state[_SHOWN] = default, drawn
    st.session_state[_WRONG] = _fault()
    follow(local(*drawn) if local else UTC)
    if missed and chosen is not None:
        text = f"{moment(chosen.start)} to {moment(chosen.end)}"
        st.session_state[_WRONG] = f"No records from {text}"
    pictures.say_range(f"{moment(drawn.start)} to {moment(drawn.end)} {clock().name}")
    _draw_fields(drawn, whole)
    if drawn == default and default.start > whole.start:
        st.caption("The latest of the records; All shows earlier ones.")
    return drawn


def follow(offsets: Offsets | str) -> None:
    """Show times by this clock from here on; if it is why there is none, say so."""
    if isinstance(offsets, str):
        st.caption(units.plain(f"Times are UTC: {offsets}."))
    else:
        names = dict.fromkeys(_name(by) for _, by in offsets)
        st.session_state[_CLOCK] = Clock(offsets, "/".join(names).replace("/UTC", "/"))


def address(start: datetime, end: datetime) -> dict[str, str]:
    """Return the parameters of the address for a range that holds both moments, UTC."""
    texts = (f"{moment:%Y-%m-%dT%H:%M}" for moment in Range.around(start, end))
    return dict(zip(("from", "to"), texts, strict=True))


def parameters() -> dict[str, str]:
    """Return the parameters of the address for the range that is drawn, for links."""
    shown = st.session_state.get(_SHOWN)
    return address(*shown) if shown else {}


def wrong() -> str:
    """Return why the range that was asked for is not the one that is drawn; nothing if it is."""
    return str(st.session_state.get(_WRONG, ""))


def _fault() -> str:
    """Return what is wrong with the time in the address."""
    times = []
    for name in ("from", "to"):
        text = st.query_params.get(name, "")
        try:
            times += [_moment(text)] if text else []
        except ValueError:
            return f"In the address, {name} is {text!r}, which is no date and time"
    if len(times) > 1 and times[0] > times[1]:
        return "The time in the address ends before it begins"
    return ""


def _name(offset: timedelta) -> str:
    """Return the name of a clock: UTC, UTC+2, UTC-3:30."""
    hours, minutes = divmod(abs(offset) // _MINUTE, 60)
    if not hours + minutes:
        return "UTC"
    return f"UTC{'-' if offset < timedelta() else '+'}{hours}" + f":{minutes:02}" * bool(minutes)


def _moment(text: str) -> datetime:
    """Return a time in the address, UTC. Raises ValueError, also if no record can be that old."""
    moment = datetime.fromisoformat(text).replace(tzinfo=None)
    if moment.year not in _YEARS:
        raise ValueError(text)
    return moment


def forget() -> None:
    """Forget what was chosen: after Back only the address says what to show."""
    st.session_state[_CHOSEN] = None


def dragged(key: str) -> Callable[[], None]:
    """Return what to do when a part of the chart with this key is selected: zoom in on it."""
    return partial(_zoom, key)


def _zoom(key: str) -> None:
    selected = st.session_state[key].get("selection", {})
    for ends in (end for brush in selected.values() for end in brush.values()):
        start, end = (_EPOCH + timedelta(milliseconds=float(m)) for m in (min(ends), max(ends)))
        _set(Range.around(*sorted(map(clock().utc, (start, end)))))
        return


def _chosen() -> Range | None:
    """Return what the address or the session says, None if nobody has chosen a range."""
    try:
        start, end = (_moment(st.query_params[name]) for name in ("from", "to"))
    except (KeyError, ValueError):
        asked_range = None
    else:
        asked_range = Range.around(start, end) if start <= end else None
    kept: Range | None = st.session_state.get(_CHOSEN)
    # The address says what was drawn last; if that was only a default, nobody has chosen it.
    return (
        kept
        if asked_range is None or asked_range == st.session_state.get(_DEFAULT)
        else asked_range
    )


def _set(chosen: Range) -> None:
    st.session_state[_CHOSEN] = chosen
    st.query_params.update(address(*chosen))  # at once: one step in the browser's history


def _draw_fields(drawn: Range, whole: Range) -> None:
    # A chosen range may begin before the records of this page, or end after them.
    local, zone = clock().local, clock().name
    least, most = local(min(whole.start, drawn.start)), local(max(whole.end, drawn.end))
    # A field keeps the value that it has been given, so another range has other fields.
    keys = tuple(f"_{name} {drawn.start} {drawn.end} {zone}" for name in ("from", "to"))
    for key, label, value in zip(keys, ("From", "To"), drawn, strict=True):
        st.datetime_input(
            f"{label}, {zone}", local(value), least, most, key=key, step=_MINUTE,
            format="YYYY-MM-DD", on_change=_changed, args=keys,
        )  # fmt: skip
    with st.container(horizontal=True, gap="xsmall"):
        for icon, label, target, help_text in (
            ("chevron_left", "", drawn.moved(-1), "Earlier"),
            ("zoom_out", "", drawn.wider(), "Zoom out: three times as long"),
            ("", "All", whole, "All records"),
            ("chevron_right", "", drawn.moved(1), "Later"),
        ):
            st.button(
                label or f":material/{icon}:",
                key=f"_time_{icon or label}",
                help=help_text,
                on_click=_set,
                args=(_within(target, whole),),
                disabled=_within(target, whole) == drawn,
            )


def _within(target: Range, whole: Range) -> Range:
    """Return the range, or as much of it as there are records for."""
    length = min(target.end - target.start, whole.end - whole.start)
    start = min(max(target.start, whole.start), whole.end - length)
    return Range(start, start + length)


def _changed(*keys: str) -> None:
    """Take the fields; if they are in the wrong order, the other one follows the changed one."""
    shown: Range = st.session_state[_SHOWN]
    start, end = (
        clock().utc(st.session_state[key]) if st.session_state[key] else old
        for key, old in zip(keys, shown, strict=True)
    )
    length = shown.end - shown.start
    if start >= end:
        start, end = (start, start + length) if start != shown.start else (end - length, end)
    _set(Range.around(start, end))
