"""How far the local time of systems is from UTC, and when their local days are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

import polars as pl

from app.results.reader import Reader

__all__ = ["UTC", "Offsets", "local_of", "local_offsets", "utc_of"]

#: Local time minus UTC, each from a moment (UTC) on; the first one holds before that, too.
Offsets: TypeAlias = tuple[tuple[datetime, timedelta], ...]
_EVER = datetime(1, 1, 1)
UTC: Offsets = ((_EVER, timedelta()),)


def local_offsets(
    reader: Reader, origin: str, systems: Sequence[str], start: datetime, end: datetime
) -> Offsets | str:
    """Return local time minus UTC of systems (none: of all) from `start` to `end`, UTC.

    If they have no local time in common, return why not, as part of a sentence.
    """
    rows = reader.frame(
        """
        select
            system_id, hour_utc, max(utc_offset_minutes) as shift,
            min(utc_offset_minutes) <> shift as is_several
        from marts.fct_usage_hour
        where
            origin = $1 and (len($2) = 0 or list_contains($2, system_id))
            -- a clock may change within the first hour, or the last
            and hour_utc > $3 - interval 2 hour and hour_utc < $4 + interval 1 hour
            and system_id <> ''
        group by system_id, hour_utc
        order by hour_utc, system_id
        """,
        (origin, tuple(systems), start, end),
    )
    shifts = rows.drop_nulls("shift")
    missing = sorted(set(systems or rows["system_id"]) - set(shifts["system_id"]))
    if missing or shifts.is_empty():
        of = " and ".join(missing[:2]) or "these systems"
        return f"the records of this time do not say what the local time of {of} is"
    hours = shifts.group_by("hour_utc", maintain_order=True).agg(
        pl.col("shift").first(),
        is_several=(pl.col("shift").n_unique() > 1) | pl.col("is_several").any(),
    )
    if hours["is_several"].any():
        return "these systems have different local times"
    changes = hours.filter(pl.col("shift").rle_id().diff().fill_null(1) != 0)
    (_, first), *later = changes.select("hour_utc", "shift").iter_rows()
    offsets = [(_EVER, timedelta(minutes=first))]
    for hour, minutes in later:
        since = _change(reader, origin, systems, hour, minutes) or hour
        if since <= start:
            offsets = [(_EVER, timedelta(minutes=minutes))]
        elif since < end:
            offsets.append((since, timedelta(minutes=minutes)))
    return tuple(offsets)


def _change(
    reader: Reader, origin: str, systems: Sequence[str], hour: datetime, minutes: int
) -> datetime | None:
    """Return the start, UTC, of the first interval near an hour with an offset, to the minute.

    A clock of half hours changes within the hour. None: the records of that time are gone.
    """
    moment: datetime | None = reader.frame(
        """
        select date_trunc('minute', min_by(first, place) + interval 30 second)
        from (
            select 1 as place, min(interval_start_utc) as first
            from marts.fct_lpar_capacity_interval
            where
                origin = $1 and (len($2) = 0 or list_contains($2, system_id))
                and abs(epoch(interval_start_utc) - epoch($3::timestamp)) < 3600
                and utc_offset_minutes = $4
            union all
            select 2, min(interval_start_utc)
            from marts.fct_queue_manager_interval
            where
                origin = $1 and (len($2) = 0 or list_contains($2, system_id))
                and abs(epoch(interval_start_utc) - epoch($3::timestamp)) < 3600
                and utc_offset_minutes = $4
        )
        where first is not null
        """,
        (origin, tuple(systems), hour, minutes),
    ).item()
    return moment


def local_of(moment: str, offsets: Offsets) -> str:
    """SQL: a moment, UTC, by a clock."""
    return f"{moment} + {_shift(moment, offsets)}"


def utc_of(local: str, offsets: Offsets) -> str:
    """SQL: the moment, UTC, at which a day of a clock begins."""
    return f"{local} - {_shift(local, offsets, is_local=True)}"


def _shift(moment: str, offsets: Offsets, *, is_local: bool = False) -> str:
    """SQL: local time minus UTC at a moment, UTC, or by the clock itself."""
    first, *changes = offsets
    sql = _interval(first[1])
    for time, offset in changes:
        since = time + offset if is_local else time
        sql = f"case when {moment} >= timestamp '{since}' then {_interval(offset)} else {sql} end"
    return sql


def _interval(offset: timedelta) -> str:
    return f"interval ({offset / timedelta(minutes=1):.0f}) minute"
