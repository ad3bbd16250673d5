"""What the pipeline did, from the log of the warehouse, and what it has not done yet.

The log is live; the marts fct_pipeline_step and fct_pipeline_day have it up to the published build.
"""

from __future__ import annotations

from datetime import datetime

import polars as pl

from app.results.reader import Reader

__all__ = ["MOST", "by_day", "failed_files", "sizes", "states", "times"]

MOST = 500  # rows of `failed_files`

_ALWAYS = datetime(1970, 1, 1)


def states(reader: Reader) -> pl.DataFrame:
    """Return one row per step of the pipeline, the one that began last first.

    last_ok_at; last_begun_at, status, reason, seconds, step_id: of the last one (status is null
    while it is under way); failed: how often it failed or was interrupted since last_ok_at;
    median_seconds: of the last 20 that succeeded.
    """
    return reader.live_frame("from meta.pipeline_state order by last_begun_at desc")


def by_day(reader: Reader, since: datetime | None = None) -> pl.DataFrame:
    """Return one row per day (UTC) on which files were ingested, newest first.

    loads, failures, bytes, records, records_quarantined, seconds; records_per_second, elapsed.
    """
    return reader.live_frame(
        """
        select
            cast(begun_at as date) as day,
            cast(coalesce(sum(loads), 0) as bigint) as loads,
            cast(coalesce(sum(failures), 0) as bigint) as failures,
            cast(coalesce(sum(bytes), 0) as bigint) as bytes,
            cast(coalesce(sum(records), 0) as bigint) as records,
            cast(coalesce(sum(records_quarantined), 0) as bigint) as records_quarantined,
            sum(seconds) as seconds,
            sum(records) / nullif(sum(seconds) filter (where records is not null), 0)
                as records_per_second
        from meta.pipeline_step
        where step = 'ingest' and status is not null and begun_at >= $1
        group by all
        order by day desc
        """,
        (since or _ALWAYS,),
    )


def times(reader: Reader, since: datetime | None = None) -> pl.DataFrame:
    """Return one row per build, check and publish that ended, in order: moment, series, value (s).

    `how` says whether a build was whole or of how many days; `status` is ok or failed.
    """
    return reader.live_frame(
        """
        select
            begun_at as moment,
            step as series,
            seconds as value,
            status,
            case
                when is_whole then 'everything'
                when days is not null then days || if(days = 1, ' day', ' days')
                when nodes = 0 then 'nothing to build'
                else ''
            end as how
        from meta.pipeline_step
        where
            step in ('build', 'check', 'publish')
            and seconds is not null
            and begun_at >= $1
        order by moment
        """,
        (since or _ALWAYS,),
    )


def sizes(reader: Reader, since: datetime | None = None) -> pl.DataFrame:
    """Return one row per publish, in order: moment, published_bytes, lake_bytes, lake_files."""
    return reader.live_frame(
        """
        select ended_at as moment, published_bytes, lake_bytes, lake_files
        from meta.pipeline_step
        where step = 'publish' and status = 'ok' and begun_at >= $1
        order by moment
        """,
        (since or _ALWAYS,),
    )


def failed_files(reader: Reader) -> pl.DataFrame:
    """Return the files that could not be read and were not loaded since, newest first; up to MOST.

    last_at, file, tries, reason, command.
    """
    return reader.live_frame(
        f"""
        select
            max(time) as last_at,
            file,
            count(*) filter (where status = 'failed') as tries,
            arg_max_null(message, time) as reason,
            arg_max_null(command, time) as command
        from meta.log
        where event = 'file'
        group by file
        having arg_max_null(status, time) = 'failed'
        order by last_at desc, file
        limit {MOST}
        """
    )
