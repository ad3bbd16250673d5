"""Draws what each factor does to rate and cost, everything else equal, and time per file."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.dashboard import advice, components, filters
from app.results.labels import factor_label, in_order, metric_label, short_labels, small, unit_label
from app.results.queries import factors as queries
from app.results.queries.rules import OF_FACTORS
from app.results.reader import Reader

__all__ = ["draw_factors"]

_MOST = 10  # configurations drawn
_RATES = ["rate", "transactions_per_second"]


def draw_factors(reader: Reader, known: pl.DataFrame) -> str:
    """Draw the effects of factors; return their origin. `known`: from `queries.sources`."""
    with st.container(border=True, horizontal=True):
        origin = filters.switch("Origin", known["origin"].unique(maintain_order=True).to_list(),
                                "origin")  # fmt: skip
        of_origin = known.filter(pl.col("origin") == origin)
        label = "Document" if origin == "published" else "Campaign"
        source = filters.choice(
            label, of_origin["source"].unique(maintain_order=True).to_list(), "of"
        )
        parts = of_origin.filter(pl.col("source") == source)["part"].to_list()
        part = filters.choice("Section" if origin == "published" else "Build", parts, "part")
    _effects(queries.by_factor(reader, origin, source, part))
    _overhead(queries.per_file(reader, origin, source, part))
    if origin != "published":
        advice.draw(OF_FACTORS, reader, origin, source)
    return origin


def _effects(effects: pl.DataFrame) -> None:
    components.section("By factor")
    if effects.is_empty():
        components.info("No two figures here differ in one factor alone.", "block")
        return
    with st.container(horizontal=True):
        first = _telling(effects)
        factor = filters.choice(
            "Factor", effects["factor"].unique().sort().to_list(), "factor",
            default=first["factor"], shown=factor_label,
        )  # fmt: skip
        shown_effects = effects.filter(pl.col("factor") == factor)
        metrics = shown_effects["metric"].unique().sort().to_list()
        best = _telling(shown_effects)["metric"]
        metric = filters.choice("Metric", metrics, "metric", default=best, shown=metric_label)
    shown_effects = shown_effects.filter(pl.col("metric") == metric)
    unit = unit_label(shown_effects["unit"].item(0))
    rows = queries.levels(shown_effects.head(_MOST))
    short = short_labels(shown_effects["configuration"].to_list())
    order = in_order(rows["level"].drop_nulls().unique().to_list())
    chart = bars(
        rows.drop_nulls("value").with_columns(pl.col("configuration").replace(short)),
        name="configuration", value="value", unit=unit, series="level", order=order,
        stacked=False, label_width=380,
    )  # fmt: skip
    title = f"{metric_label(metric)} by {small(factor_label(factor))}"
    if shown_effects.height > _MOST:
        title += (
            f", the {_MOST} of {shown_effects.height} settings of the rest with the largest effect"
        )
    components.panel(title, chart)
    components.table(
        shown_effects.drop("by_level"),
        "by_factor",
        columns={
            "configuration": "Everything else",
            "levels": "Levels",
            "best_level": "Best",
            "best_value": f"Best, {unit}",
            "next_level": "Next best",
            "verdict": st.column_config.TextColumn(
                "Verdict", help="On the best level against the next: of prints, differs or agrees."
            ),
            "change": st.column_config.NumberColumn("Best over next, %", format="%+.1f"),
            "low": st.column_config.NumberColumn("At least, %", format="%+.1f"),
            "high": st.column_config.NumberColumn("At most, %", format="%+.1f"),
            "spread_percent": "Largest over least, %",
        },
    )


def _telling(effects: pl.DataFrame) -> dict[str, Any]:
    """Return the row with the largest effect, on a rate if there is one."""
    ordered = effects.sort(
        pl.col("metric").is_in(_RATES), "spread_percent", descending=True, nulls_last=True
    )
    return ordered.row(0, named=True)


def _overhead(overhead: pl.DataFrame) -> None:
    if overhead.is_empty():
        return
    components.section(
        "Time per file",
        "A line through time against size: what a file takes whatever its size, and what a MB "
        "takes.",
    )
    components.table(
        overhead,
        "per_file_overhead",
        columns={
            "configuration": "Configuration",
            "metric": "Of",
            "ms_per_file": "Per file, ms",
            "ms_per_file_standard_error": "± standard error, ms",
            "ms_per_mb": "Per MB, ms",
            "without_overhead": "Without it",
            "unit": "Unit",
            "sizes": "Sizes",
            "r2": "R²",
        },
    )
