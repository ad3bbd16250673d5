"""Who used CPUs, capacity, zIIPs and MQ, and what it cost, with or without benchmark runs.

Code of its own: amounts are stacked by any subject, by hour or day.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import polars as pl
import streamlit as st

from app.charts.stacked import stacked
from app.charts.style import AnyChart
from app.charts.time import Span, over_time
from app.dashboard import components, filters, period, session, units
from app.results.queries import usage as queries
from app.results.queries.clock import local_offsets
from app.results.queries.usage import Choice
from app.results.queries.usage_subjects import SUBJECTS, Measure
from app.results.reader import Reader

_MOST = 7  # names with a colour of their own
_HOURLY = timedelta(days=4)  # longer times are shown by day, unless hours are asked for
_MOST_HOURS = timedelta(days=31)  # as many steps as a chart can show
_EVERY = "all"
_TILES = 6
_ZIIPS = ("plan", "What the work would take with other zIIPs, grown, or on another machine")
#: Pages that say more of a subject.
_MORE = {
    "LPAR": ("lpars", "Four-hour averages by day"),
    "application": ("tasks-and-queues", "What a message waits for"),
    **dict.fromkeys(("service class", "report class", "address space"), _ZIIPS),
}


def draw(reader: Reader) -> None:
    """Draw the page."""
    all_subjects = queries.subjects(reader)
    if all_subjects.is_empty():
        components.header("Usage")
        components.empty(
            "No intervals are loaded. Load SMF 30, 70 and 72 for CPU time, and 115 and 116 for MQ."
        )
        return
    choice, daily = _chosen(reader, all_subjects)
    components.header(
        "Usage",
        f"Who used what, and what it cost, from SMF, with or without runs. {period.says()}",
        choice.origin,
    )  # fmt: skip
    measures = queries.measures_of(choice)
    totals = queries.totals(reader, choice)
    if not totals["hours"].item():
        components.info("Nothing is recorded in this time range.", "filter_alt_off")
        return
    _tiles(totals.row(0, named=True), measures)
    _charts(reader, choice, measures, daily=daily)
    if choice.of_records:
        components.note(
            "From the records themselves: this goes back as far as records are kept. "
            "The other subjects are hours, which stay when old records are removed."
        )
    if choice.subject in _MORE:
        components.link(*_MORE[choice.subject], origin=choice.origin, work="Recorded work")
    _table(reader, choice, measures, daily=daily)


def _chosen(reader: Reader, known: pl.DataFrame) -> tuple[Choice, bool]:
    """Draw the filters; return what is chosen, and whether by day."""
    with st.sidebar:
        origins = known["origin"].unique(maintain_order=True).to_list()
        origin = filters.switch("Origin", origins, "origin")
        of_origin = known.filter(pl.col("origin") == origin)
        subjects = set(of_origin["subject"])
        name = filters.choice("Of", [s for s in SUBJECTS if s in subjects], "subject")
        subject = SUBJECTS[name]
        systems = of_origin.filter(pl.col("subject") == name)["system_id"].unique().sort().to_list()
        system = filters.choice("System", [_EVERY, *systems], "system")
        system_ = "" if system == _EVERY else system
        by = filters.choice("Stacked by", list(subject.by), "by")
        choice = Choice(origin, name, system_, subject.by[by])
        label = subject.only[0]
        chosen = filters.choices(label, queries.offered(reader, choice), label.split()[-1].lower())
        if currency := queries.currency(reader, origin):
            components.note(f"Prices are the site's own, in {currency}.")
        choice = replace(choice, chosen=tuple(chosen), currency=currency)
        first, last, shown = queries.time_of(reader, choice)
        steps = ["day", "hour"] if last - shown > _HOURLY else ["hour", "day"]
        daily = filters.switch("By", steps, "steps") == "day"
        local = partial(local_offsets, reader, origin, [system_] if system_ else [])
        start, end = filters.time_range(first, last, shown, local)
        if not daily and end - start > _MOST_HOURS:
            components.note(f"More than {_MOST_HOURS.days} days are shown by day.")
            daily = True
    return replace(choice, start=start, end=end, offsets=period.clock().offsets), daily


def _tiles(totals: dict[str, Any], measures: tuple[Measure, ...]) -> None:
    days = totals["hours"] / 24
    tiles: dict[str, tuple[str, str]] = {}
    for index, measure in enumerate(measures):
        value = totals[f"m{index}"]
        if value is None:
            continue
        remark = measure.unit
        if not measure.per:
            remark += f" in {units.quantity(totals['hours'], 'h')}"
            remark += f"; {units.number(value / days)} a day" if days > 1 else ""
            if (share := totals[f"k{index}"]) is not None and share < 0.9995:
                remark += f"; known of {units.number(100 * share)} % of the time"
        label = f"{measure.label} " if measure.label in tiles else measure.label
        tiles[label] = (units.number(value), remark)
    if tiles:
        components.tiles(dict(list(tiles.items())[:_TILES]))


def _charts(reader: Reader, choice: Choice, measures: tuple[Measure, ...], *, daily: bool) -> None:
    figures = queries.over_time(reader, choice, daily=daily, most=_MOST)
    order = figures.group_by("series").agg(pl.col("place").min()).sort("place")["series"].to_list()
    span = Span(choice.start, choice.end, period.clock())
    step = "day" if daily else "hour"
    with components.panels():
        for index, measure in enumerate(measures):
            if not measure.drawn:
                continue
            amounts = figures.select("start", "end", "series", value=f"m{index}").drop_nulls()
            chart: AnyChart | None = None
            if amounts["value"].sum() > 0:
                present = set(amounts["series"])
                names = [name for name in order if name in present]
                domain = components.colours(names)
                chart = (
                    over_time(amounts, unit=measure.unit, span=span, series=names, domain=domain)
                    if measure.per
                    else stacked(
                        amounts,
                        unit=f"{measure.unit} per {step}",
                        span=span,
                        order=names,
                        domain=domain,
                    )
                )
            title = f"{measure.label}, {measure.unit}" if measure.per else measure.label
            components.panel(
                title, chart, help=measure.help or None, empty=_why_none(figures, index, measure)
            )


def _why_none(figures: pl.DataFrame, place: int, measure: Measure) -> str:
    if figures[f"m{place}"].is_null().all() and "_per_cp_second" in measure.sql:
        return "Not known: it needs CPU activity records (SMF 70-1) of these hours."
    if figures[f"m{place}"].is_null().all():
        return "The records of this time do not say."
    return "None in this time range."


def _table(reader: Reader, choice: Choice, measures: tuple[Measure, ...], *, daily: bool) -> None:
    rows = queries.by_step(reader, choice, daily=daily)
    step = "day" if daily else "hour"
    to_spaces = choice.subject == "service class" and choice.by == "name"
    components.section(
        f"By {step}",
        "The latest first; at most 5,000 rows."
        + (" Click a class for its address spaces." if to_spaces else ""),
    )
    label = next(
        label for label, column in SUBJECTS[choice.subject].by.items() if column == choice.by
    )
    columns = {
        "step": components.day("Day") if daily else "Hour",
        "name": units.plain(label[:1].upper() + label[1:]),
        "hours": "Hours",
        **{
            f"m{index}": measure.label
            if measure.label.lower() == measure.unit
            else f"{measure.label}, {measure.unit}"
            for index, measure in enumerate(measures)
            if rows[f"m{index}"].is_not_null().any()
        },
    }
    if not to_spaces:
        components.table(rows, f"usage_by_{step}", columns=columns)
    elif row := components.pick(rows, f"usage_by_{step}", columns=columns):
        components.go(
            "usage", subject="address space", origin=choice.origin,
            system=choice.system or _EVERY, by="address space",
            **{"class": row["name"].split(" on ")[0]},
        )  # fmt: skip


if __name__ == "__main__":
    draw(session.reader())
