"""Pointers and the sections that they lead to, for all records of a subtype at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.binary.record import Located, RecordLayout
from ingest.binary.text import alphabet

__all__ = ["Pointers", "Sections", "find_sections", "read_pointers"]

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
_MOST_BLOCKS = 8  # chained in a product section
_LAST_KNOWN = 2  # types of blocks with a name of their own: 1 QWHS, 2 QWHC


@dataclass(frozen=True, slots=True)
class Sections:
    """Where sections are: the record's index in the group, start in the buffer, length, number."""

    record: Ints
    start: Ints
    length: Ints
    number: NDArray[np.int32]


@dataclass(slots=True)
class Pointers:
    """The pointers of `n` records: (triplets, n) arrays, zero where a pointer is absent.

    `faults` says of a record (by its index) why a pointer of it cannot be followed.
    """

    start: Ints
    offset: Ints
    length: Ints
    number: Ints
    faults: dict[int, str]

    def sections(self, triplet: int) -> Sections:
        """Every section that a pointer leads to, in record order."""
        if triplet >= len(self.offset):
            none = np.zeros(0, np.int64)
            return Sections(none, none, none, none.astype(np.int32))
        number = self.number[triplet]
        record = np.repeat(np.arange(len(number)), number)
        first = np.repeat(np.cumsum(number) - number, number)
        place = np.arange(len(record)) - first
        length = self.length[triplet][record]
        start = self.start[record] + self.offset[triplet][record] + place * length
        return Sections(record, start, length, (place + 1).astype(np.int32))


def read_pointers(buffer: Bytes, start: Ints, size: Ints, record: RecordLayout) -> Pointers:
    """Read the self-defining areas of records that begin at `start` and are `size` bytes long.

    A pointer with a zero in it is absent; so is one behind the first section. One that leads
    outside the record is a fault.
    """
    offsets, lengths, numbers = np.zeros((3, record.triplets, len(start)), np.int64)
    pointers = Pointers(start, offsets, lengths, numbers, {})
    area_end = size.copy()
    for i in range(record.triplets):
        at = record.triplet_base + 8 * i
        readable = np.flatnonzero(at + 8 <= area_end)
        raw = buffer[start[readable][:, None] + np.arange(at, at + 8)].astype(np.int64)
        offset = raw[:, :4] @ np.array([1 << 24, 1 << 16, 1 << 8, 1])
        if record.pointer == "triplet":
            length, number = raw[:, 4] << 8 | raw[:, 5], raw[:, 6] << 8 | raw[:, 7]
        else:
            length = raw[:, 4:] @ np.array([1 << 24, 1 << 16, 1 << 8, 1])
            number = (length > 0).astype(np.int64)
        present = (offset > 0) & (length > 0) & (number > 0)
        outside = present & (
            (offset + length * number > size[readable]) | (offset < record.triplet_base + 8)
        )
        for j in np.flatnonzero(outside).tolist():
            pointers.faults.setdefault(
                int(readable[j]),
                f"pointer {i} leads outside the record: offset {offset[j]}, length {length[j]}, "
                f"number {number[j]} in {size[readable[j]]} bytes",
            )
        good = present & ~outside
        rows = readable[good]
        pointers.offset[i, rows] = offset[good]
        pointers.length[i, rows] = length[good]
        pointers.number[i, rows] = number[good]
        area_end[rows] = np.minimum(area_end[rows], offset[good])
    return pointers


def find_sections(
    buffer: Bytes, start: Ints, pointers: Pointers, located: Located
) -> tuple[Sections, dict[int, str]]:
    """The sections of one layout, and by record the reason why one is not what it should be."""
    sections = pointers.sections(located.triplet)
    if located.chain is not None:
        return _chained(buffer, sections, located)
    faults = _wrong_eyecatchers(buffer, start, sections, located)
    if located.layout.repeat is not None:
        sections = _entries(buffer, sections, located)
    return sections, faults


def _wrong_eyecatchers(
    buffer: Bytes, start: Ints, sections: Sections, located: Located
) -> dict[int, str]:
    layout = located.layout
    if not layout.eyecatcher or not len(sections.record):
        return {}
    # The letters and digits of eyecatchers are the same in every EBCDIC code page.
    table = alphabet("037")
    expected = np.array([table.index(c) for c in layout.eyecatcher], np.uint8)
    at, end = layout.eyecatcher_at, layout.eyecatcher_at + len(expected)
    whole = sections.length >= end
    faults = {}
    for i in np.flatnonzero(~whole).tolist():
        faults[int(sections.record[i])] = (
            f"a section of {sections.length[i]} bytes is too short for {layout.eyecatcher}"
        )
    rows = np.flatnonzero(whole)
    found = buffer[sections.start[rows][:, None] + np.arange(at, end)]
    for i in np.flatnonzero((found != expected).any(axis=1)).tolist():
        row = int(rows[i])
        record = int(sections.record[row])
        faults.setdefault(
            record,
            f"{layout.eyecatcher} expected at offset {sections.start[row] + at - start[record]}, "
            f"found X'{found[i].tobytes().hex().upper()}'",
        )
    return faults


def _entries(buffer: Bytes, sections: Sections, located: Located) -> Sections:
    """The entries of repeated sections that are in use."""
    repeat = located.layout.repeat
    assert repeat is not None
    key = located.layout.by_name[repeat.present]
    places = np.arange(repeat.count)
    begin = repeat.offset + places * repeat.stride
    inside = (begin + repeat.stride)[None, :] <= sections.length[:, None]
    row, place = np.nonzero(inside)
    start = sections.start[row] + begin[place]
    name = buffer[start[:, None] + np.arange(key.offset, key.offset + key.length)]
    used = ((name != 0x40) & (name != 0)).any(axis=1)
    row, place, start = row[used], place[used], start[used]
    length = np.full(len(row), repeat.stride, np.int64)
    return Sections(sections.record[row], start, length, (place + 1).astype(np.int32))


def _chained(
    buffer: Bytes, sections: Sections, located: Located
) -> tuple[Sections, dict[int, str]]:
    """The blocks of the wanted type in product sections; type 0 is any but QWHS and QWHC."""
    faults: dict[int, str] = {}
    least = max(located.layout.min_length, 4)
    at = sections.start.copy()
    end = sections.start + sections.length
    hit_row, hit_start, hit_length = [], [], []
    rows = np.arange(len(at))
    for _ in range(_MOST_BLOCKS):
        rows = rows[at[rows] + 4 <= end[rows]]
        here = at[rows]
        length = buffer[here].astype(np.int64) << 8 | buffer[here + 1]
        kind = buffer[here + 2]
        broken = (length < 4) | (here + length > end[rows])
        # A section too short for any block is not a product section, and no fault.
        first = (here == sections.start[rows]) & (sections.length[rows] >= least)
        for i in np.flatnonzero(broken & first).tolist():
            faults[int(sections.record[rows[i]])] = (
                f"the product section begins with a block of {length[i]} bytes"
            )
        wanted = ~broken & (kind == located.chain if located.chain else kind > _LAST_KNOWN)
        wanted &= length >= least
        hit_row.append(rows[wanted])
        hit_start.append(here[wanted])
        hit_length.append(length[wanted])
        rows = rows[~broken]
        at[rows] += length[~broken]
    row = np.concatenate(hit_row)
    order = np.argsort(row, kind="stable")
    row, start = row[order], np.concatenate(hit_start)[order]
    length = np.concatenate(hit_length)[order]
    number = np.ones(len(row), np.int32)
    return Sections(sections.record[row], start, length, number), faults
