"""A candidate's runs against a baseline's: what got worse or better, and how sure that is."""

from __future__ import annotations

from collections import Counter

import polars as pl
import streamlit as st

from app.charts.runs import ratios
from app.dashboard import components, filters, session, units
from app.dashboard.no_runs import no_runs
from app.results.comparison import ComparedRuns, SelectionError, Side
from app.results.queries import comparison as queries
from app.results.queries.comparison import VERDICTS, frame_of
from app.results.reader import Reader

_MOST_ROWS = 40


def draw(reader: Reader) -> None:
    """Draw the page."""
    known = queries.levels(reader)
    if known.is_empty():
        components.header("Comparison")
        no_runs(
            reader,
            "A comparison needs runs of two builds, or machines.",
            builds=("before", "after"),
        )
        return
    with st.sidebar:
        origin = filters.switch(
            "Origin", known["origin"].unique(maintain_order=True).to_list(), "origin"
        )
        here = known.filter(pl.col("origin") == origin)
        pairs = {
            name: queries.latest_pair(reader, origin, label)
            for label, name in queries.SIDES.items()
            if here.filter(pl.col("label") == label).height > 1
        }
        # what has something to compare comes first
        several = sorted(pairs, key=lambda name: pairs[name] is None)
        if not several:
            components.header("Comparison", origin=origin)
            st.info(
                "There is nothing yet to compare: all runs share one build, campaign, MQ level and "
                "machine. Load the runs of another one.",
                icon=":material/compare_arrows:",
            )
            return
        by = filters.switch("Compare", several, "compare")
        label = next(label for label, name in queries.SIDES.items() if name == by)
        found = here.filter(pl.col("label") == label)["level"].to_list()
        latest, before = pairs[by] or (None, None)
        candidate = filters.choice("Candidate", found, "candidate", default=latest)
        rest = [level for level in found if level != candidate]
        baseline = filters.choice("Baseline", rest, "baseline", default=before)
        parts = filters.switch("Metrics", ["whole runs", "with parts"], "figures") == "with parts"
    components.header("Comparison", f"{by} {candidate} against {baseline}.", origin)
    if "," in candidate + baseline:
        st.info("Names with a comma cannot be compared.", icon=":material/tune:")
        return
    try:
        compared = queries.compared(
            reader,
            f"{label}={baseline},origin={origin}",
            f"{label}={candidate},origin={origin}",
            ("machine", "mq_level") if label == "campaign" else (),
            parts=parts,
        )
    except SelectionError as error:
        components.info(f"{str(error)[0].upper()}{str(error)[1:]}.", "compare_arrows")
        return
    _judged(compared)


def _judged(compared: ComparedRuns) -> None:
    counts = Counter(pair.judged.verdict for pair in compared.pairs)
    components.tiles(
        {
            verdict.capitalize(): (units.number(counts[verdict]), remark)
            for verdict, remark in zip(
                VERDICTS,
                (
                    "more than 2 %, and significant",
                    "more than 2 %, and significant",
                    "undecided: run more",
                    "within 2 % (95 % confidence)",
                ),
                strict=True,
            )
        }
    )
    frame = frame_of(compared)
    _chart(frame)
    _table(frame)
    for side, only in (
        (compared.baseline, compared.only_baseline),
        (compared.candidate, compared.only_candidate),
    ):
        if only:
            with st.expander(units.plain(f"{len(only)} configurations only in {_name(side)}")):
                st.markdown("\n".join(f"- {units.plain(name)}" for name in only))
    if compared.incomplete:
        st.caption(
            f"{compared.incomplete} incomplete runs are left out: records or files are missing."
        )


def _name(side: Side) -> str:
    return ", ".join(level for name, level in side.terms.items() if name != "origin")


def _chart(frame: pl.DataFrame) -> None:
    shown = frame.head(_MOST_ROWS)
    title = "Change of each metric"
    if frame.height > shown.height:
        title += f" (first {shown.height} of {frame.height})"
    components.panel(
        title,
        ratios(shown, order=shown["name"].to_list(), verdicts=VERDICTS),
        help="The bar is the 95 % confidence interval; without one there are too few runs.",
    )


def _table(frame: pl.DataFrame) -> None:
    components.section("Metrics", "Medians of the complete runs.")
    components.table(
        frame,
        "comparison",
        columns={
            "configuration": st.column_config.TextColumn("Configuration", width="large"),
            "label": st.column_config.TextColumn("Metric"),
            "part": st.column_config.TextColumn("Part"),
            "baseline": st.column_config.NumberColumn("Baseline", format="%,.3f"),
            "candidate": st.column_config.NumberColumn("Candidate", format="%,.3f"),
            "unit": st.column_config.TextColumn("Unit", width="small"),
            "change": st.column_config.NumberColumn("Change, %", format="%+.1f"),
            "low": st.column_config.NumberColumn("95 % from", format="%+.1f"),
            "high": st.column_config.NumberColumn("95 % to", format="%+.1f"),
            "runs": st.column_config.TextColumn("Runs", width="small"),
            "verdict": st.column_config.TextColumn("Verdict"),
            "more_runs": st.column_config.NumberColumn("More runs needed per side", width="small"),
        },
    )


if __name__ == "__main__":
    draw(session.reader())
