"""What applications cost: CPU and elapsed time per message, waits by cause, verbs, queues."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.dashboard import components, session, units
from app.results.queries import accounting as queries
from app.results.queries.scope import Scope
from app.results.reader import Reader

_MOST_BARS = 12
_CAUSES = tuple(queries.CAUSES.values())


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    components.header(
        "Tasks and queues",
        "SMF 116 class 3 accounting: what each application asked of the queue manager, and what "
        "that cost.",
        scope.origin,
    )
    summary = queries.summary(reader, scope)
    if summary.is_empty():
        components.empty(
            f"No class 3 accounting of {components.listed(scope.labels)} in this range of time."
        )
        return
    for row in summary.iter_rows(named=True):
        _tiles(row, named=len(scope.labels) > 1)
    applications = queries.applications(reader, scope)
    several = summary.height > 1
    _applications(_named(applications, several))
    _verbs(_named(queries.cpu_by_verb(reader, scope), several, "verb"))
    _tables(applications, queries.queues(reader, scope))


def _named(frame: pl.DataFrame, several: bool, column: str = "application") -> pl.DataFrame:
    """With several queue managers, names that say whose they are."""
    if not several:
        return frame
    return frame.with_columns(pl.format("{} {}", "queue_manager", column).alias(column))


def _tiles(row: dict[str, Any], *, named: bool) -> None:
    if named:
        st.markdown(f"**{row['queue_manager']}**")
    components.tiles(
        {
            "Tasks": (units.number(row["tasks"]), f"{units.number(row['records'])} records"),
            "Messages": (
                units.number(row["messages"]), f"{units.number(row['mqi_calls'])} MQI calls"
            ),
            "CPU": (units.duration((row["cpu_seconds"] or 0) * 1e6), "in MQI calls"),
            "CPU a message": (units.duration(row["cpu_us_per_message"]), "put or got"),
            "Elapsed a message": (units.duration(row["elapsed_us_per_message"]), "in MQI calls"),
        }
    )  # fmt: skip


def _applications(applications: pl.DataFrame) -> None:
    says = "An application is a channel, a connection name (job, CICS or IMS region) or a type."
    if applications.height > _MOST_BARS:
        says += f" The {_MOST_BARS} with the most CPU of {applications.height}."
    components.section("Cost by application", says)
    shown = applications.head(_MOST_BARS)
    costs = shown.filter(pl.col("cpu_us_per_message").is_not_null())
    waits = queries.waits(shown).filter(pl.col("seconds") > 0)
    with components.panels():
        components.panel(
            "CPU a message",
            None
            if costs.is_empty()
            else bars(costs, name="application", value="cpu_us_per_message", unit="µs of CPU"),
            without="No message was put or got in this range.",
        )
        components.panel(
            "Elapsed a message",
            None
            if costs.is_empty()
            else bars(costs, name="application", value="elapsed_us_per_message", unit="µs"),
            without="No message was put or got in this range.",
        )
        components.panel(
            "CPU in all",
            bars(shown, name="application", value="cpu_seconds", unit="s of CPU"),
        )
        components.panel(
            "Waits by cause",
            None
            if waits.is_empty()
            else bars(
                waits,
                name="application",
                value="seconds",
                unit="s",
                names=shown["application"].to_list(),
                series="cause",
                order=_CAUSES,
            ),
            without="No call waited in this range.",
        )


def _verbs(verbs: pl.DataFrame) -> None:
    components.section("Cost by verb", "Of all applications together.")
    with components.panels():
        components.panel(
            "CPU in all", bars(verbs, name="verb", value="cpu_seconds", unit="s of CPU")
        )
        times = verbs.rename({"cpu_us": "CPU", "elapsed_us": "elapsed"}).unpivot(
            on=["CPU", "elapsed"], index="verb", variable_name="time", value_name="microseconds"
        )
        components.panel(
            "CPU and elapsed a call",
            bars(
                times, name="verb", value="microseconds", unit="µs a call", series="time",
                order=("CPU", "elapsed"), stacked=False,
            ),
        )  # fmt: skip


def _tables(applications: pl.DataFrame, queues: pl.DataFrame) -> None:
    components.section("Applications")
    components.table(
        applications,
        "applications",
        columns={
            "queue_manager": "Queue manager",
            "application": st.column_config.TextColumn("Application", width="medium"),
            "application_type": "Type",
            "tasks": _count("Tasks"),
            "messages": _count("Messages"),
            "cpu_us_per_message": _figure("CPU, µs/message"),
            "elapsed_us_per_message": _figure("Elapsed, µs/message"),
            "cpu_us_per_call": _figure("CPU, µs/call"),
            "cpu_seconds": _figure("CPU, s", 4),
            "elapsed_seconds": _figure("Elapsed, s", 4),
        },
    )
    components.section("Queues")
    components.table(
        queues,
        "queues",
        columns={
            "queue_manager": "Queue manager",
            "queue_name": st.column_config.TextColumn("Queue", width="large"),
            "tasks": _count("Tasks"),
            "messages_put": _count("Put"),
            "messages_got": _count("Got"),
            "average_put_bytes": _figure("Mean put, bytes", 0),
            "cpu_us_per_message": _figure("CPU, µs/message"),
            "elapsed_us_per_message": _figure("Elapsed, µs/message"),
            "average_time_on_queue_us": _figure("On queue, µs", 0),
            "max_depth": _count("Most deep"),
        },
    )


def _count(label: str) -> object:
    return st.column_config.NumberColumn(label, format="localized")


def _figure(label: str, digits: int = 1) -> object:
    return st.column_config.NumberColumn(label, format=f"%,.{digits}f")


if __name__ == "__main__":
    draw(session.reader(), session.scope())
