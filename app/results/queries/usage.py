"""Who used what, by hour or day, with or without benchmark runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from app.results.queries.clock import UTC, Offsets, local_of, utc_of
from app.results.queries.scope import spans, utc
from app.results.queries.usage_subjects import MANAGER, SUBJECTS, Measure
from app.results.reader import Reader

__all__ = [
    "Choice",
    "by_step",
    "currency",
    "measures_of",
    "offered",
    "over_time",
    "subjects",
    "time_of",
    "totals",
]

_MOST_ROWS = 5000
_EVER = (datetime(1970, 1, 1), datetime(2200, 1, 1))


@dataclass(frozen=True)
class Choice:
    """What is asked for: rows of an origin, a subject, a system ("" for all), and a time.

    by: the column to stack by; chosen: values of the subject's filter (none: all); currency: of the
    site's prices, "" without any; offsets: how far the clock of the page is from UTC.
    """

    origin: str
    subject: str
    system: str
    by: str = "name"
    chosen: tuple[str, ...] = ()
    start: datetime = _EVER[0]
    end: datetime = _EVER[1]
    currency: str = ""
    offsets: Offsets = UTC

    def step(self, *, daily: bool, later: int = 0) -> str:
        """SQL: the start, UTC, of the hour of a row, or of its day by the clock of the page.

        `later`: of the hour or day that is so many later; days of a clock have 23 to 25 hours.
        """
        if not daily:
            return f"cast(date_trunc('hour', hour_utc) as timestamp) + interval {later} hour"
        day = f"date_trunc('day', {local_of('hour_utc', self.offsets)})"
        return utc_of(f"(cast({day} as timestamp) + interval {later} day)", self.offsets)

    @property
    def of_records(self) -> bool:
        """Whether the answer needs the records, which may be removed one day."""
        subject = SUBJECTS[self.subject]
        return subject.from_records or self._source != subject.source

    @property
    def _source(self) -> str:
        subject = SUBJECTS[self.subject]
        needed = {self.by} | ({subject.only[1]} if self.chosen else set())
        return subject.records if needed & set(subject.in_records) else subject.source

    @property
    def rows(self) -> str:
        """SQL of the rows that are asked for and their series_name, with five placeholders."""
        only = SUBJECTS[self.subject].only[1]
        return f"""(
            select *, {self._name} as series_name from {self._source}
            where
                origin = $1 and hour_utc >= $2 and hour_utc < $3
                and ($4 = '' or system_id = $4)
                and {f"list_contains($5, {only})" if self.chosen else "$5 is not null"}
        )"""

    @property
    def parameters(self) -> tuple[object, ...]:
        """The values of the placeholders in `rows`."""
        return (self.origin, self.start, self.end, self.system, self.chosen or ("",))

    @property
    def _name(self) -> str:
        """SQL of the name of a row: with its system or queue manager, unless there is just one."""
        if self.by != "name":
            return f"coalesce({self.by}, '')"
        owner = "manager" if SUBJECTS[self.subject].only[1] == "manager" else "system"
        name = f"concat_ws(' on ', name, nullif({owner}, ''))"
        if self.system or self.subject == "LPAR":  # two sysplexes may have a system of one name
            return f"if(count(distinct {owner}) over (partition by name) > 1, {name}, name)"
        return name


def measures_of(choice: Choice) -> tuple[Measure, ...]:
    """Return the measures of a subject; those of money, in its currency, if there are prices."""
    return tuple(
        measure._replace(unit=measure.unit.replace("price", choice.currency, 1))
        if measure.of_money
        else measure
        for measure in SUBJECTS[choice.subject].measures
        if (choice.currency or not measure.of_money)
    )


def subjects(reader: Reader) -> pl.DataFrame:
    """Return one row per origin, subject and system that has rows."""
    return reader.frame(
        """
        select distinct
            origin, if(subject = 'lpar', 'LPAR', subject) as subject, system_id
        from marts.fct_usage_hour
        union all
        select distinct origin, 'report class', system_id from marts.fct_report_class_interval
        where interval_start_utc is not null
        union all
        select distinct origin, 'application', system_id from marts.fct_task_accounting
        where recorded_at_utc is not null
        union all
        select distinct origin, 'queue', system_id from marts.fct_queue_accounting
        where recorded_at_utc is not null
        union all
        select distinct origin, 'file transfer', '' from marts.fct_transfer
        order by all
        """
    )


def time_of(reader: Reader, choice: Choice) -> tuple[datetime, datetime, datetime]:
    """Return start and end of a subject's hours, and where they are to be shown from at first.

    That is after the last gap of half a day, but at most a month before the end; a week if the
    records are read. The choice's time is ignored.
    """
    subject = SUBJECTS[choice.subject]
    where = "origin = $1 and ($2 = '' or system_id = $2)"
    if subject.from_records:
        sql = f"""
            select
                date_trunc('hour', min({subject.moment})) as first,
                date_trunc('hour', max({subject.moment})) + interval 1 hour as last,
                greatest(first, last - interval 7 day)
            from {subject.listed[0]}
            where {where}
        """
        return reader.frame(sql, (choice.origin, choice.system)).row(0)
    name = choice.subject.lower()
    seen = f"""(
        select distinct origin, hour_utc as s, hour_utc + interval 1 hour as e
        from marts.fct_usage_hour
        where {where} and subject = $3
    )"""
    sql = f"""
        select "start", "end", greatest(latest, "end" - interval 31 day)
        from ({spans(seen, "origin")})
    """
    return reader.frame(sql, (choice.origin, choice.system, name)).row(0)


def currency(reader: Reader, origin: str) -> str:
    """Return the currency of the site's own prices, "" if it gives none for this time."""
    code: str | None = reader.frame(
        "select max(currency) from marts.fct_usage_hour where origin = ?", (origin,)
    ).item()
    return code or ""


