"""The queue manager over time, from SMF 115: its calls, messages, locks and storage."""

from __future__ import annotations

import polars as pl

from app.results.queries.scope import Scope
from app.results.queries.systems import Page, Panel, Section, Tile
from app.results.reader import Reader

__all__ = ["INTERVALS", "PAGE", "VERBS", "intervals"]

INTERVALS = "marts.fct_queue_manager_interval"
_MB = 1 << 20  # bytes
#: The calls of the MQI: columns of the mart, and how a chart calls them.
VERBS = {
    "puts": "put",
    "put1s": "put1",
    "gets": "get",
    "opens": "open",
    "closes": "close",
    "inqs": "inq",
    "sets": "set",
    "subs": "sub",
    "subrqs": "subrq",
    "cbs": "cb",
    "ctls": "ctl",
    "stats": "stat",
    "publishes": "publish",
}
_PUTS = "(persistent_puts + nonpersistent_puts)"
_SINCE_943 = "Needs records of MQ 9.4.3 or later, which count message bytes."
_CF_CALLS = "sum(cf_single_calls + cf_multiple_calls)"
_CF_TIME = (
    "(sum(cf_average_single_us * cf_single_calls)"
    " + sum(cf_average_multiple_us * cf_multiple_calls))"
)


def _each(microseconds: str, what: str) -> str:
    """SQL: a time as a remark, "none" if there is none."""
    return f"coalesce(format('{{:.3g}} µs per {what}', cast({microseconds} as double)), 'none')"


def _events(title: str, unit: str, columns: dict[str, str], help_text: str = "") -> Panel:
    return Panel(
        title,
        unit,
        INTERVALS,
        {name: column for column, name in columns.items()},
        named=True,
        help=help_text,
    )


def _rates(title: str, unit: str, columns: dict[str, str], help_text: str = "") -> Panel:
    return Panel(
        title,
        unit,
        INTERVALS,
        {name: f"{column} / s" for column, name in columns.items()},
        named=True,
        help=help_text,
    )


PAGE = Page(
    title="Queue manager",
    about="Activity in each SMF interval, from SMF 115 statistics.",
    records="SMF 115 statistics",
    tiles=(
        Tile("Put", "put/s", INTERVALS, "puts + put1s / interval_seconds", "MQPUT and MQPUT1"),
        Tile("Get", "get/s", INTERVALS, "gets / interval_seconds", "MQGET"),
        Tile("Log", "bytes/s", INTERVALS, "log_bytes_written / interval_seconds", "one copy"),
        Tile(
            "Log write",
            "µs",
            INTERVALS,
            "log_average_write_us",
            "mean; max {}",
            "max(log_max_write_us)",
        ),
        Tile(
            "Db2",
            "req/s",
            INTERVALS,
            "db2_requests / interval_seconds",
            "{}",
            _each(
                "sum(db2_average_task_us * db2_requests) / nullif(sum(db2_requests), 0)", "request"
            ),
        ),
        Tile(
            "Coupling facility",
            "call/s",
            INTERVALS,
            f"{_CF_CALLS} / sum(interval_seconds)",
            "{}",
            _each(f"{_CF_TIME} / nullif({_CF_CALLS}, 0)", "call"),
        ),
    ),
    sections=(
        Section(
            "Messages",
            panels=(
                _rates(
                    "Calls by verb", "calls/s", VERBS, "Verbs that were never called are left out."
                ),
                Panel(
                    "Message data put",
                    "MB/s",
                    INTERVALS,
                    {
                        "persistent": f"persistent_put_bytes / {_MB} / s",
                        "non-persistent": f"nonpersistent_put_bytes / {_MB} / s",
                    },
                    named=True,
                    empty=_SINCE_943,
                ),
                Panel(
                    "Messages put",
                    "messages/s",
                    INTERVALS,
                    {
                        "persistent": "persistent_puts / s",
                        "non-persistent": "nonpersistent_puts / s",
                    },
                    named=True,
                    empty=_SINCE_943,
                ),
                Panel("Mean message", "bytes", INTERVALS, "average_put_bytes", empty=_SINCE_943),
                _rates(
                    "Data manager requests",
                    "requests/s",
                    {
                        "data_manager_gets": "get",
                        "data_manager_puts": "put",
                        "data_manager_browses": "browse",
                    },
                    "Browses include messages that were locked and released.",
                ),
                Panel(
                    "Gets from page sets",
                    "% of messages",
                    INTERVALS,
                    "gets_from_disk_percent",
                    high=100,
                    help="Messages that were not in a buffer pool when they were got.",
                    empty="No private message was got in this time range.",
                ),
            ),
        ),
        Section(
            "Publish and subscribe",
            panels=(
                _rates(
                    "Publications",
                    "messages/s",
                    {
                        "topic_publications": "published",
                        "topic_messages_delivered": "delivered",
                        "topic_publications_without_subscriber": "without subscriber",
                    },
                ),
                Panel(
                    "Time of a publication",
                    "µs",
                    INTERVALS,
                    {"mean": "topic_average_publish_us", "longest": "max(topic_max_publish_us)"},
                    empty="Nothing was published in this time range.",
                    help="Where several intervals are one step, the highest of them.",
                ),
                Panel(
                    "Subscriptions",
                    "subscriptions",
                    INTERVALS,
                    {"all": "max(subscriptions)", "durable": "max(durable_subscriptions)"},
                ),
                _events(
                    "Subscriptions that expired",
                    "subscriptions",
                    {"subscriptions_expired": "expired"},
                ),
            ),
        ),
        Section(
            "Locks",
            panels=(
                _rates(
                    "Lock requests",
                    "requests/s",
                    {"lock_requests": "get a lock", "lock_releases": "release it"},
                ),
                Panel(
                    "Lock requests that found the lock held",
                    "% of requests",
                    INTERVALS,
                    "lock_wait_percent",
                ),
            ),
        ),
        Section(
            "Storage",
            panels=(
                _rates(
                    "Storage requests",
                    "requests/s",
                    {"getmains": "GETMAIN", "freemains": "FREEMAIN"},
                ),
                _events(
                    "Short on storage",
                    "times",
                    {
                        "short_on_storage_contractions": "contractions",
                        "short_on_storage_count": "short",
                        "short_on_storage_abends": "abends",
                        "storage_failures": "requests that failed",
                    },
                ),
                Panel(
                    "Free storage above the bar",
                    "GB",
                    INTERVALS,
                    "min(storage_available_64bit) / 1073741824",
                    where="storage_memory_limit_64bit < 9e18",
                    help="Below the limit MEMLIMIT.",
                    empty="There is no limit (MEMLIMIT), or the release does not record it.",
                ),
                Panel(
                    "Free storage below the bar",
                    "as recorded",
                    INTERVALS,
                    "min(storage_available_31bit)",
                    help="The manual does not say in which unit.",
                ),
            ),
        ),
    ),
)


def intervals(reader: Reader, scope: Scope, most: int) -> pl.DataFrame:
    """Return the mart's rows, one per interval, without nested columns; at most `most`."""
    return reader.frame(
        f"""
        select
            origin, system_id, queue_manager, mq_level, interval_start_utc, interval_seconds,
            * exclude (
                origin, system_id, queue_manager, mq_level, interval_start_utc, interval_seconds,
                interval_end_utc, source_records, source_id, record_no
            ),
            source_id, record_no
        from {INTERVALS}
        where {scope.where()}
        order by system_id, queue_manager, interval_start_utc
        limit {int(most)}
        """,
        scope.parameters,
    )
