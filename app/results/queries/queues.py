"""Queues over time, from SMF 115-216, and accesses to protected ones, from SMF 180."""

from __future__ import annotations

from app.results.queries.systems import Page, Panel, Pick, Section, Table, Tile

__all__ = ["PAGE"]

_QUEUES = "marts.fct_queue_interval"
# Accesses are counted by the hour, where it is not known in UTC in the system's local time.
_ACCESSES = """(
    select
        *,
        coalesce(hour_utc, hour_local) as interval_start_utc,
        interval_start_utc + interval 1 hour as interval_end_utc,
        3600.0 as interval_seconds
    from marts.fct_protected_access_hour
)"""
_MB = 1 << 20  # bytes


def _queue(title: str, unit: str, value: str, **options: object) -> Panel:
    return Panel(
        title,
        unit,
        _QUEUES,
        value,
        series="queue_name",
        rank="sum(messages_put + messages_got)",
        ranked="messages",
        **options,  # type: ignore[arg-type]
    )


def _access(title: str, series: str, **options: object) -> Panel:
    return Panel(
        title,
        "accesses an hour",
        _ACCESSES,
        "accesses",
        series=series,
        named=True,
        **options,  # type: ignore[arg-type]
    )


PAGE = Page(
    title="Queues",
    about="What each queue held and how fast messages moved, from SMF 115-216; accesses to "
    "protected queues, from SMF 180 of AMS.",
    records="statistics of queues (SMF 115-216) or of AMS (SMF 180)",
    tiles=(
        Tile(
            "Queues",
            "",
            _QUEUES,
            "count(distinct queue_name)",
            "{} with messages moved",
            "count(distinct queue_name) filter (messages_put + messages_got > 0)",
        ),
        Tile("Put", "", _QUEUES, "sum(messages_put)", "messages"),
        Tile("Got", "", _QUEUES, "sum(messages_got)", "messages"),
        Tile("Deepest", "", _QUEUES, "max(max_depth)", "{}", "arg_max(queue_name, max_depth)"),
        Tile(
            "Oldest message",
            "s",
            _QUEUES,
            "max(oldest_message_age_seconds)",
            "{}",
            "arg_max(queue_name, oldest_message_age_seconds)",
        ),
        Tile(
            "Denied",
            "",
            _ACCESSES,
            "sum(accesses) filter (decision = 'Denied')",
            "accesses to protected queues",
        ),
    ),
    sections=(
        Section(
            "Queues",
            pick=Pick("Queue", "queue", "queue_name", _QUEUES, "sum(messages_put + messages_got)"),
            panels=(
                _queue("Messages put", "messages/s", "messages_put / s"),
                _queue("Messages got", "messages/s", "messages_got / s"),
                _queue("Highest depth", "messages", "max(max_depth)"),
                _queue("Lowest depth", "messages", "min(min_depth)"),
                _queue("Age of the oldest message", "s", "max(oldest_message_age_seconds)"),
                Panel(
                    "Time on the queue",
                    "ms",
                    _QUEUES,
                    "avg(recent_time_on_queue_us) / 1000",
                    series="queue_name",
                    rank="sum(messages_put + messages_got)",
                    ranked="messages",
                    where="recent_time_on_queue_us > 0",
                    help="Mean over the recent past of the queue (QTIME).",
                    empty="The queues are not monitored (MONQ), or no message was got.",
                ),
                _queue("Data put", "MB/s", f"put_bytes / {_MB} / s"),
                _queue("Data got", "MB/s", f"get_bytes / {_MB} / s"),
                _queue("Mean message", "bytes", "average_put_bytes"),
                _queue(
                    "Put to a waiting getter",
                    "% of messages",
                    "put_to_waiting_getter_percent",
                    high=100,
                ),
                _queue("Persistent messages", "% of messages", "persistent_put_percent", high=100),
                _queue("Gets that found no message", "calls/s", "empty_gets / s"),
                _queue("Browses", "calls/s", "browses / s"),
                _queue("Expired messages", "messages", "expired"),
                _queue("Backed out", "messages", "rolled_back_puts + rolled_back_gets"),
                _queue("Handles open for input", "handles", "max(open_input_count)"),
                _queue("Handles open for output", "handles", "max(open_output_count)"),
            ),
            tables=(
                Table(
                    "",
                    "queues_by_interval",
                    _QUEUES,
                    by={"queue_name": ("Queue", "queue_name")},
                    columns={
                        "structure": ("Structure", "max(nullif(cf_structure_name, ''))"),
                        "page_set": ("Page set", "max(page_set)"),
                        "buffer_pool": ("Buffer pool", "max(buffer_pool)"),
                        "messages_put": "Put",
                        "messages_got": "Got",
                        "max_depth": "Max depth",
                        "depth": ("Depth at last", "arg_max(depth, interval_end_utc)"),
                        "oldest": ("Oldest message, s", "oldest_message_age_seconds"),
                        "mean_bytes": ("Mean message, bytes", "average_put_bytes"),
                        "empty_gets": "Empty gets",
                        "expired": "Expired",
                        "backed_out": ("Backed out", "sum(rolled_back_puts + rolled_back_gets)"),
                    },
                    order="messages_put desc nulls last, queue_name",
                    leads=("queues", {"queue": "queue_name"}),
                    says="Click a queue for its charts alone.",
                    picked=False,
                ),
            ),
        ),
        Section(
            "Protected queues",
            "Accesses through AMS, by the hour; the records have local times, which other "
            "records of the system take to UTC.",
            panels=(
                _access("Accesses by action", "action"),
                _access("Accesses by queue", "queue_name"),
                _access("Accesses by protection", "protection"),
                _access(
                    "Denied or failed",
                    "decision || ': ' || result",
                    where="decision = 'Denied' or mq_reason_code > 0",
                    empty="No access was denied in this time range.",
                ),
                Panel(
                    "Recipients of a message",
                    "recipients",
                    _ACCESSES,
                    "recipients / accesses",
                    where="action in ('Put', 'Put1')",
                ),
                Panel(
                    "Keys used again",
                    "times an hour",
                    _ACCESSES,
                    "key_reuses",
                    where="key_reuses is not null",
                ),
            ),
            tables=(
                Table(
                    "",
                    "protected_accesses",
                    _ACCESSES,
                    by={
                        "queue_name": ("Queue", "queue_name"),
                        "job_name": ("Job", "job_name"),
                        "user_id": ("User", "user_id"),
                        "action": ("Action", "action"),
                        "decision": ("Decision", "decision"),
                        "result": ("Result", "result"),
                        "protection": ("Protection", "protection"),
                    },
                    columns={
                        "reason": ("Reason code", "max(mq_reason_code)"),
                        "signature": ("Signature", "max(signature)"),
                        "encryption": ("Encryption", "max(encryption)"),
                        "accesses": "Accesses",
                        "key_reuses": "Keys used again",
                    },
                    order="decision, accesses desc nulls last, queue_name",
                ),
            ),
        ),
    ),
)
