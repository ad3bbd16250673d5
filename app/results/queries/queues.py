"""Queues over time, from SMF 115-216, and accesses to protected ones, from SMF 180."""

from __future__ import annotations

from app.results.queries.systems import Column, Page, Panel, Pick, Section, Table, Tile, by, rate

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
        "sum(accesses)",
        series=series,
        merge="sum",
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
                _queue("Messages put", "messages/s", rate("messages_put")),
                _queue("Messages got", "messages/s", rate("messages_got")),
                _queue("Highest depth", "messages", "max(max_depth)", merge="max"),
                _queue("Lowest depth", "messages", "min(min_depth)", merge="min"),
                _queue(
                    "Age of the oldest message", "s", "max(oldest_message_age_seconds)", merge="max"
                ),
                Panel(
                    "Time on the queue",
                    "ms",
                    _QUEUES,
                    "avg(recent_time_on_queue_us) / 1000",
                    series="queue_name",
                    weight="sum(messages_got) + 1",
                    rank="sum(messages_put + messages_got)",
                    ranked="messages",
                    where="recent_time_on_queue_us > 0",
                    help="Mean over the recent past of the queue (QTIME).",
                    empty="The queues are not monitored (MONQ), or no message was got.",
                ),
                _queue("Data put", "MB/s", f"{rate('put_bytes')} / {_MB}"),
                _queue("Data got", "MB/s", f"{rate('get_bytes')} / {_MB}"),
                _queue(
                    "Mean message",
                    "bytes",
                    by("average_put_bytes", "messages_put"),
                    weight="sum(messages_put)",
                ),
                _queue(
                    "Put to a waiting getter",
                    "% of messages",
                    by("put_to_waiting_getter_percent", "messages_put"),
                    weight="sum(messages_put)",
                    high=100,
                ),
                _queue(
                    "Persistent messages",
                    "% of messages",
                    by("persistent_put_percent", "messages_put"),
                    weight="sum(messages_put)",
                    high=100,
                ),
                _queue("Gets that found no message", "calls/s", rate("empty_gets")),
                _queue("Browses", "calls/s", rate("browses")),
                _queue("Expired messages", "messages", "sum(expired)", merge="sum"),
                _queue(
                    "Backed out",
                    "messages",
                    "sum(rolled_back_puts + rolled_back_gets)",
                    merge="sum",
                ),
                _queue("Handles open for input", "handles", "max(open_input_count)", merge="max"),
                _queue("Handles open for output", "handles", "max(open_output_count)", merge="max"),
            ),
            tables=(
                Table(
                    "",
                    "queues_by_interval",
                    _QUEUES,
                    {
                        "queue_name": Column("Queue", "queue_name", group=True),
                        "structure": Column("Structure", "max(nullif(cf_structure_name, ''))"),
                        "page_set": Column("Page set", "max(page_set)"),
                        "buffer_pool": Column("Buffer pool", "max(buffer_pool)"),
                        "messages_put": Column("Put", "sum(messages_put)"),
                        "messages_got": Column("Got", "sum(messages_got)"),
                        "max_depth": Column("Max depth", "max(max_depth)"),
                        "depth": Column("Depth at last", "arg_max(depth, interval_end_utc)"),
                        "oldest": Column("Oldest message, s", "max(oldest_message_age_seconds)"),
                        "mean_bytes": Column(
                            "Mean message, bytes", by("average_put_bytes", "messages_put")
                        ),
                        "empty_gets": Column("Empty gets", "sum(empty_gets)"),
                        "expired": Column("Expired", "sum(expired)"),
                        "backed_out": Column(
                            "Backed out", "sum(rolled_back_puts + rolled_back_gets)"
                        ),
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
            "Accesses through AMS, by the hour; the records have local times, which other records "
            "of the system take to UTC.",
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
                    "sum(recipients) / nullif(sum(accesses), 0)",
                    where="action in ('Put', 'Put1')",
                    weight="sum(accesses)",
                ),
                Panel(
                    "Keys used again",
                    "times an hour",
                    _ACCESSES,
                    "sum(key_reuses)",
                    merge="sum",
                    where="key_reuses is not null",
                ),
            ),
            tables=(
                Table(
                    "",
                    "protected_accesses",
                    _ACCESSES,
                    {
                        "queue_name": Column("Queue", "queue_name", group=True),
                        "job_name": Column("Job", "job_name", group=True),
                        "user_id": Column("User", "user_id", group=True),
                        "action": Column("Action", "action", group=True),
                        "decision": Column("Decision", "decision", group=True),
                        "result": Column("Result", "result", group=True),
                        "reason": Column("Reason code", "max(mq_reason_code)"),
                        "protection": Column("Protection", "protection", group=True),
                        "signature": Column("Signature", "max(signature)"),
                        "encryption": Column("Encryption", "max(encryption)"),
                        "accesses": Column("Accesses", "sum(accesses)"),
                        "key_reuses": Column("Keys used again", "sum(key_reuses)"),
                    },
                    order="decision, accesses desc nulls last, queue_name",
                ),
            ),
        ),
    ),
)
