"""What the morning asks: what came last night, how fresh each feed is, what stands open."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from app.results.reader import Reader
from expectations.regressions.series import ALL_MEASUREMENTS

__all__ = ["Judged", "feeds", "findings", "judged", "latest_runs", "of_last_check", "recent_values"]

_POINTS = 60  # of a small chart

#: Loads that a feed must have had before one can be called late, and how late that is.
_ENOUGH_LOADS, _LATE = 4, 3


def feeds(reader: Reader) -> pl.DataFrame:
    """Return one row per origin and kind of record, the one loaded last first.

    loads, last_record_at, last_loaded_at; usual: median time between loads, seconds;
    is_late: nothing came for three times as long.
    """
    return reader.frame(
        f"""
        with load as (
            select distinct
                origin,
                if(kind = 'smf', 'SMF ' || record_type, kind) as feed,
                source_id,
                loaded_at_utc,
                max(last_record_at_utc) over (partition by source_id, record_type) as last_at
            from marts.dim_load
            -- types 2 and 3 begin and end a dump; they are no feed
            where kind <> 'smf' or record_type not in (2, 3)
        ),

        gap as (
            select
                *,
                epoch(loaded_at_utc - lag(loaded_at_utc) over earlier) as seconds
            from load
            window earlier as (partition by origin, feed order by loaded_at_utc)
        )

        select
            origin,
            feed,
            count(*) as loads,
            max(last_at) as last_record_at,
            max(loaded_at_utc) as last_loaded_at,
            -- files of one batch come within a minute
            median(seconds) filter (where seconds > 60) as usual,
            count(seconds) filter (where seconds > 60) >= {_ENOUGH_LOADS - 1}
            and max(loaded_at_utc) + to_seconds({_LATE} * usual) < now()::timestamp as is_late
        from gap
        group by origin, feed
        order by last_loaded_at desc, origin, feed
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


class Judged(NamedTuple):
    """How many series of runs there are, and how many of them the last check could judge.

    reason: why the others could not be.
    """

    series: int
    judged: int
    reason: str

    @property
    def are_all(self) -> bool:
        """Whether there are series and all of them were judged."""
        return self.series > 0 and self.judged == self.series


def judged(reader: Reader) -> Judged:
    """Return how many series of runs the last check could judge."""
    found = reader.live_frame(
        """
        select
            max(rows_total),
            sum(rows_failed)::bigint,
            string_agg(
                if(rows_total is null, observed, nullif(message, '')), '; ' order by rows_total
            )
        from meta.expectation_result
        where suite = 'regressions'
            and expectation in ('builds_have_enough_runs', 'series_can_be_judged')
            and check_id = (select max(check_id) from meta.expectation_result)
        """
    )
    series, failed, reason = found.row(0)
    return Judged(series or 0, (series or 0) - (failed or 0), reason or "")


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
    found = reader.frame(
        f"""
        select regression.regression_id, list(value order by start_utc)[-{_POINTS}:] as recent
        from (select {listed}) as regression
        inner join {ALL_MEASUREMENTS} as measured using ({", ".join(key)})
        where is_compared
        group by regression_id
        """,
        tuple(tuple(known[column]) for column in columns),
    )
    return known.join(found, on="regression_id", how="left")
