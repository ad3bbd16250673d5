"""Who used what, by hour or day, from the hours that stay when old records are removed."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import polars as pl

from app.results.queries.scope import spans, utc
from app.results.reader import Reader

__all__ = ["SUBJECTS", "Measure", "by_day", "over_time", "subjects", "time_of"]


class Measure(NamedTuple):
    """An amount of marts.fct_usage_hour: how a page calls it, its unit, and its SQL."""

    label: str
    unit: str
    sql: str


_CPU = Measure("CPU time on CPs", "CPU hours", "general_purpose_seconds / 3600")
_ZIIP = Measure("Time on zIIPs", "zIIP hours", "ziip_seconds / 3600")
_ELIGIBLE = Measure("zIIP-eligible time", "CPU hours", "eligible_seconds / 3600")
_ON_CP = Measure("Eligible time on CPs", "CPU hours", "ziip_on_cp_seconds / 3600")
#: What each subject of the mart has, main measures first.
SUBJECTS: dict[str, tuple[Measure, ...]] = {
    "lpar": (_CPU, Measure("Capacity", "MSU hours", "msu_hours"), _ZIIP),
    "service class": (
        _CPU, _ELIGIBLE, _ON_CP, _ZIIP, Measure("Transactions", "transactions", "transactions"),
    ),
    "address space": (_CPU, _ELIGIBLE, _ON_CP, _ZIIP),
    "queue manager": (
        Measure("MQI calls", "calls", "mqi_calls"),
        Measure("Puts", "calls", "puts"),
        Measure("Gets", "calls", "gets"),
        Measure("Log", "GB", "log_bytes_written / 1073741824"),
    ),
    "channel": (
        Measure("Messages", "messages", "messages"),
        Measure("Bytes sent", "GB", "bytes_sent / 1073741824"),
        Measure("Bytes received", "GB", "bytes_received / 1073741824"),
    ),
}  # fmt: skip
_OWNER = "concat_ws('/', nullif(sysplex, ''), system_id, nullif(queue_manager, ''))"
_WHERE = "origin = $1 and subject = $2 and ($3 = '' or system_id = $3)"


def subjects(reader: Reader) -> pl.DataFrame:
    """Return one row per origin, subject and system that has hours."""
    return reader.frame(
        "select distinct origin, subject, system_id from marts.fct_usage_hour order by all"
    )


def time_of(
    reader: Reader, origin: str, subject: str, system: str
) -> tuple[datetime, datetime, datetime]:
    """Return start, end and start of the last stretch of the hours; `system` may be '' for all."""
    seen = f"""(
        select distinct origin, hour_utc as s, hour_utc + interval 1 hour as e
        from marts.fct_usage_hour
        where {_WHERE}
    )"""
    return reader.frame(
        f'select "start", "end", latest from ({spans(seen, "origin")})', (origin, subject, system)
    ).row(0)


def over_time(
    reader: Reader, origin: str, subject: str, system: str, measure: Measure,
    start: datetime, end: datetime, *, daily: bool, most: int,
) -> pl.DataFrame:  # fmt: skip
    """Return the amount per step and name: start, end, series, value; "others" beyond `most`.

    A step with an hour whose amount is not known has none. Names of all systems have that of their
    own.
    """
    step = "day" if daily else "hour"
    name = "name" if system else f"concat_ws(' on ', name, {_OWNER})"
    return utc(
        reader.frame(
            f"""
            with used as (
                select
                    date_trunc('{step}', hour_utc) as "start",
                    {name} as name,
                    {measure.sql} as value
                from marts.fct_usage_hour
                where {_WHERE} and hour_utc >= $4 and hour_utc < $5
            ),

            largest as (
                select name
                from used
                group by name
                having sum(value) > 0
                order by sum(value) desc, name
                limit {most}
            )

            select
                cast("start" as timestamp) as "start",
                cast("start" as timestamp) + interval 1 {step} as "end",
                coalesce(largest.name, 'others') as series,
                if(count(value) = count(*), sum(value), null) as value
            from used
            left join largest using (name)
            group by all
            having value > 0
            order by "start", series
            """,
            (origin, subject, system, start, end),
        )
    )


def by_day(
    reader: Reader, origin: str, subject: str, system: str, start: datetime, end: datetime
) -> pl.DataFrame:
    """Return one row per day and name with the sum of each measure of the subject."""
    measures = ", ".join(
        f"if(count({m.sql}) = count(*), sum({m.sql}), null) as m{i}"
        for i, m in enumerate(SUBJECTS[subject])
    )
    return reader.frame(
        f"""
        select
            cast(hour_utc as date) as day, {_OWNER} as system, name,
            count(distinct hour_utc) as hours, {measures}
        from marts.fct_usage_hour
        where {_WHERE} and hour_utc >= $4 and hour_utc < $5
        group by day, system, name
        order by day desc, m0 desc nulls last, name
        limit 5000
        """,
        (origin, subject, system, start, end),
    )
