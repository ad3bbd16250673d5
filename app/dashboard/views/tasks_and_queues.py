"""The cost of applications over time and in total: CPU and elapsed time, waits, verbs, queues.

Code of its own: records of tasks are spread over their interval, and one task has its own tables.
"""

from __future__ import annotations

from typing import Any

import polars as pl

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
            "application": "Application",
            "application_type": "Type",
            "tasks": "Tasks",
            "messages": "Messages",
            "cpu_us_per_message": "CPU, µs/message",
            "elapsed_us_per_message": "Elapsed, µs/message",
            "cpu_us_per_call": "CPU, µs/call",
            "cpu_seconds": "CPU, s",
            "elapsed_seconds": "Elapsed, s",
        },
    )
    components.section("Queues")
    components.table(
        queues,
        "queues",
        columns={
            "queue_manager": "Queue manager",
            "queue_name": "Queue",
            "tasks": "Tasks",
            "messages_put": "Put",
            "messages_got": "Got",
            "average_put_bytes": "Mean message, bytes",
            "cpu_us_per_message": "CPU, µs/message",
            "elapsed_us_per_message": "Elapsed, µs/message",
            "average_time_on_queue_us": "Time on queue, µs",
            "max_depth": "Max depth",
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
            "connection_name": "Connection",
            "application_type": "Type",
            "authorization_id": "User",
            "records": "Records",
            "messages": "Puts and gets",
            **{
                f"{verb}_{size}": f"{verb[:-1].capitalize()}, {words}"
                for verb in ("puts", "gets")
                for size, words in queries.SIZES.items()
            },
            "commits": "Commits",
            "backouts": "Backouts",
            "cpu_us_per_message": "CPU, µs/message",
            "cpu_seconds": "CPU in calls, s",
            "task_cpu_seconds": "CPU of the task, s",
            "cpu_issue": "CPU not known",
        },
    )


if __name__ == "__main__":
    draw(session.reader(), session.scope())
