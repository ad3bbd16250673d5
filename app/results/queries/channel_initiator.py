"""The channel initiator over time, from SMF 115 subtype 231, and channels, from SMF 116-10."""

from __future__ import annotations

import polars as pl

from app.results.queries.scope import Scope, mean, mean_by, step, utc
from app.results.reader import Reader

__all__ = ["INTERVALS", "channel_totals", "channels", "occupancy", "summary", "task_types", "tasks"]

INTERVALS = "marts.fct_channel_initiator_interval"
_TASKS = "marts.fct_channel_initiator_task_type_interval"
_CHANNELS = "marts.fct_channel_interval"


def occupancy(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager and step: channels in use, their limits, storage."""
    return utc(
        reader.frame(
            f"""
            select
                system_id || '/' || queue_manager as queue_manager,
                {step(reader, scope, INTERVALS)} as "start",
                max(interval_end_utc) as "end",
                max(current_channels) as current_channels,
                max(max_current_channels) as max_current_channels,
                max(active_channels) as active_channels,
                max(max_active_channels) as max_active_channels,
                max(storage_used_mb) as storage_used_mb
            from {INTERVALS}
            where {scope.where()}
            group by 1, 2
            order by 1, 2
            """,
            scope.parameters,
        )
    )


def summary(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager: peak channels, and its tasks at their busiest."""
    return reader.frame(
        f"""
        with channel as (
            select
                system_id || '/' || queue_manager as queue_manager,
                count(*) as intervals,
                sum(interval_seconds) as seconds,
                max(mq_level) as mq_level,
                max(current_channels) as current_channels,
                max(max_current_channels) as max_current_channels,
                max(active_channels) as active_channels,
                max(max_active_channels) as max_active_channels,
                max(storage_used_mb) as storage_used_mb
            from {INTERVALS}
            where {scope.where()}
            group by 1
        ),

        task as (
            select
                system_id || '/' || queue_manager as queue_manager,
                max(max_task_busy_percent) filter (where task_type = 'dispatcher')
                    as dispatcher_busy_percent,
                max(max_task_busy_percent) filter (where task_type = 'adapter')
                    as adapter_busy_percent,
                sum(cpu_seconds) as cpu_seconds
            from {_TASKS}
            where {scope.where()}
            group by 1
        )

        select
            channel.*,
            task.* exclude (queue_manager),
            100 * task.cpu_seconds / nullif(channel.seconds, 0) as cpu_percent
        from channel
        left join task using (queue_manager)
        order by queue_manager
        """,
        scope.parameters,
    )


def task_types(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager, step and kind of task: busy %, requests/s, µs/request."""
    return utc(
        reader.frame(
            f"""
            select
                system_id || '/' || queue_manager as queue_manager,
                {step(reader, scope, _TASKS)} as "start",
                max(interval_end_utc) as "end",
                if(task_type in ('ssl', 'dns'), upper(task_type), task_type) as task_type,
                max(tasks) as tasks,
                max(tasks_used) as tasks_used,
                {mean("requests_per_second")},
                {mean("busy_percent")},
                max(max_task_busy_percent) as max_task_busy_percent,
                {mean("cpu_percent")},
                {mean_by("cpu_us_per_request", "requests")},
                {mean_by("elapsed_us_per_request", "requests")}
            from {_TASKS}
            where {scope.where()}
            group by 1, 2, 4
            order by 1, 2, 4
            """,
            scope.parameters,
        )
    )


def tasks(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager and task that did anything, over the whole range."""
    return reader.frame(
        f"""
        select
            system_id || '/' || queue_manager as queue_manager,
            if(task_type in ('ssl', 'dns'), upper(task_type), task_type) as task_type,
            task_index,
            cast(sum(requests) as bigint) as requests,
            100 * sum(elapsed_seconds) / nullif(sum(interval_seconds), 0) as busy_percent,
            max(busy_percent) as max_busy_percent,
            100 * sum(cpu_seconds) / nullif(sum(interval_seconds), 0) as cpu_percent,
            1e6 * sum(cpu_seconds) / nullif(sum(requests), 0) as cpu_us_per_request,
            1e6 * sum(elapsed_seconds) / nullif(sum(requests), 0) as elapsed_us_per_request,
            max(channels) as most_channels
        from marts.fct_channel_initiator_task_interval as marts_task
        where {scope.where()}
        group by 1, 2, 3
        having sum(requests) > 0
        order by
            queue_manager,
            min(list_position(['dispatcher', 'adapter', 'ssl', 'dns'], marts_task.task_type)),
            task_index
        """,
        scope.parameters,
    )


def channels(reader: Reader, scope: Scope, most: int) -> pl.DataFrame:
    """Return one row per queue manager, step and channel, for the `most` busiest by bytes."""
    return utc(
        reader.frame(
            f"""
            with kept as (
                select *, system_id || '/' || queue_manager as owner
                from {_CHANNELS}
                where {scope.where("collected_at_utc")}
            ),

            ranked as (
                select owner, channel_name
                from kept
                group by owner, channel_name
                qualify row_number() over (
                    order by
                        sum(coalesce(bytes_sent, 0) + coalesce(bytes_received, 0)) desc,
                        owner, channel_name
                ) <= {int(most)}
            )

            select
                owner as queue_manager,
                {step(reader, scope, _CHANNELS, "collected_at_utc")} as collected,
                min(coalesce(interval_start_utc, collected_at_utc)) as "start",
                max(collected_at_utc) as "end",
                channel_name,
                (sum(bytes_sent) + sum(bytes_received)) / 1048576
                    / nullif(epoch(max(collected_at_utc) - min(interval_start_utc)), 0)
                    as mb_per_second,
                sum(messages) / nullif(sum(batches), 0) as achieved_batch_size,
                sum(nettime_average_us * batches)
                    / nullif(sum(batches) filter (where nettime_average_us is not null), 0)
                    as nettime_average_us,
                max(nettime_max_us) as nettime_max_us,
                sum(compression_percent * bytes)
                    / nullif(sum(bytes) filter (where compression_percent is not null), 0)
                    as compression_percent
            from kept
            semi join ranked using (owner, channel_name)
            group by owner, collected, channel_name
            order by owner, collected, channel_name
            """,
            scope.parameters,
        )
    )


def channel_totals(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager and channel name, over the whole range."""
    return reader.frame(
        f"""
        select
            system_id || '/' || queue_manager as queue_manager,
            channel_name,
            any_value(channel_type) as channel_type,
            count(distinct connection_name) as partners,
            cast(sum(messages) as bigint) as messages,
            (sum(bytes_sent) + sum(bytes_received)) / 1048576 as data_mb,
            cast(sum(batches) as bigint) as batches,
            sum(messages) / nullif(sum(batches), 0) as achieved_batch_size,
            max(batch_size) as batch_size,
            100 * sum(full_batches) / nullif(sum(batches), 0) as full_batch_percent,
            sum(compression_percent * bytes)
                / nullif(sum(bytes) filter (where compression_percent is not null), 0)
                as compression_percent,
            sum(nettime_average_us * batches)
                / nullif(sum(batches) filter (where nettime_average_us is not null), 0)
                as nettime_average_us,
            max(nettime_max_us) as nettime_max_us,
            cast(sum(put_retries) as bigint) as put_retries
        from {_CHANNELS}
        where {scope.where("collected_at_utc")}
        group by 1, 2
        order by data_mb desc nulls last, queue_manager, channel_name
        """,
        scope.parameters,
    )
