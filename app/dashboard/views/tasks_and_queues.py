"""The cost of applications over time and in total: CPU and elapsed time, waits, verbs, queues.

Code of its own: records of tasks are spread over their interval, and one task has its own tables.
"""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.dashboard import components, period, session, systems, units
from app.results.queries import accounting as queries
from app.results.queries.scope import Scope
from app.results.reader import Reader

_MOST_BARS = 12
_CAUSES = tuple(queries.CAUSES.values())


def draw(reader: Reader, scope: Scope) -> None:
    """Draw the page."""
    components.header(
        "Tasks and queues",
        "What each application did and what it cost, from SMF 116 class 3 accounting. "
        f"{period.says()}",
        scope.origin,
    )
    summary = queries.summary(reader, scope)
    connections = queries.connections(reader, scope)
    if summary.is_empty():
        systems.nothing(
            "Tasks and queues", "class 3 accounting (SMF 116)", scope,
            queries.with_tasks(reader, scope),
        )  # fmt: skip
        _connections(connections)
        return
    for row in summary.iter_rows(named=True):
        _tiles(row, named=len(scope.labels) > 1)
    _over_time(reader, scope)
    applications = queries.applications(reader, scope)
    several = summary.height > 1
    _applications(_named(applications, several))
    _verbs(_named(queries.cpu_by_verb(reader, scope), several, "verb"))
    _tables(applications, queries.queues(reader, scope))
    _connections(connections)
    components.link(
        "usage", "Cost per message by hour and day", subject="application", origin=scope.origin
    )


def _over_time(reader: Reader, scope: Scope) -> None:
    components.steps(queries.step(scope))
    frame = systems.open_frame(reader, scope, [])
    systems.section(queries.over_time(scope), reader, scope, frame)


def _named(frame: pl.DataFrame, several: bool, column: str = "application") -> pl.DataFrame:
    """Prefix names with their queue manager if there are several."""
    if not several:
        return frame
    return frame.with_columns(pl.format("{} {}", "queue_manager", column).alias(column))


def _tiles(row: dict[str, Any], *, named: bool) -> None:
    if named:
        components.name(row["queue_manager"])
    components.tiles(
        {
            "Tasks": (units.number(row["tasks"]), f"{units.number(row['records'])} records"),
            "Messages": (
                units.number(row["messages"]), f"{units.number(row['mqi_calls'])} MQI calls"
            ),
            "CPU": (units.duration((row["cpu_seconds"] or 0) * 1e6), "in MQI calls"),
            "CPU per message": (units.duration(row["cpu_us_per_message"]), "put or got"),
            "Elapsed per message": (units.duration(row["elapsed_us_per_message"]), "in MQI calls"),
        }
    )  # fmt: skip


def _applications(applications: pl.DataFrame) -> None:
    caption = (
        "An application is a channel, a job, a CICS or IMS region, or else an application type."
    )
    if applications.height > _MOST_BARS:
        caption += f" Shown: the {_MOST_BARS} of {applications.height} that used most CPU."
    components.section("Cost by application", caption)
    shown = applications.head(_MOST_BARS)
    costs = shown.filter(pl.col("cpu_us_per_message").is_not_null())
    waits = queries.waits(shown).filter(pl.col("seconds") > 0)
    with components.panels():
        components.panel(
            "CPU per message",
            None
            if costs.is_empty()
            else bars(
                costs, name="application", value="cpu_us_per_message", unit="CPU µs per message"
            ),
            empty="No messages in this time range.",
        )
        components.panel(
            "Elapsed time per message",
            None
            if costs.is_empty()
            else bars(
                costs, name="application", value="elapsed_us_per_message", unit="µs per message"
            ),
            empty="No messages in this time range.",
        )
        components.panel(
            "Total CPU time",
            bars(shown, name="application", value="cpu_seconds", unit="CPU s"),
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
            empty="No waits in this time range.",
        )


def _verbs(verbs: pl.DataFrame) -> None:
    components.section("Cost by verb", "All applications together.")
    with components.panels():
        components.panel(
            "Total CPU time", bars(verbs, name="verb", value="cpu_seconds", unit="CPU s")
        )
        times = verbs.rename({"cpu_us": "CPU", "elapsed_us": "elapsed"}).unpivot(
            on=["CPU", "elapsed"], index="verb", variable_name="time", value_name="microseconds"
        )
        components.panel(
            "CPU and elapsed time per call",
            bars(
                times, name="verb", value="microseconds", unit="µs per call", series="time",
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
            "average_put_bytes": _figure("Mean message, bytes", 0),
            "cpu_us_per_message": _figure("CPU, µs/message"),
            "elapsed_us_per_message": _figure("Elapsed, µs/message"),
            "average_time_on_queue_us": _figure("Time on queue, µs", 0),
            "max_depth": _count("Max depth"),
        },
    )


def _connections(connections: pl.DataFrame) -> None:
    """Draw what class 1 accounting says; a queue manager may write it without class 3."""
    if connections.is_empty():
        return
    components.section(
        "Connections", "From class 1 accounting (SMF 116-0): calls by the size of the message."
    )
    components.table(
        connections,
        "connections",
        columns={
            "queue_manager": "Queue manager",
            "connection_name": st.column_config.TextColumn("Connection"),
            "application_type": "Type",
            "authorization_id": "User",
            "records": _count("Records"),
            "messages": _count("Puts and gets"),
            **{
                f"{verb}_{size}": _count(f"{verb[:-1].capitalize()}, {words}")
                for verb in ("puts", "gets")
                for size, words in queries.SIZES.items()
            },
            "commits": _count("Commits"),
            "backouts": _count("Backouts"),
            "cpu_us_per_message": _figure("CPU, µs/message"),
            "cpu_seconds": _figure("CPU in calls, s", 4),
            "task_cpu_seconds": _figure("CPU of the task, s", 4),
            "cpu_issue": "CPU not known",
        },
    )


def _count(label: str) -> object:
    return st.column_config.NumberColumn(label, format="localized")


def _figure(label: str, digits: int = 1) -> object:
    return st.column_config.NumberColumn(label, format=f"%,.{digits}f")


if __name__ == "__main__":
    draw(session.reader(), session.scope())
