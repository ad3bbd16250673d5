"""What is loaded of the time of a system, and the hours over which a run could be declared."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from app.results.reader import Reader

__all__ = ["Hour", "Recorded", "has_runs", "recorded"]


class Hour(NamedTuple):
    """What is loaded of an hour, UTC; messages: that MQ got in it, 0 if that is not known."""

    start: datetime
    stop: datetime
    messages: int


class Recorded(NamedTuple):
    """The records of one origin: systems, first and last hour, and its busiest whole hours.

    hours: of the last day, the busiest first, at most two. has_cpu: whether CPU activity (SMF 70)
    is among the records.
    """

    origin: str
    has_cpu: bool
    systems: tuple[str, ...]
    first: datetime
    last: datetime
    hours: tuple[Hour, ...]


def has_runs(reader: Reader) -> bool:
    """Return whether any benchmark run is loaded."""
    return bool(reader.frame("select exists (from marts.fct_run)").item())


def recorded(reader: Reader) -> Recorded | None:
    """Return the newest records over which a run can be declared, measured ones first.

    None if neither CPU activity (SMF 70) nor queue manager statistics (SMF 115) are loaded.
    """
    rows = reader.frame(
        """
        with hours as (
            select
                origin, hour_utc, subject = 'lpar' as has_cpu,
                list_sort(list(distinct system_id)) as systems,
                sum(general_purpose_seconds) as busy,
                bool_and(interval_seconds between 3590 and 3610) as is_whole
            from (
                -- a clock of half hours has two rows for each
                select
                    origin, date_trunc('hour', hour_utc) as hour_utc, subject, sysplex, system_id,
                    queue_manager, sum(interval_seconds) as interval_seconds,
                    sum(general_purpose_seconds) as general_purpose_seconds
                from marts.fct_usage_hour
                where subject in ('lpar', 'queue manager') and rolled_intervals < intervals
                group by all
            )
            group by all
        ),

        chosen as (
            select origin, has_cpu
            from hours
            group by origin, has_cpu
            order by origin <> 'measured', not has_cpu
            limit 1
        ),

        own as (
            select *, min(hour_utc) over () as first, max(hour_utc) over () as last
            from hours
            semi join chosen using (origin, has_cpu)
        ),

        got as (
            select origin, date_trunc('hour', hour_utc) as hour_utc, sum(gets) as messages
            from marts.fct_usage_hour
            where subject = 'queue manager'
            group by all
        ),

        best as (
            select
                own.*, cast(coalesce(got.messages, 0) as bigint) as messages,
                len(own.systems) as size
            from own
            left join got using (origin, hour_utc)
            where own.hour_utc > own.last - interval 24 hour
            qualify is_whole = bool_or(is_whole) over ()
            order by size desc, busy desc nulls last, own.hour_utc desc
            limit 2
        ),

        intervals as (
            select origin, true as has_cpu, interval_start_utc, interval_end_utc
            from marts.fct_processor_interval
            union all
            select origin, false as has_cpu, interval_start_utc, interval_end_utc
            from marts.fct_queue_manager_interval
        )

        select
            best.*,
            date_trunc('second', min(greatest(hour_utc, interval_start_utc))) as start_utc,
            date_trunc('second', max(least(hour_utc + interval 1 hour, interval_end_utc)))
                as stop_utc
        from best
        left join intervals
            on
                best.origin = intervals.origin
                and best.has_cpu = intervals.has_cpu
                and interval_start_utc < hour_utc + interval 59 minute
                and interval_end_utc > hour_utc + interval 1 minute
        group by all
        order by size desc, busy desc nulls last, hour_utc desc
        """
    ).rows(named=True)
    if not rows:
        return None
    best = rows[0]
    hours = tuple(Hour(row["start_utc"], row["stop_utc"], row["messages"]) for row in rows)
    return Recorded(
        best["origin"],
        best["has_cpu"],
        tuple(best["systems"]),
        best["first"],
        best["last"],
        hours,
    )
