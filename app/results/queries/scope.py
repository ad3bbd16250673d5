"""Which owners of records and which time range: the filter of every page on systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import polars as pl

from app.results.queries.clock import UTC, Offsets
from app.results.reader import Reader
from ingest.lake.sql import literal

__all__ = [
    "EVERYTHING",
    "MOST_POINTS",
    "QUEUE_MANAGER",
    "Keyed",
    "Scope",
    "spans",
    "stepped",
    "steps",
    "utc",
]

#: SQL: how a page calls the queue manager of a row, with its system: MPX1/QML1.
QUEUE_MANAGER = "system_id || '/' || queue_manager"
MOST_POINTS = 600  # per line: a chart has no pixels for more

_START = "interval_start_utc"
_EVER = (datetime(1970, 1, 1), datetime(2200, 1, 1))
# Round widths, from a minute to a week.
_WIDTHS = [timedelta(minutes=m) for m in (1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440, 10080)]


@dataclass(frozen=True)
class Scope:
    """The rows that a page shows: one origin, one or more owners, a time range.

    `labels`: the owners, as the SQL of `owner` calls them. `start` and `end` are UTC. `offsets`:
    how far the clock of the page is from UTC; steps and days are those of that clock.
    """

    origin: str
    labels: tuple[str, ...]
    start: datetime
    end: datetime
    owner: str = QUEUE_MANAGER
    offsets: Offsets = UTC

    def where(self, moment: str = "") -> str:
        """Return the condition on a mart's rows; `parameters` has its parameters.

        An interval belongs if it overlaps the range, as a range may lie within one interval. With
        `moment`, a column, a row belongs if that is in [start, end).
        """
        # Intervals may end a fraction of a second after the next one begins.
        time = (
            f"{moment} < $4 and {moment} >= $3"
            if moment
            else "interval_start_utc < $4 and interval_end_utc >= $3 and "
            "(interval_start_utc >= $3 or interval_end_utc > $3 + interval 2 second)"
        )
        return f"origin = $1 and list_contains($2, {self.owner}) and {time}"

    @property
    def parameters(self) -> tuple[object, ...]:
        """The values of the placeholders in `where`, in order; `where` may occur several times."""
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


@dataclass(frozen=True, init=False)
class Keyed(Scope):
    """The rows of one thing, such as a run, whatever their time: those with its `keys`."""

    keys: Mapping[str, str] = field(default_factory=dict)

    def __init__(self, label: str, **keys: str) -> None:
        super().__init__(keys.get("origin", ""), (label,), *_EVER, literal(label))
        object.__setattr__(self, "keys", keys)

    def where(self, moment: str = "") -> str:
        """Return the condition on a row's keys; true without any."""
        return " and ".join(f"{key} = ${n}" for n, key in enumerate(self.keys, 1)) or "true"

    @property
    def parameters(self) -> tuple[object, ...]:
        """The keys."""
        return tuple(self.keys.values())


#: All rows, of whatever.
EVERYTHING = Keyed("all that is loaded")


def stepped(scope: Scope, width: timedelta, moment: str) -> str:
    """SQL: the start, UTC, of the step of a chart in which a moment is.

    A step in which the clock changes begins by the clock before and ends by the one after.
    """
    (_, before), *changes = scope.offsets
    sql = _bucket(width, moment, before)
    for since, offset in changes:
        bucket = _bucket(width, moment, offset)
        change = f"timestamp '{since}'"
        sql = (
            f"case when {moment} < {change} then {sql} when {bucket} >= {change} then {bucket} "
            f"else {bucket} + interval ({(offset - before).total_seconds():.0f}) second end"
        )
        before = offset
    return sql


def _bucket(width: timedelta, moment: str, offset: timedelta) -> str:
    return (
        f"time_bucket(interval {width.total_seconds():.0f} second, {moment}, "
        f"interval ({-offset.total_seconds():.0f}) second)"
    )


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


def steps(reader: Reader, scope: Scope, table: str) -> pl.DataFrame:
    """Return one row per owner and step of a chart: owner, step, its start; end, seconds.

    is_merged: whether steps are several intervals (in all rows, or in none).
    """
    widest = scope.bucket(MOST_POINTS + 1) or _WIDTHS[-1]
    return reader.frame(
        f"""
        with intervals as (
            select
                {scope.owner} as owner, {_START} as s, max(interval_end_utc) as e,
                max(interval_seconds) as seconds
            from {table}
            where {scope.where()}
            group by all
        ),

        counted as (select count(distinct s) > {MOST_POINTS} as is_merged from intervals)

        select
            owner,
            case
                when is_merged then {stepped(scope, widest, "s")}
                else s
            end as step,
            max(e) as "end",
            least(sum(seconds), epoch(max(e) - min(s))) as seconds,  -- they may overlap
            is_merged
        from intervals, counted
        group by all
        """,
        scope.parameters,
    )


def utc(frame: pl.DataFrame) -> pl.DataFrame:
    """Mark every time as UTC, so that no chart takes it for local time."""
    return frame.with_columns(
        pl.col(name).dt.replace_time_zone("UTC")
        for name, kind in frame.schema.items()
        if kind == pl.Datetime and getattr(kind, "time_zone", None) is None
    )
