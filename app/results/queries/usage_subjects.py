"""What usage is shown of: the subjects, what is measured of them, and the SQL of their rows.

Most subjects are read from the hours that stay when old records are removed. Classes of address
spaces, report classes, applications and queues are only in the records themselves.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["APPLICATION", "MANAGER", "SUBJECTS", "Measure", "Subject"]

#: SQL: how pages call an application. A channel goes by its own name: all of its tasks run in the
#: channel initiator.
APPLICATION = (
    "coalesce(nullif(channel_name, ''), nullif(connection_name, ''), application_type, 'unknown')"
)
#: SQL: how the page calls a queue manager.
MANAGER = "concat_ws('/', system_id, nullif(queue_manager, ''))"


class Measure(NamedTuple):
    """An amount, or a ratio of two: how a page calls it, its unit, its SQL, and what it means.

    per: SQL of what the sum of `sql` is divided by; "" for an amount. of_money: in the
    currency of the site's prices. drawn: whether it has a chart of its own. known: SQL of the time
    of a row for which it is known, if that may be a part of it.
    """

    label: str
    unit: str
    sql: str
    per: str = ""
    help: str = ""
    of_money: bool = False
    drawn: bool = True
    known: str = ""


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


# All sources take the parameters of a Choice: hours from $2 to $3 are read. What a second on a CP
# takes and costs is the ledger's, marts.fct_system_hour.
_SPEED = ("msu_hours_per_cp_second", "money_per_cp_second")


def _hours(subject: str) -> str:
    """SQL: the hours of a subject."""
    return f"""(
        select
            *,
            concat_ws('/', nullif(sysplex, ''), system_id) as system,
            concat_ws('/', system_id, nullif(queue_manager, '')) as manager
        from marts.fct_usage_hour
        where subject = '{subject}' and hour_utc >= $2 and hour_utc < $3
    )"""


def _records(mart: str, moment: str, columns: str, owner: str = "system_id") -> str:
    """SQL: the records of a mart with their hour, at the speed of their system.

    Records that name no sysplex have none where two sysplexes have a system of the name.
    """
    return f"""(
        select *, {columns}
        from (
            select
                *,
                cast(date_trunc('hour', {moment} + interval 30 second) as timestamp) as hour_utc
            from {mart}
            where
                {moment} >= cast($2 as timestamp) - interval 1 hour
                and {moment} < cast($3 as timestamp) + interval 1 hour
        )
        left join (
            select
                origin, {owner}, date_trunc('hour', hour_utc) as hour_utc,
                {", ".join(f"max({name}) as {name}" for name in _SPEED)}
            from marts.fct_system_hour
            group by all
            having count(distinct sysplex) = 1
        ) using (origin, {owner}, hour_utc)
    )"""


_OF_MANAGER = "concat_ws('/', system_id, queue_manager) as manager, null as interval_seconds"
_APPLICATIONS = _records(
    "marts.fct_task_accounting", "recorded_at_utc",
    f"{_OF_MANAGER}, {APPLICATION} as name, coalesce(application_type, 'unknown') as kind",
)  # fmt: skip
_QUEUES = _records(
    "marts.fct_queue_accounting", "recorded_at_utc",
    f"{_OF_MANAGER}, coalesce(nullif(base_queue_name, ''), queue_name, 'unknown') as name, "
    f"coalesce(disposition, 'unknown') as kind, {APPLICATION} as application",
)  # fmt: skip
_REPORT_CLASSES, _SPACES = (
    _records(
        f"marts.{mart}", "interval_start_utc",
        f"coalesce({name}, '') as name, concat_ws('/', sysplex, system_id) as system",
        "sysplex, system_id",
    )
    for mart, name in (
        ("fct_report_class_interval", "report_class"), ("fct_address_space_interval", "job_name"),
    )
)  # fmt: skip
# Agents log no system.
_TRANSFERS = """(
    select
        *, cast(date_trunc('hour', last_utc) as timestamp) as hour_utc, '' as system_id,
        '' as name, '' as system, null as interval_seconds,
        coalesce(source_agent, 'unknown') as sender,
        coalesce(destination_agent, 'unknown') as receiver,
        case when is_failed then 'failed' when is_completed then 'completed' else action end as kind
    from marts.fct_transfer
)"""

_CP = Measure("CPU time on CPs", "CPU hours", "general_purpose_seconds / 3600")
_MSU = Measure(
    "Capacity", "MSU hours", "general_purpose_seconds * msu_hours_per_cp_second",
    help="CPU time on CPs at the MSU that a busy CP of the LPAR consumed in that hour (SMF 70-1).",
)  # fmt: skip
_MONEY = Measure("Price", "price", "general_purpose_seconds * money_per_cp_second", of_money=True)
_COULD = Measure(
    "Could move to zIIPs", "CPU hours", "ziip_on_cp_seconds / 3600",
    help="zIIP-eligible time that ran on CPs.",
)  # fmt: skip
_COULD_MSU = Measure(
    "Could move to zIIPs", "MSU hours", "ziip_on_cp_seconds * msu_hours_per_cp_second",
    help="Capacity that zIIPs would take off the CPs.", drawn=False,
)  # fmt: skip
_COULD_MONEY = Measure(
    "Could be saved by zIIPs", "price", "ziip_on_cp_seconds * money_per_cp_second", of_money=True
)
_ZIIP = Measure("Time on zIIPs", "zIIP hours", "ziip_seconds / 3600")
_OF_WORK = (_CP, _MSU, _MONEY, _COULD, _COULD_MSU, _COULD_MONEY, _ZIIP)
_OF_CLASS = (
    *_OF_WORK,
    Measure("Transactions", "transactions", "transactions"),
    Measure("CPU time of a transaction", "CPU ms", "1e3 * general_purpose_seconds", "transactions"),
)


def _mq_costs(seconds: str, messages: str, what: str) -> tuple[Measure, ...]:
    return (
        Measure(f"CPU time of {what}", "CPU hours", f"{seconds} / 3600"),
        Measure(f"CPU time of {what}", "µs per message", f"1e6 * {seconds}", messages),
        Measure(
            f"Price of {what}", "price per million messages",
            f"1e6 * {seconds} * money_per_cp_second",
            messages, of_money=True,
        ),
    )  # fmt: skip


_OF_CALLS = (
    *_mq_costs("cpu_seconds", "messages", "MQI calls"),
    Measure("Messages", "messages", "messages"),
    Measure("Elapsed time of MQI calls", "µs per message", "1e6 * elapsed_seconds", "messages"),
    Measure("Put", "GB", "put_bytes / 1073741824"),
    Measure("Got", "GB", "get_bytes / 1073741824"),
)
#: Everything that usage is shown of, by its name.
SUBJECTS: dict[str, Subject] = {
    "LPAR": Subject(
        """(
            select *, partition_name as name, concat_ws('/', sysplex, system_id) as system
            from marts.fct_system_hour
            where hour_utc >= $2 and hour_utc < $3
        )""",
        (
            _CP,
            Measure("Capacity", "MSU hours", "msu_hours", known="consumed_seconds"),
            Measure("Price", "price", "cost_money", of_money=True, known="consumed_seconds"),
            _ZIIP,
        ),
        {"LPAR": "name", "sysplex": "sysplex"},
        ("Sysplex", "sysplex"),
    ),
    "service class": Subject(
        _hours("service class"),
        _OF_CLASS,
        {"class": "name", "system": "system"},
        ("Class", "name"),
    ),
    "report class": Subject(
        _REPORT_CLASSES,
        _OF_CLASS,
        {"class": "name", "system": "system"},
        ("Class", "name"),
        from_records=True,
        listed=("marts.fct_report_class_interval", "report_class"),
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
        _SPACES,
        ("service_class", "report_class"),
        listed=("marts.fct_address_space_interval", "service_class"),
    ),
    "container": Subject(
        _hours("container"),
        _OF_WORK,
        {"container": "name", "system": "system"},
        ("Container", "name"),
    ),
    "queue manager": Subject(
        _hours("queue manager"),
        (
            Measure("Puts", "calls", "messages_put"),
            Measure("Gets", "calls", "gets"),
            Measure("MQI calls", "calls", "mqi_calls"),
            Measure("Log", "GB", "log_bytes_written / 1073741824"),
            *_mq_costs("general_purpose_seconds", "(messages_put + gets)", "MSTR and CHIN"),
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
        listed=("marts.fct_task_accounting", MANAGER),
        moment="recorded_at_utc",
    ),
    "queue": Subject(
        _QUEUES,
        _OF_CALLS,
        {"queue": "name", "application": "application", "queue manager": "manager",
         "disposition": "kind"},
        ("Queue manager", "manager"),
        from_records=True,
        listed=("marts.fct_queue_accounting", MANAGER),
        moment="recorded_at_utc",
    ),
    "channel": Subject(
        _hours("channel"),
        (
            Measure("Messages", "messages", "messages"),
            Measure("Bytes sent", "GB", "bytes_sent / 1073741824"),
            Measure("Bytes received", "GB", "bytes_received / 1073741824"),
            Measure("Price of the network", "price", "cost_money", of_money=True),
            *_mq_costs("general_purpose_seconds", "messages", "CHIN, by bytes"),
        ),
        {"channel": "name", "queue manager": "manager", "system": "system_id"},
        ("Queue manager", "manager"),
    ),
    "file transfer": Subject(
        _TRANSFERS,
        (
            Measure("Transfers", "transfers", "1"),
            Measure("Failed", "transfers", "cast(is_failed as integer)"),
            Measure("Failed", "%", "100 * cast(is_failed as integer)", "1"),
            Measure("Files not moved", "files", "files_failed"),
            Measure("Moved", "GB", "bytes / 1073741824"),
            Measure("Rate of a transfer", "MB/s", "bytes / 1048576", "seconds"),
        ),
        {"sending agent": "sender", "receiving agent": "receiver", "outcome": "kind"},
        ("Sending agent", "sender"),
        from_records=True,
        listed=(_TRANSFERS, "sender"),
        moment="last_utc",
    ),
}  # fmt: skip
