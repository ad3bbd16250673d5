"""Regressions after the last check: what got worse, since when, and why."""

from __future__ import annotations

from typing import Any

import polars as pl

from app.results.labels import figure_of
from app.results.next_runs import NextRuns, next_runs
from app.results.reader import Reader
from app.results.regressions import REGRESSIONS, series_of
from expectations.limits import read_limits
from expectations.thresholds import Threshold, read_thresholds

__all__ = [
    "DECISIONS",
    "OPEN",
    "changes",
    "known",
    "least_percent",
    "named",
    "runs_of",
    "story",
    "to_run",
]

OPEN = ("suspected", "new", "confirmed")
#: States that a person may set.
DECISIONS = ("acknowledged", "expected", "false alarm")


def known(reader: Reader) -> pl.DataFrame:
    """Return one row per regression, as in meta.regression; open ones and greater ones first.

    last_good_build: the build of its last good run; label: what it is a figure of, in words.
    """
    rows = reader.live_frame(
        f"""
        select regression.*, run.git_revision as last_good_build
        from {REGRESSIONS} as regression
        left join marts.fct_run as run
            on regression.last_good_run_id = run.run_id and regression.origin = run.origin
        order by
            list_contains(?, state) desc, leads desc, impact desc, onset_utc desc, regression_id
        """,
        (OPEN,),
    )
    label = pl.Series("label", [figure_of(row) for row in rows.to_dicts()], pl.String)
    return _with_answers(rows).with_columns(label)


def changes(known: pl.DataFrame) -> pl.DataFrame:
    """Return one regression per change, from `known`: an open one first, then the leader.

    metrics: how many regressions the change has.
    """
    counted = known.with_columns(metrics=pl.len().over("group_id"))
    return counted.unique("group_id", keep="first", maintain_order=True)


def named(known: pl.DataFrame, name: str) -> dict[str, Any] | None:
    """Return the regression of this ID, or the first of this group; None if there is none."""
    rows = known.filter(pl.col("regression_id") == name)
    if rows.is_empty():
        rows = known.filter(pl.col("group_id") == name)
    return rows.row(0, named=True) if rows.height else None


def _with_answers(events: pl.DataFrame) -> pl.DataFrame:
    """Return events with an owner and a bug, '' where there is none, as in earlier releases."""
    missing = [name for name in ("owner", "bug") if name not in events.columns]
    events = events.with_columns(pl.lit("").alias(name) for name in missing)
    return events.with_columns(pl.col("owner", "bug").fill_null(""))


def runs_of(reader: Reader, row: dict[str, Any]) -> pl.DataFrame:
    """Return the complete runs of a regression's series: start_utc, run_id, build, value."""
    with reader.connection() as db:
        return series_of(db, row)


def story(reader: Reader, regression_id: str) -> pl.DataFrame:
    """Return the events of a regression in order, as in meta.regression_event."""
    rows = reader.live_frame(
        "select * from meta.regression_event where regression_id = ? order by event_id",
        (regression_id,),
    )
    return _with_answers(rows).select(
        "event_at", "state", "by", "note", "owner", "bug", "detector_version"
    )


def least_percent(row: dict[str, Any]) -> Threshold:
    """Return the least change that is reported of a regression's series, and why it is that much.

    Raises SettingsError.
    """
    thresholds = read_thresholds(read_limits().least_percent)
    metric, campaign = row["metric"], row["campaign"]
    return thresholds.rule(metric, campaign) or Threshold(metric, thresholds.usual)


def to_run(reader: Reader, row: dict[str, Any]) -> NextRuns | None:
    """Return what to run next to find the build that a regression came with; None: nothing."""
    with reader.connection() as db:
        return next_runs(db, row)
