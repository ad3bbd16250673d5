"""One run: its figures and their place, what it used where, and the files behind it.

Code of its own: it is about one run, with its place among others.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.charts.chosen import chosen
from app.charts.places import places
from app.charts.time import Span
from app.dashboard import components, filters, period, session, systems, units
from app.dashboard.no_runs import no_runs
from app.results.labels import configuration_label, metric_label, unit_label
from app.results.pages import FOLDER, page_of
from app.results.queries import issues, runs
from app.results.queries import run as queries
from app.results.queries.clock import Offsets, local_offsets
from app.results.queries.scope import Keyed, utc
from app.results.reader import Reader

_MOST_SPACES = 12  # in the chart


def draw(reader: Reader) -> None:
    """Draw the page."""
    last = queries.latest(reader)
    if last is None:
        components.header("Run")
        no_runs(
            reader, "A run is a period in which a workload ran, with everything recorded in it."
        )
        return
    run_id = st.query_params.get("run")
    row = _chosen(reader, last)
    components.header("Run", origin=row["origin"])
    components.name(row["run_id"])
    components.note(_about(row))
    _issues(row, is_asked=run_id in (None, row["run_id"]))
    _links(row, queries.queue_managers(reader, row["run_id"]))
    figures = queries.figures(reader, row["run_id"])
    _places(figures, queries.peers(reader, row["run_id"]), row["run_id"])
    _figures(figures, row["run_id"])
    _cost(reader, row)
    _busy(queries.busy(reader, row["run_id"]), row)
    _samples(queries.samples(reader, row["run_id"]))
    _data_issues(issues.data_issues(reader, row["run_id"]))
    systems.sections(
        page_of(FOLDER / "run.toml"), reader, Keyed(row["run_id"], run_id=row["run_id"])
    )


def _chosen(reader: Reader, last: tuple[str, str, str]) -> dict[str, Any]:
    """Return the run that the address names, or that is chosen in the side bar."""
    run_id = st.query_params.get("run")
    row = queries.run(reader, run_id) if run_id else None
    row = row or queries.run(reader, last[2])  # the filter says that there is no such run
    assert row is not None  # the latest one is there
    with st.sidebar:
        campaigns = runs.campaigns(reader)
        origin, campaign = row["origin"], row["campaign"]
        names = campaigns["campaign"].unique(maintain_order=True).to_list()
        chosen = filters.choice("Campaign", names, "campaign", default=campaign)
        if chosen != campaign:
            of_campaign = campaigns.filter(pl.col("campaign") == chosen)
            origin, campaign = of_campaign["origin"].item(0), chosen
        runs_of_campaign = queries.runs_of(reader, origin, campaign)
        if row["campaign"] == campaign and row["run_id"] not in runs_of_campaign:  # an old one
            runs_of_campaign.append(row["run_id"])
        name = filters.choice("Run", runs_of_campaign, "run")
        filters.clock(partial(_clock, reader, row))
    return row if name == row["run_id"] else queries.run(reader, name) or row


def _clock(reader: Reader, row: dict[str, Any]) -> Offsets | str:
    systems = row["lpars"] or ()
    return local_offsets(reader, row["origin"], systems, row["start_utc"], row["stop_utc"])


def _about(row: dict[str, Any]) -> str:
    parts = [
        configuration_label(row["configuration"]),
        f"campaign {row['campaign']}",
        f"build {row['git_revision']}" if row["git_revision"] else "",
        f"{_time(row['start_utc'], '%Y-%m-%d ')} to {_time(row['stop_utc'])} {period.clock().name}",
        units.quantity(row["seconds"], "s"),
        f"LPARs {', '.join(row['lpars'] or ())}" if row["lpars"] else "",
    ]
    return "; ".join(part for part in parts if part)


def _time(moment: datetime, day: str = "") -> str:
    return f"{period.clock().local(moment):{day}%H:%M:%S}"


def _issues(row: dict[str, Any], *, is_asked: bool) -> None:
    """Say what is wrong with a run; without alarm if it stands in for one that there is not."""
    if row["issues"]:
        (components.problem if is_asked else components.note)(
            ("It is left out of comparisons: " if not row["is_compared"] else "")
            + "; ".join(row["issues"]).rstrip(".") + "."
        )  # fmt: skip


def _links(row: dict[str, Any], queue_managers: list[str]) -> None:
    time = period.address(row["start_utc"], row["stop_utc"])
    with st.container(horizontal=True):
        components.link(
            "runs", "All runs of the campaign", campaign=row["campaign"], origin=row["origin"]
        )
        if queue_managers:
            components.link(
                "queue-manager", "Queue managers at its time", origin=row["origin"],
                qm=queue_managers[: filters.MOST_OWNERS], **time,
            )  # fmt: skip
        components.link(
            "reports", "As a report", report="run", campaign=row["campaign"], run=row["run_id"]
        )


def _places(figures: pl.DataFrame, peers: pl.DataFrame, name: str) -> None:
    """Draw where the main figures lie among those of other runs, published and predicted."""
    known_figures = figures.filter(
        pl.col("metric").is_in(runs.MAIN_METRICS), pl.col("level") > 0, pl.col("value") > 0
    )
    if known_figures.is_empty():
        return
    labels = {"published": "published", "predicted": "predicted", "value": "this run"}
    marks = known_figures.unpivot(
        on=list(labels), index=["metric", "level", "unit"], variable_name="what",
        value_name="figure",
    ).with_columns(pl.col("what").replace_strict(labels), run=pl.lit(name))  # fmt: skip
    others = (
        peers.filter(pl.col("run_id") != name)
        .join(known_figures.select("metric", "level", "unit"), on="metric")
        .select("metric", "level", "unit", what=pl.lit("other runs"), figure="value", run="run_id")
    )
    drawn = (
        pl.concat([marks.drop_nulls("figure"), others])
        .with_columns(
            percent=100 * (pl.col("figure") / pl.col("level") - 1),
            label=pl.col("metric").map_elements(metric_label, return_dtype=pl.String),
            said=pl.format("{} {}", pl.col("figure").round_sig_figs(4), "unit"),
        )
    )  # fmt: skip
    order = [metric_label(metric) for metric in known_figures["metric"]]
    components.panel(
        "Its place among the runs of its series",
        places(drawn, order=order, details={"said:N": "figure", "run:N": "run"}),
        help="Each metric as its difference from the level of its series at that time.",
    )


def _figures(figures: pl.DataFrame, name: str) -> None:
    components.section("Figures", "Level: the mean of the sessions of the series since its last "
                       "change, up to the next; within: where 95 % of the runs at that level are. "
                       "Click a figure to see where it comes from."
                       + " At least, at most: its bounds, as it covers only part of some intervals."
                       * figures["value_low"].is_not_null().any())  # fmt: skip
    if figures.is_empty():
        components.info("No loaded record or output has a figure of this run.", "block")
        return
    chosen = components.pick(
        figures,
        "figures",
        columns={
            "metric": st.column_config.TextColumn("Metric", pinned=True),
            "value": components.figure("This run"),
            "value_low": components.figure("At least"),
            "value_high": components.figure("At most"),
            "unit": "Unit",
            "verdict": "Verdict",
            "level": components.figure("Level"),
            "usual_low": components.figure("Usual, from"),
            "usual_high": components.figure("to"),
            "level_runs": "Runs",
            "level_before": components.figure("Level before"),
            "level_verdict": "The level is",
            "published": components.figure("Published"),
            "print_verdict": "Of the print",
            "document_id": "Document",
            "predicted": components.figure("Predicted"),
            "predicted_low": components.figure("10 %"),
            "predicted_high": components.figure("90 %"),
            "formula": "How",
        },
    )
    if chosen:
        components.link(
            "lineage", f"Where {metric_label(chosen['metric'])} comes from", run=name,
            metric=chosen["metric"],
        )  # fmt: skip


def _cost(reader: Reader, row: dict[str, Any]) -> None:
    name = row["run_id"]
    used, spaces = queries.systems(reader, name), queries.address_spaces(reader, name)
    if not row["lpars_covered"]:
        components.note("No RMF records (SMF 70) of an LPAR cover its time: it has no CPU time.")
    if used.is_empty() and spaces.is_empty():
        return
    components.section("CPU time", "At the speed of a CP. Systems from SMF 70 and 72, address "
                       "spaces from SMF 30.")  # fmt: skip
    parts = {
        "not_eligible": "on CPs, not eligible",
        "ziip_on_cp_seconds": "on CPs, zIIP-eligible",
        "ziip_cp_equivalent_seconds": "on zIIPs",
    }
    with components.panels():
        for title, frame, column in (
            ("By system", used, "system"),
            ("By address space", spaces.head(_MOST_SPACES), "address_space"),
        ):
            split = (
                frame.with_columns(
                    not_eligible=pl.col("general_purpose_seconds")
                    - pl.col("ziip_on_cp_seconds").fill_null(0),
                    name=pl.col(column) if column == "system"
                    else pl.format("{} on {}", column, "system_id"),
                )
                .unpivot(on=list(parts), index="name", variable_name="part",
                         value_name="seconds")
                .drop_nulls("seconds")
                .with_columns(pl.col("part").replace_strict(parts))
            )  # fmt: skip
            chart = None
            if not split.is_empty():
                chart = bars(
                    split, name="name", value="seconds", unit="CPU s", series="part",
                    order=list(parts.values()),
                )  # fmt: skip
            components.panel(title, chart, empty="No records of these are loaded.")
    if parts_of_work := queries.workload(reader, name):
        components.note(f"The workload is {', '.join(parts_of_work)}.")


def _data_issues(found: pl.DataFrame) -> None:
    if found.is_empty():
        return
    components.section("Data issues", "About the run, or at its time on one of its systems.")
    components.table(
        found.with_columns(kind_in_words="kind"),
        "data_issues",
        columns={
            "severity": "Severity",
            "kind_in_words": "Kind",
            "system": "System",
            "found": "Found",
            "done": "Done",
        },
    )


def _busy(busy: pl.DataFrame, row: dict[str, Any]) -> None:
    if busy.is_empty():
        return
    components.section("Its time on the systems", "An hour before to an hour after; the run is "
                       "shaded.")  # fmt: skip
    hour = timedelta(hours=1)
    span = Span(row["start_utc"] - hour, row["stop_utc"] + hour, period.clock())
    components.time_panel(
        "LPAR busy", busy, "% busy", span, order=("CP", "zIIP"), named=True,
        bands=utc(pl.DataFrame({
            "start": [row["start_utc"]], "end": [row["stop_utc"]], "run": [row["run_id"]],
        })),
    )  # fmt: skip


def _samples(samples: pl.DataFrame) -> None:
    if samples.is_empty():
        return
    components.section("What tools printed", "Each display during the run, in the order printed; "
                       "most have no time.")  # fmt: skip
    with components.panels():
        for metric in samples["metric"].unique(maintain_order=True):
            shown = samples.filter(metric=metric)
            unit = unit_label(shown["unit"].item(0))
            shown = shown.select("file", pl.col("value").alias(unit), display="sample")
            chart = chosen(shown, "line", x="display", y=unit, series="file")
            components.panel(metric_label(metric), chart)


if __name__ == "__main__":
    draw(session.reader())
