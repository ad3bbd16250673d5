"""Who used CPUs, capacity, zIIPs and MQ, and what it cost, with or without benchmark runs.

Code of its own: amounts are stacked by any subject and recomputed for another number of zIIPs.
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
from app.results.offload import offloaded
from app.results.queries import usage as queries
from app.results.queries.clock import local_offsets
from app.results.queries.usage import Choice
from app.results.queries.usage_subjects import SUBJECTS, Measure
from app.results.queries.ziips import hourly_work, ziips_online
from app.results.reader import Reader

_MOST = 7  # names with a colour of their own
_HOURLY = timedelta(days=4)  # longer times are shown by day, unless hours are asked for
_MOST_HOURS = timedelta(days=31)  # as many steps as a chart can show
_EVERY = "all"
_TILES = 6
#: Subjects whose zIIP-eligible time is known.
_WORK = ("service class", "report class", "address space")


def draw(reader: Reader) -> None:
    """Draw the page."""
    known = queries.subjects(reader)
    if known.is_empty():
        components.header("Usage")
        components.empty(
            "No intervals are loaded. Load SMF 30, 70 and 72 for CPU time, and 115 and 116 for MQ."
        )
        return
    choice, daily = _chosen(reader, known)
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
    _tiles(totals.row(0, named=True), measures, choice.price)
    _charts(reader, choice, measures, daily=daily)
    if choice.of_records:
        components.note(
            "From the records themselves: this goes back as far as records are kept. "
            "The other subjects are hours, which stay when old records are removed."
        )
    if choice.subject == "LPAR":
        _peaks(queries.peaks(reader, choice))
    if choice.subject in _WORK:
        _what_if(reader, choice, daily=daily)
    if choice.subject == "application":
        _applications(queries.application_costs(reader, choice.origin, choice.system))
    _table(reader, choice, measures, daily=daily)


def _chosen(reader: Reader, known: pl.DataFrame) -> tuple[Choice, bool]:
    """Draw the filters; return what is chosen, and whether by day."""
    with st.sidebar:
        origins = known["origin"].unique(maintain_order=True).to_list()
        origin = filters.switch("Origin", origins, "origin")
        here = known.filter(pl.col("origin") == origin)
        found = set(here["subject"])
        name = filters.choice("Of", [s for s in SUBJECTS if s in found], "subject")
        subject = SUBJECTS[name]
        systems = here.filter(pl.col("subject") == name)["system_id"].unique().sort().to_list()
        system = filters.choice("System", [_EVERY, *systems], "system")
        of = "" if system == _EVERY else system
        by = filters.choice("Stacked by", list(subject.by), "by")
        choice = Choice(origin, name, of, subject.by[by])
        label = subject.only[0]
        chosen = filters.choices(label, queries.offered(reader, choice), label.split()[-1].lower())
        price = filters.amount("Price of an MSU hour", 0.0, "price")
        if (currency := queries.currency(reader, origin)) and not price:
            components.note(f"Prices are the site's own, in {currency}.")
        choice = replace(choice, chosen=tuple(chosen), price=price, currency=currency)
        first, last, shown = queries.time_of(reader, choice)
        steps = ["day", "hour"] if last - shown > _HOURLY else ["hour", "day"]
        daily = filters.switch("By", steps, "steps") == "day"
        local = partial(local_offsets, reader, origin, [of] if of else [])
        start, end = filters.time_range(first, last, shown, local)
        if not daily and end - start > _MOST_HOURS:
            components.note(f"More than {_MOST_HOURS.days} days are shown by day.")
            daily = True
    return replace(choice, start=start, end=end, offsets=period.clock().offsets), daily


def _tiles(totals: dict[str, Any], measures: tuple[Measure, ...], price: float) -> None:
    days = totals["hours"] / 24
    tiles: dict[str, tuple[str, str]] = {}
    for place, measure in enumerate(measures):
        value = totals[f"m{place}"]
        if value is None:
            continue
        remark = measure.unit
        if measure.of_money and price:
            remark = remark.replace("price", f"at {units.number(price)} an MSU hour", 1)
        if not measure.per:
            remark += f" in {units.quantity(totals['hours'], 'h')}"
            remark += f"; {units.number(value / days)} a day" if days > 1 else ""
            if (known := totals[f"k{place}"]) is not None and known < 0.9995:
                remark += f"; known of {units.number(100 * known)} % of the time"
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
        for place, measure in enumerate(measures):
            if not measure.drawn:
                continue
            amounts = figures.select("start", "end", "series", value=f"m{place}").drop_nulls()
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
                title, chart, help=measure.help or None, empty=_why_none(figures, place, measure)
            )


def _why_none(figures: pl.DataFrame, place: int, measure: Measure) -> str:
    if figures[f"m{place}"].is_null().all() and "_per_cp_second" in measure.sql:
        return "Not known: it needs CPU activity records (SMF 70-1) of these hours."
    if figures[f"m{place}"].is_null().all():
        return "The records of this time do not say."
    return "None in this time range."


def _peaks(peaks: pl.DataFrame) -> None:
    components.section(
        "Four-hour average",
        "Its highest value of each day, as WLM sees it (SMF70LAC) or else worked out.",
    )
    if peaks.is_empty():
        components.info("No capacity is recorded in this time range (SMF 70-1).", "block")
        return
    components.table(
        peaks,
        "four_hour_peaks",
        columns={
            "day": components.day("Day"),
            "system": "System",
            "name": "LPAR",
            "peak_msu": "Peak of the four-hour average, MSU",
            "peak_hour_utc": "At",
            "consumed_msu": "Mean, MSU",
            "lowest_defined_capacity_msu": "Defined capacity, MSU",
            "soft_capped_hours": "Soft-capped, h",
            "highest_latent_demand_msu": "Highest latent demand, MSU",
            "hours_covered": "Hours recorded",
        },
    )


def _what_if(reader: Reader, choice: Choice, *, daily: bool) -> None:
    """Draw what the same work would have used with another number of zIIPs."""
    components.section(
        "What if",
        "The work above with another number of zIIPs, hour by hour; time on zIIPs is converted to "
        "the speed of a CP.",
    )
    work = hourly_work(reader, choice, daily=daily)
    if work.is_empty():
        components.info("The zIIP-eligible time of this work is not recorded.", "block")
        return
    online, speed = ziips_online(reader, choice.origin, choice.system)
    with st.grid(4, min_column_width=190, gap="small"):
        ziips = filters.amount("zIIPs for it", max(online, 1.0), "ziips")
        share = filters.amount("Eligible work that WLM sends there, %", 100.0, "share")
        factor = filters.amount("Speed of a zIIP over a CP", round(speed, 3), "factor", least=0.01)
        smt = filters.amount("Capacity factor of two threads", 1.0, "smt", least=0.01)
    rows = []
    for start, end, on_cps, eligible, on_ziips, msu_hours, money, covered in work.iter_rows():
        msu_per_cp = (msu_hours or 0.0) * 3600 / on_cps if on_cps else 0.0
        one = offloaded(
            on_cps + on_ziips, eligible, ziips=ziips, share=min(share, 100.0) / 100, factor=factor,
            capacity_factor=smt, hours=covered, msu_per_cp=msu_per_cp, price=choice.price,
            cp_second=0.0 if choice.price or not on_cps else (money or 0.0) / on_cps,
        )  # fmt: skip
        now = (msu_hours or 0.0) * choice.price if choice.price else money or 0.0
        rows.append((start, end, covered, on_cps, one.on_cps_after, one.moved, msu_hours or 0.0,
                     one.msu_hours_after, one.ziips_busy, one.is_limited,
                     now - one.price_after))  # fmt: skip
    hours = pl.DataFrame(
        rows, orient="row",
        schema=["start", "end", "hours", "now", "on CPs", "on zIIPs", "msu_now", "msu_after",
                "busy", "is_limited", "saved"],
    )  # fmt: skip
    _saved(hours, choice)
    step = "day" if daily else "hour"
    figures = (
        hours.group_by("start", "end", maintain_order=True)
        .agg(pl.col("on CPs", "on zIIPs").sum() / 3600)
        .unpivot(index=["start", "end"], variable_name="series")
        .filter(pl.col("value") > 0)
        .with_columns(pl.col("start", "end").dt.replace_time_zone("UTC"))
    )
    span = Span(choice.start, choice.end, period.clock())
    chart = stacked(
        figures, unit=f"CPU hours per {step}", span=span,
        order=["on CPs", "on zIIPs"], domain=components.colours(["on CPs", "on zIIPs"]),
    )  # fmt: skip
    components.panel(f"CPU time with {ziips:g} zIIPs", chart)


def _saved(hours: pl.DataFrame, choice: Choice) -> None:
    total = hours.select(pl.exclude("start", "end").sum()).row(0, named=True)
    days = total["hours"] / 24
    less = total["now"] - total["on CPs"]
    msu = total["msu_now"] - total["msu_after"]
    tiles: dict[str, str | tuple[str, str]] = {
        "On CPs": (
            units.quantity(total["on CPs"] / 3600 / days, "h a day"),
            f"{units.number(total['now'] / 3600 / days)} as recorded",
        ),
        "Off the CPs": (
            units.quantity(less / 3600 / days, "h a day"),
            f"{units.number(100 * less / total['now'] if total['now'] else None)} % of it",
        ),
        "Less capacity": (
            units.number(msu / days),
            f"MSU hours a day, of {units.number(total['msu_now'] / days)} as recorded",
        ),
        "zIIPs busy": (
            units.number(float(hours["busy"].mean() or 0)),  # type: ignore[arg-type]
            f"mean; {units.number(float(hours['busy'].max() or 0))} in the busiest hour",  # type: ignore[arg-type]
        ),
        "zIIPs full": (
            units.quantity(int(hours["is_limited"].sum()), "h"), f"of {hours.height}"
        ),
    }  # fmt: skip
    if choice.price or choice.currency:
        tiles["Saved"] = (
            f"{units.number(total['saved'] / days)} a day",
            f"at {units.number(choice.price)} an MSU hour" if choice.price else choice.currency,
        )
    components.tiles(tiles)


def _applications(costs: pl.DataFrame) -> None:
    components.section(
        "What a message waits for",
        "Of each application over all accounting records (SMF 116 class 3) that are loaded.",
    )
    if costs.is_empty():
        components.info("No accounting records of applications are loaded.", "block")
        return
    causes = {"log": "log", "page_set": "page sets", "db2": "Db2", "cf": "coupling facility",
              "latch": "latches", "smds": "SMDS", "other": "other"}  # fmt: skip
    components.table(
        costs,
        "application_costs",
        columns={
            "queue_manager": "Queue manager",
            "name": "Application",
            "application_type": "Type",
            "messages": "Messages",
            "cpu_us_per_message": "CPU, µs/message",
            "elapsed_us_per_message": "Elapsed, µs/message",
            **{
                f"wait_{cause}_us_per_message": f"Wait for {name}, µs/message"
                for cause, name in causes.items()
            },
        },
    )


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
            f"m{place}": measure.label
            if measure.label.lower() == measure.unit
            else f"{measure.label}, {measure.unit}"
            for place, measure in enumerate(measures)
            if rows[f"m{place}"].is_not_null().any()
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
