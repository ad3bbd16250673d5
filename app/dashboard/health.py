"""Draws verdicts on systems and queue managers (app.results.queries.health)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from app.dashboard import components, period, units
from app.results.queries.health import (
    finding,
    kept_limit,
    latest,
    limits,
    summary,
    verdicts,
    with_unit,
)
from app.results.queries.owners import OWNERS
from app.results.queries.scope import Scope
from app.results.reader import Reader
from app.results.words import counted
from expectations.verdicts.verdict import ALARM, NOT_JUDGED, WARNING, WITHIN
from ingest.base.errors import SettingsError

__all__ = ["draw", "draw_latest", "strip"]

_COLOURS = {ALARM: "red", WARNING: "orange", WITHIN: "green", NOT_JUDGED: "gray"}
_MOST_SAID = 4  # in a strip
_NEXT_TO_NOTHING = 0.001  # of a limit: no digit of a smaller figure tells anything


def draw(reader: Reader, scope: Scope, more: str = "") -> None:
    """Draw the page with all verdicts on the owners; `more`: what else it says first."""
    label = OWNERS[_kind(scope)].label.lower()
    components.header(
        f"Health of {label}s",
        f"Is anything wrong with this {label} in this time? Each figure is judged by its worst "
        f"interval. {period.says()}",
        scope.origin,
    )
    rows = _verdicts_of_page(reader, scope)
    if rows is None:
        return
    _say(rows)
    if more:
        components.name(more)
    _listed(rows.filter(pl.col("verdict") != NOT_JUDGED), scope, "verdicts")
    unknown = rows.filter(pl.col("verdict") == NOT_JUDGED)
    if unknown.height:
        components.section("What could not be judged", "There are no such records in this time.")
        components.table(
            unknown,
            "not_judged",
            columns={
                "owner": label.capitalize(),
                "label": "Figure",
                "needs": "Needs",
            },
        )
    components.note(
        "The figures are rows of marts.fct_health_interval; a file that PERFHOUSE_HEALTH names "
        "changes the limits."
    )


def draw_latest(reader: Reader) -> None:
    """Draw what is wrong with systems and queue managers on the latest day of their records."""
    try:
        latest_rows = latest(reader)
    except SettingsError as error:
        components.problem(f"{error}.")
        return
    for scope, rows in latest_rows:
        judged = rows.filter(pl.col("verdict") != NOT_JUDGED)
        if judged.is_empty():
            continue
        kind = _kind(scope)
        bad = judged.filter(pl.col("verdict") != WITHIN)
        owners = counted(len(scope.labels), OWNERS[kind].label.lower())
        components.name(f"{owners}, {scope.origin}, the day to {units.moment(scope.end)} UTC")
        _say(rows)
        _listed(bad, scope, f"verdicts_{scope.origin}_{OWNERS[kind].key}")


def strip(reader: Reader, scope: Scope, path: str) -> None:
    """Draw the verdicts whose charts are on this page, in a line."""
    rows = _verdicts_of_page(reader, scope, path)
    if rows is None:
        return
    judged = rows.filter(pl.col("verdict") != NOT_JUDGED)
    bad = judged.filter(pl.col("verdict") != WITHIN)
    if judged.is_empty():
        return
    with st.container(horizontal=True, gap="xsmall"):
        for row in bad.head(_MOST_SAID).iter_rows(named=True):
            _badge(row["verdict"], f"{row['verdict']}: {_said(row, len(scope.labels) > 1)}")
        fine = judged.height - bad.height
        more = bad.height - _MOST_SAID
        if more > 0:
            _badge(bad["verdict"][_MOST_SAID], f"{more} more")
        if fine:
            _badge(WITHIN, f"within limits: {'all ' * bad.is_empty()}{counted(fine, 'figure')}")


def _kind(scope: Scope) -> str:
    return next(kind for kind, owner in OWNERS.items() if owner.name == scope.owner)


def _badge(verdict: str, text: str) -> None:
    st.badge(units.plain(text), color=_COLOURS[verdict])  # type: ignore[arg-type]


def _verdicts_of_page(reader: Reader, scope: Scope, page: str | None = None) -> pl.DataFrame | None:
    """Return the verdicts, of a page; None without any, or, which is said, without limits."""
    kind = _kind(scope)
    try:
        names = [
            check.name
            for check in limits().values()
            if check.kind == kind and (page is None or check.page == page)
        ]
        return verdicts(reader, scope, kind, names) if names else None
    except SettingsError as error:
        components.problem(f"{error}.")
        return None


def _say(found: pl.DataFrame) -> None:
    """Answer in words whether anything is wrong, in green if all figures could be judged."""
    verdicts = set(found["verdict"])
    unknown = found.filter(verdict=NOT_JUDGED).height
    say, icon = (
        (st.error, "error") if ALARM in verdicts
        else (st.warning, "warning") if WARNING in verdicts
        else (st.info, "info") if unknown
        else (st.success, "check")
    )  # fmt: skip
    rows = [finding(row, "") for row in found.iter_rows(named=True)]
    more = f" {unknown} could not be judged." if unknown else ""
    text = f"{summary(rows) or 'Nothing could be judged in this time'}.{more}"
    say(units.plain(text), icon=f":material/{icon}:")


def _said(row: Mapping[str, Any], several: bool) -> str:
    """Return a figure and its limit as they stand in a sentence."""
    owner = " ".join(filter(None, (row["owner"] if several else "", row["of"])))
    return (
        f"{row['label']}{f' ({owner})' if owner else ''} {_value(row)}, "
        f"limit {_limit(row)}, at {period.clock().local(row['moment']):%H:%M}"
    )


def _limit(row: Mapping[str, Any]) -> str:
    """Return the limit that a figure is beyond, or the first one: what a good figure keeps."""
    kept = kept_limit(row).replace("<=", "≤").replace(">=", "≥")
    return with_unit(kept, row["unit"])


def _value(row: Mapping[str, Any]) -> str:
    """Return a figure with as many digits as tell it from a limit that it is beyond."""
    value, limit = row["value"], {ALARM: row["alarm"], WARNING: row["warning"]}.get(row["verdict"])
    least = _NEXT_TO_NOTHING * abs(row["warning"] or row["alarm"] or 0)
    if 0 < abs(value) < least:
        return with_unit(f"under {least:g}", row["unit"])
    text = units.number(value)
    for digits in range(4, 9):
        if limit is None or float(text.replace(",", "")) != limit:
            break
        text = f"{value:,.{digits}g}"
    return with_unit(text, row["unit"])


def _listed(found: pl.DataFrame, scope: Scope, name: str) -> None:
    """Draw verdicts as a table; go to the chart of one that is clicked."""
    if found.is_empty():
        return
    components.note("Click a figure for its chart.")
    rows = [
        {
            "verdict": [row["verdict"]],
            "value_text": _value(row),
            "limit": _limit(row),
            "usually": " to ".join(map(units.number, row["usual"] or ())) or None,
            "how_often": f"{row['beyond']:,} of {row['intervals']:,}",
        }
        for row in found.iter_rows(named=True)
    ]
    # A count of nothing happened nowhere.
    happened = (pl.col("value") != 0) | (pl.col("verdict") != WITHIN)
    shown = found.with_columns(pl.when(happened).then(pl.col("of", "moment"))).with_columns(
        pl.DataFrame(rows, schema_overrides={"verdict": pl.List(pl.String), "usually": pl.String})
    )
    columns = {
        "verdict": st.column_config.MultiselectColumn(
            "Verdict", options=list(_COLOURS), color=list(_COLOURS.values()), width=80
        ),
        "label": ("Figure", 175),
        "value_text": ("Worst", 110),
        "limit": ("Limit", 105),
        "of": ("Of", 125),
        "owner": "Where",
        "moment": "At",
        "usually": st.column_config.TextColumn(
            "Usual", help="The middle 80 % of this hour in the 28 days before."
        ),
        "how_often": st.column_config.TextColumn(
            "Beyond", help="How many intervals are beyond the limit, of how many.", width=80
        ),
        "source": "Source of the limit",
    }
    if len(scope.labels) == 1:
        del columns["owner"]
    chosen = components.pick(shown, name, columns=columns)
    if chosen:
        picked = {chosen["parameter"]: chosen["of"]} if chosen["parameter"] and chosen["of"] else {}
        time = period.Range.around(scope.start, scope.end)
        components.go(
            chosen["page"], origin=scope.origin,
            **{OWNERS[_kind(scope)].key: [chosen["owner"]]}, **picked,
            **period.address(*time),
        )  # fmt: skip