def offered(reader: Reader, choice: Choice) -> list[str]:
    """Return the values of the subject's filter."""
    subject = SUBJECTS[choice.subject]
    mart, sql = subject.listed
    where = "true"
    if not mart:
        mart, where = "marts.fct_usage_hour", f"subject = '{choice.subject.lower()}'"
        sql = MANAGER if subject.only[1] == "manager" else subject.only[1]
    return reader.frame(
        f"""
        select distinct {sql} as value
        from {mart}
        where origin = $1 and ($2 = '' or system_id = $2) and {where} and value <> ''
        order by value
        """,
        (choice.origin, choice.system),
    ).to_series().to_list()  # fmt: skip


def _figure(measure: Measure) -> str:
    """SQL of a measure over some rows: null if it is not known of one of them."""
    if measure.per:
        condition = f"filter ({measure.sql} is not null and {measure.per} is not null)"
        return f"sum({measure.sql}) {condition} / nullif(sum({measure.per}) {condition}, 0)"
    return f"if(count({measure.sql}) = count(*), sum({measure.sql}), null)"


def _known(measure: Measure) -> str:
    """SQL: the seconds of a row for which an amount is known."""
    return measure.known or f"if(({measure.sql}) is null, 0, interval_seconds)"


def _figures(choice: Choice) -> str:
    return ", ".join(
        f"cast({_figure(measure)} as double) as m{index}"
        for index, measure in enumerate(measures_of(choice))
    )


def over_time(reader: Reader, choice: Choice, *, daily: bool, most: int) -> pl.DataFrame:
    """Return each measure per step and name: start, end, series, m0, m1 and so on.

    The series are the `most` names with the largest amounts of the first measure that has any, and
    "others". A step with an amount that is not known has none.
    """
    amounts = [m for m in measures_of(choice) if not m.per]
    ranking = ", ".join(f"coalesce(sum({m.sql}), 0) desc" for m in amounts)
    return utc(
        reader.frame(
            f"""
            with used as (from {choice.rows}),

            largest as (
                select series_name, row_number() over (order by {ranking}, series_name) as place
                from used
                group by series_name
                qualify place <= {int(most)}
            )

            select
                {choice.step(daily=daily)} as "start",
                {choice.step(daily=daily, later=1)} as "end",
                coalesce(largest.series_name, 'others') as series,
                min(coalesce(largest.place, {int(most) + 1})) as place,
                {_figures(choice)}
            from used
            left join largest using (series_name)
            group by 1, 2, 3
            order by "start", place
            """,
            choice.parameters,
        )
    )


def by_step(reader: Reader, choice: Choice, *, daily: bool) -> pl.DataFrame:
    """Return one row per step and name with each measure, the latest first."""
    return reader.frame(
        f"""
        select
            {choice.step(daily=daily)} as step,
            series_name as name,
            count(distinct date_trunc('hour', hour_utc)) as hours,
            {_figures(choice)}
        from {choice.rows}
        group by 1, 2
        order by step desc, m0 desc nulls last, name
        limit {_MOST_ROWS}
        """,
        choice.parameters,
    )


def totals(reader: Reader, choice: Choice) -> pl.DataFrame:
    """Return one row: the hours that records cover, and each measure of the whole time.

    An amount is that of what is known; k0, k1 and so on: of which part of the time that is.
    """
    figures = ", ".join(
        _figure(m) + f" as m{index}" if m.per else
        f"sum({m.sql}) as m{index}, sum({_known(m)}) / nullif("
        f"sum(interval_seconds), 0) as k{index}"
        for index, m in enumerate(measures_of(choice))
    )  # fmt: skip
    return reader.frame(
        f"""
        select covered.*, figures.*
        from (select {figures} from {choice.rows}) as figures, (
            select coalesce(sum(hours), 0) as hours from ({_hours_covered(choice)})
        ) as covered
        """,
        choice.parameters,
    )


def _hours_covered(choice: Choice) -> str:
    """SQL: each hour with rows, and how much of it intervals of a system cover; 1 if unknown."""
    return f"""
        select hour_utc, coalesce(max(least(seconds / 3600, 1)), 1) as hours
        from (
            select date_trunc('hour', hour_utc) as hour_utc, sum(interval_seconds) as seconds
            from {choice.rows}
            group by date_trunc('hour', hour_utc), system_id, name
        )
        group by all
    """
