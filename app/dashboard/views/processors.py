"""A system's processors over time: busy, by whom, zIIP-eligible work, and reconciliation."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import streamlit as st

from app.charts.time import Span, by_series, long
from app.dashboard import components, filters, session, units
from app.results.queries import processors as queries
from app.results.queries.processors import System
from app.results.reader import Reader

_TYPES = ("CP", "zIIP")
_MOST_CLASSES = 8  # as many colours as a chart can tell apart


def draw(reader: Reader) -> None:
    """Draw the page."""
    known = queries.systems(reader)
    if not known:
        components.header("Processors")
        components.empty("No CPU activity records (SMF 70-1) are loaded. Load SMF 70, 72 and 30.")
        return
    several = len({system.origin for system in known}) > 1
    labels = {s.label + f", {s.origin}" * several: s for s in known}
    with st.sidebar:
        system = labels[filters.choice("System", list(labels), "system")]
        start, end = filters.time_range(system.start, system.end, system.latest)
    system = replace(system, start=start, end=end)
    components.header(
        "Processors",
        "How busy, with whose work, and how much zIIPs could take, from SMF 70-1, 72-3 and 30. "
        "Times are UTC.",
        system.origin,
    )
    _tiles(reader, system)
    busy = queries.utilisation(reader, system)
    _charts(reader, system, busy, Span.of(busy))
    _spaces(reader, system)
    _reconciliation(reader, system)


def _tiles(reader: Reader, system: System) -> None:
    means = queries.busiest(reader, system)
    components.tiles(
        {
            "CPs busy": (
                units.quantity(means["cp"], "%"),
                f"mean; max {units.quantity(means['most_cp'], '%')}",
            ),
            "zIIPs busy": (
                units.quantity(means["ziip"], "%"),
                f"mean; max {units.quantity(means['most_ziip'], '%')}",
            ),
            "zIIP-eligible": (units.quantity(means["eligible_percent"], "%"), "of CPU time"),
            "zIIPs needed": (
                units.number(means["ziips_needed"]),
                f"peak; {units.number(means['ziips_online'])} online",
            ),
            "Captured": (units.quantity(means["capture_percent"], "%"), "of busy CP time"),
        }
    )


def _charts(reader: Reader, system: System, busy: pl.DataFrame, span: Span) -> None:
    components.section("Processor use")
    with components.panels():
        for title, column, help_text in (
            ("Busy, as z/OS sees it", "mvs_busy_percent", "Online time not spent waiting."),
            (
                "Busy, as PR/SM sees it",
                "lpar_busy_percent",
                "Time dispatched on physical processors.",
            ),
        ):
            figures = by_series(busy, "processor_type", column)
            components.time_panel(
                title, figures, "% busy", span, order=_TYPES, high=100, named=True, help=help_text
            )
        by_class = queries.classes(reader, system, _MOST_CLASSES)
        components.time_panel(
            "CPU by report class",
            by_series(by_class, "class_name", "processors"),
            "processors",
            span,
            named=True,
            help=f"CP and zIIP time of the {_MOST_CLASSES} report classes that used most.",
            empty="No report classes (SMF 72-3) in this time range.",
        )
        shares = {
            "eligible_percent": "eligible",
            "offloaded_percent": "ran on zIIPs",
            "eligible_on_cp_percent": "eligible, ran on CPs",
        }
        components.time_panel(
            "zIIP-eligible work",
            long(queries.ziip(reader, system), shares),
            "% of CPU time",
            span,
            order=list(shares.values()),
            help="zIIP time is converted to the speed of a general-purpose processor.",
            empty="No report classes (SMF 72-3) in this time range.",
        )
        levels = {
            "consumed_msu": "consumed",
            "average_msu": "four-hour average",
            "defined_capacity_msu": "defined capacity",
            "latent_demand_msu": "latent demand",
        }
        components.time_panel(
            "Consumed capacity",
            long(queries.capacity(reader, system), levels),
            "MSU",
            span,
            order=list(levels.values()),
            named=True,
            help="The average is WLM's (SMF70LAC). Latent demand is the most that work which "
            "waited for a processor would have added.",
            empty="No partition data (SMF 70-1) in this time range.",
        )


def _spaces(reader: Reader, system: System) -> None:
    components.section("Address spaces", "From SMF 30 intervals, over the whole time range.")
    components.table(
        queries.address_spaces(reader, system),
        "address_spaces",
        columns={
            "job_name": "Job",
            "report_class": "Report class",
            "cpu_seconds": _figure("CPU, s", 1),
            "general_purpose_seconds": _figure("On CPs, s", 1),
            "ziip_cp_equivalent_seconds": _figure("On zIIPs, s at CP speed", 1),
            "ziip_on_cp_seconds": _figure("Eligible on CPs, s", 1),
            "eligible_percent": _figure("Eligible, %", 1),
            "dasd_requests": st.column_config.NumberColumn("DASD requests", format="localized"),
        },
    )


def _reconciliation(reader: Reader, system: System) -> None:
    components.section(
        "Reconciliation",
        "Processor time from SMF 70, and how much of it SMF 72 and SMF 30 account for. "
        "z/OS does not charge the rest to any work.",
    )
    components.table(
        queries.reconciliation(reader, system).rename({"queue_manager": "system"}),
        "cpu_reconciliation",
        columns={
            "start": st.column_config.DatetimeColumn("Start, UTC", format="YYYY-MM-DD HH:mm"),
            "processor_type": "Type",
            "processor_seconds": _figure("SMF 70, s", 1),
            "class_seconds": _figure("SMF 72, s", 1),
            "address_space_seconds": _figure("SMF 30, s", 1),
            "capture_percent": _figure("Captured, %", 2),
            "uncaptured_seconds": _figure("Uncaptured, s", 1),
            "unexplained_seconds": _figure("Unexplained, s", 2),
        },
    )


def _figure(label: str, digits: int) -> object:
    return st.column_config.NumberColumn(label, format=f"%,.{digits}f")


if __name__ == "__main__":
    draw(session.reader())
