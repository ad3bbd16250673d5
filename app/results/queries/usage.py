"""Who used what, by hour or day, with or without benchmark runs.

Most subjects are read from the hours that stay when old records are removed. Classes of address
spaces, report classes, applications and queues are only in the records themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import polars as pl

from app.results.queries.scope import spans, utc
from app.results.reader import Reader

__all__ = [
    "SUBJECTS", "Choice", "Measure", "Subject", "application_costs", "by_step", "hourly_work",
    "measures_of", "offered", "over_time", "peaks", "subjects", "time_of", "totals",
    "ziips_online",
]  # fmt: skip

_MOST_ROWS = 5000
_MANAGER = "concat_ws('/', system_id, nullif(queue_manager, ''))"
_EVER = (datetime(1970, 1, 1), datetime(2200, 1, 1))


class Measure(NamedTuple):
    """An amount, or a ratio of two: how a page calls it, its unit, its SQL, and what it means.

    per: SQL of what the sum of `sql` is divided by; "" for an amount. of_money: it is to be
    multiplied by the price of an MSU hour. drawn: whether it has a chart of its own.
    """

    label: str
    unit: str
    sql: str
    per: str = ""
    help: str = ""
    of_money: bool = False
    drawn: bool = True


class Subject(NamedTuple):
    """What usage is shown of.

    source: SQL of its rows; by: what they can be stacked by, and its column; only: label and column
    of its filter; records: the source for columns that only the records have, `in_records`;
    from_records: whether `source` itself needs the records, which may be removed one day; listed:
    the mart, and SQL of the filter's values in it; moment: its column of time, if `from_records`.
    """

    source: str
    measures: tuple[Measure, ...]
    by: dict[str, str]
    only: tuple[str, str]
    records: str = ""
    in_records: tuple[str, ...] = ()
    from_records: bool = False
    listed: tuple[str, str] = ("", "")
    moment: str = ""


# All sources take the parameters of a Choice: hours from $2 to $3 are read.
# MSU hours per second of a CP, by system and hour: it turns CPU time into capacity.
_SPEED = """(
    select
        origin, system_id, hour_utc,
        sum(msu_hours) / nullif(sum(general_purpose_seconds), 0) as msu_per_second
    from marts.fct_usage_hour
    where subject = 'lpar' and hour_utc >= $2 and hour_utc < $3
    group by all
)"""


def _hours(subject: str) -> str:
    """SQL: the hours of a subject, with the speed of a CP."""
    return f"""(
        select
            *,
            concat_ws('/', nullif(sysplex, ''), system_id) as system,
            concat_ws('/', system_id, nullif(queue_manager, '')) as manager
        from marts.fct_usage_hour
        left join {_SPEED} using (origin, system_id, hour_utc)
        where subject = '{subject}' and hour_utc >= $2 and hour_utc < $3
    )"""


def _records(mart: str, moment: str, rounding: str = "interval 0 second") -> str:
    """SQL: the records of a mart with their hour, the system and the speed of a CP."""
    return f"""(
        select
            *,
            concat_ws('/', system_id, {"queue_manager" if "_accounting" in mart else "null"})
                as manager
        from (
            select
                *,
                cast(date_trunc('hour', {moment} + {rounding}) as timestamp) as hour_utc
            from {mart}
            where
                {moment} >= cast($2 as timestamp) - interval 1 hour
                and {moment} < cast($3 as timestamp) + interval 1 hour
        )
        left join {_SPEED} using (origin, system_id, hour_utc)
    )"""


def _intervals(mart: str, name: str, *columns: str) -> str:
    """SQL: the intervals of SMF 30 or 72 as rows of a subject."""
    return f"""(
        select
            origin, hour_utc, system_id, coalesce({name}, '') as name,
            concat_ws('/', sysplex, system_id) as system,
            general_purpose_seconds, ziip_seconds, ziip_on_cp_seconds, eligible_seconds,
            msu_per_second, {", ".join(columns)}
        from {_records(mart, "interval_start_utc", "interval 30 second")}
    )"""


_APPLICATION = (
    "coalesce(nullif(channel_name, ''), nullif(connection_name, ''), application_type, 'unknown')"
)
_APPLICATIONS = f"""(
    select
        *, {_APPLICATION} as name, system_id as system,
        coalesce(application_type, 'unknown') as kind
    from {_records("marts.fct_task_accounting", "recorded_at_utc")}
)"""
_QUEUES = f"""(
    select
        *, coalesce(nullif(base_queue_name, ''), queue_name, 'unknown') as name,
        system_id as system, coalesce(disposition, 'unknown') as kind, {_APPLICATION} as application
    from {_records("marts.fct_queue_accounting", "recorded_at_utc")}
)"""
# A queue manager's own address spaces; z/OS starts them under these names.
_MANAGERS = f"""(
    select own.*, spaces.cpu_seconds
    from {_hours("queue manager")} as own
    left join (
        select
            origin, system_id, hour_utc, regexp_extract(name, '^(.+)(MSTR|CHIN)$', 1) as
            queue_manager, sum(general_purpose_seconds) as cpu_seconds
        from marts.fct_usage_hour
        where
            subject = 'address space' and regexp_matches(name, '^.+(MSTR|CHIN)$')
            and hour_utc >= $2 and hour_utc < $3
        group by all
    ) as spaces using (origin, system_id, hour_utc, queue_manager)
)"""
# What MQI calls of a channel cost is known from accounting, the work of the channel initiator for
# all of its channels together.
_CHANNELS = f"""(
    select
        own.*, task.mqi_seconds,
        mover.cpu_seconds * coalesce(own.bytes_sent + own.bytes_received, 0)
        / nullif(sum(own.bytes_sent + own.bytes_received) over (
            partition by own.origin, own.system_id, own.queue_manager, own.hour_utc
        ), 0) as mover_seconds
    from {_hours("channel")} as own
    left join (
        select
            origin, system_id, queue_manager, channel_name as name,
            cast(date_trunc('hour', recorded_at_utc) as timestamp) as hour_utc,
            sum(cpu_seconds) as mqi_seconds
        from marts.fct_task_accounting
        where channel_name <> '' and recorded_at_utc >= $2 and recorded_at_utc < $3
        group by all
    ) as task using (origin, system_id, queue_manager, name, hour_utc)
    left join (
        select
            origin, system_id, hour_utc, regexp_extract(name, '^(.+)CHIN$', 1) as queue_manager,
            sum(general_purpose_seconds) as cpu_seconds
        from marts.fct_usage_hour
        where
            subject = 'address space' and regexp_matches(name, '^.+CHIN$')
            and hour_utc >= $2 and hour_utc < $3
        group by all
    ) as mover using (origin, system_id, queue_manager, hour_utc)
)"""

_CP = Measure("CPU time on CPs", "CPU hours", "general_purpose_seconds / 3600")
_MSU = Measure(
    "Capacity", "MSU hours", "general_purpose_seconds * msu_per_second",
    help="CPU time on CPs at the MSU that a busy CP of the LPAR consumed in that hour (SMF 70-1).",
)  # fmt: skip
_MONEY = Measure("Price", "price", _MSU.sql, of_money=True)
_COULD = Measure(
    "Could move to zIIPs", "CPU hours", "ziip_on_cp_seconds / 3600",
    help="zIIP-eligible time that ran on CPs.",
)  # fmt: skip
_COULD_MSU = Measure(
    "Could move to zIIPs", "MSU hours", "ziip_on_cp_seconds * msu_per_second",
    help="Capacity that zIIPs would take off the CPs.", drawn=False,
)  # fmt: skip
_COULD_MONEY = Measure("Could be saved by zIIPs", "price", _COULD_MSU.sql, of_money=True)
_ZIIP = Measure("Time on zIIPs", "zIIP hours", "ziip_seconds / 3600")
_OF_WORK = (_CP, _MSU, _MONEY, _COULD, _COULD_MSU, _COULD_MONEY, _ZIIP)


def _mq_costs(seconds: str, messages: str, what: str) -> tuple[Measure, ...]:
    return (
        Measure(f"CPU time of {what}", "CPU hours", f"{seconds} / 3600"),
        Measure(f"CPU time of {what}", "µs per message", f"1e6 * {seconds}", messages),
        Measure(
            f"Price of {what}", "price per million messages", f"1e6 * {seconds} * msu_per_second",
            messages, of_money=True,
        ),
    )  # fmt: skip


_IN_CALLS = "MQI calls"
_OF_CALLS = (
    *_mq_costs("cpu_seconds", "messages", _IN_CALLS),
    Measure("Messages", "messages", "messages"),
    Measure("Elapsed time of MQI calls", "µs per message", "1e6 * elapsed_seconds", "messages"),
    Measure("Put", "GB", "put_bytes / 1073741824"),
    Measure("Got", "GB", "get_bytes / 1073741824"),
)
#: Everything that usage is shown of, by its name.
SUBJECTS: dict[str, Subject] = {
    "LPAR": Subject(
        _hours("lpar"),
        (
            _CP,
            Measure("Capacity", "MSU hours", "msu_hours"),
            Measure("Price", "price", "msu_hours", of_money=True),
            _ZIIP,
        ),
        {"LPAR": "name", "sysplex": "sysplex"},
        ("Sysplex", "sysplex"),
    ),
    "service class": Subject(
        _hours("service class"),
        (
            *_OF_WORK,
            Measure("Transactions", "transactions", "transactions"),
            Measure(
                "CPU time of a transaction", "CPU ms", "1e3 * general_purpose_seconds",
                "transactions",
            ),
        ),
        {"class": "name", "system": "system"},
        ("Class", "name"),
    ),
    "report class": Subject(
        _intervals("marts.fct_report_class_interval", "class_name", "transactions"),
        (
            *_OF_WORK,
            Measure("Transactions", "transactions", "transactions"),
            Measure(
                "CPU time of a transaction", "CPU ms", "1e3 * general_purpose_seconds",
                "transactions",
            ),
        ),
        {"class": "name", "system": "system"},
        ("Class", "name"),
        from_records=True,
        listed=("marts.fct_report_class_interval", "class_name"),
        moment="interval_start_utc",
    ),
    "address space": Subject(
        _hours("address space"),
        _OF_WORK,
        {
            "address space": "name", "service class": "service_class",
            "report class": "report_class", "system": "system",
        },
        ("Service class", "service_class"),
        _intervals(
            "marts.fct_address_space_interval", "job_name",
            "coalesce(service_class, '') as service_class",
            "coalesce(report_class, '') as report_class",
        ),
        ("service_class", "report_class"),
        listed=("marts.fct_address_space_interval", "service_class"),
    ),
    "queue manager": Subject(
        _MANAGERS,
        (
            Measure("Puts", "calls", "puts"),
            Measure("Gets", "calls", "gets"),
            Measure("MQI calls", "calls", "mqi_calls"),
            Measure("Log", "GB", "log_bytes_written / 1073741824"),
            *_mq_costs("cpu_seconds", "(puts + gets)", "MSTR and CHIN"),
        ),
        {"queue manager": "manager", "system": "system_id"},
        ("Queue manager", "manager"),
    ),
    "application": Subject(
        _APPLICATIONS,
        _OF_CALLS,
        {"application": "name", "kind": "kind", "queue manager": "manager", "user": "user_id"},
        ("Queue manager", "manager"),
        from_records=True,
        listed=("marts.fct_task_accounting", _MANAGER),
        moment="recorded_at_utc",
    ),
    "queue": Subject(
        _QUEUES,
        _OF_CALLS,
        {"queue": "name", "application": "application", "queue manager": "manager",
         "disposition": "kind"},
        ("Queue manager", "manager"),
        from_records=True,
        listed=("marts.fct_queue_accounting", _MANAGER),
        moment="recorded_at_utc",
    ),
    "channel": Subject(
        _CHANNELS,
        (
            Measure("Messages", "messages", "messages"),
            Measure("Bytes sent", "GB", "bytes_sent / 1073741824"),
            Measure("Bytes received", "GB", "bytes_received / 1073741824"),
            *_mq_costs("mover_seconds", "messages", "CHIN, by bytes"),
            *_mq_costs("mqi_seconds", "messages", _IN_CALLS),
        ),
        {"channel": "name", "queue manager": "manager", "system": "system_id"},
        ("Queue manager", "manager"),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """What is asked for: rows of an origin, a subject, a system ("" for all), and a time.

    by: the column to stack by; chosen: values of the subject's filter (none: all); price: of an MSU
    hour, 0 if none is given.
    """

    origin: str
    subject: str
    system: str
    by: str = "name"
    chosen: tuple[str, ...] = ()
    start: datetime = _EVER[0]
    end: datetime = _EVER[1]
    price: float = 0.0

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
        """SQL of the rows that are asked for, with five placeholders."""
        only = SUBJECTS[self.subject].only[1]
        return f"""(
            select * from {self._source}
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
    def name(self) -> str:
        """SQL of the name of a row: with its system or queue manager, unless there is just one."""
        owner = "manager" if SUBJECTS[self.subject].only[1] == "manager" else "system"
        if self.by != "name" or self.system or self.subject == "LPAR":
            return f"coalesce({self.by}, '')"
        return f"concat_ws(' on ', name, nullif({owner}, ''))"


def measures_of(choice: Choice) -> tuple[Measure, ...]:
    """Return the measures of a subject; those of money only if there is a price."""
    return tuple(m for m in SUBJECTS[choice.subject].measures if choice.price or not m.of_money)


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


def offered(reader: Reader, choice: Choice) -> list[str]:
    """Return the values of the subject's filter."""
    subject = SUBJECTS[choice.subject]
    mart, sql = subject.listed
    where = "true"
    if not mart:
        mart, where = "marts.fct_usage_hour", f"subject = '{choice.subject.lower()}'"
        sql = _MANAGER if subject.only[1] == "manager" else subject.only[1]
    return reader.frame(
        f"""
        select distinct {sql} as value
        from {mart}
        where origin = $1 and ($2 = '' or system_id = $2) and {where} and value <> ''
        order by value
        """,
        (choice.origin, choice.system),
    ).to_series().to_list()  # fmt: skip


def _figure(measure: Measure, price: float) -> str:
    """SQL of a measure over some rows: null if it is not known of one of them."""
    factor = f"{price!r} * " if measure.of_money else ""
    if measure.per:
        known = f"filter ({measure.sql} is not null and {measure.per} is not null)"
        return f"{factor}sum({measure.sql}) {known} / nullif(sum({measure.per}) {known}, 0)"
    return f"{factor}if(count({measure.sql}) = count(*), sum({measure.sql}), null)"


def _figures(choice: Choice) -> str:
    return ", ".join(
        f"cast({_figure(measure, choice.price)} as double) as m{place}"
        for place, measure in enumerate(measures_of(choice))
    )


def over_time(reader: Reader, choice: Choice, *, daily: bool, most: int) -> pl.DataFrame:
    """Return each measure per step and name: start, end, series, m0, m1 and so on.

    The series are the `most` names with the largest amounts of the first measure that has any, and
    "others". A step with an amount that is not known has none.
    """
    step = "day" if daily else "hour"
    amounts = [m for m in measures_of(choice) if not m.per]
    ranking = ", ".join(f"coalesce(sum({m.sql}), 0) desc" for m in amounts)
    return utc(
        reader.frame(
            f"""
            with used as (
                select *, {choice.name} as series_name from {choice.rows}
            ),

            largest as (
                select series_name, row_number() over (order by {ranking}, series_name) as place
                from used
                group by series_name
                qualify place <= {int(most)}
            )

            select
                cast(date_trunc('{step}', hour_utc) as timestamp) as "start",
                cast(date_trunc('{step}', hour_utc) as timestamp) + interval 1 {step} as "end",
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
    step = "day" if daily else "hour"
    return reader.frame(
        f"""
        select
            cast(date_trunc('{step}', hour_utc) as timestamp) as step,
            {choice.name} as name,
            count(distinct hour_utc) as hours,
            {_figures(choice)}
        from {choice.rows}
        group by 1, 2
        order by step desc, m0 desc nulls last, name
        limit {_MOST_ROWS}
        """,
        choice.parameters,
    )


def totals(reader: Reader, choice: Choice) -> pl.DataFrame:
    """Return one row: hours, and each measure of the whole time."""
    return reader.frame(
        f"select count(distinct hour_utc) as hours, {_figures(choice)} from {choice.rows}",
        choice.parameters,
    )


def hourly_work(reader: Reader, choice: Choice) -> pl.DataFrame:
    """Return one row per hour: on_cps, eligible, on_ziips (s at CP speed) and msu_per_cp.

    Hours of which some of that is not known are left out.
    """
    return reader.frame(
        f"""
        select
            hour_utc,
            sum(general_purpose_seconds) as on_cps,
            sum(eligible_seconds) as eligible,
            sum(eligible_seconds - ziip_on_cp_seconds) as on_ziips,
            3600 * sum(general_purpose_seconds * msu_per_second)
            / nullif(sum(general_purpose_seconds), 0) as msu_per_cp
        from {choice.rows}
        group by hour_utc
        having count(general_purpose_seconds + eligible_seconds + ziip_on_cp_seconds) = count(*)
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


def peaks(reader: Reader, origin: str, system: str, start: datetime, end: datetime) -> pl.DataFrame:
    """Return one row per day and LPAR: the highest four-hour average, its hour, and its limits."""
    return reader.frame(
        """
        select
            local_date as day, concat_ws('/', sysplex, system_id) as system, partition_name as name,
            coalesce(highest_long_term_average_msu, highest_four_hour_average_msu) as peak_msu,
            peak_hour_local, consumed_msu, lowest_defined_capacity_msu, soft_capped_hours,
            highest_latent_demand_msu, hours_covered
        from marts.fct_lpar_capacity_day
        where
            origin = ? and (? = '' or system_id = ?)
            and local_date >= cast(? as date) and local_date <= cast(? as date)
        order by day desc, peak_msu desc nulls last, name
        """,
        (origin, system, system, start, end),
    )


def application_costs(reader: Reader, origin: str, system: str) -> pl.DataFrame:
    """Return one row per application over all records that are loaded, most CPU first."""
    return reader.frame(
        f"""
        select
            concat_ws('/', system_id, queue_manager) as queue_manager, {_APPLICATION} as name,
            application_type, first_interval_start_utc, last_interval_end_utc, messages,
            cpu_seconds, cpu_us_per_message, elapsed_us_per_message, wait_log_us_per_message,
            wait_page_set_us_per_message, wait_db2_us_per_message, wait_cf_us_per_message,
            wait_latch_us_per_message, wait_smds_us_per_message, wait_other_us_per_message
        from marts.fct_application_cost
        where origin = ? and (? = '' or system_id = ?)
        order by cpu_seconds desc nulls last, name
        """,
        (origin, system, system),
    )
