"""Pointers and the sections that they point to, for all records of a subtype at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.formats.binary.layout import Layout
from ingest.formats.binary.record import Inside, Located, RecordLayout
from ingest.formats.binary.text import alphabet

__all__ = ["Pointers", "Sections", "find_sections", "read_pointers"]

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
_FORMS = {
    "triplet": np.dtype([("offset", ">u4"), ("length", ">u2"), ("number", ">u2")]),
    "doublet": np.dtype([("offset", ">u4"), ("length", ">u4")]),
}
_MOST_BLOCKS = 8  # chained in a product section
_LAST_KNOWN = 2  # block types with their own names: 1 QWHS, 2 QWHC


@dataclass(frozen=True, slots=True)
class Sections:
    """Where sections are: the record's index in the group, start in the buffer, length, number.

    For sections that another section points to, `above` are those other sections, and `parent` is
    the index among them.
    """

    record: Ints
    start: Ints
    length: Ints
    number: NDArray[np.int32]
    parent: Ints | None = None
    above: Sections | None = None

    def take(self, rows: Ints | NDArray[np.bool_]) -> Sections:
        """Return some of the sections."""
        parent = None if self.parent is None else self.parent[rows]
        chosen = (self.record[rows], self.start[rows], self.length[rows], self.number[rows])
        return Sections(*chosen, parent, self.above)

    def numbered(self) -> Sections:
        """Return the sections, numbered from 1 in each record."""
        begins = np.flatnonzero(np.diff(self.record, prepend=-1))
        size = np.diff(np.append(begins, len(self.record)))
        number = (np.arange(1, len(self.record) + 1) - np.repeat(begins, size)).astype(np.int32)
        return Sections(self.record, self.start, self.length, number, self.parent, self.above)


@dataclass(slots=True)
class Pointers:
    """The pointers of `n` records: (pointers, n) arrays, zero if a pointer is absent.

    `size` is the length of each record, `header_end` where its header ends: at the first section.
    `length` is that of a section, or of all sections if the pointer leads to a run of them.
    `faults` maps the index of a record to the reason why one of its pointers cannot be followed.
    """

    start: Ints
    size: Ints
    header_end: Ints
    offset: Ints
    length: Ints
    number: Ints
    faults: dict[int, str]

    def sections(self, index: int) -> Sections:
        """Return every section that a pointer leads to, in record order."""
        record, number = _repeat(self.number[index])
        length = self.length[index][record]
        start = self.start[record] + self.offset[index][record] + number * length
        return Sections(record, start, length, (number + 1).astype(np.int32))

    def run(self, buffer: Bytes, index: int, layout: Layout) -> tuple[Sections, dict[int, str]]:
        """Return the sections of a pointer that leads to a run of them, each followed by a text.

        A run that ends early has fewer sections than its number says; it is a fault if the last one
        is cut short.
        """
        size = layout.fields[0]
        faults: dict[int, str] = {}
        rows = np.flatnonzero(self.number[index])
        at, end = self.start + self.offset[index], np.zeros_like(self.start)
        end[rows] = at[rows] + self.length[index][rows]
        runs: list[tuple[Ints, Ints]] = []
        for step in range(int(self.number[index].max(initial=0))):
            rows = rows[(self.number[index][rows] > step) & (at[rows] < end[rows])]
            offsets = at[rows]
            text = np.zeros(len(rows), np.int64)
            for i in range(size.offset, size.end):
                text = text << 8 | buffer[np.minimum(offsets + i, end[rows] - 1)]
            whole = offsets + layout.length + text <= end[rows]
            for i in np.flatnonzero(~whole).tolist():
                faults[int(rows[i])] = f"{layout.table}: a section is cut by the end of all of them"
            rows, offsets = rows[whole], offsets[whole]
            runs.append((rows, offsets))
            at[rows] += layout.length + text[whole]
        if not runs:
            nothing = np.zeros(0, np.int64)
            return Sections(nothing, nothing, nothing, nothing.astype(np.int32)), faults
        record, start = (np.concatenate(parts) for parts in zip(*runs, strict=True))
        number = np.repeat(np.arange(1, len(runs) + 1), [len(rows) for rows, _ in runs])
        order = np.argsort(record, kind="stable")
        length = np.full(len(record), layout.length, np.int64)
        return Sections(record[order], start[order], length, number[order].astype(np.int32)), faults


def _repeat(number: Ints) -> tuple[Ints, Ints]:
    """Repeat each index as often as its number says, and count the repetitions of each."""
    index = np.repeat(np.arange(len(number)), number)
    first = np.repeat(np.cumsum(number) - number, number)
    return index, np.arange(len(index)) - first


def read_pointers(buffer: Bytes, start: Ints, size: Ints, record: RecordLayout) -> Pointers:
    """Read the self-defining areas of records that begin at `start` and are `size` bytes long.

    A pointer that contains a zero is absent, and so is one beyond the first section. A pointer that
    leads outside the record is a fault.
    """
    offsets, lengths, numbers = np.zeros((3, len(record.pointers), len(start)), np.int64)
    area_end = size.copy()
    pointers = Pointers(start, size, area_end, offsets, lengths, numbers, {})
    if not record.pointers:
        return pointers
    area, form = _areas(buffer, start, record), _FORMS[record.pointer]
    for i, at in enumerate(record.pointers):
        readable = np.flatnonzero(at + 8 <= area_end)
        raw = np.ascontiguousarray(area[readable, at - record.area : at - record.area + 8])
        pointer = raw.view(form)[:, 0]
        offset, length = pointer["offset"].astype(np.int64), pointer["length"].astype(np.int64)
        if record.pointer == "triplet":
            number = pointer["number"].astype(np.int64)
        else:
            number = (length > 0).astype(np.int64)
        present = (offset > 0) & (length > 0) & (number > 0)
        whole = length if i in record.runs else length * number
        outside = present & ((offset + whole > size[readable]) | (offset < record.area + 8))
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


def _areas(buffer: Bytes, start: Ints, record: RecordLayout) -> Bytes:
    """Return (n, length) bytes of the self-defining areas, or up to the end of the buffer."""
    width = record.pointers[-1] + 8 - record.area
    begin = start + record.area
    if begin.max(initial=0) + width > len(buffer):
        buffer = np.concatenate([buffer, np.zeros(record.area + width, np.uint8)])
    areas: Bytes = np.lib.stride_tricks.sliding_window_view(buffer, width)[begin]
    return areas


def find_sections(
    buffer: Bytes,
    pointers: Pointers,
    located: Located,
    found: Mapping[str, Sections],
    lengths: Collection[int] = (),
) -> tuple[Sections, dict[int, str]]:
    """Return the sections of one layout, and for each faulty record the reason.

    `found` has the sections found so far by table, for pointers inside them; `lengths` are those
    for which there is a layout, if the length decides which layout applies.
    """
    faults: dict[int, str] = {}
    if isinstance(located.at, Inside):
        parents = found[located.at.parent.table]
        sections, faults = _inside(buffer, pointers, parents, located.at, located.layout)
    elif located.text is not None:
        return pointers.run(buffer, located.at, located.layout)
    else:
        sections = pointers.sections(located.at)
    if located.chain is not None:
        return _follow_chain(buffer, sections, located)
    if located.only_length:
        unknown = np.logical_and.reduce([sections.length != n for n in lengths])
        for i in np.flatnonzero(unknown).tolist():
            why = f"{located.layout.table}: no layout for a section of {sections.length[i]} bytes"
            faults.setdefault(int(sections.record[i]), why)
        sections = sections.take(sections.length == located.only_length).numbered()
    faults |= _wrong_eyecatchers(buffer, pointers.start, sections, located)
    if located.layout.repeat is not None:
        sections = _entries(buffer, sections, located)
    return sections, faults


def _inside(
    buffer: Bytes, pointers: Pointers, parents: Sections, inside: Inside, child: Layout
) -> tuple[Sections, dict[int, str]]:
    """Return the sections that pointers inside other sections lead to, in the order of those."""
    offset = _values(buffer, parents, inside.parent, inside.offset)
    length = _lengths(buffer, parents, inside)
    number = np.ones_like(offset)
    if inside.number:
        number = _values(buffer, parents, inside.parent, inside.number)
    number[(offset <= 0) | (length <= 0)] = 0
    low = pointers.start[parents.record]
    high = low + pointers.size[parents.record]
    begin = offset + (low if inside.base == "record" else parents.start)
    outside = (number > 0) & ((begin < low) | (begin + length * number > high))
    faults = {
        int(parents.record[i]): f"a pointer in {inside.parent.table} leads outside the record: "
        f"{inside.offset} {offset[i]}, length {length[i]}, number {number[i]}"
        for i in np.flatnonzero(outside).tolist()
    }
    number[outside] = 0
    if inside.next:
        rows = np.flatnonzero(number > 0)
        first = _Links(rows, begin[rows], length[rows], low[rows], high[rows])
        sections, more = _follow_links(buffer, parents, inside, child, first)
        return sections, faults | more
    parent, entry = _repeat(number)
    start = begin[parent] + entry * length[parent]
    return _number(parents, parent, start, length[parent]), faults


def _number(parents: Sections, parent: Ints, start: Ints, length: Ints) -> Sections:
    """Return sections of given parents, numbered in each record."""
    record = parents.record[parent]
    none = np.zeros(len(record), np.int32)
    return Sections(record, start, length, none, parent, parents).numbered()


class _Links(NamedTuple):
    """Sections in chains: for each the parent, the position, the length and the record's bounds."""

    parent: Ints
    at: Ints
    length: Ints
    low: Ints
    high: Ints

    def take(self, rows: NDArray[np.bool_]) -> _Links:
        return _Links(*(values[rows] for values in self))


