"""What zIIPs would take off the CPs: the work of each hour, and the zIIPs there are."""

from __future__ import annotations

import polars as pl

from app.results.queries.usage import Choice, hours_covered
from app.results.reader import Reader

__all__ = ["hourly_work", "ziips_online"]


def hourly_work(reader: Reader, choice: Choice, *, daily: bool) -> pl.DataFrame:
    """Return one row per hour: on_cps, eligible, on_ziips (s at CP speed), msu_hours, money, hours.

    start, end: of the step of the page (UTC), hour or day; msu_hours, money: of the time on CPs, in
    the site's own prices; hours: how much of the hour records cover. Hours of which some time is
    not known are left out.
    """
    return reader.frame(
        f"""
        select
            {choice.step(daily=daily)} as "start",
            {choice.step(daily=daily, later=1)} as "end",
            work.* exclude (hour_utc),
            hours
        from (
            select
                date_trunc('hour', hour_utc) as hour_utc,
                sum(general_purpose_seconds) as on_cps,
                sum(eligible_seconds) as eligible,
                sum(eligible_seconds - ziip_on_cp_seconds) as on_ziips,
                sum(general_purpose_seconds * msu_hours_per_cp_second) as msu_hours,
                sum(general_purpose_seconds * money_per_cp_second) as money
            from {choice.rows}
            group by 1
            having count(general_purpose_seconds + eligible_seconds + ziip_on_cp_seconds) = count(*)
        ) as work
        inner join ({hours_covered(choice)}) using (hour_utc)
        order by hour_utc
        """,
        choice.parameters,
    )


def ziips_online(reader: Reader, origin: str, system: str) -> tuple[float, float]:
    """Return how many zIIPs a system has online, and their speed over a CP, of the latest day.

    0 and 1 if that is not known.
    """
    return reader.frame(
        """
        select
            cast(coalesce(max(ziips_online), 0) as double),
            coalesce(median(ziip_factor) filter (ziip_factor > 0), 1)
        from marts.fct_ziip_interval
        where
            origin = $1 and ($2 = '' or system_id = $2)
            and interval_start_utc
            > (select max(interval_start_utc) from marts.fct_ziip_interval where origin = $1)
            - interval 24 hour
        """,
        (origin, system),
    ).row(0)
