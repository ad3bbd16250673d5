"""The runs of a campaign: rates and costs by file size or over time, CPU by address space, hosts.

Code of its own: series are runs of configurations, over time or by file size, and not intervals of
systems.
"""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.charts.runs import over_runs
from app.charts.sizes import by_size
from app.dashboard import advice, components, filters, session, units
from app.dashboard.no_runs import no_runs
from app.results.labels import metric_label, short_labels, unit_label
from app.results.metrics import alike
from app.results.queries import runs as queries
from app.results.queries.rules import OF_HOSTS
from app.results.reader import Reader

_MOST_DRAWN = 8  # as many colours as a chart can tell apart
_DRAWN_AT_FIRST = 4
_METRICS_AT_FIRST, _MOST_METRICS = 2, 8
_COLUMNS = 2
_SERIES = 6  # with this many runs per configuration, show them over time
_FIGURES = ("value", "low", "high")
_PARTS = 10  # configurations in the chart of CPU time

_TOLD = {
    "file name": "the file's name",
    "folder": "its folder",
    "time": "the time of each figure",
    "nothing": "nothing: it belongs to no run",
}


def draw(reader: Reader) -> None:
    """Draw the page."""
    known = queries.campaigns(reader)
    if known.is_empty():
        components.header("Runs")
        no_runs(reader, "A run is a period in which a workload ran; its rates and costs are shown.")
        _refused(queries.refused(reader))
        return
    with st.sidebar:
        origins = known["origin"].unique(maintain_order=True).to_list()
        origin = filters.switch("Origin", origins, "origin")
        here = known.filter(pl.col("origin") == origin)
        campaign = filters.choice("Campaign", here["campaign"].to_list(), "campaign")
        row = here.filter(pl.col("campaign") == campaign)
        metrics = queries.metrics(reader, origin, campaign)
        groups = queries.groups(metrics["metric"].to_list())
        of = filters.choice("Figures of", list(groups), "of")
        first = groups[of][: _METRICS_AT_FIRST if of == queries.WHOLE else _MOST_METRICS]
        chosen = filters.choices(
            "Metrics", groups[of], "figures", most=_MOST_METRICS,
            placeholder=f"the first {len(first)}", shown=metric_label,
        ) or first  # fmt: skip
        in_time = row["runs"].item() >= _SERIES * row["configurations"].item()
        views = ["over time", "by configuration"]
        by = filters.switch("Show", views if in_time else views[::-1], "shown")
    components.header("Runs", f"Campaign {campaign}: {_span(row)}.", origin)
    components.tiles(_tiles(row, metrics))
    if by == "over time":
        _over_time(queries.over_time(reader, origin, campaign, tuple(chosen)), metrics)
    else:
        _by_configuration(
            queries.by_configuration(reader, origin, campaign, tuple(chosen)), metrics
        )
    if of == queries.WHOLE:
        _cost(queries.cost_parts(reader, origin, campaign))
    else:
        _outputs(queries.outputs(reader, origin, campaign))
        advice.draw(OF_HOSTS, reader, origin, campaign)
    _incomplete(queries.incomplete(reader, origin, campaign))
    _listed(queries.listed(reader, origin, campaign))
    _refused(queries.refused(reader, origin))


def _span(row: pl.DataFrame) -> str:
    first, last = row["first_utc"].item(), row["last_utc"].item()
    return f"{units.moment(first)} to {units.moment(last)} UTC"


def _tiles(row: pl.DataFrame, metrics: pl.DataFrame) -> dict[str, str | tuple[str, str]]:
    return {
        "Runs": units.number(row["runs"].item()),
        "Configurations": units.number(row["configurations"].item()),
        "Metrics": (units.number(metrics.height), "of whole runs"),
        "Incomplete": (
            units.number(row["incomplete"].item()),
            "records or files are missing" if row["incomplete"].item() else "",
        ),
    }


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
    found = set(figures["metric"])
    pairs = metrics.select("metric", "unit").iter_rows()
    return [(metric, unit) for metric, unit in pairs if metric in found]


def _formula(metrics: pl.DataFrame, metric: str) -> str:
    return str(metrics.filter(pl.col("metric") == metric)["formula"].item(0))


