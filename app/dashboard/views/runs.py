"""The runs of a campaign: rates, costs and hosts, by configuration or over time.

Code of its own: series are runs of configurations, over time or by file size, and not intervals of
systems.
"""

from __future__ import annotations

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.charts.runs import over_runs
from app.charts.sizes import by_size
from app.dashboard import advice, components, filters, session, systems, units
from app.dashboard.no_runs import no_runs
from app.results.labels import metric_label, short_labels, unit_label
from app.results.metrics import alike
from app.results.pages import FOLDER, page_of
from app.results.queries import runs as queries
from app.results.queries.rules import OF_HOSTS
from app.results.queries.scope import EVERYTHING, Keyed
from app.results.reader import Reader

_MOST_DRAWN = 8  # as many colours as a chart can tell apart
_DRAWN_AT_FIRST = 4
_METRICS_AT_FIRST, _MOST_METRICS = 2, 8
_COLUMNS = 2
_SERIES = 6  # with this many runs per configuration, show them over time
_FIGURES = ("value", "low", "high")


def draw(reader: Reader) -> None:
    """Draw the page."""
    all_campaigns = queries.campaigns(reader)
    if all_campaigns.is_empty():
        components.header("Runs")
        no_runs(reader, "A run is a period in which a workload ran; its rates and costs are shown.")
        loads = page_of(FOLDER / "loads.toml")
        systems.sections(loads, reader, EVERYTHING, only="Refused runs")
        return
    with st.sidebar:
        origins = all_campaigns["origin"].unique(maintain_order=True).to_list()
        origin = filters.switch("Origin", origins, "origin")
        of_origin = all_campaigns.filter(pl.col("origin") == origin)
        campaign = filters.choice("Campaign", of_origin["campaign"].to_list(), "campaign")
        row = of_origin.filter(pl.col("campaign") == campaign)
        metrics = queries.metrics(reader, origin, campaign)
        groups = queries.groups(metrics["metric"].to_list())
        group = filters.choice("Figures of", list(groups), "of")
        first = groups[group][: _METRICS_AT_FIRST if group == queries.WHOLE else _MOST_METRICS]
        chosen = filters.choices(
            "Metrics", groups[group], "figures", most=_MOST_METRICS,
            placeholder=f"the first {len(first)}", shown=metric_label,
        ) or first  # fmt: skip
        in_time = row["runs"].item() >= _SERIES * row["configurations"].item()
        views = ["over time", "by configuration"]
        by = filters.switch("Show", views if in_time else views[::-1], "shown")
    components.header("Runs", f"Campaign {campaign}: {_span(row)}.", origin)
    page = page_of(FOLDER / "campaign.toml")
    scope = Keyed(campaign, origin=origin, campaign=campaign)
    systems.tiles(page.tiles, reader, scope)
    if by == "over time":
        _over_time(queries.over_time(reader, origin, campaign, tuple(chosen)), metrics)
    else:
        _by_configuration(
            queries.by_configuration(reader, origin, campaign, tuple(chosen)), metrics
        )
    if group != queries.WHOLE:
        advice.draw(OF_HOSTS, reader, origin, campaign)
    systems.sections(page, reader, scope)


def _span(row: pl.DataFrame) -> str:
    first, last = row["first_utc"].item(), row["last_utc"].item()
    return f"{units.moment(first)} to {units.moment(last)} UTC"


def _drawn(figures: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return the rows of the chosen configurations, with short names, and these in order."""
    labels = figures["configuration"].unique(maintain_order=True).to_list()
    short = short_labels(labels)
    figures = figures.with_columns(pl.col("configuration").replace(short))
    names = list(dict.fromkeys(short.values()))
    chosen = filters.choices(
        f"Configurations in the charts ({len(names)} with these metrics)",
        names,
        "drawn",
        most=_MOST_DRAWN,
        placeholder=f"the first {_DRAWN_AT_FIRST}" if len(names) > _DRAWN_AT_FIRST else "all",
    )
    order = chosen or names[:_DRAWN_AT_FIRST]
    return figures.filter(pl.col("configuration").is_in(order)), order


def _units(figures: pl.DataFrame, metrics: pl.DataFrame) -> list[tuple[str, str]]:
    """Return the metrics that have values, in the order of `metrics`, and their units."""
    metrics_with_values = set(figures["metric"])
    pairs = metrics.select("metric", "unit").iter_rows()
    return [(metric, unit) for metric, unit in pairs if metric in metrics_with_values]


def _formula(metrics: pl.DataFrame, metric: str) -> str:
    return str(metrics.filter(pl.col("metric") == metric)["formula"].item(0))


def _by_configuration(figures: pl.DataFrame, metrics: pl.DataFrame) -> None:
    if figures.is_empty():
        st.info("No complete run has these metrics. Choose others.", icon=":material/tune:")
        return
    drawn, order = _drawn(figures)
    short = short_labels(order)  # bars have little room for names
    with components.panels():
        for index, (metric, rows) in enumerate(_units(drawn, metrics)):
            shown, unit = alike(drawn.filter(pl.col("metric") == metric), _FIGURES, rows)
            sized = shown.filter(pl.col("file_size_mb").is_not_null())
            if sized["file_size_mb"].n_unique() > 1:
                chart = by_size(
                    sized,
                    unit=unit_label(unit),
                    order=order,
                    details={"low": "min", "high": "max", "runs": "runs"},
                    key=index < _COLUMNS,
                )
            else:
                chart = bars(
                    shown.with_columns(pl.col("configuration").replace(short)),
                    name="configuration", value="value", unit=unit_label(unit), label_width=260,
                )  # fmt: skip
            components.panel(metric_label(metric), chart, help=_formula(metrics, metric))
    st.caption(
        "Medians of the complete runs; the bar behind a point is their range. "
        "MB is 2²⁰ bytes and GB 2³⁰ bytes."
    )
    components.section("Metrics", "Of every configuration, in the charts or not.")
    components.table(
        figures,
        "runs",
        columns={
            "configuration": "Configuration",
            "file_size_mb": "File, MB",
            "metric": "Metric",
            "value": components.figure("Median"),
            "low": components.figure("Lowest"),
            "high": components.figure("Highest"),
            "unit": "Unit",
            "runs": "Runs",
        },
    )


def _over_time(figures: pl.DataFrame, metrics: pl.DataFrame) -> None:
    drawn, order = _drawn(figures)
    with components.panels():
        for index, (metric, rows) in enumerate(_units(drawn, metrics)):
            shown, unit = alike(drawn.filter(pl.col("metric") == metric), ("value",), rows)
            chart = over_runs(
                shown,
                unit=unit_label(unit),
                order=order,
                details={"git_revision": "build", "run_id": "run"},
                domain=components.colours(order),
                key=index < _COLUMNS,
            )
            components.panel(metric_label(metric), chart, help=_formula(metrics, metric))
    st.caption(
        "Each point is a run; hollow points are incomplete runs. Drawn are the latest "
        f"{units.number(queries.MOST_RUNS)} runs of a configuration."
    )


if __name__ == "__main__":
    draw(session.reader())
