"""Linux hosts and containers: what tools printed on them while benchmarks ran.

Code of its own: figures are of runs, in as many charts as there are metrics.
"""

from __future__ import annotations

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.charts.runs import over_runs
from app.charts.style import AnyChart
from app.dashboard import advice, components, filters, session
from app.results.labels import in_order, metric_label, short_labels, unit_label
from app.results.queries import hosts as queries
from app.results.queries.rules import OF_HOSTS
from app.results.reader import Reader

_MOST_DRAWN = 8  # as many colours as a chart can tell apart
_SERIES = 6  # with this many runs per configuration, show them over time
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
        components.header("Hosts and containers")
        components.empty(
            "No figures of hosts or containers are loaded. Put what the tools print (top, free, "
            "docker stats, docker system df, ioping, du, amqsrua, MQSC DISPLAY) into a folder that "
            "is named after the run, and load it with the manifest of the run."
        )
        return
    with st.sidebar:
        origins = known["origin"].unique(maintain_order=True).to_list()
        origin = filters.switch("Origin", origins, "origin")
        here = known.filter(pl.col("origin") == origin)["campaign"].to_list()
        campaign = filters.choice("Campaign", here, "campaign")
    components.header(
        "Hosts and containers",
        "What tools printed while benchmarks ran: each point is the mean of a run, hollow if the "
        "run is incomplete; bars are medians of few runs. The page of a run has each display.",
        origin,
    )
    figures = queries.figures(reader, origin, campaign)
    labels = in_order(figures["configuration"].unique().to_list())
    short = short_labels(labels)
    names = list(dict.fromkeys(short.values()))
    drawn = filters.choices(
        f"Configurations in the charts (of {len(names)})", names, "drawn", most=_MOST_DRAWN,
        placeholder=f"the first {_MOST_DRAWN} of each" if len(names) > _MOST_DRAWN else "all",
    )  # fmt: skip
    shown = figures.with_columns(pl.col("configuration").replace(short)).filter(
        pl.col("configuration").is_in(drawn or names)
    )
    for group, metrics in queries.GROUPS.items():
        _group(group, metrics, shown, names)
    _outputs(queries.outputs(reader, origin, campaign))
    advice.draw(OF_HOSTS, reader, origin, campaign)


def _group(group: str, metrics: tuple[str, ...], figures: pl.DataFrame, order: list[str]) -> None:
    own = [
        metric
        for start in metrics
        for metric in in_order(figures["metric"].unique().to_list())
        if metric == start or (start.endswith("_") and metric.startswith(start))
    ]
    if not own:
        return
    components.section(group)
    with components.panels():
        for metric in own:
            rows = figures.filter(pl.col("metric") == metric)
            found = set(rows["configuration"])
            drawn = [name for name in order if name in found][:_MOST_DRAWN]
            chart: AnyChart
            rows = rows.filter(pl.col("configuration").is_in(drawn))
            unit = unit_label(rows["unit"].item(0))
            if rows.height < _SERIES * len(drawn):
                few = rows.group_by("configuration").agg(pl.col("value").median())
                chart = bars(few, name="configuration", value="value", unit=unit, label_width=220)
            else:
                chart = over_runs(
                    rows,
                    unit=unit,
                    order=drawn,
                    domain=components.colours(drawn),
                    details={"git_revision": "build", "run_id": "run"},
                )
            components.panel(metric_label(metric), chart)


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


if __name__ == "__main__":
    draw(session.reader())
