"""The channel initiator over time: channels in use, its tasks, and traffic by channel."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.charts.time import by_series, long
from app.dashboard import components, session, systems, units
from app.dashboard.systems import Frame
from app.results.queries import channel_initiator as queries
from app.results.queries.scope import Scope
from app.results.queries.systems import elsewhere
from app.results.reader import Reader

_TASK_TYPES = ("dispatcher", "adapter", "SSL", "DNS")
_MOST_CHANNELS = 8  # as many colours as a chart can tell apart


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    components.header(
        "Channel initiator",
        "Channels and the tasks that run them, from SMF 115-231 and 116-10. Times are UTC.",
        scope.origin,
    )
    summary = queries.summary(reader, scope)
    totals = queries.channel_totals(reader, scope)
    if summary.is_empty() and totals.is_empty():
        systems.nothing(
            "Channel initiator", "channel initiator records (SMF 115-231, 116-10)", scope,
            elsewhere(reader, scope, [queries.INTERVALS]),
        )  # fmt: skip
        return
    for row in summary.iter_rows(named=True):
        _tiles(row, named=len(scope.labels) > 1)
    frame = systems.open_frame(reader, scope, [queries.INTERVALS])
    if not summary.is_empty():
        _tasks(reader, scope, frame)
    if not totals.is_empty():
        _channels(reader, scope, frame, totals)


def _tiles(row: dict[str, Any], *, named: bool) -> None:
    if named:
        components.name(row["queue_manager"])
    components.tiles(
        {
            "Current channels": (
                units.number(row["current_channels"]),
                f"peak; limit {units.number(row['max_current_channels'])}",
            ),
            "Active channels": (
                units.number(row["active_channels"]),
                f"peak; limit {units.number(row['max_active_channels'])}",
            ),
            "Busiest dispatcher": (
                units.quantity(row["dispatcher_busy_percent"], "%"),
                "of one interval",
            ),
            "Busiest adapter": (
                units.quantity(row["adapter_busy_percent"], "%"),
                "of one interval",
            ),
            "CPU, all tasks": (units.quantity(row["cpu_percent"], "%"), "of one CPU"),
            "Storage": (units.quantity(row["storage_used_mb"], "MB"), "peak"),
        }
    )


def _tasks(reader: Reader, scope: Scope, frame: Frame) -> None:
    occupancy = queries.occupancy(reader, scope)
    types = queries.task_types(reader, scope)

    def panel(title: str, column: str, unit: str, help: str | None = None) -> None:
        figures = by_series(types, "task_type", column)
        systems.time_panel(title, figures, unit, frame, order=_TASK_TYPES, help=help)

    used = {"current_channels": "current", "active_channels": "active"}
    components.section("Channels and tasks")
    with components.panels():
        systems.time_panel(
            "Channels in use",
            long(occupancy, used),
            "channels",
            frame,
            order=list(used.values()),
            help=_limits(occupancy),
        )
        panel("Requests", "requests_per_second", "requests/s")
        panel("Busiest task", "max_task_busy_percent", "% busy", "The busiest task of each kind.")
        panel("Mean task", "busy_percent", "% busy", "Mean over all tasks of each kind.")
        panel("CPU per request", "cpu_us_per_request", "CPU µs per request")
        panel("Elapsed time per request", "elapsed_us_per_request", "µs per request")
    components.section("Tasks", "Every task that served requests, over the whole time range.")
    components.table(
        queries.tasks(reader, scope),
        "channel_initiator_tasks",
        columns={
            "queue_manager": "Queue manager",
            "task_type": "Kind",
            "task_index": st.column_config.NumberColumn("Task", format="%d"),
            "requests": st.column_config.NumberColumn("Requests", format="localized"),
            "busy_percent": _figure("Busy, %", 2),
            "max_busy_percent": _figure("Max busy, %", 2),
            "cpu_percent": _figure("CPU, %", 2),
            "cpu_us_per_request": _figure("CPU, µs/request", 1),
            "elapsed_us_per_request": _figure("Elapsed, µs/request", 1),
            "most_channels": st.column_config.NumberColumn("Peak channels", format="%d"),
        },
    )


def _limits(occupancy: pl.DataFrame) -> str:
    current = occupancy["max_current_channels"].max()
    active = occupancy["max_active_channels"].max()
    return f"Limits: {units.number(current)} current, {units.number(active)} active channels."  # type: ignore[arg-type]


def _channels(reader: Reader, scope: Scope, frame: Frame, totals: pl.DataFrame) -> None:
    caption = (
        "From channel accounting (SMF 116-10). "
        "On server-connection channels, messages are MQI calls."
    )
    if totals.height > _MOST_CHANNELS:
        caption += f" The charts show the {_MOST_CHANNELS} channels with the most data."
    components.section("Channels", caption)
    over = queries.channels(reader, scope, _MOST_CHANNELS)
    order = totals["channel_name"].unique(maintain_order=True).to_list()

    def panel(title: str, column: str, unit: str, empty: str) -> None:
        figures = by_series(over, "channel_name", column)
        systems.time_panel(title, figures, unit, frame, order=order, named=True, empty=empty)

    with components.panels():
        panel(
            "Data sent and received",
            "mb_per_second",
            "MB/s",
            "These records do not say how much time they cover.",
        )
        panel(
            "Achieved batch size",
            "achieved_batch_size",
            "messages per batch",
            "No batches in this time range; client channels have none.",
        )
        panel(
            "Network time",
            "nettime_average_us",
            "mean µs",
            "No network times in this time range.",
        )
        panel(
            "Compression",
            "compression_percent",
            "% of data saved",
            "These records have no compression rates.",
        )
    components.table(
        totals,
        "channels",
        columns={
            "queue_manager": "Queue manager",
            "channel_name": "Channel",
            "channel_type": "Type",
            "messages": st.column_config.NumberColumn("Messages", format="localized"),
            "data_mb": _figure("Data, MB", 3),
            "batches": st.column_config.NumberColumn("Batches", format="localized"),
            "achieved_batch_size": _figure("Messages/batch", 1),
            "batch_size": st.column_config.NumberColumn("Batch size", format="%d"),
            "full_batch_percent": _figure("Full batches, %", 1),
            "compression_percent": _figure("Compression, %", 0),
            "nettime_average_us": _figure("Mean network time, µs", 0),
            "nettime_max_us": _figure("Max network time, µs", 0),
        },
    )


def _figure(label: str, digits: int) -> object:
    return st.column_config.NumberColumn(label, format=f"%,.{digits}f")


if __name__ == "__main__":
    draw(session.reader(), session.scope())
