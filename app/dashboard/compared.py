"""What a comparison of two sides found: in words, tiles, tables and charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import polars as pl
import streamlit as st

from app.charts.runs import both_sides, ratios
from app.dashboard import components, units
from app.results.compared import ComparedRuns
from app.results.labels import factor_label, metric_label
from app.results.queries import comparison as queries
from app.results.queries.comparison import BUILDS, VERDICTS, frame_of
from app.results.reader import Reader
from app.results.sides import Side, write_held, write_terms
from app.results.words import counted
from expectations.verdicts.verdict import NOT_JUDGED

__all__ = ["draw_compared"]

_MOST_ROWS = 30
_MOST_NAMED = 60
_REMARKS = {
    "worse": "more than 2 %, and significant",
    "better": "more than 2 %, and significant",
    "changed": "more than 2 %, significant, neither good nor bad",
    "differs": "the figure is outside the 95 % prediction interval",
    "undecided": "run more",
    "same": "within 2 % (95 % confidence)",
    "agrees": "the figure is in the 95 % prediction interval",
}
_RUN_VERDICTS = ("worse", "better", "undecided", "same")


def draw_compared(
    reader: Reader,
    compared: ComparedRuns,
    held: Mapping[str, Sequence[str | None]],
    *,
    is_first: bool,
) -> None:
    """Draw what was found; `held`: levels that both sides have; `is_first`: chosen by the page."""
    components.note(f"{_side_text(compared.candidate)} against {_side_text(compared.baseline)}.")
    st.markdown(f"**{units.plain(queries.headline(compared))}**")
    if is_first:
        components.note("This page begins with the latest comparison of which most is decided.")
    _ranges(reader, compared)
    components.link(
        "reports", "As a report", report="release", baseline=write_terms(compared.baseline.terms),
        candidate=write_terms(compared.candidate.terms), only=write_held(held),
        ignore=",".join(factor.name for factor in compared.factors if factor.role == "ignored"),
    )  # fmt: skip
    frame = frame_of(compared)
    normalised = frame.filter(pl.col("verdict") != NOT_JUDGED)
    shown = normalised if normalised.height else frame
    _tiles(shown)
    _table(shown, compared)
    _chart(shown)
    _both(reader, compared)
    _factor_table(compared)
    for side, only in (
        (compared.baseline, compared.only_baseline),
        (compared.candidate, compared.only_candidate),
    ):
        if only:
            _only(side, only)
    totals = frame.filter(pl.col("verdict") == NOT_JUDGED)
    if normalised.height and totals.height:
        with st.expander(
            f"Totals of runs ({totals.height}), which grow with their work: not judged"
        ):
            _metrics(totals, "comparison_totals")
    if compared.incomplete:
        st.caption(
            "Left out for what is missing or in doubt of them: "
            f"{counted(compared.incomplete, 'run')}."
        )


def _ranges(reader: Reader, compared: ComparedRuns) -> None:
    """Lead from two builds of which nothing can be decided to the ranges that end and begin there.

    A range before the candidate ends with the baseline; the other begins with the candidate.
    """
    builds = [side.terms.get("git_revision") for side in (compared.baseline, compared.candidate)]
    if None in builds or queries.count_decided(compared)[0]:
        return
    around = queries.ranges_around(reader, compared.candidate.origin, *map(str, builds))
    if around is not None:
        components.link(
            "comparison",
            "Compare the builds up to the baseline with those from the candidate on",
            **{
                "compare": BUILDS,
                "origin": compared.candidate.origin,
                "baseline": around.baseline[0],
                "baseline-to": around.baseline[1],
                "candidate": around.candidate[0],
                "candidate-to": around.candidate[1],
                **({"builds-of": around.campaign} if around.campaign else {}),
            },
        )


def _side_text(side: Side) -> str:
    """Return a side with its runs and their dates."""
    if side.is_reference:
        return f"the {side.name}" if side.name else "figures"
    return f"{side.name} ({counted(side.runs, 'run')}{side.of_builds}, {side.days})"


def _tiles(frame: pl.DataFrame) -> None:
    counts = Counter(frame["verdict"])
    of_figures = counts.keys() & {"agrees", "differs"}
    always = () if of_figures else _RUN_VERDICTS
    components.tiles({
        verdict.capitalize(): (units.number(counts[verdict]), _REMARKS[verdict])
        for verdict in VERDICTS
        if counts[verdict] or verdict in always
    })  # fmt: skip


def _table(frame: pl.DataFrame, compared: ComparedRuns) -> None:
    with_figures = compared.baseline.is_reference or compared.candidate.is_reference
    components.section(
        "Normalised metrics",
        "A figure agrees if it lies in the 95 % prediction interval of the runs. "
        if with_figures
        else "Change of the candidate from the baseline. Means of the runs without issues and "
        "outliers."
        + "".join(f" Over all configurations: {text}." for text in queries.pooled_changes(compared))
        + queries.noise_between_builds(compared)
        + queries.missing_figures(compared)
        + queries.parts_of_intervals(compared)
        + queries.sources_that_differ(compared),
    )
    _metrics(frame, "comparison")


def _metrics(frame: pl.DataFrame, name: str) -> None:
    columns = {
        "short": ("Configuration", 220),
        "label": ("Metric", 145),
        "change": st.column_config.NumberColumn("Change, %", format="%+.1f", width=75),
        "interval": ("95 % interval", 105),
        "runs": ("Runs", 70),
        "verdict": ("Verdict", 105),
        "baseline": components.figure("Baseline", width=85),
        "candidate": components.figure("Candidate", width=85),
        "unit": ("Unit", 80),
    }
    if frame["bounds"].is_not_null().any():
        columns["bounds"] = st.column_config.TextColumn(
            "Bounds, %",
            width=105,
            help="Between what the change lies, as runs cover only part of some intervals",
        )
    if (frame["figure"] != "").any():
        columns["figure"] = ("Figure", 100)
    if frame["band_low"].is_not_null().any():
        columns["band_low"] = components.figure("Model's 10 %")
        columns["band_high"] = components.figure("Model's 90 %")
    if frame["more_runs"].is_not_null().any():
        columns["more_runs"] = ("More runs a side", 115)
    columns["configuration"] = "Full configuration"
    components.table(frame, name, columns=columns)


def _chart(frame: pl.DataFrame) -> None:
    shown = frame.filter(pl.col("change").is_not_null()).head(_MOST_ROWS)
    if shown.is_empty():
        return
    title = "Change of each metric"
    if frame.height > shown.height:
        title += f" (first {shown.height} of {frame.height})"
    components.panel(
        title,
        ratios(shown, order=shown["name"].to_list(), verdicts=VERDICTS),
        help="The bar is the 95 % confidence interval; without one there are too few runs.",
    )


def _both(reader: Reader, compared: ComparedRuns) -> None:
    values = queries.values_of(reader, compared)
    if values.is_empty():
        return
    components.section("Both sides", "Ordered by the size of files or messages.")
    names = _names(compared)
    with components.panels():
        for (metric, unit), rows in values.group_by("metric", "unit", maintain_order=True):
            few = rows.select(pl.col("name").unique(maintain_order=True)).to_series()
            shown = rows.filter(pl.col("name").is_in(few.head(_MOST_ROWS).implode()))
            title = metric_label(str(metric))
            if few.len() > _MOST_ROWS:
                title += f" (first {_MOST_ROWS} of {few.len()} configurations)"
            components.panel(
                title,
                both_sides(shown, unit=str(unit), names=names),
                help="The mean and its 95 % interval; ticks are single "
                "runs, where there are at most four.",
            )


def _names(compared: ComparedRuns) -> tuple[str, str]:
    """Return what a legend calls the sides."""
    baseline, candidate = compared.baseline.name, compared.candidate.name
    if baseline == candidate:
        return "baseline", "candidate"
    return f"baseline: {baseline}", f"candidate: {candidate}"


def _factor_table(compared: ComparedRuns) -> None:
    if not compared.factors:
        return
    roles = {
        role: [v for v in compared.factors if v.role == role]
        for role in ("differs", "ignored", "held")
    }
    remarks = [
        f"{role}: {', '.join(factor_label(v.name) for v in variants)}"
        for role, variants in roles.items()
        if variants
    ]
    with st.expander(units.plain(f"Factors ({'; '.join(remarks)})")):
        frame = pl.DataFrame([
            {"name": factor_label(v.name), "role": v.role,
             "baseline": ", ".join(v.baseline), "candidate": ", ".join(v.candidate)}
            for variants in roles.values()
            for v in variants
        ])  # fmt: skip
        components.table(
            frame,
            "comparison_factors",
            columns={
                "name": "Factor",
                "role": "Role",
                "baseline": "Baseline",
                "candidate": "Candidate",
            },
        )


def _only(side: Side, only: list[str]) -> None:
    caption = f"{len(only)} configurations only in {side.name}"
    with st.expander(units.plain(caption)):
        st.markdown("\n".join(f"- {units.plain(name)}" for name in only[:_MOST_NAMED]))
        if len(only) > _MOST_NAMED:
            components.note(f"and {len(only) - _MOST_NAMED} more")
