"""What a page on systems is about: the kinds of owner of records, and those that are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from app.results.queries.scope import QUEUE_MANAGER, spans
from app.results.reader import Reader

__all__ = ["OWNERS", "Owner", "RecordOwner", "record_owners", "with_sysplex"]


class Owner(NamedTuple):
    """A kind of owner of records.

    label: its word on a page; key: its parameter in the address; name: SQL that names a row's
    owner, by these columns; system: which part of a name between slashes is its system; missing:
    what to say if there is none.
    """

    label: str
    key: str
    name: str
    columns: str
    system: int
    missing: str


class RecordOwner(NamedTuple):
    """An owner of records, and the time range of its records (UTC).

    latest: the start of the last stretch of records without a gap of half a day.
    """

    origin: str
    label: str
    start: datetime
    end: datetime
    latest: datetime


def with_sysplex(mart: str) -> str:
    """SQL: the rows of a mart without a column sysplex, with that of their system."""
    return f"""(
        select of_mart.*, of_system.sysplex
        from {mart} as of_mart
        left join (
            select origin, system_id, min(sysplex) as sysplex
            from marts.fct_processor_interval
            group by all
        ) as of_system using (origin, system_id)
    )"""


def _extent(mart: str, sysplex: str = "sysplex, ") -> str:
    """SQL: the first start and the last end of each system in a large mart."""
    return f"""(
        select
            origin, {sysplex}system_id, min(interval_start_utc) as interval_start_utc,
            max(interval_end_utc) as interval_end_utc
        from {mart}
        group by all
    )"""


#: Systems of which only RMF's printed reports are loaded.
_ONLY_PRINTED = """(
    select
        origin, sysplex, system_id, first_interval_start as interval_start_utc,
        last_interval_end as interval_end_utc
    from marts.fct_rmf_report_day
    anti join marts.fct_processor_interval using (origin, system_id)
    where system_id is not null
)"""
_QUARTER_DAY = 6 * 3600 * 10**6  # µs
_INTERVAL = ("interval_start_utc", "interval_end_utc")
OWNERS = {
    "system": Owner(
        "System",
        "systems",
        "concat_ws('/', sysplex, system_id)",
        "sysplex, system_id",
        -1,
        "No records of z/OS systems (SMF 30, 42, 70, 72, 74 and 113) are loaded.",
    ),
    "queue manager": Owner(
        "Queue manager",
        "qm",
        QUEUE_MANAGER,
        "system_id, queue_manager",
        0,
        "No SMF records from a queue manager (types 115 and 116) are loaded.",
    ),
}
#: By key of an owner: marts that have rows of it, and their columns of start and end.
_SEEN: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "systems": {
        "marts.fct_processor_interval": _INTERVAL,
        "marts.fct_service_class_period_interval": _INTERVAL,
        "marts.fct_cf_interval": _INTERVAL,
        "marts.fct_crypto_card_interval": _INTERVAL,
        with_sysplex("marts.fct_hardware_interval"): _INTERVAL,
    },
    "qm": {
        "marts.fct_queue_manager_interval": _INTERVAL,
        "marts.fct_channel_initiator_interval": _INTERVAL,
        "marts.fct_task_accounting": ("recorded_at_utc", "recorded_at_utc"),
        "marts.fct_channel_interval": ("collected_at_utc", "collected_at_utc"),
        "marts.fct_page_set_interval": _INTERVAL,
        "marts.fct_queue_interval": _INTERVAL,
        "marts.fct_cf_structure_interval": _INTERVAL,
    },
}
#: By mart: SQL of how much an owner did, an aggregate.
_PEAKS = {
    "marts.fct_processor_interval": "max(busy_seconds / nullif(interval_seconds, 0))",
    "marts.fct_queue_manager_interval": "max(mqi_calls_per_second)",
}
#: SQL on large marts that may begin earlier or end later.
_MORE: Mapping[str, Sequence[str]] = {
    "systems": (
        _extent("marts.fct_address_space_interval"),
        _extent("marts.fct_volume_interval"),
        with_sysplex(_extent("marts.fct_data_set_interval", "")),
        _ONLY_PRINTED,
    ),
}


def record_owners(reader: Reader, owner: Owner) -> list[RecordOwner]:
    """Return every owner of a kind that has records.

    Those with the most kinds of records come first, as they have something for every page; of
    these, those with records of the latest week, and the one that peaks.
    """
    # There are millions of rows, and less than half a day at once has no gap in it.
    parts = " union all ".join(
        f"select origin, {owner.columns}, min({start}) as s, max({end}) as e, {kind} as kind, "
        f"{_PEAKS.get(mart, 'null')} as peak "
        f"from {mart} group by origin, {owner.columns}, epoch_us({start}) // {_QUARTER_DAY}"
        for kind, (mart, (start, end)) in enumerate(_SEEN[owner.key].items())
    )
    extents = " union all ".join(
        ["select origin, label, min(s) as s, max(e) as e from seen group by all"]
        + [
            f"select origin, {owner.name} as label, min(interval_start_utc) as s, "
            f"max(interval_end_utc) as e from {mart} group by all"
            for mart in _MORE.get(owner.key, ())
        ]
    )
    rows = reader.frame(
        f"""
        with seen as (select origin, {owner.name} as label, s, e, kind, peak from ({parts})),

        stretches as ({spans("seen", "origin, label")}),

        held as (
            select origin, label, count(distinct kind) as kinds, max(peak) as peak
            from seen
            group by all
        ),

        extents as (
            select origin, label, min(s) as "start", max(e) as "end"
            from ({extents})
            group by all
        )

        select
            origin, label, extents."start", extents."end",
            coalesce(stretches.latest, extents."start") as latest
        from extents
        left join stretches using (origin, label)
        left join held using (origin, label)
        where extents."start" is not null
        order by
            kinds desc nulls last,
            extents."end" > max(extents."end") over () - interval 7 day desc,
            peak desc nulls last, extents."end" desc, label
        """
    )
    return [RecordOwner(**row) for row in rows.iter_rows(named=True)]