def _by_configuration(figures: pl.DataFrame, metrics: pl.DataFrame) -> None:
    if figures.is_empty():
        st.info("No complete run has these metrics. Choose others.", icon=":material/tune:")
        return
    drawn, order = _drawn(figures)
    short = short_labels(order)  # bars have little room for names
    with components.panels():
        for place, (metric, own) in enumerate(_units(drawn, metrics)):
            shown, unit = alike(drawn.filter(pl.col("metric") == metric), _FIGURES, own)
            sized = shown.filter(pl.col("file_size_mb").is_not_null())
            if sized["file_size_mb"].n_unique() > 1:
                chart = by_size(
                    sized,
                    unit=unit_label(unit),
                    order=order,
                    details={"low": "min", "high": "max", "runs": "runs"},
                    key=place < _COLUMNS,
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
        for place, (metric, own) in enumerate(_units(drawn, metrics)):
            shown, unit = alike(drawn.filter(pl.col("metric") == metric), ("value",), own)
            chart = over_runs(
                shown,
                unit=unit_label(unit),
                order=order,
                details={"git_revision": "build", "run_id": "run"},
                domain=components.colours(order),
                key=place < _COLUMNS,
            )
            components.panel(metric_label(metric), chart, help=_formula(metrics, metric))
    st.caption(
        "Each point is a run; hollow points are incomplete runs. Drawn are the latest "
        f"{units.number(queries.MOST_RUNS)} runs of a configuration."
    )


def _cost(parts: pl.DataFrame) -> None:
    if parts.is_empty():
        return
    labels = parts["configuration"].unique(maintain_order=True).to_list()
    short = short_labels(labels)
    shown = parts.filter(pl.col("configuration").is_in(labels[:_PARTS])).with_columns(
        pl.col("configuration").replace(short)
    )
    order = shown.group_by("part").agg(pl.col("cpu_seconds").sum()).sort("cpu_seconds")["part"]
    leading = order.reverse().to_list()[:7]
    shown = (
        shown.with_columns(
            part=pl.when(pl.col("part").is_in(leading)).then("part").otherwise(pl.lit("others"))
        )
        .group_by("configuration", "part", maintain_order=True)
        .agg(pl.col("cpu_seconds").sum())
    )
    components.section(
        "Where the CPU time went",
        "Mean of the complete runs, all LPARs; address spaces from SMF 30, the rest from SMF 70."
        + (f" Shown: the first {_PARTS} of {len(labels)} configurations." * (len(labels) > _PARTS)),
    )
    chart = bars(
        shown,
        name="configuration",
        value="cpu_seconds",
        unit="CPU s per run",
        series="part",
        order=[*leading, "others"],
        label_width=380,
    )
    components.panel("CPU seconds by address space", chart)


def _listed(runs: pl.DataFrame) -> None:
    components.section("Runs", "Latest first. Click one for its details.")
    figures = {
        "rate_mb_per_second": "Rate, MB/s",
        "transactions_per_second": "Transactions per second",
        "cost_per_GB": "Cost, CPU s/GB",
        "cost_per_transaction_us": "Cost, CPU µs/transaction",
        "ziip_share_percent": "zIIP share, %",
    }
    columns: dict[str, Any] = {
        "start_utc": "Start",
        "run_id": "Run",
        "configuration": "Configuration",
        "git_revision": "Build",
        "is_compared": "Compared",
    } | {name: label for name, label in figures.items() if runs[name].is_not_null().any()}
    if chosen := components.pick(runs, "campaign_runs", columns=columns):
        components.go("run", run=chosen["run_id"])


def _outputs(outputs: pl.DataFrame) -> None:
    components.section("Files", "With figures of these runs, or of no run. Click one for its run.")
    if outputs.is_empty():
        components.note("The figures come from files of measurements.")
        return
    chosen = components.pick(
        outputs.with_columns(
            pl.col("told_by").replace(_TOLD),
            metrics=pl.col("metrics").map_elements(
                lambda metrics: ", ".join(map(metric_label, metrics)), return_dtype=pl.String
            ),
        ),
        "tool_outputs",
        columns={
            "file": "File",
            "metrics": "Figures of",
            "figures": "Figures",
            "figures_of_runs": "Of runs",
            "run_id": "Run",
            "told_by": "The run is known by",
            "path": "Path",
        },
    )
    if chosen and chosen["run_id"]:
        components.go("run", run=chosen["run_id"])


def _incomplete(runs: pl.DataFrame) -> None:
    if runs.is_empty():
        return
    components.section(
        "Incomplete runs",
        "Records or files are missing: no median, comparison or regression uses these runs.",
    )
    chosen = components.pick(
        runs,
        "incomplete_runs",
        columns={
            "start_utc": "Start",
            "run_id": "Run",
            "configuration": "Configuration",
            "issue": "Missing",
        },
    )
    if chosen:
        components.go("run", run=chosen["run_id"])


def _refused(runs: pl.DataFrame) -> None:
    if runs.is_empty():
        return
    components.section("Refused", "Declared runs of any campaign that were refused, and why.")
    components.table(
        runs,
        "refused_runs",
        columns={
            "start_utc": "Start",
            "stop_utc": "Stop",
            "campaign": "Campaign",
            "run_id": "Run",
            "refused": "Why",
            "file": "Manifest",
        },
    )


if __name__ == "__main__":
    draw(session.reader())
