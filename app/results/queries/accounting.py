"""Tasks and queues, from SMF 116 class 3 accounting."""

from __future__ import annotations

from datetime import timedelta

import polars as pl

from app.results.queries import scope as scoping
from app.results.queries.scope import Scope, stepped
from app.results.queries.systems import Panel, Section, elsewhere
from app.results.reader import Reader

__all__ = [
    "APPLICATION", "CAUSES", "SIZES", "VERBS", "applications", "connections", "cpu_by_verb",
    "over_time", "queues", "step", "summary", "waits", "with_tasks",
]  # fmt: skip

_TASKS = "marts.fct_task_accounting"
_QUEUES = "marts.fct_queue_accounting"
_MOMENT = "recorded_at_utc"
_SHIFT = timedelta(minutes=30)  # clocks change by this, or a multiple of it

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

#: SQL: how a page calls an application. A channel goes by its own name: all of its tasks run in the
#: channel initiator.
APPLICATION = (
    "coalesce(nullif(channel_name, ''), nullif(connection_name, ''), application_type, 'unknown')"
)


def step(scope: Scope) -> timedelta:
    """Return the width of the steps of charts over time, which tasks do not have in common."""
    width = scope.bucket(scoping.MOST_POINTS + 1) or timedelta(minutes=1)
    # Wider ones begin at another time after the clock changed; charts merge these into them.
    return min(width, _SHIFT) if len(scope.offsets) > 1 else width


def over_time(scope: Scope) -> Section:
    """Declare the charts over time: what tasks did and cost, a record evenly over its interval."""
    of_tasks = _in_steps(scope)

    def panel(title: str, unit: str, value: str, **options: object) -> Panel:
        return Panel(
            title, unit, of_tasks, value, series=APPLICATION, rank="sum(cpu_seconds * part)",
            ranked="CPU time", **options,  # type: ignore[arg-type]
        )  # fmt: skip

    def per_message(title: str, unit: str, seconds: str) -> Panel:
        return panel(
            title, unit, f"1e6 * {seconds} * part / messages * part",
            empty="No messages in this time range.",
        )  # fmt: skip

    return Section(
        "Over time",
        "Each record counts evenly over its interval.",
        panels=(
            panel("Messages", "messages/s", "messages * part / s",
                  help="Put or got."),
            panel("CPU time", "CPU ms/s", "1e3 * cpu_seconds * part / s",
                  help="In MQI calls."),
            per_message("CPU per message over time", "CPU µs per message", "cpu_seconds"),
            per_message("Elapsed time per message over time", "µs per message", "elapsed_seconds"),
            Panel(
                "Waits", "ms/s", of_tasks,
                {
                    name: f"1e3 * wait_{cause}_seconds * part / s"
                    for cause, name in CAUSES.items()
                },
                named=True, help="All applications.",
            ),
            panel("Tasks", "tasks", "seconds / s",
                  help="How many there were at a time."),
        ),
    )  # fmt: skip


def _in_steps(scope: Scope) -> str:
    """SQL: the tasks' records in each step of time that they overlap.

    part: how much of the record's interval is in the step; seconds: how long that is. A record
    without an interval is a moment.
    """
    width = f"interval {step(scope).total_seconds():.0f} second"
    return f"""(
        with task as (
            select
                *, coalesce(interval_end_utc, recorded_at_utc) as until,
                least(coalesce(interval_start_utc, until), until) as since
            from {_TASKS}
            where origin = $1 and list_contains($2, {scope.owner})
        ),

        stepped as (
            select
                *,
                unnest(generate_series(
                    {stepped(scope, step(scope), "greatest(since, $3)")}, least(until, $4), {width}
                )) as step
            from task
            where since < $4 and until >= $3
        ),

        timed as (
            select
                * replace (
                    greatest(step, $3) as interval_start_utc,
                    least(step + {width}, $4) as interval_end_utc
                ),
                epoch(least(until, step + {width}, $4) - greatest(since, step, $3)) as seconds
            from stepped
        )

        select
            * replace (epoch(interval_end_utc - interval_start_utc) as interval_seconds),
            if(since = until, 1, seconds / epoch(until - since)) as part
        from timed
        where seconds > 0 or since = until
    )"""


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
            {APPLICATION} as application,
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


def with_tasks(reader: Reader, scope: Scope) -> pl.DataFrame:
    """Return the queue managers that have class 3 accounting, as `elsewhere` does."""
    return elsewhere(reader, scope, [_TASKS], _MOMENT)


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
