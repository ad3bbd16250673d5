"""Repeat the records of a dump, each time with later times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise, product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.formats.binary.framing import RecordBatch
from ingest.formats.binary.kinds import KINDS, Column, Rows
from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.locate import Sections, find_sections, read_pointers
from ingest.formats.binary.records import record_types
from ingest.formats.layouts import RECORDS

__all__ = ["Later"]

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
_DUMP_RECORDS = (2, 3)  # the header and the trailer of a dump
_TIME_AT = 6  # offset of the time of day in the header; the date follows
_LOCAL = ("time", "rmf_time")  # kinds of times of day
_DAY_US = 86_400_000_000
_RECORDS = {(r.record_type, r.subtype): r for r in RECORDS}
# Identifiers that begin with a moment and must keep matching it.
_MOMENTS_IN_IDENTIFIERS = {("smf116_wq", "correl")}
_STAY = {"smf70_ipl_time"}  # moments of what happened before all rounds
#: Records that count since the start of an address space, their sections and kinds of counts.
_SINCE_START = (30, 6)
_COUNTING = {"smf30_processor_accounting", "smf30_io_activity", "smf30_storage"}
_COUNTS = {"ticks", "unsigned"}


class Later:
    """Records side by side that can be moved to later times.

    They begin with their descriptor word; the dump's header and trailer are left out. Moved are all
    moments that a layout knows but that of the IPL, all local times of day that are followed by
    their date, and the times in the headers. What type 30 counts since the start of an address
    space goes on to grow.
    """

    def __init__(self, records: Sequence[bytes]) -> None:
        kept = [record for record in records if record[5] not in _DUMP_RECORDS]
        length = np.array([len(record) for record in kept], np.int64)
        self.bounds = np.concatenate([[0], np.cumsum(length)])
        self.start = self.bounds[:-1]
        self.buffer = np.frombuffer(bytearray(b"".join(kept)), np.uint8)
        self._moments, self._local = _places(self.buffer, self.start, length)
        self._local["time"] = np.concatenate([self._local["time"], self.start + _TIME_AT])
        self._counts = _growing_counts(self.buffer, self.start, length)

    def records(self) -> Iterator[bytes]:
        """Yield the records with their current times."""
        whole = self.buffer.tobytes()
        yield from (whole[begin:end] for begin, end in pairwise(self.bounds.tolist()))

    def move(self, every: timedelta) -> None:
        """Make all records later by `every`."""
        step = every // timedelta(microseconds=1)
        _move_moments(self.buffer, self._moments, step)
        for kind, places in self._local.items():
            _move_local(self.buffer, places, kind, step)
        for width, places, growth in self._counts:
            _add(self.buffer, places, width, growth)


def _growing_counts(buffer: Bytes, start: Ints, length: Ints) -> list[tuple[int, Ints, Ints]]:
    """Return where the counts since a start are that grow: width, places, how much in a round."""
    zero = np.zeros(len(start), np.int64)
    kinds, subtypes = record_types(RecordBatch(buffer, start, length, zero, zero))
    group = np.flatnonzero((kinds == _SINCE_START[0]) & (subtypes == _SINCE_START[1]))
    if not len(group):
        return []
    layout = _RECORDS[_SINCE_START]
    pointers = read_pointers(buffer, start[group], length[group], layout)
    by_table: dict[str, Sections] = {}
    for located in layout.sections:
        by_table[located.layout.table], _ = find_sections(buffer, pointers, located, by_table)
    layouts = {located.layout.table: located.layout for located in layout.sections}
    identity = by_table["smf30_identification"]
    job = next(f for f in layouts["smf30_identification"].fields if f.name == "smf30jbn")
    jobs = np.zeros((len(group), job.length), np.uint8)
    jobs[identity.record] = buffer[identity.start[:, None] + job.offset + np.arange(job.length)]
    _, owner = np.unique(jobs, axis=0, return_inverse=True)
    growing = []
    for table in sorted(_COUNTING):
        sections = by_table[table]
        for f in layouts[table].fields:
            inside = sections.length >= f.end
            if f.kind not in _COUNTS or f.shape or not inside.any():
                continue
            places = sections.start[inside] + f.offset
            address_space = owner.ravel()[sections.record[inside]]
            growth = np.zeros(len(places), np.int64)
            for number in np.unique(address_space):
                counts = _numbers(buffer, places[address_space == number], f.length).astype(
                    np.int64
                )
                more = int(counts[-1] - counts[0])
                if len(counts) > 1 and more > 0 and (np.diff(counts) >= 0).all():
                    growth[address_space == number] = more
            if growth.any():
                growing.append((f.length, places, growth))
    return growing


def _numbers(buffer: Bytes, places: Ints, width: int) -> NDArray[np.uint64]:
    value = np.zeros(len(places), np.uint64)
    for n in range(width):
        value = value << np.uint64(8) | buffer[places + n].astype(np.uint64)
    return value


def _add(buffer: Bytes, places: Ints, width: int, growth: Ints) -> None:
    """Add to big-endian numbers."""
    grown = _numbers(buffer, places, width) + growth.astype(np.uint64)
    for n in range(width):
        buffer[places + n] = (grown >> np.uint64(8 * (width - 1 - n))).astype(np.uint8)


def _places(buffer: Bytes, start: Ints, length: Ints) -> tuple[Ints, dict[str, Ints]]:
    """Return where the buffer has non-zero TOD clock moments, and local times by kind of field.

    The date of a local time follows 4 bytes after it.
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
    used = places[_words(buffer, places) != 0]
    return used, {kind: np.concatenate(parts) for kind, parts in local.items()}


def _moment_offsets(layout: Layout) -> list[int]:
    return [
        f.offset + sum(steps)
        for f in layout.fields
        if (f.kind == "stck" and f.name not in _STAY)
        or (layout.table, f.name) in _MOMENTS_IN_IDENTIFIERS
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
    """Move times of day of a kind whose date follows 4 bytes after them.

    Times without a date stay.
    """
    time, date = Field("time", 0, 4, kind, ""), Field("date", 4, 4, "date", "")
    rows = Rows(buffer[places[:, None] + np.arange(8)])
    clock = KINDS[kind].decode(rows, time, time.offset, "037")
    day = KINDS["date"].decode(rows, date, date.offset, "037")
    is_known = ~(_missing(clock) | _missing(day))
    days, rest = np.divmod(clock.values[is_known] + microseconds, _DAY_US)
    moved = day.values[is_known].astype("datetime64[D]") + days.astype("timedelta64[D]")
    for field, values in ((time, rest), (date, moved)):
        encoded = KINDS[field.kind].encode(pl.Series(values), field, "037")
        buffer[places[is_known][:, None] + field.offset + np.arange(field.length)] = encoded


def _missing(column: Column) -> NDArray[np.bool_]:
    return np.zeros(len(column.values), np.bool_) if column.missing is None else column.missing
