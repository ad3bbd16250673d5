"""Charts to download, with what they show and where it comes from in the picture."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import streamlit as st

from app.charts.style import AnyChart
from app.dashboard import units
from app.results.queries.scope import Scope

__all__ = [
    "Chart",
    "Charts",
    "begin",
    "offer",
    "say_choice",
    "say_origin",
    "say_range",
    "say_scope",
    "spec_of",
]

Chart: TypeAlias = AnyChart | Mapping[str, Any]
Charts: TypeAlias = Mapping[str, Callable[[], Chart]]
_KEY = "_pictures"
_MIME = {"svg": "image/svg+xml", "png": "image/png"}
#: The filters that say which data a page shows.
_SAID = ("document", "campaign", "run", "system", "configuration", "build", "baseline", "candidate")


class _Page(NamedTuple):
    title: str
    published: datetime
    origin: str = ""
    chosen: Mapping[str, str] = MappingProxyType({})
    scope: Scope | None = None
    range: str = ""
    charts: int = 0


def begin(title: str, published: datetime) -> None:
    """Set what the pictures of the page that is drawn next say about it; `published`: UTC."""
    st.session_state[_KEY] = _Page(title, published)


def say_origin(origin: str) -> None:
    """Set the origin of what the page shows."""
    if _KEY in st.session_state:
        st.session_state[_KEY] = st.session_state[_KEY]._replace(origin=origin)


def say_scope(scope: Scope) -> None:
    """Set the owners of the records that the page shows."""
    if _KEY in st.session_state:
        st.session_state[_KEY] = st.session_state[_KEY]._replace(scope=scope, origin=scope.origin)


def say_range(words: str) -> None:
    """Set the words for the time range that the page shows."""
    if _KEY in st.session_state:
        st.session_state[_KEY] = st.session_state[_KEY]._replace(range=words)


def say_choice(key: str, value: str) -> None:
    """Set what is chosen in the filter with this key."""
    page: _Page | None = st.session_state.get(_KEY)
    if page is not None and key in _SAID:
        st.session_state[_KEY] = page._replace(chosen={**page.chosen, key: value})


def offer(charts: Charts) -> None:
    """Draw the downloads of charts by their titles; they are drawn when they are asked for."""
    page: _Page | None = st.session_state.get(_KEY)
    if page is None:
        return
    st.session_state[_KEY] = page._replace(charts=page.charts + len(charts))
    lines = _lines(page)
    # A button in a popover reaches the browser's page when the popover is opened.
    with st.popover(
        "", icon=":material/download:", type="tertiary", help="Download the chart", width="content"
    ):
        for number, (title, draw) in enumerate(charts.items(), start=page.charts):
            name = _file_name(f"{page.title} {title}")
            for kind, mime in _MIME.items():
                st.download_button(
                    kind.upper() if len(charts) == 1 else f"{units.plain(title)}, {kind.upper()}",
                    data=partial(_picture, draw, title, lines, kind),
                    file_name=f"{name}.{kind}",
                    mime=mime,
                    type="tertiary",
                    on_click="ignore",
                    key=f"picture_{kind}_{number}",
                )


def _lines(page: _Page) -> list[str]:
    """Return what the picture says below its title."""
    about = [page.title]
    if page.scope is not None:
        about.append(", ".join(page.scope.labels))
    about += [f"{key} {page.chosen[key]}" for key in _SAID if page.chosen.get(key)]
    about += filter(None, [page.range])
    source = f"perfhouse, published {units.moment(page.published)} UTC"
    return [
        " · ".join(about),
        f"Source: {source}" + (f" · {page.origin} data" if page.origin else ""),
    ]


def _picture(draw: Callable[[], Chart], title: str, lines: list[str], kind: str) -> bytes:
    from app.reports import pictures

    spec = pictures.with_title(spec_of(draw()), title, lines)
    return pictures.png(spec) if kind == "png" else pictures.svg(spec, title).encode()


def spec_of(chart: Chart) -> dict[str, Any]:
    """Return a chart as Vega-Lite has it."""
    return dict(chart) if isinstance(chart, Mapping) else chart.to_dict()


def _file_name(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:100] or "chart"
