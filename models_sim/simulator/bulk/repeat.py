"""Repeat the records of a dump, each time with later times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise, product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.binary.framing import RecordBatch
from ingest.binary.kinds import KINDS, Column, Rows
from ingest.binary.layout import Field, Layout
from ingest.binary.locate import Sections, find_sections, read_pointers
from ingest.binary.records import record_types
from ingest.layouts import RECORDS

__all__ = ["Later", "repeat"]

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
_DUMP_RECORDS = (2, 3)  # the header and the trailer of a dump
_TIME_AT = 6  # in the header: the time of day, and behind it the date
_LOCAL = ("time", "rmf_time")  # kinds of times of day
_DAY_US = 86_400_000_000
_RECORDS = {(r.record_type, r.subtype): r for r in RECORDS}
# Identifiers that begin with a moment, and have to go on matching it.
_MOMENTS_IN_IDENTIFIERS = {("smf116_wq", "correl")}


def repeat(records: Sequence[bytes], every: timedelta) -> Iterator[bytes]:
    """Records without end: the given ones, then the same as if made the time `every` later.

    What moves on is told in `Later`; the header and trailer of a dump are left out.
    """
    later = Later(records)
    while True:
        yield from later.records()
        later.move(every)


class Later:
    """Records side by side, which can be made as if they had been made later.

    They begin with their descriptor word; the header and trailer of a dump are left out. Every
    moment that a layout knows moves on, every local time of day that its date stands behind, and
    the times of the headers.
    """

    def __init__(self, records: Sequence[bytes]) -> None:
        kept = [record for record in records if record[5] not in _DUMP_RECORDS]
        length = np.array([len(record) for record in kept], np.int64)
        self.bounds = np.concatenate([[0], np.cumsum(length)])
        self.start = self.bounds[:-1]
        self.buffer = np.frombuffer(bytearray(b"".join(kept)), np.uint8)
        self._moments, self._local = _places(self.buffer, self.start, length)
        self._local["time"] = np.concatenate([self._local["time"], self.start + _TIME_AT])

    def records(self) -> Iterator[bytes]:
        """The records as they are now."""
        whole = self.buffer.tobytes()
        yield from (whole[begin:end] for begin, end in pairwise(self.bounds.tolist()))

    def move(self, every: timedelta) -> None:
        """Make all records the time `every` later."""
        step = every // timedelta(microseconds=1)
        _move_moments(self.buffer, self._moments, step)
        for kind, places in self._local.items():
            _move_local(self.buffer, places, kind, step)


def _places(buffer: Bytes, start: Ints, length: Ints) -> tuple[Ints, dict[str, Ints]]:
    """Where in the buffer moments of the TOD clock stand that are not zero, and local times.

    These are by kind of field; the date stands 4 bytes behind.
    """
    zero = np.zeros(len(start), np.int64)
    kinds, subtypes = record_types(RecordBatch(buffer, start, length, zero, zero))
    moments: list[Ints] = [zero[:0]]
    local: dict[str, list[Ints]] = {kind: [zero[:0]] for kind in _LOCAL}
    for key in sorted(set(zip(kinds.tolist(), subtypes.tolist(), strict=True))):
        layout = _RECORDS.get(key)
        if layout is None:
            continue
        group = np.flatnonzero((kinds == key[0]) & (subtypes == key[1]))
        pointers = read_pointers(buffer, start[group], length[group], layout)
        by_table: dict[str, Sections] = {}
        for located in layout.sections:
            sections, _ = find_sections(buffer, pointers, located, by_table)
            by_table[located.layout.table] = sections
            for offset in _moment_offsets(located.layout):
                inside = sections.length >= offset + 8
                moments.append(sections.start[inside] + offset)
            for kind, offset in _local_offsets(located.layout):
                inside = sections.length >= offset + 8
                local[kind].append(sections.start[inside] + offset)
    places = np.concatenate(moments)
    known = places[_words(buffer, places) != 0]
    return known, {kind: np.concatenate(found) for kind, found in local.items()}


def _moment_offsets(layout: Layout) -> list[int]:
    return [
        f.offset + sum(steps)
        for f in layout.fields
        if f.kind == "stck" or (layout.table, f.name) in _MOMENTS_IN_IDENTIFIERS
        for steps in product(
            *([i * s for i in range(n)] for n, s in zip(f.shape, f.strides, strict=True))
        )
    ]


def _local_offsets(layout: Layout) -> list[tuple[str, int]]:
    dates = {f.offset for f in layout.fields if f.kind == "date"}
    return [(f.kind, f.offset) for f in layout.fields if f.kind in _LOCAL and f.end in dates]


def _words(buffer: Bytes, places: Ints) -> NDArray[np.uint64]:
    eight = buffer[places[:, None] + np.arange(8)]
    return eight.view(">u8").ravel().astype(np.uint64)


def _move_moments(buffer: Bytes, places: Ints, microseconds: int) -> None:
    later = _words(buffer, places) + np.uint64(microseconds << 12)
    buffer[places[:, None] + np.arange(8)] = later.astype(">u8").view(np.uint8).reshape(-1, 8)


def _move_local(buffer: Bytes, places: Ints, kind: str, microseconds: int) -> None:
    """Move times of day of a kind, each with its date 4 bytes behind; those without one stay."""
    time, date = Field("time", 0, 4, kind, ""), Field("date", 4, 4, "date", "")
    rows = Rows(buffer[places[:, None] + np.arange(8)])
    clock = KINDS[kind].decode(rows, time, time.offset, "037")
    day = KINDS["date"].decode(rows, date, date.offset, "037")
    known = ~(_missing(clock) | _missing(day))
    days, rest = np.divmod(clock.values[known] + microseconds, _DAY_US)
    moved = day.values[known].astype("datetime64[D]") + days.astype("timedelta64[D]")
    for field, values in ((time, rest), (date, moved)):
        encoded = KINDS[field.kind].encode(pl.Series(values), field, "037")
        buffer[places[known][:, None] + field.offset + np.arange(field.length)] = encoded


def _missing(column: Column) -> NDArray[np.bool_]:
    return np.zeros(len(column.values), np.bool_) if column.missing is None else column.missing
