"""What the build found wrong with the data, and what it did about it.

Code of its own: findings are filtered by kind, and lead to the records that they are about.
"""

from __future__ import annotations

import polars as pl
import streamlit as st

from app.dashboard import components, filters, session, units
from app.results.labels import issue_label
from app.results.queries import catalogue
from app.results.queries import issues as queries
from app.results.reader import Reader

_MOMENT = "YYYY-MM-DD HH:mm:ss"
_ALL = "all"
_IN_WORDS = pl.col("kind").map_elements(issue_label, return_dtype=pl.String)
_MEANING = {
    "error": "figures are missing or left out",
    "warning": "figures are there but doubtful",
    "note": "nothing is wrong with the figures",
}


def draw(reader: Reader) -> None:
    """Draw the page."""
    components.header(
        "Data issues",
        "What is missing, contradictory or impossible in the loaded data, and what was done about "
        "it. Times are UTC.",
    )
    counts = queries.counts(reader)
    if counts.is_empty():
        if catalogue.any_load(reader):
            st.success("Nothing is wrong with the loaded data.", icon=":material/verified_user:")
            _unknown(queries.unknown(reader))
        else:
            components.empty("Nothing is loaded yet, so there is nothing to find in it.")
        return
    components.tiles(
        {
            f"{severity}s".capitalize(): (
                units.number(int(counts.filter(severity=severity)["findings"].sum())),
                meaning,
            )
            for severity, meaning in _MEANING.items()
        }
    )
    _kinds(counts)
    present = set(counts["severity"])
    with st.sidebar:
        severities = filters.choices("Severity", [s for s in _MEANING if s in present], "severity")
        kinds = filters.choices("Kind", sorted(counts["kind"].unique()), "kind", shown=issue_label)
        systems = filters.choices("System", queries.systems(reader), "system")
        run = filters.choice(
            "Run", [_ALL, *queries.runs(reader)], "run",
            help="Findings about this run, or at its time on one of its systems",
        )  # fmt: skip
    found = queries.found(
        reader,
        severities=severities,
        kinds=kinds,
        systems=systems,
        run="" if run == _ALL else run,
    )
    _found(found)
    _unknown(queries.unknown(reader, systems=systems))


def _kinds(counts: pl.DataFrame) -> None:
    components.section("By kind")
    components.table(
        counts.with_columns(_IN_WORDS, affects=pl.col("affects").list.join(", ")),
        "issue_kinds",
        columns={
            "severity": "Severity",
            "kind": "Kind",
            "findings": "Findings",
            "systems": "Systems",
            "first_at": "First",
            "last_at": "Last",
            "affects": "May affect",
        },
    )


def _found(found: pl.DataFrame) -> None:
    components.section(
        "Findings",
        f"Errors first, then by time; the first {units.number(queries.MOST)}."
        if found.height == queries.MOST
        else "Errors first, then by time.",
    )
    if found.is_empty():
        st.info("No finding matches these filters.", icon=":material/filter_alt_off:")
        return
    chosen = components.pick(
        found.with_columns(_IN_WORDS),
        "data_issues",
        columns={
            "severity": "Severity",
            "kind": "Kind",
            "system": ("System", 140),
            "subject": "Subject",
            "found": ("Found", 460),
            "start_utc": "From",
            "end_utc": "To",
            "done": "Done",
            "affects": "May affect",
            "run_id": "Run",
            "path": "File",
            "record_no": "Record",
            "origin": "Origin",
        },
    )
    if chosen and chosen["run_id"]:
        components.go("run", run=chosen["run_id"])
    if chosen:
        components.link(
            "lineage", f"Record {chosen['record_no']} of the file", follow="A record",
            source=chosen["source_id"], record=str(chosen["record_no"]),
        )  # fmt: skip


def _unknown(unknown: pl.DataFrame) -> None:
    components.section(
        "When figures are not known",
        "Periods between records of a day that have none, or with findings. The longest first.",
    )
    if unknown.is_empty():
        st.success("Records cover all days that are loaded.", icon=":material/verified_user:")
        return
    why = pl.col("issue_kinds").list.eval(
        pl.element().map_elements(issue_label, return_dtype=pl.String)
    )
    components.table(
        unknown.select(
            "system", "figures", "start_utc", "end_utc", minutes=pl.col("seconds") / 60,
            why=pl.when(pl.col("issue_kinds").list.len() > 0)
            .then(why.list.join(", "))
            .otherwise(pl.lit("no records")),
        ),
        "not_known",
        columns={
            "system": ("System", 140),
            "figures": "Figures",
            "start_utc": "From",
            "end_utc": "To",
            "minutes": "Minutes",
            "why": "Why",
        },
    )  # fmt: skip


if __name__ == "__main__":
    draw(session.reader())
