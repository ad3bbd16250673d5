"""How far the local time of systems is from UTC, and capacity by the days of either."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from app.results.reader import Reader

__all__ = ["capacity_days", "local_offset", "minutes"]


def local_offset(
    reader: Reader, origin: str, systems: Sequence[str], start: datetime, end: datetime
) -> timedelta | str:
    """Return local time minus UTC of systems (none: of all) from `start` to `end`, UTC.

    If there is no such number, return why not, as part of a sentence.
    """
    found = reader.frame(
        """
        select
            system_id, min(utc_offset_minutes) as least, max(utc_offset_minutes) as most
        from marts.fct_usage_hour
        where
            origin = $1 and (len($2) = 0 or list_contains($2, system_id))
            and hour_utc > $3 - interval 1 hour and hour_utc < $4 and system_id <> ''
        group by system_id
        order by system_id
        """,
        (origin, tuple(systems), start, end),
    )
    known = dict(zip(found["system_id"], found["least"], strict=True))
    missing = [name for name in systems or known if known.get(name) is None]
    if missing or not known:
        of = " and ".join(missing[:2]) or "these systems"
        return f"the records of this time do not say what the local time of {of} is"
    changed = found.filter(found["least"] != found["most"])["system_id"].to_list()
    if changed:
        return f"the local time of {changed[0]} changed against UTC in this time"
    if len(set(known.values())) > 1:
        return "these systems have different local times"
    return timedelta(minutes=float(next(iter(known.values()))))


def minutes(offset: timedelta) -> str:
    """SQL: an offset as an interval."""
    return f"interval ({offset / timedelta(minutes=1):.0f}) minute"


def capacity_days(offset: timedelta = timedelta()) -> str:
    """SQL: what each system used and was allowed, by the days of a clock that far from UTC.

    As marts.fct_lpar_capacity_day has it by local days: intervals belong to the hour in which they
    start, give or take half a minute, and the peak is the first of the highest hours.
    """
    shift = minutes(offset)
    return f"""(
        with by_hour as (
            select
                origin, sysplex, system_id,
                date_trunc('hour', interval_start_utc + {shift} + interval 30 second) as hour,
                min(date_trunc('hour', interval_start_utc + interval 30 second)) as hour_utc,
                max(partition_name) as partition_name, sum(interval_seconds) as seconds,
                {_weighted("long_term_average_msu")}, {_weighted("four_hour_average_msu")},
                {_weighted("consumed_msu")},
                sum(consumed_msu * interval_seconds) as consumed,
                sum(interval_seconds) filter (where consumed_msu is not null) as consuming,
                max(coalesce(long_term_average_msu, four_hour_average_msu)) as highest_average,
                min(defined_capacity_msu) as defined_capacity,
                sum(interval_seconds * soft_capped_percent) / 360000 as capped_hours,
                max(latent_demand_msu) as latent_demand
            from marts.fct_lpar_capacity_interval
            where interval_start_utc is not null
            group by all
        )

        select
            origin, sysplex, system_id, cast(hour as date) as day,
            cast(day as timestamp) - {shift} as interval_start_utc,
            cast(day as timestamp) - {shift} + interval 1 day as interval_end_utc,
            86400.0 as interval_seconds,
            max_by(partition_name, hour) as partition_name,
            sum(seconds) / 3600 as hours_covered,
            max(highest_average) as highest_average_msu,
            min_by(hour_utc, (-average, hour)) filter (where average is not null) as peak_hour_utc,
            sum(consumed) / nullif(sum(consuming), 0) as consumed_msu,
            max(hour_consumed_msu) as busiest_hour_consumed_msu,
            min(defined_capacity) as lowest_defined_capacity_msu,
            sum(capped_hours) as soft_capped_hours,
            max(latent_demand) as highest_latent_demand_msu
        from (
            select
                *,
                coalesce(hour_long_term_average_msu, hour_four_hour_average_msu) as average
            from by_hour
        )
        group by all
    )"""


def _weighted(column: str) -> str:
    """SQL: the mean of a column over an hour; rounded, so that equal hours are equal."""
    known = f"filter (where {column} is not null)"
    return (
        f"round(sum({column} * interval_seconds) / "
        f"nullif(sum(interval_seconds) {known}, 0), 6) as hour_{column}"
    )
