"""Whether what readers see is sound and up to date: the last audit, and loads not yet published."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import streamlit as st

from app.dashboard import components, units
from app.pipeline.publication import TO_READERS
from app.results.queries import loads
from app.results.reader import Reader
from app.results.words import counted, listed

__all__ = ["draw_state"]


_KIND = re.compile(r"^\w+(?=: )")  # of a finding, before what was found


def draw_state(reader: Reader, verdict: pl.DataFrame) -> None:
    """Draw a message for each thing that is wrong; one that all is well if nothing is.

    `verdict`: of the last audit, from `loads.verdict`.
    """
    _say_later_loads(reader)
    if verdict.is_empty():
        components.problem("This warehouse has never been audited.", "check")
        return
    row = verdict.row(0, named=True)
    _say_audit(row)
    if row["faults"] + row["errors"] + row["warnings"]:
        _failing(loads.failing(reader, row["check_id"]))


def _say_later_loads(reader: Reader) -> None:
    if later := loads.unpublished(reader):
        components.problem(
            f"{counted(later, 'load is', 'loads are')} newer than the published build; "
            "no page shows them yet.",
            *TO_READERS,
        )


def _say_audit(row: dict[str, Any]) -> None:
    when = f"{units.moment(row['checked_at'])} UTC"
    whose = "" if row["of_this_build"] else " It was of another build than the published one."
    passed = row["expectations"] - row["faults"] - row["errors"] - row["warnings"]
    met = f"{passed} of {row['expectations']} expectations are met ({when}).{whose}"
    faults = listed(
        [
            counted(row[f"{severity}s"], severity)
            for severity in ("error", "warning")
            if row[f"{severity}s"]
        ]
    )
    if row["faults"]:
        st.error(
            f"The last audit found a fault of perfhouse, and its build was held back: {met}",
            icon=":material/gpp_bad:",
        )
    elif row["errors"] or not row["of_this_build"]:
        outcome = f"found {faults} in the data" if faults else "passed"
        st.warning(f"The last audit {outcome}: {met}", icon=":material/report:")
    elif row["warnings"]:
        st.info(f"The last audit passed with {faults}: {met}", icon=":material/verified_user:")
    else:
        st.success(f"The last audit passed: {met}", icon=":material/verified_user:")


def _failing(failing: pl.DataFrame) -> None:
    with st.expander(f"What is not met ({failing.height})", expanded=failing.height <= 3):
        components.table(
            failing.with_columns(
                message=pl.col("message").map_elements(
                    lambda message: _KIND.sub(lambda kind: kind[0].replace("_", " "), message),
                    return_dtype=pl.String,
                ),
                place=pl.concat_str(
                    [pl.col("table_name"), pl.col("column_name").replace("", None)],
                    separator=".",
                    ignore_nulls=True,
                ),
            ),
            "failing_expectations",
            columns={
                "severity": "Severity",
                "message": ("Problem", 760),
                "place": "Table and column",
                "rows_failed": "Rows failed",
                "rows_total": "Rows checked",
            },
        )
