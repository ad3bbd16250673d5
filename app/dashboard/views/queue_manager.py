"""The queue manager over time: messages, log, buffer pools, Db2, coupling facility, storage."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import streamlit as st

from app.charts.time import by_series, long
from app.dashboard import components, session, systems, units
from app.dashboard.systems import Frame
from app.results.queries import queue_manager as queries
from app.results.queries.scope import Scope
from app.results.reader import Reader

_VERBS = {f"{verb}_per_second": verb.removesuffix("s") for verb in queries.VERBS} | {
    "publishes_per_second": "publish"
}
_MOST_INTERVALS = 10_000
_MOST_POOLS = 8  # as many colours as a chart can tell apart


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    components.header(
        "Queue manager",
        "Activity in each SMF interval, from SMF 115 statistics. Times are UTC.",
        scope.origin,
    )
    summary = queries.summary(reader, scope)
    if summary.is_empty():
        components.empty(
            f"No SMF 115 statistics for {components.listed(scope.labels)} in this time range. "
            "Choose another range, or load more data."
        )
        return
    for row in summary.iter_rows(named=True):
        _tiles(row, named=len(scope.labels) > 1)
    frame = systems.open_frame(reader, scope, [queries.INTERVALS])
    activity = queries.activity(reader, scope)
    _messages(activity, frame)
    _log(activity, queries.log_writes(reader, scope), frame)
    _buffer_pools(queries.buffer_pools(reader, scope, _MOST_POOLS), frame)
    _db2_and_cf(activity, frame)
    _storage(activity, frame)
    intervals = queries.intervals(reader, scope, _MOST_INTERVALS)
    caption = "One row per SMF interval, with all columns of the mart."
    if intervals.height == _MOST_INTERVALS:
        caption += f" Only the first {_MOST_INTERVALS:,} of this time range."
    components.section("Intervals", caption)
    components.table(intervals, "queue_manager_intervals")


def _tiles(row: dict[str, Any], *, named: bool) -> None:
    if named:
        components.name(row["queue_manager"])
    puts = (row["puts_per_second"] or 0) + (row["put1s_per_second"] or 0)
    log = row["log_mb_per_second"]
    cf_time = row["cf_average_single_us"] or row["cf_average_multiple_us"]
    components.tiles(
        {
            "Put": (units.quantity(puts, "put/s"), "MQPUT and MQPUT1"),
            "Get": (units.quantity(row["gets_per_second"], "get/s"), "MQGET"),
            "Log": (units.byte_count(None if log is None else log * units.MB, "/s"), "one copy"),
            "Log write": (
                units.duration(row["log_average_write_us"]),
                f"mean; max {units.duration(row['log_max_write_us'])}",
            ),
            "Db2": (
                units.quantity(row["db2_requests_per_second"], "req/s"),
                _each(row["db2_average_task_us"], "per request"),
            ),
            "Coupling facility": (
                units.quantity(row["cf_calls_per_second"], "call/s"),
                _each(cf_time, "per call"),
            ),
        }
    )


def _each(microseconds: float | None, what: str) -> str:
    return "none" if microseconds is None else f"{units.duration(microseconds)} {what}"


def _messages(activity: pl.DataFrame, frame: Frame) -> None:
    components.section("Messages")
    with components.panels():
        systems.time_panel(
            "Calls by verb",
            long(activity, _VERBS),
            "calls/s",
            frame,
            order=list(_VERBS.values()),
            help="Verbs that were never called are left out.",
        )
        systems.time_panel(
            "Message data put",
            long(
                activity.with_columns(mb=pl.col("put_bytes_per_second") / units.MB), {"mb": "put"}
            ),
            "MB/s",
            frame,
            empty="Needs records of MQ 9.4.3 or later, which count message bytes.",
        )


def _log(activity: pl.DataFrame, writes: pl.DataFrame, frame: Frame) -> None:
    copies = {"log_mb_per_second": "one copy", "log_physical_mb_per_second": "all copies"}
    components.section("Log")
    with components.panels():
        systems.time_panel(
            "Log data written", long(activity, copies), "MB/s", frame, order=list(copies.values())
        )
        systems.time_panel(
            "Log write time",
            by_series(writes, "write_type", "average_write_us"),
            "µs per write",
            frame,
            named=True,
            help="Single-page and multiple-page writes, to each copy of the log.",
            empty="No log writes in this time range.",
        )


def _buffer_pools(pools: pl.DataFrame, frame: Frame) -> None:
    components.section("Buffer pools", f"The {_MOST_POOLS} busiest pools that were used.")
    order = pools.sort("pool_no")["pool"].unique(maintain_order=True).to_list()

    def panel(title: str, column: str, unit: str, **options: Any) -> None:
        figures = by_series(pools, "pool", column)
        systems.time_panel(title, figures, unit, frame, order=order, named=True, **options)

    worst = pools["hit_percent"].min()
    with components.panels():
        panel(
            "Buffer pool hit rate",
            "hit_percent",
            "% of pages",
            low=min(90, math.floor(worst)) if isinstance(worst, float) else 0,
            high=100,
            empty="No existing pages were requested in this time range.",
        )
        panel("Pages read from page sets", "page_ins_per_second", "pages/s")
        panel("Page requests", "page_gets_per_second", "pages/s")
        panel("Fewest free buffers", "lowest_free_percent", "% of buffers", high=100)


def _db2_and_cf(activity: pl.DataFrame, frame: Frame) -> None:
    components.section("Db2 and coupling facility")
    db2 = long(activity, {"db2_requests_per_second": "requests"})
    cf = long(activity, {"cf_calls_per_second": "calls"})
    if db2.is_empty() and cf.is_empty():
        st.caption("No activity: this queue manager has no shared queues.")
        return
    with components.panels():
        if not db2.is_empty():
            times = {"db2_average_task_us": "in the task", "db2_average_server_us": "in Db2"}
            systems.time_panel("Db2 requests", db2, "requests/s", frame)
            systems.time_panel(
                "Db2 request time", long(activity, times), "µs per request", frame,
                order=list(times.values()),
            )  # fmt: skip
        if not cf.is_empty():
            times = {"cf_average_single_us": "single", "cf_average_multiple_us": "multiple"}
            systems.time_panel("Coupling facility calls", cf, "calls/s", frame)
            systems.time_panel(
                "Coupling facility call time", long(activity, times), "µs per call", frame,
                order=list(times.values()),
            )  # fmt: skip


def _storage(activity: pl.DataFrame, frame: Frame) -> None:
    requests = {"getmains_per_second": "GETMAIN", "freemains_per_second": "FREEMAIN"}
    shortages = {
        "short_on_storage_contractions": "contractions",
        "short_on_storage_count": "short",
        "short_on_storage_abends": "abends",
    }
    components.section("Storage")
    with components.panels():
        systems.time_panel(
            "Storage requests", long(activity, requests), "requests/s", frame,
            order=list(requests.values()),
        )  # fmt: skip
        systems.time_panel(
            "Short on storage", long(activity, shortages), "times", frame,
            order=list(shortages.values()),
        )  # fmt: skip


if __name__ == "__main__":
    draw(session.reader(), session.scope())
