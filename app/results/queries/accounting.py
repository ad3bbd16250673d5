"""Tasks and queues, from SMF 116 class 3 accounting."""

from __future__ import annotations

import polars as pl

from app.results.queries.scope import Scope
from app.results.reader import Reader

__all__ = [
    "CAUSES", "SIZES", "VERBS", "applications", "connections", "cpu_by_verb", "queues", "summary",
    "waits",
]  # fmt: skip

_TASKS = "marts.fct_task_accounting"
_QUEUES = "marts.fct_queue_accounting"
_MOMENT = "recorded_at_utc"

# The causes of a wait: their names in the marts, and on the page.
CAUSES = {
    "log": "log",
    "page_set": "page set",
    "db2": "Db2",
    "cf": "coupling facility",
    "latch": "latch",
    "smds": "SMDS",
    "other": "other",
}
VERBS = (
    "put", "put1", "get", "open", "close", "inq", "set", "cb",
    "commit", "backout", "prepare", "sub", "subrq", "ctl", "stat",
)  # fmt: skip

#: Sizes of messages in class 1 accounting: columns of the mart, and words.
SIZES = {
    "to_99_bytes": "to 99 bytes", "to_999_bytes": "to 999", "to_9999_bytes": "to 9,999",
    "over_9999_bytes": "10,000 and more",
}  # fmt: skip

# A channel goes by its own name: all of its tasks run in the channel initiator.
_APPLICATION = (
    "coalesce(nullif(channel_name, ''), nullif(connection_name, ''), application_type, 'unknown')"
)


def summary(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager: tasks, messages, CPU and elapsed time of the range."""
    return reader.frame(
        f"""
        select
            system_id || '/' || queue_manager as queue_manager,
            max(mq_level) as mq_level,
            count(*) as records,
            count(distinct thread_id) as tasks,
            cast(sum(mqi_calls) as bigint) as mqi_calls,
            cast(sum(messages) as bigint) as messages,
            sum(cpu_seconds) as cpu_seconds,
            1e6 * sum(cpu_seconds) / nullif(sum(messages), 0) as cpu_us_per_message,
            1e6 * sum(elapsed_seconds) / nullif(sum(messages), 0) as elapsed_us_per_message,
            100 * sum(cpu_seconds) / nullif(sum(elapsed_seconds), 0) as cpu_share_percent
        from {_TASKS}
        where {scope.where(_MOMENT)}
        group by 1
        order by 1
        """,
        scope.parameters,
    )


def applications(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager and application, most CPU first; costs in µs/message."""
    waits = ",\n".join(f"sum(wait_{cause}_seconds) as wait_{cause}_seconds" for cause in CAUSES)
    return reader.frame(
        f"""
        select
            system_id || '/' || queue_manager as queue_manager,
            {_APPLICATION} as application,
            any_value(application_type) as application_type,
            count(distinct thread_id) as tasks,
            cast(sum(mqi_calls) as bigint) as mqi_calls,
            cast(sum(messages) as bigint) as messages,
            sum(cpu_seconds) as cpu_seconds,
            sum(elapsed_seconds) as elapsed_seconds,
            1e6 * sum(cpu_seconds) / nullif(sum(messages), 0) as cpu_us_per_message,
            1e6 * sum(elapsed_seconds) / nullif(sum(messages), 0) as elapsed_us_per_message,
            1e6 * sum(cpu_seconds) / nullif(sum(mqi_calls), 0) as cpu_us_per_call,
            {waits}
        from {_TASKS}
        where {scope.where(_MOMENT)}
        group by 1, 2
        order by cpu_seconds desc, 1, 2
        """,
        scope.parameters,
    )


def waits(applied: pl.DataFrame) -> pl.DataFrame:
    """Turn `applications` into one row per application and cause of wait, in seconds."""
    return applied.unpivot(
        on=[f"wait_{cause}_seconds" for cause in CAUSES],
        index=["queue_manager", "application", "messages", "cpu_seconds"],
        variable_name="cause",
        value_name="seconds",
    ).with_columns(
        pl.col("cause").replace_strict(
            {f"wait_{cause}_seconds": name for cause, name in CAUSES.items()},
            return_dtype=pl.String,
        )
    )


def cpu_by_verb(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager and verb called: calls, CPU and elapsed µs per call."""
    verbs = "\nunion all by name\n".join(
        f"""
        select
            system_id || '/' || queue_manager as queue_manager,
            '{verb}' as verb,
            cast(sum({verb}_count) as bigint) as calls,
            sum({verb}_cpu_seconds) as cpu_seconds,
            sum({verb}_elapsed_seconds) as elapsed_seconds,
            1e6 * sum({verb}_cpu_seconds) / sum({verb}_count) as cpu_us,
            1e6 * sum({verb}_elapsed_seconds) / sum({verb}_count) as elapsed_us
        from kept
        group by 1
        having sum({verb}_count) > 0
        """
        for verb in VERBS
    )
    return reader.frame(
        f"""
        with kept as (select * from {_TASKS} where {scope.where(_MOMENT)})
        {verbs}
        order by queue_manager, cpu_seconds desc
        """,
        scope.parameters,
    )


def queues(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager and queue, most CPU first."""
    return reader.frame(
        f"""
        select
            system_id || '/' || queue_manager as queue_manager,
            queue_name,
            count(distinct thread_id) as tasks,
            cast(sum(messages_put) as bigint) as messages_put,
            cast(sum(messages_got) as bigint) as messages_got,
            sum(put_bytes) / nullif(sum(messages_put), 0) as average_put_bytes,
            sum(cpu_seconds) as cpu_seconds,
            1e6 * sum(cpu_seconds) / nullif(sum(messages), 0) as cpu_us_per_message,
            1e6 * sum(elapsed_seconds) / nullif(sum(messages), 0) as elapsed_us_per_message,
            sum(average_time_on_queue_us * messages_got)
                / nullif(
                    sum(messages_got) filter (where average_time_on_queue_us is not null), 0
                ) as average_time_on_queue_us,
            max(max_depth) as max_depth,
            cast(sum(messages_skipped) as bigint) as messages_skipped
        from {_QUEUES}
        where {scope.where(_MOMENT)}
        group by 1, 2
        order by cpu_seconds desc nulls last, 1, 2
        """,
        scope.parameters,
    )


def connections(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return one row per queue manager, connection and user of class 1 accounting, most CPU first.

    A CPU time that is not known in any record is null; cpu_issue says why.
    """
    sums = ", ".join(
        f"cast(sum({verb}_{size}) as bigint) as {verb}_{size}"
        for verb in ("puts", "gets")
        for size in SIZES
    )
    return reader.frame(
        f"""
        select
            system_id || '/' || queue_manager as queue_manager,
            connection_name,
            application_type,
            authorization_id,
            count(*) as records,
            cast(sum(messages) as bigint) as messages,
            {sums},
            cast(sum(commits) as bigint) as commits,
            cast(sum(backouts) as bigint) as backouts,
            sum(cpu_seconds) as cpu_seconds,
            sum(task_cpu_seconds) as task_cpu_seconds,
            1e6 * sum(cpu_seconds)
            / nullif(sum(messages) filter (where cpu_seconds is not null), 0) as cpu_us_per_message,
            max(cpu_issue) as cpu_issue
        from marts.fct_task_message_manager
        where {scope.where(_MOMENT)}
        group by 1, 2, 3, 4
        order by cpu_seconds desc nulls last, 1, 2
        """,
        scope.parameters,
    )
