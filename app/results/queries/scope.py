"""Which queue manager, and when: what every page on SMF records is narrowed to."""

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

MOST_POINTS = 600  # of one line: more than a chart has pixels for helps nobody

# Widths that a reader recognises, from a minute to a week.
_WIDTHS = [timedelta(minutes=m) for m in (1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440, 10080)]


@dataclass(frozen=True)
class QueueManager:
    """A queue manager on a system, with the time that its records span (UTC).

    latest: where the last stretch of records begins that no silence of half a day parts.
    """

    origin: str
    system_id: str
    name: str
    start: datetime
    end: datetime
    latest: datetime

    @property
    def label(self) -> str:
        """System and queue manager, as an operator would say it: MPX1/QML1."""
        return f"{self.system_id}/{self.name}"


@dataclass(frozen=True)
class Scope:
    """The rows that a page shows: one origin, one or more queue managers, a range of time.

    `start` and `end` are UTC; a row belongs when its interval begins in [start, end).
    """

    origin: str
    labels: tuple[str, ...]
    start: datetime
    end: datetime

    def where(self, moment: str = "interval_start_utc") -> str:
        """The condition on a mart's rows; its parameters are `parameters`."""
        return (
            "origin = ? and list_contains(?, system_id || '/' || queue_manager)"
            f" and {moment} >= ? and {moment} < ?"
        )

    @property
    def parameters(self) -> tuple[object, ...]:
        """What stands for the question marks of `where`, in order."""
        return (self.origin, self.labels, self.start, self.end)

    def bucket(self, intervals: int) -> timedelta | None:
        """How wide the steps of a chart are; None where each interval can be a step of its own.

        `intervals`: the number of intervals that one line would have.
        """
        if intervals <= MOST_POINTS:
            return None
        return next(
            (width for width in _WIDTHS if (self.end - self.start) / width <= MOST_POINTS),
            _WIDTHS[-1],
        )


def queue_managers(reader: Reader) -> list[QueueManager]:
    """Every queue manager of which any statistics or accounting are loaded, newest first."""
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
    """SQL: of each owner of rows from `s` to `e` the first moment, the last, the last stretch.

    A stretch begins where nothing was recorded for half a day before.
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
    """SQL: the mean of a rate over the intervals of a step, each weighted by its length."""
    return (
        f"sum({column} * interval_seconds)"
        f" / nullif(sum(interval_seconds) filter (where {column} is not null), 0) as {column}"
    )


def mean_by(column: str, weight: str) -> str:
    """SQL: the mean of an average over the intervals of a step, weighted by what it averages."""
    return (
        f"coalesce(sum({column} * {weight})"
        f" / nullif(sum({weight}) filter (where {column} is not null), 0), avg({column}))"
        f" as {column}"
    )


def step_width(
    reader: Reader, scope: Scope, table: str, moment: str = "interval_start_utc"
) -> timedelta | None:
    """How wide a chart's steps are; None where each interval of `table` is a step of its own.

    Intervals are drawn together where there are more of them than a line can show.
    """
    counted = reader.frame(
        f"select count(distinct {moment}) from {table} where {scope.where(moment)}",
        scope.parameters,
    )
    return scope.bucket(counted.item())


def step(reader: Reader, scope: Scope, table: str, moment: str = "interval_start_utc") -> str:
    """SQL: the beginning of the step that a row of `table` belongs to."""
    width = step_width(reader, scope, table, moment)
    if width is None:
        return moment
    return f"time_bucket(interval {int(width.total_seconds())} second, {moment})"


def utc(frame: pl.DataFrame) -> pl.DataFrame:
    """Mark every moment as UTC, so that no chart reads it as the reader's own time."""
    return frame.with_columns(
        pl.col(name).dt.replace_time_zone("UTC")
        for name, kind in frame.schema.items()
        if kind == pl.Datetime and getattr(kind, "time_zone", None) is None
    )
