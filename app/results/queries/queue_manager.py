"""The queue manager over time, from SMF 115 statistics."""

from __future__ import annotations

import polars as pl

from app.results.queries.scope import Scope, mean, mean_by, step, utc
from app.results.reader import Reader

__all__ = ["INTERVALS", "VERBS", "activity", "buffer_pools", "intervals", "log_writes", "summary"]

INTERVALS = "marts.fct_queue_manager_interval"
VERBS = (
    "puts",
    "put1s",
    "gets",
    "opens",
    "closes",
    "inqs",
    "sets",
    "subs",
    "subrqs",
    "cbs",
    "ctls",
    "stats",
    "publishes",
)

_RATES = (
    *(f"{verb}_per_second" for verb in VERBS),
    "mqi_calls_per_second",
    "put_bytes_per_second",
    "log_mb_per_second",
    "log_physical_mb_per_second",
    "log_writer_busy_percent",
    "db2_requests_per_second",
    "cf_calls_per_second",
)
_AVERAGES = (
    ("persistent_put_percent", "(persistent_puts + nonpersistent_puts)"),
    ("log_average_write_us", "log_write_ios"),
    ("log_average_suspend_us", "log_write_ios"),
    ("db2_average_task_us", "db2_requests"),
    ("db2_average_server_us", "db2_requests"),
    ("cf_average_single_us", "cf_single_calls"),
    ("cf_average_multiple_us", "cf_multiple_calls"),
)
_LARGEST = ("log_max_write_us", "db2_max_task_us", "db2_max_queue_depth")
_TOTALS = (
    "log_buffer_waits",
    "short_on_storage_contractions",
    "short_on_storage_count",
    "short_on_storage_abends",
)
_FIGURES = ",\n".join(
    [
        *(mean(column) for column in _RATES),
        *(mean_by(column, weight) for column, weight in _AVERAGES),
        *(f"max({column}) as {column}" for column in _LARGEST),
        *(f"cast(sum({column}) as double) as {column}" for column in _TOTALS),
        *(
            f"sum({column}) / nullif(sum(interval_seconds), 0) as {column}_per_second"
            for column in ("getmains", "freemains")
        ),
        "min(storage_available_31bit) as storage_available_31bit",
        "min(storage_available_64bit) as storage_available_64bit",
    ]
)


def activity(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager and step: rates per second, mean times in µs."""
    return utc(
        reader.frame(
            f"""
            select
                system_id || '/' || queue_manager as queue_manager,
                {step(reader, scope, INTERVALS)} as "start",
                max(interval_end_utc) as "end",
                {_FIGURES}
            from {INTERVALS}
            where {scope.where()}
            group by 1, 2
            order by 1, 2
            """,
            scope.parameters,
        )
    )


def summary(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager: the columns of `activity` over the whole range."""
    return utc(
        reader.frame(
            f"""
            select
                system_id || '/' || queue_manager as queue_manager,
                max(mq_level) as mq_level,
                count(*) as intervals,
                min(interval_start_utc) as "start",
                max(interval_end_utc) as "end",
                {_FIGURES}
            from {INTERVALS}
            where {scope.where()}
            group by 1
            order by 1
            """,
            scope.parameters,
        )
    )


def log_writes(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager, step, log copy and kind of write (pages), in µs."""
    return utc(
        reader.frame(
            f"""
            select
                system_id || '/' || queue_manager as queue_manager,
                {step(reader, scope, "marts.fct_log_write_interval")} as "start",
                max(interval_end_utc) as "end",
                'copy ' || log_copy || ' ' || replace(write_type, '_page', '') as write_type,
                {mean_by("average_write_us", "writes")},
                max(max_write_us) as max_write_us,
                cast(sum(writes) as bigint) as writes
            from marts.fct_log_write_interval
            where {scope.where()}
            group by 1, 2, 4
            having sum(writes) > 0
            order by 1, 2, 4
            """,
            scope.parameters,
        )
    )


def buffer_pools(reader: Reader, scope: Scope, most: int) -> pl.DataFrame:
    """Return one row per queue manager, step and buffer pool.

    Hits in %, pages per second, free buffers in %; only the `most` pools with the most page
    requests, and none without any.
    """
    return utc(
        reader.frame(
            f"""
            with kept as (
                select * from marts.fct_buffer_pool_interval where {scope.where()}
            ),

            ranked as (
                select buffer_pool
                from kept
                group by buffer_pool
                having sum(page_gets) > 0
                order by sum(page_gets) desc, buffer_pool
                limit {int(most)}
            )

            select
                system_id || '/' || queue_manager as queue_manager,
                {step(reader, scope, "marts.fct_buffer_pool_interval")} as "start",
                max(interval_end_utc) as "end",
                buffer_pool as pool_no,
                'BP ' || buffer_pool as pool,
                100 * (1 - sum(page_reads) / nullif(sum(page_gets_old), 0)) as hit_percent,
                {mean("page_ins_per_second")},
                {mean("page_gets_per_second")},
                min(lowest_free_percent) as lowest_free_percent
            from kept
            semi join ranked using (buffer_pool)
            group by 1, 2, 4
            order by 1, 2, 4
            """,
            scope.parameters,
        )
    )


def intervals(reader: Reader, scope: Scope, most: int) -> pl.DataFrame:
    """Return the mart's rows, one per interval, without nested columns; at most `most`."""
    return reader.frame(
        f"""
        select
            origin, system_id, queue_manager, mq_level, interval_start_utc, interval_seconds,
            * exclude (
                origin, system_id, queue_manager, mq_level, interval_start_utc, interval_seconds,
                interval_end_utc, source_records, source_id, record_no
            ),
            source_id, record_no
        from {INTERVALS}
        where {scope.where()}
        order by system_id, queue_manager, interval_start_utc
        limit {int(most)}
        """,
        scope.parameters,
    )