def _follow_links(
    buffer: Bytes, parents: Sections, inside: Inside, child: Layout, links: _Links
) -> tuple[Sections, dict[int, str]]:
    """Follow sections that point to one another; `links` are the first ones."""
    faults: dict[int, str] = {}
    hops, passed = [links], 0
    while len(links.at):
        passed += 1
        record = parents.record[links.parent]
        sections = Sections(record, links.at, links.length, np.zeros(len(record), np.int32))
        offset = _values(buffer, sections, child, inside.next)
        base = links.low if inside.base == "record" else parents.start[links.parent]
        at = base + offset
        outside = (at < links.low) | (at + links.length > links.high)
        endless = passed * links.length > links.high - links.low
        for i in np.flatnonzero((offset > 0) & (outside | endless)).tolist():
            why = "leads outside the record" if outside[i] else "has no end"
            faults[int(record[i])] = f"the chain of {child.table} {why}: {inside.next} {offset[i]}"
        links = links._replace(at=at).take((offset > 0) & ~outside & ~endless)
        hops.append(links)
    parent, start, length = (np.concatenate([hop[i] for hop in hops]) for i in range(3))
    order = np.argsort(parent, kind="stable")
    return _number(parents, parent[order], start[order], length[order]), faults


def _lengths(buffer: Bytes, parents: Sections, inside: Inside) -> Ints:
    if isinstance(inside.length, int):
        return np.full(len(parents.record), inside.length, np.int64)
    if inside.length_in is None:
        return _values(buffer, parents, inside.parent, inside.length)
    assert parents.above is not None
    assert parents.parent is not None
    return _values(buffer, parents.above, inside.length_in, inside.length)[parents.parent]


