"""Figures of RMF's printed reports, beside those of the records of the same interval."""

from __future__ import annotations

from datetime import datetime

import polars as pl

from app.results.queries.scope import spans, utc
from app.results.reader import Reader

__all__ = ["MOST_ROWS", "compared", "figures", "kinds", "over_time", "subjects", "time_of"]

MOST_ROWS = 5000
_MART = "marts.fct_rmf_report_figure"
_DAY = "marts.fct_rmf_report_day"
_SYSTEM = "coalesce(system_id, sysplex, '')"
_WHERE = f"origin = $1 and {_SYSTEM} = $2 and subject_kind = $3"
# Reports print local times. If no record of an interval is loaded, nothing says how far it is from
# UTC, and it stays local.
_TIMED = f"""(
    select
        * replace (coalesce(interval_start_utc, interval_start_local) as interval_start_utc),
        interval_start_utc is null as is_local
    from {_MART}
    where {_WHERE}
)"""


def kinds(reader: Reader) -> pl.DataFrame:
    """Return origin, system and kind of all figures, and how many of them differ."""
    return (
        _by_figure(reader)
        .group_by("origin", "system", "kind", maintain_order=True)
        .agg(pl.col("figures", "compared", "differ").sum())
    )


def figures(reader: Reader, origin: str, system: str, kind: str) -> pl.DataFrame:
    """Return the figures of a kind with their unit."""
    of = {"origin": origin, "system": system, "kind": kind}
    return _by_figure(reader).filter(**of).select("figure", "unit")


def _by_figure(reader: Reader) -> pl.DataFrame:
    """Count all figures by their name."""
    return reader.frame(
        f"""
        select
            origin, {_SYSTEM} as system, subject_kind as kind, figure, any_value(unit) as unit,
            sum(figures)::bigint as figures, sum(figures_compared)::bigint as compared,
            sum(figures_different)::bigint as differ
        from {_DAY}
        group by all
        order by origin, system, kind, figure
        """
    )


def subjects(reader: Reader, origin: str, system: str, kind: str, figure: str) -> list[str]:
    """Return what a figure is of: volumes, partitions and so on, those with most of it first."""
    return reader.frame(
        f"""
        select subject
        from {_DAY} where {_WHERE} and figure = $4
        group by subject order by sum(printed_total) desc nulls last, subject
        """,
        (origin, system, kind, figure),
    ).to_series().to_list()  # fmt: skip


def time_of(
    reader: Reader, origin: str, system: str, kind: str
) -> tuple[datetime, datetime, datetime]:
    """Return start and end of the intervals, and start of the last stretch, at most a week."""
    of_days = f"""(
        select min(first_interval_start) as "start", max(last_interval_end) as "end"
        from {_DAY} where {_WHERE}
    )"""
    seen = f"""(
        select distinct
            origin, interval_start_utc as s,
            interval_start_utc + to_seconds(coalesce(interval_seconds, 0)) as e
        from {_TIMED}
        where interval_start_utc >= (select "end" - interval 7 day from {of_days})
    )"""
    return reader.frame(
        f'select days."start", days."end", latest from {of_days} as days, '
        f'(select latest from ({spans(seen, "origin")}))', (origin, system, kind)
    ).row(0)  # fmt: skip


def compared(
    reader: Reader, origin: str, system: str, kind: str, figure: str, subject: str,
    start: datetime, end: datetime, *, only_differing: bool,
) -> pl.DataFrame:  # fmt: skip
    """Return one row per interval and subject ("" for all), the latest first.

    is_local: whether its time is local, as nothing says how far that is from UTC.
    """
    return reader.frame(
        f"""
        select
            interval_start_local, interval_start_utc, interval_seconds, subject, figure, unit,
            printed, recorded, difference, agrees, is_local
        from {_TIMED}
        where
            figure = $4 and ($5 = '' or subject = $5)
            and interval_start_utc >= $6 and interval_start_utc < $7
            and ({not only_differing} or not agrees)
        order by interval_start_utc desc, subject
        limit {MOST_ROWS}
        """,
        (origin, system, kind, figure, subject, start, end),
    )


def over_time(
    reader: Reader, origin: str, system: str, kind: str, figure: str, subject: str,
    start: datetime, end: datetime,
) -> pl.DataFrame:  # fmt: skip
    """Return start, end, series ("printed", "recorded"), value of one subject, a few thousands."""
    return utc(
        reader.frame(
            f"""
            select "start", "end", series, value
            from (
                select
                    interval_start_utc as "start",
                    interval_start_utc + to_seconds(coalesce(interval_seconds, 0)) as "end",
                    printed, recorded
                from {_TIMED}
                where
                    figure = $4 and subject = $5
                    and interval_start_utc >= $6 and interval_start_utc < $7
                order by "start" desc
                limit {MOST_ROWS}
            )
            unpivot (value for series in (printed, recorded))
            order by series, "start"
            """,
            (origin, system, kind, figure, subject, start, end),
        )
    )
