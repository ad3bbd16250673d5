"""What is loaded of the time of a system, and the hours over which a run could be declared."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from app.results.reader import Reader

__all__ = ["Hour", "Recorded", "has_runs", "recorded"]


class Hour(NamedTuple):
    """An hour whose records are loaded; messages: that MQ got in it, 0 if that is not known."""

    start: datetime
    messages: int


class Recorded(NamedTuple):
    """The records of one origin: systems, first and last hour, and its busiest whole hours.

    hours: of the last day, the busiest first, at most two.
    """

    origin: str
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
            from marts.fct_usage_hour
            where subject in ('lpar', 'queue manager') and rolled_intervals < intervals
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
            select origin, hour_utc, sum(gets) as messages
            from marts.fct_usage_hour
            where subject = 'queue manager'
            group by all
        )

        select
            own.origin, own.systems, own.first, own.last, own.hour_utc,
            cast(coalesce(got.messages, 0) as bigint) as messages
        from own
        left join got using (origin, hour_utc)
        where own.hour_utc > own.last - interval 24 hour
        qualify is_whole = bool_or(is_whole) over ()
        order by len(own.systems) desc, busy desc nulls last, own.hour_utc desc
        limit 2
        """
    ).rows(named=True)
    if not rows:
        return None
    best = rows[0]
    hours = tuple(Hour(row["hour_utc"], row["messages"]) for row in rows)
    return Recorded(best["origin"], tuple(best["systems"]), best["first"], best["last"], hours)
