"""Find the length of a record from its own pointers, if there is no descriptor word.

A record is assumed to end with the last section that it points to. This follows the pointers of one
record at a time, for files without descriptor words, where records cannot be separated in any other
way.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from mmap import mmap

from ingest.formats.binary.layout import Layout
from ingest.formats.binary.record import Inside, RecordLayout

__all__ = ["HEADER", "Buffer", "extent"]

HEADER = 18  # the shortest record: descriptor word and standard header without subtype
_WITH_SUBTYPE = 24  # length of the standard header with a subtype
_MQ_AREA = 28  # offset of the triplets in MQ's records
_MOST_POINTERS = 64  # of a record; a self-defining area followed by zeros has no visible end
_DUMP = (2, 3)  # types of a dump's header and trailer, which are just a standard header
_MQ = (115, 116)

Buffer = bytearray | mmap
_triplet = struct.Struct(">IHH").unpack_from


def extent(
    buffer: Buffer,
    start: int,
    available: int,
    records: Mapping[tuple[int, int], RecordLayout],
) -> int:
    """Return the length of the record at `start`, of which `available` bytes are present.

    The result is 0 if the length cannot be found (the type is not in `records`, or no section), and
    greater than `available` if more bytes are needed to find it.
    """
    record_type = buffer[start + 5]
    if record_type in _DUMP:
        return HEADER
    if record_type in _MQ:  # including subtypes that are not known
        return _end_of(_triplets(buffer, start, available, None))
    if available < _WITH_SUBTYPE:
        return 0
    subtype = buffer[start + 22] << 8 | buffer[start + 23]
    record = records.get((record_type, subtype))
    if record is None or record.pointer != "triplet":
        return 0
    return _Follower(buffer, start, available, record).end()


@dataclass(frozen=True, slots=True)
class _Span:
    """Equal sections one after another, or a run of sections with `length` bytes in total."""

    index: int
    offset: int
    length: int
    number: int
    end: int

    def places(self) -> Iterator[tuple[int, int]]:
        for i in range(self.number):
            yield self.offset + i * self.length, self.length


def _triplets(
    buffer: Buffer, start: int, available: int, record: RecordLayout | None
) -> list[_Span]:
    """Return what the triplets point to; there are none beyond the first section."""
    area_end, areas = available, []
    if record is None:
        area_end = min(available, _MQ_AREA + 8 * _MOST_POINTERS)
    offsets = range(_MQ_AREA, area_end, 8) if record is None else record.pointers
    runs = record.runs if record else frozenset()
    for i, at in enumerate(offsets):
        if at + 8 > area_end:
            break
        offset, length, number = _triplet(buffer, start + at)
        if offset and length and number:
            whole = length if i in runs else length * number
            area_end = min(area_end, offset)
            areas.append(_Span(i, offset, length, number, offset + whole))
    return areas


def _end_of(spans: list[_Span]) -> int:
    """Return where the last section ends; 0 if the pointers lead to none."""
    end = max((span.end for span in spans), default=0)
    return end if end >= _MQ_AREA + 8 else 0


class _Follower:
    """Follows the pointers of one record, including those inside sections."""

    def __init__(self, buffer: Buffer, start: int, available: int, record: RecordLayout) -> None:
        self.buffer, self.start, self.available, self.record = buffer, start, available, record
        # By table, where its sections are, how long, and through which section each was found.
        self.found: dict[str, list[tuple[int, int]]] = {}
        self.above: dict[str, list[tuple[int, int]]] = {}

    def end(self) -> int:
        """Return where the last section ends, or a lower bound if that is not in view."""
        spans = _triplets(self.buffer, self.start, self.available, self.record)
        end = _end_of(spans)
        by_index = {span.index: span for span in spans}
        holders = {s.at.parent.table for s in self.record.sections if isinstance(s.at, Inside)}
        for located in self.record.sections:
            if end > self.available:
                break
            if isinstance(located.at, Inside):
                end = max(end, self._inside(located.at, located.layout))
            elif located.layout.table in holders and located.at in by_index:
                self.found[located.layout.table] = list(by_index[located.at].places())
        return end

    def _inside(self, inside: Inside, child: Layout) -> int:
        """Find the targets of pointers in sections; return where the last of them ends."""
        places, parents, last = [], [], 0
        for i, parent in enumerate(self.found.get(inside.parent.table, [])):
            base = 0 if inside.base == "record" else parent[0]
            offset = self._value(parent, inside.parent, inside.offset)
            length = self._length(inside, i, parent)
            number = self._value(parent, inside.parent, inside.number) if inside.number else 1
            if not (offset and length):
                continue
            for at in self._chain(inside, child, base + offset, length, base, number):
                last = max(last, at + length)
                places.append((at, length))
                parents.append(parent)
        self.found[child.table], self.above[child.table] = places, parents
        return last

    def _chain(
        self, inside: Inside, child: Layout, at: int, length: int, base: int, number: int
    ) -> Iterator[int]:
        """Return the sections that a pointer leads to, limited to the available bytes."""
        if not inside.next:
            yield from range(at, at + number * length, length)
            return
        for _ in range(1 + self.available // length):
            yield at
            onward = self._value((at, length), child, inside.next)
            if not onward or at + length > self.available:
                return
            at = base + onward

    def _length(self, inside: Inside, i: int, parent: tuple[int, int]) -> int:
        if isinstance(inside.length, int):
            return inside.length
        if inside.length_in is None:
            return self._value(parent, inside.parent, inside.length)
        return self._value(self.above[inside.parent.table][i], inside.length_in, inside.length)

    def _value(self, section: tuple[int, int], layout: Layout, name: str) -> int:
        """Return an unsigned field of a section; 0 if the section or the bytes end before it."""
        f = layout.by_name[name]
        at, length = section
        if length < f.end or at + f.end > self.available:
            return 0
        begin = self.start + at + f.offset
        return int.from_bytes(self.buffer[begin : begin + f.length])
