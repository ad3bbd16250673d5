"""Draws pages on systems from their declarations (app.results.queries.systems).

A page that is more than its declaration calls the parts: `open_frame` for what its charts share,
then `section`, `time_panel`, `table` or `tiles`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.charts.time import Span
from app.dashboard import components, filters, health, period, session, units
from app.dashboard.navigation import views
from app.results.pages import FOLDER, KEYS, page_of
from app.results.queries import catalogue
from app.results.queries import systems as queries
from app.results.queries.lines import have_rows, lines, width
from app.results.queries.owners import OWNERS
from app.results.queries.scope import EVERYTHING, Keyed, Scope
from app.results.queries.systems import Page, Panel, Pick, Picked, Section, Table, Tile
from app.results.reader import Reader, UnreadableWarehouseError
from app.results.words import listed
from ingest.base.errors import SettingsError

__all__ = [
    "Frame",
    "carried",
    "draw",
    "draw_file",
    "links",
    "nothing",
    "open_frame",
    "section",
    "sections",
    "table",
    "tiles",
    "time_panel",
]

_MOST_RUNS = 40  # bands that can be distinguished
_ALL = "all"
_MOST_BARS = 12
_SHOWN = timedelta(hours=6)  # before the last records that a link leads to
_NO_DATA = "No data in this time range."
_ALL_ZERO = "Zero throughout this time range"


class Frame(NamedTuple):
    """What all charts of a page share: the time axis, the runs to shade, and a name for brushes."""

    span: Span
    runs: pl.DataFrame | None
    brush: str


def draw_file(file: Path) -> None:
    """Draw the page that a file declares; what is wrong with it if it cannot be read."""
    try:
        page = page_of(file)
        if unknown := sorted(page.leads - {view.path for view in views()}):
            raise SettingsError(f"{file}: there is no page {unknown[0]}")
        draw(page, session.reader(), session.scope() if page.owner else EVERYTHING)
    except SettingsError as error:
        components.header(file.stem)
        components.problem(f"{error}.")
    except UnreadableWarehouseError as error:
        if file.parent == FOLDER:
            raise
        components.problem(f"{file}: {error}.")


def draw(page: Page, reader: Reader, scope: Scope) -> None:
    """Draw a page from its declaration."""
    if page.owner in KEYS:
        components.header(page.title, f"{page.about} Times are UTC.")
        if not catalogue.any_load(reader):
            components.empty(f"Nothing is loaded yet, so there are no {page.records}.")
            return
        tiles(page.tiles, reader, scope)
        sections(page, reader, scope)
        return
    components.header(page.title, f"{page.about} {period.says()}", scope.origin)
    if not have_rows(reader, scope, page.marts):
        nothing(page.title, page.records, scope, queries.elsewhere(reader, scope, page.marts))
        return
    health.strip(reader, scope, _path(page.title))
    tiles(page.tiles, reader, scope)
    links(scope, page.links)
    sections(page, reader, scope, open_frame(reader, scope, page.charted))


def sections(
    page: Page, reader: Reader, scope: Scope, frame: Frame | None = None, only: str = ""
) -> None:
    """Draw the sections of a page, or the one with the title `only`."""
    for section_ in page.sections:
        if only in ("", section_.title):
            section(section_, reader, scope, frame)


def nothing(title: str, records: str, scope: Scope, elsewhere: pl.DataFrame) -> None:
    """Say that there are no such records in the scope, and lead to where there are some.

    `title`: of the page; `elsewhere`: from `queries.elsewhere`.
    """
    text = f"No {records} of {listed(scope.labels)} in this time range."
    if elsewhere.is_empty():
        components.empty(f"{text} Load some.")
        return
    components.info(f"{text} There are some here:", "inbox")
    path = _path(title)
    for row in elsewhere.iter_rows(named=True):
        time = period.address(max(row["first"], row["last"] - _SHOWN), row["last"])
        words = f"{row['label']}, to {period.moment(row['last'])} {period.clock().name}"
        components.link(path, words, **(carried(scope, row["label"]) | time))


def _path(title: str) -> str:
    return next(view.path for view in views() if view.title == title)


def open_frame(reader: Reader, scope: Scope, marts: Sequence[str]) -> Frame:
    """Return what the charts of a page share, and draw what they have in common."""
    recorded_runs = queries.runs(reader, scope, _systems(scope))
    components.steps(width(reader, scope, marts))
    remarks = ["Drag across a chart to zoom in on a time."]
    if recorded_runs.height > _MOST_RUNS:
        remarks.append(
            f"{recorded_runs.height:,} runs in this time are too many to shade; zoom in."
        )
    elif recorded_runs.height:
        remarks.append("Shaded: benchmark runs.")
    components.note(" ".join(remarks))
    bands = recorded_runs if recorded_runs.height <= _MOST_RUNS else None
    span = Span(scope.start.replace(tzinfo=UTC), scope.end.replace(tzinfo=UTC), period.clock())
    return Frame(span, bands, f"{scope.start:%Y%m%d%H%M}{scope.end:%Y%m%d%H%M}")


def _systems(scope: Scope) -> list[str]:
    part = next(owner.system for owner in OWNERS.values() if owner.name == scope.owner)
    return [label.split("/")[part] for label in scope.labels]


def section(one: Section, reader: Reader, scope: Scope, frame: Frame | None) -> None:
    """Draw a section: its choices, charts and tables; nothing if it has nothing to say."""
    if not one.panels and all(
        not each.empty and queries.rows(reader, scope, each).is_empty() for each in one.tables
    ):
        return
    components.section(one.title, one.caption or None)
    about = queries.whole(reader, scope, one.of) if one.of else scope
    if about is None:
        components.note("Needs CPU activity records (SMF 70-1) of the system in this time range.")
        return
    picked = _picked(one.picks, reader, about)
    if one.panels and frame is not None:
        frame = frame._replace(brush=f"{frame.brush} {one.title}")  # charts may have the same title
        missing: dict[str, list[str]] = {}  # titles of charts without figures, by the reason
        with components.panels():
            courses = lines(reader, about, one.panels, picked)
            for declared, (figures, count) in zip(one.panels, courses, strict=True):
                if not figures.is_empty() and not (figures["value"] != 0).any():
                    missing.setdefault(_ALL_ZERO, []).append(declared.title)
                elif figures.is_empty():
                    missing.setdefault(declared.empty or _NO_DATA, []).append(declared.title)
                else:
                    _panel(declared, figures, count, frame)
        for reason, titles in missing.items():
            components.note(f"{reason.rstrip('.')}: {listed(titles)}.")
    for declared_table in one.tables:
        table(declared_table, reader, about, picked)


def _picked(picks: Sequence[Pick], reader: Reader, scope: Scope) -> Picked:
    """Draw the choices of a section; return what is picked."""
    picked: Picked = ()
    with st.container(horizontal=True):
        for pick in picks:
            names = queries.names(reader, scope, pick, picked)
            # What a link or an earlier time range chose stays, also if there is none of it now.
            chosen = st.session_state.get(pick.key) or st.query_params.get(pick.key)
            if chosen and chosen not in (_ALL, *names) and pick.of_all:
                names.append(chosen)
            offered = [_ALL] * pick.of_all + names
            with st.container(width=320):
                name = filters.choice(pick.label, offered, pick.key) if offered else _ALL
            picked += ((pick.name, name),) if name != _ALL else ()
    return picked


def _panel(declared: Panel, figures: pl.DataFrame, known: int, frame: Frame) -> None:
    """Draw a chart over time from its declaration, and say if it has not all `known` series."""
    help_text = declared.help
    if known > declared.most:
        most = declared.ranked or "of it"
        help_text += f" The {declared.most} of {known:,} with the most {most}."
    time_panel(
        declared.title,
        figures,
        declared.unit,
        frame,
        order=declared.order if isinstance(declared.values, str) else list(declared.values),
        high=declared.high,
        named=declared.named or bool(declared.series),
        help=help_text.strip() or None,
    )


def time_panel(title: str, figures: pl.DataFrame, unit: str, frame: Frame, **options: Any) -> None:
    """Draw figures over time, as `components.time_panel` does, with what the page shares."""
    components.time_panel(
        title, figures, unit, frame.span, bands=frame.runs, brush=frame.brush, **options
    )


def tiles(declared: Sequence[Tile], reader: Reader, scope: Scope) -> None:
    """Draw a row of key figures for each owner."""
    if not declared:
        return
    values = queries.figures(reader, scope, declared)
    for row in values.iter_rows(named=True):
        if values.height > 1:
            components.name(row["owner"])
        components.tiles(
            {
                tile.label: (
                    _figure(row[f"v{i}"], tile.unit),
                    _remark(tile, row[f"m{i}"]),
                )
                for i, tile in enumerate(declared)
            }
        )


def _remark(tile: Tile, more: Any) -> str:
    """Return the line below a figure; what follows a semicolon needs `more`."""
    remark = tile.remark if more is not None else tile.remark.split(";")[0]
    return remark.format(_figure(more, tile.unit))


def _figure(value: Any, unit: str) -> str:
    if isinstance(value, str):
        return value
    if unit == "µs":
        return units.duration(value)
    if unit in ("bytes", "bytes/s"):
        return units.byte_count(value, unit.removeprefix("bytes"))
    return units.quantity(value, unit) if unit else units.number(value)


def table(declared: Table, reader: Reader, scope: Scope, picked: Picked = ()) -> None:
    """Draw a table from its declaration; a click on a row may lead to another page."""
    if declared.title:
        components.section(declared.title, declared.caption or None)
    rows = queries.rows(reader, scope, declared, picked)
    if rows.is_empty():
        components.note(declared.empty)
        return
    if rows.height == declared.most:
        components.note(f"Only the first {declared.most:,} rows.")
    several = len(scope.labels) > 1
    columns: dict[str, Any] = {"owner": "Of"} if several else {}
    columns |= {
        name: label
        for name, shown in {**declared.by, **declared.columns}.items()
        if (label := shown if isinstance(shown, str) else shown[0])
    }
    _bars(declared, rows, several=several)
    if declared.leads is None:
        shown = rows if declared.columns else rows.drop("owner")
        components.table(shown, declared.name, columns=columns if declared.columns else None)
        return
    components.note(declared.says)
    path, named = declared.leads
    chosen = components.pick(
        rows, declared.name, columns=columns, chose=None if path else partial(_choose, named, rows)
    )
    named = {key: chosen[column] for key, column in named.items()} if path and chosen else {}
    values = {key: str(value) for key, value in named.items() if value is not None}
    if chosen and values:
        components.go(path, **carried(scope, chosen["owner"]), **values)


def _bars(declared: Table, rows: pl.DataFrame, *, several: bool) -> None:
    """Draw bars of the first rows of a table."""
    if not declared.bars:
        return
    by = next(iter(declared.by))
    top = rows.head(_MOST_BARS)
    if several:
        top = top.with_columns(pl.format("{} {}", "owner", by).alias(by))
    if rows.height > top.height:
        components.note(f"Drawn: the first {top.height} of {rows.height:,}.")
    with components.panels():
        for shown in declared.bars:
            values = pl.concat(
                top.select(by, part=pl.lit(name), value=pl.col(column).cast(pl.Float64))
                for name, column in shown.of.items()
            ).filter(pl.col("value") > 0)
            chart = None if values.is_empty() else bars(
                values, name=by, value="value", unit=shown.unit, names=top[by].to_list(),
                series="part" if len(shown.of) > 1 else None, order=list(shown.of),
                stacked=shown.stacked,
            )  # fmt: skip
            components.panel(shown.title, chart, empty=shown.empty)


def _choose(named: Mapping[str, str], rows: pl.DataFrame, row: int) -> None:
    """Choose what a row names, in the filters of this page."""
    for key, column in named.items():
        value = rows[column][row]
        # The choice of owners takes several.
        several = key in {owner.key for owner in OWNERS.values()}
        st.session_state[key] = [value] if several else value


def carried(scope: Scope, *owners: str) -> dict[str, str | list[str]]:
    """Return the parameters of the address that other pages on these owners take over."""
    if isinstance(scope, Keyed):
        return {}
    kinds = [kind.key for kind in OWNERS.values() if kind.name == scope.owner]
    return {
        "origin": scope.origin,
        **{key: list(owners or scope.labels) for key in kinds},
        **period.parameters(),
    }


def links(scope: Scope, pages: Mapping[str, str]) -> None:
    """Draw links to other pages on the same owners and time, by path, with a query, and words."""
    if pages:
        with st.container(horizontal=True):
            for address, words in pages.items():
                path, _, query = address.partition("?")
                components.link(path, words, **carried(scope), **dict(parse_qsl(query)))
