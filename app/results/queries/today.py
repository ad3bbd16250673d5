"""What the morning asks: what came last night, what is missing, what stands open."""

from __future__ import annotations

import polars as pl

from app.results.reader import Reader
from expectations.regressions.series import ALL_MEASUREMENTS

__all__ = [
    "feeds",
    "findings",
    "latest_runs",
    "of_last_check",
    "recent_values",
]

_POINTS = 60  # of a small chart


def feeds(reader: Reader) -> pl.DataFrame:
    """Return the rows of marts.fct_arrival on feeds, what came last first.

    state: missing, stopped or same; null where too few came to expect the next.
    """
    return reader.live_frame(
        """
        select arrival.*, night.verdict as state
        from marts.fct_arrival as arrival
        left join marts.fct_last_night as night using (kind, origin, name)
        where kind = 'feed'
        order by arrival.last_utc desc, origin, name
        """
    )


def latest_runs(reader: Reader) -> pl.DataFrame:
    """Return one row per campaign and build with runs in the last day of any runs, latest first.

    origin, campaign, git_revision, runs, incomplete, configurations, first_utc, last_utc.
    """
    return reader.frame(
        """
        select
            origin,
            campaign,
            git_revision,
            count(*) as runs,
            count(*) filter (where not is_compared) as incomplete,
            count(distinct configuration_id) as configurations,
            min(start_utc) as first_utc,
            max(stop_utc) as last_utc
        from marts.fct_run
        where stop_utc > (select max(stop_utc) from marts.fct_run) - interval 24 hour
        group by origin, campaign, git_revision
        order by last_utc desc, campaign, git_revision
        """
    )


def findings(reader: Reader) -> dict[str, int]:
    """Return the number of data issues by severity: error, warning, note."""
    counted = reader.frame(
        "select severity, count(*) as findings from marts.fct_data_issue group by severity"
    )
    return {"error": 0, "warning": 0, "note": 0} | dict(counted.iter_rows())


def of_last_check(reader: Reader, known: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of `known` regressions that the last check of the published build wrote."""
    build = reader.live_frame("select build_id from meta.build")
    if build.is_empty():
        return known.clear()
    is_last = pl.col("build_id") == build["build_id"][0]
    return known.filter(is_last & (pl.col("by") == "detector"))


def recent_values(reader: Reader, known: pl.DataFrame) -> pl.DataFrame:
    """Return `known` regressions with the last values of their series, in order of time.

    recent: list of at most 60 values; empty without a metric.
    """
    key = ("origin", "campaign", "configuration_id", "metric", "system_id", "address_space")
    columns = ("regression_id", *key)
    listed = ", ".join(f"unnest(cast(? as varchar[])) as {column}" for column in columns)
    rows = reader.frame(
        f"""
        select regression.regression_id, list(value order by start_utc)[-{_POINTS}:] as recent
        from (select {listed}) as regression
        inner join {ALL_MEASUREMENTS} as measured using ({", ".join(key)})
        where is_compared
        group by regression_id
        """,
        tuple(tuple(known[column]) for column in columns),
    )
    return known.join(rows, on="regression_id", how="left")