def _values(buffer: Bytes, sections: Sections, layout: Layout, name: str) -> Ints:
    """Return an unsigned field of each section; 0 if the section ends before it."""
    f = layout.by_name[name]
    values = np.zeros(len(sections.start), np.int64)
    whole = np.flatnonzero(sections.length >= f.end)
    for i in range(f.offset, f.end):
        values[whole] = values[whole] << 8 | buffer[sections.start[whole] + i]
    return values


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
    text = buffer[sections.start[rows][:, None] + np.arange(at, end)]
    for i in np.flatnonzero((text != expected).any(axis=1)).tolist():
        row = int(rows[i])
        record = int(sections.record[row])
        faults.setdefault(
            record,
            f"{layout.eyecatcher} expected at offset {sections.start[row] + at - start[record]}, "
            f"found X'{text[i].tobytes().hex().upper()}'",
        )
    return faults


def _entries(buffer: Bytes, sections: Sections, located: Located) -> Sections:
    """Return the entries of repeated sections that are in use."""
    repeat = located.layout.repeat
    assert repeat is not None
    key = located.layout.by_name[repeat.present]
    places = np.arange(repeat.count)
    begin = repeat.offset + places * repeat.stride
    inside = (begin + repeat.stride)[None, :] <= sections.length[:, None]
    row, column = np.nonzero(inside)
    start = sections.start[row] + begin[column]
    name = buffer[start[:, None] + np.arange(key.offset, key.offset + key.length)]
    used = ((name != 0x40) & (name != 0)).any(axis=1)
    row, column, start = row[used], column[used], start[used]
    length = np.full(len(row), repeat.stride, np.int64)
    return Sections(sections.record[row], start, length, (column + 1).astype(np.int32))


def _after_word(buffer: Bytes, sections: Sections, word: bytes) -> Ints:
    """Return where the blocks of product sections begin: after the word, if there is one."""
    begin = sections.start.copy()
    if word:
        rows = np.flatnonzero(sections.length >= len(word))
        at = begin[rows]
        begin[rows] += len(word) * ((buffer[at] == word[0]) & (buffer[at + 1] == word[1]))
    return begin


def _follow_chain(
    buffer: Bytes, sections: Sections, located: Located
) -> tuple[Sections, dict[int, str]]:
    """Return the blocks of one type in product sections; type 0 is any except QWHS and QWHC."""
    faults: dict[int, str] = {}
    least = max(located.layout.min_length, 4)
    begin = _after_word(buffer, sections, located.word)
    end = sections.start + sections.length
    at = begin.copy()
    hit_row, hit_start, hit_length = [], [], []
    rows = np.arange(len(at))
    for _ in range(_MOST_BLOCKS):
        rows = rows[at[rows] + 4 <= end[rows]]
        offsets = at[rows]
        length = buffer[offsets].astype(np.int64) << 8 | buffer[offsets + 1]
        kind = buffer[offsets + 2]
        broken = (length < 4) | (offsets + length > end[rows])
        # A section too short for any block is not a product section, which is no fault.
        first = (offsets == begin[rows]) & (end[rows] - offsets >= least)
        for i in np.flatnonzero(broken & first).tolist():
            faults[int(sections.record[rows[i]])] = (
                f"the product section begins with a block of {length[i]} bytes"
            )
        wanted = ~broken & (kind == located.chain if located.chain else kind > _LAST_KNOWN)
        wanted &= length >= least
        hit_row.append(rows[wanted])
        hit_start.append(offsets[wanted])
        hit_length.append(length[wanted])
        rows = rows[~broken]
        at[rows] += length[~broken]
    row = np.concatenate(hit_row)
    order = np.argsort(row, kind="stable")
    row, start = row[order], np.concatenate(hit_start)[order]
    length = np.concatenate(hit_length)[order]
    number = np.ones(len(row), np.int32)
    return Sections(sections.record[row], start, length, number), faults
