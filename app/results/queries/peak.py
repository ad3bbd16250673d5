"""Which system was the fullest, when, and which address space used most of its CPU time then."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from app.results.queries.scope import Scope
from app.results.reader import Reader

__all__ = ["Peak", "peak"]


class Peak(NamedTuple):
    """The interval with the fullest CPs: `busy` percent of those of a system; at: its start, UTC.

    processors: how many it used then.

    job, percent: the address space that used most CPU time then, and its share of all that is
    known of address spaces; None without such records.
    """

    label: str
    at: datetime
    busy: float
    processors: float
    job: str | None
    percent: float | None


def peak(reader: Reader, scope: Scope) -> Peak | None:
    """Return the peak of all systems of the scope's origin in its time; None without records."""
    rows = reader.frame(
        f"""
        with peak as (
            select
                {scope.owner} as label, sysplex, system_id, interval_start_utc as at_utc,
                interval_end_utc as until_utc, max(mvs_busy_percent) as busy,
                sum(busy_seconds) / max(interval_seconds) as used
            from marts.fct_processor_interval
            where
                origin = $1 and interval_start_utc < $3 and interval_end_utc > $2
                and processor_type = 'CP'
            group by all
            order by busy desc nulls last, at_utc, label
            limit 1
        ),

        who as (
            select job_name, sum(cpu_seconds) as seconds
            from marts.fct_address_space_interval as space
            inner join peak
                on space.system_id = peak.system_id
                and space.sysplex is not distinct from peak.sysplex
            where
                origin = $1 and record_subtype in (2, 3, 6)
                and interval_start_utc < until_utc and interval_end_utc > at_utc
            group by job_name
        )

        select
            label, at_utc, busy, used, (select arg_max(job_name, seconds) from who),
            (select 100 * max(seconds) / nullif(sum(seconds), 0) from who)
        from peak
        where busy is not null
        """,
        (scope.origin, scope.start, scope.end),
    )
    return Peak(*rows.row(0)) if rows.height else None
