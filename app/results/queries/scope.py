"""Which queue managers and which time range: the filter of every page on SMF records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import polars as pl

from app.results.reader import Reader

__all__ = [
    "MOST_POINTS",
    "QueueManager",
    "Scope",
    "mean",
    "mean_by",
    "queue_managers",
    "spans",
    "step",
    "step_width",
    "utc",
]

MOST_POINTS = 600  # per line: a chart has no pixels for more

# Round widths, from a minute to a week.
_WIDTHS = [timedelta(minutes=m) for m in (1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440, 10080)]


@dataclass(frozen=True)
class QueueManager:
    """A queue manager on a system, and the time range of its records (UTC).

    latest: the start of the last stretch of records without a gap of half a day.
    """

    origin: str
    system_id: str
    name: str
    start: datetime
    end: datetime
    latest: datetime

    @property
    def label(self) -> str:
        """System and queue manager: MPX1/QML1."""
        return f"{self.system_id}/{self.name}"


@dataclass(frozen=True)
class Scope:
    """The rows that a page shows: one origin, one or more queue managers, a time range.

    `start` and `end` are UTC; a row belongs if its interval begins in [start, end).
    """

    origin: str
    labels: tuple[str, ...]
    start: datetime
    end: datetime

    def where(self, moment: str = "interval_start_utc") -> str:
        """Return the condition on a mart's rows; `parameters` has its parameters."""
        return (
            "origin = ? and list_contains(?, system_id || '/' || queue_manager)"
            f" and {moment} >= ? and {moment} < ?"
        )

    @property
    def parameters(self) -> tuple[object, ...]:
        """The values of the placeholders in `where`, in order."""
        return (self.origin, self.labels, self.start, self.end)

    def bucket(self, intervals: int) -> timedelta | None:
        """Return the width of a chart's steps; None if each interval can be its own step.

        `intervals`: how many intervals one line would have.
        """
        if intervals <= MOST_POINTS:
            return None
        return next(
            (width for width in _WIDTHS if (self.end - self.start) / width <= MOST_POINTS),
            _WIDTHS[-1],
        )


def queue_managers(reader: Reader) -> list[QueueManager]:
    """Return every queue manager with statistics or accounting, newest first."""
    rows = reader.frame(
        f"""
        with seen as (
            select origin, system_id, queue_manager, interval_start_utc as s, interval_end_utc as e
            from marts.fct_queue_manager_interval
            union all by name
            select origin, system_id, queue_manager, interval_start_utc as s, interval_end_utc as e
            from marts.fct_channel_initiator_interval
            union all by name
            select origin, system_id, queue_manager, recorded_at_utc as s, recorded_at_utc as e
            from marts.fct_task_accounting
            union all by name
            select origin, system_id, queue_manager, collected_at_utc as s, collected_at_utc as e
            from marts.fct_channel_interval
        )
        select origin, system_id, queue_manager as name, "start", "end", latest
        from ({spans("seen", "origin, system_id, queue_manager")})
        order by "end" desc, system_id, name
        """
    )
    return [QueueManager(**row) for row in rows.iter_rows(named=True)]


def spans(seen: str, owner: str) -> str:
    """SQL: start, end and start of the last stretch, per owner; `seen` has rows from `s` to `e`.

    A stretch begins after a gap of half a day without records.
    """
    return f"""
        select {owner}, min(s) as "start", max(e) as "end", max(s) filter (begins) as latest
        from (
            select
                *,
                coalesce(
                    s - max(e) over (
                        partition by {owner} order by s
                        rows between unbounded preceding and 1 preceding
                    ) > interval 12 hour,
                    true
                ) as begins
            from {seen}
            where s is not null
        )
        group by {owner}
    """


def mean(column: str) -> str:
    """SQL: the mean of a rate over the intervals of a step, weighted by their length."""
    return (
        f"sum({column} * interval_seconds)"
        f" / nullif(sum(interval_seconds) filter (where {column} is not null), 0) as {column}"
    )


def mean_by(column: str, weight: str) -> str:
    """SQL: the mean of an average over the intervals of a step, weighted by `weight`."""
    return (
        f"coalesce(sum({column} * {weight})"
        f" / nullif(sum({weight}) filter (where {column} is not null), 0), avg({column}))"
        f" as {column}"
    )


def step_width(
    reader: Reader, scope: Scope, table: str, moment: str = "interval_start_utc"
) -> timedelta | None:
    """Return the width of a chart's steps; None if each interval of `table` is its own step.

    Intervals are merged if there are more than a line can show.
    """
    counted = reader.frame(
        f"select count(distinct {moment}) from {table} where {scope.where(moment)}",
        scope.parameters,
    )
    return scope.bucket(counted.item())


def step(reader: Reader, scope: Scope, table: str, moment: str = "interval_start_utc") -> str:
    """SQL: the start of the step that a row of `table` belongs to."""
    width = step_width(reader, scope, table, moment)
    if width is None:
        return moment
    return f"time_bucket(interval {int(width.total_seconds())} second, {moment})"


def utc(frame: pl.DataFrame) -> pl.DataFrame:
    """Mark every time as UTC, so that no chart takes it for local time."""
    return frame.with_columns(
        pl.col(name).dt.replace_time_zone("UTC")
        for name, kind in frame.schema.items()
        if kind == pl.Datetime and getattr(kind, "time_zone", None) is None
    )
