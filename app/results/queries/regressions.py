"""Regressions after the last check: what got worse, since when, and why."""

from __future__ import annotations

from typing import Any

import polars as pl

from app.results.reader import Reader
from app.results.regressions import series_of

__all__ = ["DECISIONS", "OPEN", "known", "runs_of", "story"]

OPEN = ("new", "confirmed")
#: States that a person may set.
DECISIONS = ("acknowledged", "expected", "false alarm")


def known(reader: Reader) -> pl.DataFrame:
    """Return one row per regression, as in meta.regression; open ones first, then the latest.

    last_good_build: the build of its last good run.
    """
    return reader.live_frame(
        """
        select regression.*, run.git_revision as last_good_build
        from meta.regression as regression
        left join marts.fct_run as run
            on regression.last_good_run_id = run.run_id and regression.origin = run.origin
        order by list_contains(?, state) desc, leads desc, onset_utc desc, regression_id
        """,
        (OPEN,),
    )


def runs_of(reader: Reader, row: dict[str, Any]) -> pl.DataFrame:
    """Return the complete runs of a regression's series: start_utc, run_id, build, value."""
    with reader.connection() as db:
        return series_of(db, row)


def story(reader: Reader, regression_id: str) -> pl.DataFrame:
    """Return one row per event of a regression, in order: when, state, by whom, note."""
    return reader.live_frame(
        """
        select event_at, state, "by", note, detector_version
        from meta.regression_event
        where regression_id = ?
        order by event_id
        """,
        (regression_id,),
    )
