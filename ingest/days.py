"""The days that a load's records belong to, as ranges of record numbers (raw.ledger_day)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.formats.binary.framing import RecordBatch

__all__ = ["DayRange", "DayRanges", "smf_days", "text_days"]

MOST = 1000  # ranges of one load; more become one
_TIMES = (
    "time_utc",
    "time_local",
    "start_utc",
    "stop_utc",
    "actual_start_utc",
    "interval_start_local",
    "interval_end_local",
)
_DAY = 86_400_000_000  # microseconds

Days = NDArray[np.int64]  # since 1970-01-01


class DayRange(NamedTuple):
    """Consecutive records of the same days (since 1970-01-01; None: no record has a time)."""

    first_day: int | None
    last_day: int | None
    first_record_no: int
    last_record_no: int


class DayRanges:
    """Collects the ranges of one load, whose records are added in the order of their numbers."""

    def __init__(self) -> None:
        self._begins: list[tuple[int, int, int]] = []  # first record, first day, last day
        self._span: tuple[int, int] | None = None  # of all records, once there are too many ranges

    def add(self, record_no: NDArray[np.int64], first: Days, last: Days) -> None:
        """Add records that have a time; others join the range before."""
        if not len(record_no):
            return
        if self._span is None:
            new = np.ones(len(record_no), bool)
            new[1:] = (first[1:] != first[:-1]) | (last[1:] != last[:-1])
            new[0] = not self._begins or self._begins[-1][1:] != (first[0], last[0])
            at = np.flatnonzero(new)[: MOST + 1]
            self._begins += zip(
                record_no[at].tolist(), first[at].tolist(), last[at].tolist(), strict=True
            )
        if self._span or len(self._begins) > MOST:
            spans = [self._span] if self._span else [days[1:] for days in self._begins]
            firsts, lasts = zip(*spans, (first.min(), last.max()), strict=True)
            self._span, self._begins = (int(min(firsts)), int(max(lasts))), []

    def ranges(self, last_record_no: int) -> list[DayRange]:
        """Return at least one range; together they cover the records 1 to `last_record_no`."""
        if self._span:
            return [DayRange(*self._span, 1, last_record_no)]
        if not self._begins:
            return [DayRange(None, None, 1, last_record_no)]
        begins = [1, *(begin for begin, *_ in self._begins[1:])]
        ends = [*(begin - 1 for begin in begins[1:]), last_record_no]
        return [
            DayRange(first, last, begin, end)
            for (_, first, last), begin, end in zip(self._begins, begins, ends, strict=True)
        ]


def smf_days(batch: RecordBatch, smf_time: pl.Series) -> tuple[NDArray[np.int64], Days]:
    """Return the number and day of each record in a batch whose header has a possible date.

    `smf_time` is the local time in the header of every record of the batch.
    """
    date = np.lib.stride_tricks.sliding_window_view(batch.buffer, 4)[batch.start + 10]  # 0cyydddF
    high, low = date >> 4, date & 15
    day = high[:, 2].astype(np.int16) * 100 + low[:, 2] * 10 + high[:, 3]
    possible = (high <= 9).all(axis=1) & (low[:, :3] <= 9).all(axis=1) & (date[:, 0] <= 1)
    possible &= (day >= 1) & (day <= 366) & (batch.length >= 14)
    days = smf_time.to_physical().to_numpy() // _DAY
    return batch.record_no[possible], days[possible]


def text_days(tables: Mapping[str, pl.DataFrame]) -> tuple[NDArray[np.int64], Days, Days]:
    """Return the number, first day and last day of each record that has a time in any table."""
    frames = [
        frame.select("record_no", first=pl.min_horizontal(times), last=pl.max_horizontal(times))
        for frame in tables.values()
        if (times := [name for name in _TIMES if name in frame.columns])
    ]
    if not frames:
        none = np.empty(0, np.int64)
        return none, none, none
    records = (
        pl.concat(frames)
        .group_by("record_no")
        .agg(pl.col("first").min(), pl.col("last").max())
        .drop_nulls()
        .sort("record_no")
        .with_columns(pl.col("first", "last").dt.epoch("d").cast(pl.Int64))
    )
    return tuple(records[name].to_numpy() for name in ("record_no", "first", "last"))  # type: ignore[return-value]
