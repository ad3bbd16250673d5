"""What the morning asks: what came last night, how fresh each feed is, what stands open."""

from __future__ import annotations

import polars as pl

from app.results.reader import Reader

__all__ = ["feeds", "findings", "latest_runs"]

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
                if(kind = 'smf', 'SMF ' || record_type, replace(kind, '_', ' ')) as feed,
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
