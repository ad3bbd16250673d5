"""How noisy the figures are, and how small a change the runs can reveal.

Code of its own: each configuration has its distribution and the change that its runs could reveal.
"""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.charts.noise import distances, smallest_changes
from app.charts.runs import over_runs
from app.dashboard import components, filters, session, units
from app.dashboard.no_runs import no_runs
from app.results.labels import configuration_label, metric_label, unit_label
from app.results.queries import noise as queries
from app.results.queries.runs import campaigns
from app.results.reader import Reader
from expectations.detector.variation import RUNS
from expectations.thresholds import Threshold
from ingest.base.errors import SettingsError

_ENOUGH = 5  # runs of a configuration, to say how much they vary


def draw(reader: Reader) -> None:
    """Draw the page."""
    all_campaigns = campaigns(reader)
    if all_campaigns.is_empty():
        components.header("Noise")
        no_runs(reader, "Noise is how much runs of the same work differ: declare several.")
        return
    with st.sidebar:
        origins = all_campaigns["origin"].unique(maintain_order=True).to_list()
        origin = filters.switch("Origin", origins, "origin")
        of_origin = all_campaigns.filter(pl.col("origin") == origin)
        is_repeated = pl.col("runs") >= _ENOUGH * pl.col("configurations")
        repeated = of_origin.filter(is_repeated)["campaign"].to_list()
        campaign = filters.choice(
            "Campaign",
            of_origin["campaign"].to_list(),
            "campaign",
            default=next(iter(repeated), None),
        )
        metrics = queries.metrics(reader, origin, campaign)
        usual = next((m for m in ("rate", "transactions_per_second") if m in metrics), None)
        metric = (
            filters.choice("Metric", metrics, "metric", default=usual, shown=metric_label)
            if metrics
            else ""
        )
    components.header(
        "Noise",
        "How much a figure varies for no reason, and which changes its runs can reveal, by the "
        f"latest {units.number(queries.MOST_RUNS)} runs of a configuration. Changes of its level "
        "are taken out.",
        origin,
        chosen=metric_label(metric) if metric else "",
    )
    if not metric:
        components.info("No figure of this campaign is above zero.", "block")
        return
    runs = queries.runs_of(reader, origin, campaign, metric)
    noise = queries.by_configuration(runs)
    least = _threshold(metric, campaign)
    components.tiles(_tiles(noise, least))
    components.section(
        metric_label(metric),
        "Standard deviations in percent of the level. A change is found if this many runs a side, "
        "each in a build of its own, show it in nine cases of ten. Click a configuration for its "
        "runs.",
    )
    row = _chosen(noise)
    _draw_one(runs.filter(pl.col("configuration") == row["configuration"]), row, least)


def _threshold(metric: str, campaign: str) -> Threshold | None:
    try:
        return queries.threshold(metric, campaign)
    except SettingsError as error:
        components.info(f"{error}.", "error")
        return None


def _tiles(noise: pl.DataFrame, least: Threshold | None) -> dict[str, str | tuple[str, str]]:
    values: dict[str, str | tuple[str, str]] = {
        "Configurations": (
            units.number(noise.height),
            f"{units.number(int(noise['runs'].sum()))} runs",
        ),
        "Noise of a run": (_percent(noise["run"].median()), "median of the configurations"),
        "Between builds": (
            _percent(noise["between"].median()),
            "of builds with several runs" if noise["between"].count() else "one run a build",
        ),
        "Found with 5 runs": (_percent(noise["smallest_5"].median()), "a side; median"),
    }
    if least is not None:
        values["Reported from"] = (
            _percent(least.least_percent),
            least.why or "the usual threshold",
        )
    return values


def _percent(value: Any) -> str:
    return units.MISSING if value is None else f"{value:.2g} %"


def _chosen(noise: pl.DataFrame) -> dict[str, Any]:
    """Draw the table; return the row that the address or a click names, otherwise the first."""
    names = noise["configuration"].to_list()
    label_ = st.query_params.get("configuration", "")
    index = names.index(label_) if label_ in names else 0

    def chose(number: int) -> None:
        st.query_params["configuration"] = names[number]

    components.pick(
        noise.drop("levels"),
        "noise",
        chosen=index,
        chose=chose,
        key=str(hash(tuple(names))),
        columns={
            "configuration": "Configuration",
            "runs": "Runs",
            "builds": "Builds",
            "run": "A run, %",
            "within": "Within a build, %",
            "between": "Between builds, %",
            "behaviour": "Behaviour",
            "modes": "Modes",
            "modes_apart": "Modes apart, %",
            "shifts": "Shifts",
            **{f"smallest_{n}": f"Found with {n}, %" for n in RUNS},
        },
    )
    filters.keep("configuration", names[index])
    return noise.row(index, named=True)


def _draw_one(runs: pl.DataFrame, row: dict[str, Any], least: Threshold | None) -> None:
    components.section(configuration_label(row["configuration"]), _said(row))
    levels = pl.Series("level", row["levels"])
    drawn = runs.with_columns(is_compared=pl.lit(value=True))
    unit = unit_label(runs["unit"].item(0))
    with components.panels():
        components.panel(
            "Runs",
            over_runs(
                drawn, unit=unit, order=[row["configuration"]], key=False,
                details={"git_revision": "build", "run_id": "run"},
            ),
        )  # fmt: skip
        components.panel(
            "Distance from the level",
            distances(runs.select(percent=100 * (pl.col("value") / levels - 1)))
            if runs.height > 1
            else None,
            help="Of each run. Two peaks are two modes.",
            empty="One run says nothing about noise.",
        )
        smallest = queries.by_runs(row)
        components.panel(
            "Smallest change that is found",
            smallest_changes(smallest, least=least.least_percent if least else 0.0)
            if smallest.height
            else None,
            help="In nine cases of ten, by runs a side. Dashed: the least change that is reported.",
            empty="One run says nothing about noise.",
        )


def _said(row: dict[str, Any]) -> str:
    """Say in sentences what the noise of a configuration is like."""
    texts = {
        "": "There are too few runs to say how it varies.",
        "steady": "Its runs vary around a level.",
        "wanders": f"It wanders: its level moves by itself, over {row['moves'] or 0:.2g} %. "
        "Only a change that stands out from that is reported.",
        "drifts": "It drifts: its level changes run by run.",
    }
    text = [texts.get(row["behaviour"], f"It has a {row['behaviour']}.")]
    if row["modes"] > 1:
        text.append(f"It jumps between two values that are {row['modes_apart']:.2g} % apart.")
    if row["between"] is not None and row["between"] > (row["within"] or 0):
        text.append("Builds differ more than the runs of one: run more builds, not the same again.")
    return " ".join(text)


if __name__ == "__main__":
    draw(session.reader())
