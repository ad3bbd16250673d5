"""RMF's printed reports: any figure over time, beside the one from the records.

Code of its own: any figure that RMF printed is chosen by name, and stands beside the recorded one.
"""

from __future__ import annotations

import re
from functools import partial

import polars as pl
import streamlit as st

from app.charts.time import Span, over_time
from app.dashboard import components, filters, period, session, units
from app.results.labels import metric_label
from app.results.queries import rmf_reports as queries
from app.results.queries.clock import local_offsets
from app.results.reader import Reader

_UNITS = {"percent": "%", "microseconds": "µs", "seconds": "s", "1/s": "per second"}
_UNIT = re.compile("_(us|percent|seconds|per_second)$")  # in the name of a figure
_DIFFERENT = "those that differ"


def draw(reader: Reader) -> None:
    """Draw the page."""
    known = queries.kinds(reader)
    if known.is_empty():
        components.header("RMF reports")
        components.empty(
            "No figures of RMF reports are loaded. Load what the RMF Postprocessor printed, as "
            "text or XML."
        )
        return
    with st.sidebar:
        origins = known["origin"].unique(maintain_order=True).to_list()
        origin = filters.switch("Origin", origins, "origin")
        here = known.filter(pl.col("origin") == origin)
        system = filters.choice("System", here["system"].unique().sort().to_list(), "system")
        of = here.filter(pl.col("system") == system)
        kind = filters.choice("Of", of["kind"].to_list(), "kind")
        figures = queries.figures(reader, origin, system, kind)
        labels = {metric_label(_UNIT.sub("", name)): name for name in figures["figure"]}
        label = filters.choice("Figure", list(labels), "figure")
        figure = labels[label]
        subjects = queries.subjects(reader, origin, system, kind, figure)
        subject = filters.choice(kind[:1].upper() + kind[1:], subjects, "named")
        rows = filters.switch("Rows", ["all", _DIFFERENT], "rows")
        local = partial(local_offsets, reader, origin, [system.split("/")[-1]])
        start, end = filters.time_range(*queries.time_of(reader, origin, system, kind), local)
    components.header(
        "RMF reports",
        "What RMF printed, beside the same figure worked out from the SMF records of the interval. "
        f"{period.says()}",
        origin,
    )
    _tiles(of.row(by_predicate=pl.col("kind") == kind, named=True))
    printed = figures.row(by_predicate=pl.col("figure") == figure, named=True)["unit"]
    unit = _UNITS.get(printed, printed)
    values = queries.over_time(reader, origin, system, kind, figure, subject, start, end)
    chart = None
    if not values.is_empty():
        found = set(values["series"])
        chart = over_time(
            values, unit=unit, span=Span(start, end, period.clock()),
            series=[name for name in ("printed", "recorded") if name in found],
        )  # fmt: skip
    components.panel(f"{label}, {subject}", chart)
    _rows(
        queries.compared(
            reader, origin, system, kind, figure, "" if rows == _DIFFERENT else subject, start, end,
            only_differing=rows == _DIFFERENT,
        ),
        unit, everything=rows == _DIFFERENT,
    )  # fmt: skip


def _tiles(row: dict[str, int]) -> None:
    compared, differ = row["compared"], row["differ"]
    components.tiles(
        {
            "Figures": (units.number(row["figures"]), "printed of this kind"),
            "With records": (units.number(compared), "of the same interval"),
            "Differ": (
                units.number(differ),
                f"{units.number(100 * differ / compared)} % of them" if compared else "",
            ),
        }
    )


def _rows(rows: pl.DataFrame, unit: str, *, everything: bool) -> None:
    components.section(
        "Figures that differ" if everything else "Intervals",
        "The latest first; a difference within the digits that are printed counts as agreement.",
    )
    if rows.is_empty():
        components.info("No figure of this time range differs from the records.", "check") if (
            everything
        ) else components.note("No interval is in this time range.")
        return
    if rows.height == queries.MOST_ROWS:
        components.note(f"Only the first {rows.height:,} rows.")
    if rows["is_local"].any():
        components.note(
            "Intervals without a record have the local time that RMF printed: nothing says how far "
            "it is from UTC."
        )
    components.table(
        rows,
        "rmf_report_figures",
        columns={
            "interval_start_utc": "Start",
            "interval_seconds": "Interval, s",
            "subject": "Of",
            "printed": f"Printed, {unit}",
            "recorded": f"From records, {unit}",
            "difference": f"Difference, {unit}",
            "agrees": "Agrees",
        },
    )


if __name__ == "__main__":
    draw(session.reader())
