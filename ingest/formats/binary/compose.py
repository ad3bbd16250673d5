"""Tables to records: the inverse of `records.decode_batch`.

A record is its header, its pointers and the sections that they point to, in the order that MQ
writes them: the product section is the last, or in some records the first. A section is encoded by
the layout that decodes it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.formats.binary.kinds import KINDS
from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.record import EntryList, Inside, Located, RecordLayout
from ingest.formats.binary.records import OPAQUE
from ingest.formats.binary.section import encode_section, schema
from ingest.formats.binary.text import encode_text

__all__ = ["ANY_OTHER_BLOCK", "Rows", "compose"]

Rows = pl.DataFrame | Sequence[Mapping[str, Any]]
Bytes = NDArray[np.uint8]
# Block type in the product section, if no layout names it: QWHX's in real records.
ANY_OTHER_BLOCK = 0x10
_TYPE_AT, _SUBTYPE_AT = 5, 22  # in a record's header
_BLOCK_LENGTH_AT = 2  # in a section with an eyecatcher
_KEY = {"record_no": pl.Int64(), "section_no": pl.Int32()}


def compose(
    record: RecordLayout,
    tables: Mapping[str, Rows],
    *,
    lengths: Mapping[str, int] | None = None,
    pointers: int | None = None,
    code_page: str = "037",
) -> list[bytes]:
    """Return whole records of one subtype, in the order of the rows in the header's table.

    `tables` has the rows of each table, a frame or a list of dicts. `record_no` says which record a
    row belongs to, and may be omitted if there is only one record. Rows of records that are not in
    the header's table are ignored. Sections are in the order of `section_no` (for a repeated
    section, the slot of the entry) or of the rows. Records, blocks and sections get their length,
    type and eyecatcher unless the rows have them.

    `lengths` gives, by table, the bytes of a section that differ from the newest release's;
    `pointers` the number of pointers if the last ones are omitted. A record begins with its
    descriptor word, in which a length of 64 KB or more is written as X'FFFF'.

    Raises ValueError for a value that its field cannot hold, for sections of a pointer that is
    omitted, for more than one block of a type in a product section, and for more than one section
    behind a pointer without a number.
    """
    header = _frame(tables[record.header.table], record.header)
    composer = _Composer(record, header["record_no"], dict(lengths or {}), code_page)
    count = len(record.pointers) if pointers is None else pointers
    contents = [_Content.absent(composer.count) for _ in range(count)]
    for index in range(len(record.pointers)):
        content = composer.content(index, tables)
        if index < count:
            contents[index] = content
        elif content.number.any():
            raise ValueError(f"pointer {index} is left out, but there are sections for it")
    head = _defaults(header, record.header, {_TYPE_AT: record.record_type})
    head = _defaults(head, record.header, {_SUBTYPE_AT: max(record.subtype, 0)})
    area_end = record.pointers[count - 1] + 8 if count else record.area
    encoded = encode_section(record.header, head, area_end, code_page)
    made, at = _assemble(record, encoded, contents)
    composer.add_nested(made, at, tables)
    for part in made:
        struct.pack_into(">HH", part, 0, min(len(part), 0xFFFF), 0)
    return [bytes(part) for part in made]


class _Content:
    """What one pointer points to: by record the bytes, and the length and number of sections."""

    def __init__(self, data: list[bytes], length: list[int], number: NDArray[np.int64]) -> None:
        self.data, self.length, self.number = data, length, number

    @classmethod
    def absent(cls, count: int) -> _Content:
        return cls([b""] * count, [0] * count, np.zeros(count, np.int64))


class _Composer:
    """Encodes the sections of records that are numbered by `record_no`."""

    def __init__(
        self, record: RecordLayout, record_no: pl.Series, lengths: dict[str, int], code_page: str
    ) -> None:
        self.record, self.lengths, self.code_page = record, lengths, code_page
        self.count = len(record_no)
        self.place = pl.DataFrame(
            {"record_no": record_no, "place": np.arange(self.count, dtype=np.int64)}
        )
        if record_no.n_unique() != self.count:
            raise ValueError("two headers have the same record_no")

    def content(self, index: int, tables: Mapping[str, Rows]) -> _Content:
        """Return what the pointer with this index points to."""
        if index in self.record.undocumented:
            return self._opaque(index, tables)
        sections = [s for s in self.record.sections if s.at == index]
        if any(s.chain is not None for s in sections):
            return self._chain(sections, tables)
        (located,) = sections
        rows, numbers = self._rows(located.layout, tables)
        if located.text is not None:
            return self._run(located, located.text, rows, numbers)
        if located.parts or located.entries:
            return self._variable(located, rows, numbers, tables)
        if located.layout.repeat is not None:
            return self._entries(located.layout, rows, numbers)
        length = self._length(located.layout)
        return self._equal(self._encode(located.layout, rows, length), numbers, length)

    def _length(self, layout: Layout) -> int:
        return self.lengths.get(layout.table, layout.length)

    def _rows(
        self, layout: Layout, tables: Mapping[str, Rows]
    ) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Return the rows of a table in the order of their records, and each one's record index."""
        frame = self._sorted(_frame(tables.get(layout.table, ()), layout))
        return frame, frame["place"].to_numpy()

    def _sorted(self, frame: pl.DataFrame) -> pl.DataFrame:
        joined = frame.join(self.place, on="record_no", how="inner", maintain_order="left")
        order = ["place", "section_no"] if "section_no" in frame.columns else ["place"]
        return joined.sort(order, maintain_order=True)

    def _encode(self, layout: Layout, rows: pl.DataFrame, length: int) -> Bytes:
        rows = _defaults(rows, layout, {layout.eyecatcher_at: layout.eyecatcher})
        if layout.eyecatcher and layout.eyecatcher_at > _BLOCK_LENGTH_AT:
            rows = _defaults(rows, layout, {_BLOCK_LENGTH_AT: length})
        return encode_section(layout, rows, length, self.code_page)

    def _equal(self, data: Bytes, place: NDArray[np.int64], length: int) -> _Content:
        number = np.bincount(place, minlength=self.count)
        bounds = length * np.concatenate([[0], np.cumsum(number)])
        whole = data.tobytes()
        pieces = [whole[begin:end] for begin, end in pairwise(bounds.tolist())]
        return _Content(pieces, [length] * self.count, number)

    def _entries(self, layout: Layout, rows: pl.DataFrame, place: NDArray[np.int64]) -> _Content:
        """Return sections with their entries in the slots of `section_no`, or from the first on."""
        repeat = layout.repeat
        assert repeat is not None
        first = np.searchsorted(place, place)
        slot = np.arange(len(place)) - first
        if "section_no" in rows.columns:
            slot = rows["section_no"].to_numpy() - 1
        if len(slot) and not 0 <= slot.min() <= slot.max() < repeat.count:
            raise ValueError(f"{layout.table}: an entry beyond the {repeat.count} that there are")
        present, owner = np.unique(place, return_inverse=True)
        length = self._length(layout)
        sections = np.zeros((len(present), length), np.uint8)
        at = layout.eyecatcher_at
        sections[:, _BLOCK_LENGTH_AT : _BLOCK_LENGTH_AT + 2] = list(length.to_bytes(2))
        name = pl.Series([layout.eyecatcher])
        sections[:, at : at + len(layout.eyecatcher)] = encode_text(
            name, len(layout.eyecatcher), self.code_page
        )
        start = repeat.offset + slot * repeat.stride
        entry = encode_section(layout, rows, repeat.stride, self.code_page)
        sections[owner[:, None], start[:, None] + np.arange(repeat.stride)] = entry
        return self._equal(sections, present, length)

    def _chain(self, here: list[Located], tables: Mapping[str, Rows]) -> _Content:
        """Return product sections: the blocks of each record, one after another."""
        data = [here[0].word] * self.count
        for located in here:
            layout = located.layout
            rows, numbers = self._rows(layout, tables)
            if located is here[0]:
                for record in numbers.tolist():
                    data[record] = b""
            if len(np.unique(numbers)) != len(numbers):
                raise ValueError(f"{layout.table}: a product section has one block of this type")
            length = self._length(layout)
            rows = _defaults(rows, layout, {0: length, 2: located.chain or ANY_OTHER_BLOCK})
            block = encode_section(layout, rows, length, self.code_page)
            for i, record in enumerate(numbers.tolist()):
                data[record] += block[i].tobytes()
        number = np.array([int(bool(d)) for d in data], np.int64)
        return _Content(data, [len(d) for d in data], number)

    def add_nested(
        self, made: list[bytearray], at: NDArray[np.int64], tables: Mapping[str, Rows]
    ) -> None:
        """Append sections that other sections point to, and fill in those pointers.

        `at` is (records, pointers): where the target of each pointer begins.
        """
        placed: dict[str, _Placed] = {}
        for located in self.record.sections:
            rows, record = self._rows(located.layout, tables)
            length = self._length(located.layout)
            if isinstance(located.at, Inside):
                above = placed[located.at.parent.table]
                parent = above.find(record, rows, located.layout)
                data = self._encode(located.layout, rows, length)
                offset = np.zeros(len(record), np.int64)
                for i, row in enumerate(record.tolist()):
                    offset[i] = len(made[row])
                    made[row] += data[i].tobytes()
                below = _Placed(record, offset, parent, above)
                _point(made, below, located.at, located.layout, length)
            else:
                first = np.searchsorted(record, record)
                offset = at[record, located.at] + (np.arange(len(record)) - first) * length
                below = _Placed(record, offset)
            placed[located.layout.table] = below

    def _opaque(self, triplet: int, tables: Mapping[str, Rows]) -> _Content:
        frame = _frame(tables.get(OPAQUE, ()), None)
        if not frame.height:
            return _Content.absent(self.count)
        rows = self._sorted(frame.filter(pl.col("triplet_no") == triplet))
        content = _Content.absent(self.count)
        for number, section in rows.select("place", "content").iter_rows():
            if content.number[number] and content.length[number] != len(section):
                raise ValueError(f"sections of pointer {triplet} differ in length")
            content.data[number] += section
            content.length[number] = len(section)
            content.number[number] += 1
        return content

    def _run(
        self, located: Located, text: Field, rows: pl.DataFrame, place: NDArray[np.int64]
    ) -> _Content:
        """Return sections one after another, each followed by a text whose length it holds."""
        size = located.layout.fields[0]
        texts = self._parts(rows, text.name, "text")
        lengths = pl.Series(size.name, [len(t) for t in texts], pl.Int64)
        fixed = self._encode(located.layout, rows.with_columns(lengths), located.layout.length)
        content = _Content.absent(self.count)
        for i, record in enumerate(place.tolist()):
            content.data[record] += fixed[i].tobytes() + texts[i]
            content.length[record] = len(content.data[record])
            content.number[record] += 1
        return content

    def _variable(
        self,
        located: Located,
        rows: pl.DataFrame,
        place: NDArray[np.int64],
        tables: Mapping[str, Rows],
    ) -> _Content:
        """Return sections followed by their parts of variable length."""
        layout, length = located.layout, self._length(located.layout)
        content = _Content.absent(self.count)
        entries = located.entries
        lists = self._lists(entries, tables) if entries else {}
        if entries:
            counts = [len(lists.get(i, [])) for i in place.tolist()]
            rows = rows.with_columns(pl.Series(entries.count, counts, pl.Int64))
        fixed = self._encode(layout, rows, length)
        named = {part.prefix: self._parts(rows, part.name, part.kind) for part in located.parts}
        if entries:
            named[entries.prefix] = [b"".join(lists.get(i, [])) for i in place.tolist()]
        for i, record in enumerate(place.tolist()):
            section = bytearray(fixed[i].tobytes())
            for prefix, values in named.items():
                doublet = (len(section), len(values[i])) if values[i] else (0, 0)
                struct.pack_into(
                    ">II", section, layout.by_name[f"{prefix}_offset"].offset, *doublet
                )
                section += values[i]
            content.data[record] += bytes(section)
            content.length[record] = len(section)
            content.number[record] += 1
        return content

    def _parts(self, rows: pl.DataFrame, name: str, kind: str) -> list[bytes]:
        values = rows[name].to_list() if name in rows.columns else [None] * rows.height
        if kind == "bytes":
            return [value or b"" for value in values]
        return [self._text(value or "") for value in values]

    def _text(self, value: str) -> bytes:
        return encode_text(pl.Series([value]), len(value), self.code_page).tobytes()

    def _lists(self, entries: EntryList, tables: Mapping[str, Rows]) -> dict[int, list[bytes]]:
        """Return each record's entries: the length of a name with its final NUL, and the name."""
        columns = {entries.text.name: pl.String()}
        rows = self._sorted(_frame(tables.get(entries.layout.table, ()), entries.layout, columns))
        lists: dict[int, list[bytes]] = {}
        if not rows.height:
            return lists
        for number, value in rows.select("place", entries.text.name).iter_rows():
            name = self._text(value or "") + b"\0"
            lists.setdefault(number, []).append(len(name).to_bytes(4) + name)
        return lists


def _frame(
    rows: Rows, layout: Layout | None, more: Mapping[str, pl.DataType] | None = None
) -> pl.DataFrame:
    """Return rows as a frame with the columns' own types, and with a `record_no`."""
    if not isinstance(rows, pl.DataFrame):
        types = _KEY | (schema(layout) if layout else {}) | dict(more or {})
        rows = [{"record_no": 1, **row} for row in rows]
        names = dict.fromkeys(["record_no", *(name for row in rows for name in row)])
        columns = {name: types.get(name) for name in names}
        rows = pl.DataFrame(
            {n: pl.Series(n, [row.get(n) for row in rows], dtype=t) for n, t in columns.items()}
        )
    if "record_no" not in rows.columns:
        rows = rows.with_columns(pl.lit(1, pl.Int64).alias("record_no"))
    return rows


def _defaults(rows: pl.DataFrame, layout: Layout, values: Mapping[int, Any]) -> pl.DataFrame:
    """Set the fields at the given offsets in rows that have no value of their own there."""
    for offset, value in values.items():
        f = _field_at(layout, offset)
        if f is None or value == "":
            continue
        default = pl.lit(value, KINDS[f.kind].dtype(f))
        given = f.name in rows.columns
        filled = pl.coalesce(pl.col(f.name), default) if given else default.alias(f.name)
        rows = rows.with_columns(filled)
    return rows


def _field_at(layout: Layout, offset: int) -> Field | None:
    return next((f for f in layout.fields if f.offset == offset and not f.shape), None)


@dataclass(frozen=True, slots=True)
class _Placed:
    """Sections placed in their records: for each the record, the offset in it, and the parent."""

    record: NDArray[np.int64]
    offset: NDArray[np.int64]
    parent: NDArray[np.int64] | None = None
    above: _Placed | None = None

    def find(
        self, record: NDArray[np.int64], rows: pl.DataFrame, layout: Layout
    ) -> NDArray[np.int64]:
        """Return the index of each row's parent, by `parent_no`; the first if there is none."""
        number = np.ones(len(record), np.int64)
        if "parent_no" in rows.columns:
            number = rows["parent_no"].fill_null(1).to_numpy().astype(np.int64)
        parent = np.searchsorted(self.record, record) + number - 1
        has_parent = parent < len(self.record)
        if not has_parent.all() or (self.record[parent] != record).any() or (number < 1).any():
            raise ValueError(f"{layout.table}: a row's parent_no is not that of any section")
        if (np.diff(parent) < 0).any():
            raise ValueError(f"{layout.table}: the rows are not in the order of their parents")
        return parent


def _point(
    made: list[bytearray], placed: _Placed, inside: Inside, layout: Layout, length: int
) -> None:
    """Write the pointers to sections into the sections that hold them."""
    above = placed.above
    assert above is not None
    assert placed.parent is not None

    def put(where: _Placed, i: int, holder: Layout, name: str, value: int) -> None:
        f = holder.by_name[name]
        begin = int(where.offset[i]) + f.offset
        made[int(where.record[i])][begin : begin + f.length] = value.to_bytes(f.length)

    number = np.bincount(placed.parent, minlength=len(above.record)).tolist()
    first = np.searchsorted(placed.parent, np.arange(len(above.record))).tolist()
    for i, count in enumerate(number):
        if not count:
            continue
        base = 0 if inside.base == "record" else int(above.offset[i])
        put(above, i, inside.parent, inside.offset, int(placed.offset[first[i]]) - base)
        if inside.number:
            put(above, i, inside.parent, inside.number, count)
        if isinstance(inside.length, str):
            if inside.length_in is None:
                put(above, i, inside.parent, inside.length, length)
            elif above.above is not None and above.parent is not None:
                put(above.above, int(above.parent[i]), inside.length_in, inside.length, length)
        if inside.next:
            for k in range(first[i], first[i] + count - 1):
                put(placed, k, layout, inside.next, int(placed.offset[k + 1]) - base)
        elif not inside.number and count > 1:
            raise ValueError(f"{layout.table}: its pointer has no number, and leads to one section")


def _assemble(
    record: RecordLayout, headers: Bytes, contents: list[_Content]
) -> tuple[list[bytearray], NDArray[np.int64]]:
    """Assemble each record: header, pointers, sections, and the target of its first pointer.

    Also return (records, pointers): where the target of each pointer begins, or 0.
    """
    doublets = record.pointer == "doublet"
    if doublets and any(content.number.max(initial=0) > 1 for content in contents):
        raise ValueError("a pointer without a number leads to one section")
    order = list(range(len(contents)))
    if not (doublets or record.product_first):
        order = [*order[1:], *order[:1]]
    places = np.zeros((len(headers), len(record.pointers)), np.int64)
    out = []
    for i, header in enumerate(headers):
        made = bytearray(header.tobytes())
        for t in order:
            content = contents[t]
            if content.number[i]:
                pointer = (len(made), content.length[i], int(content.number[i]))
                where = record.pointers[t]
                if doublets:
                    struct.pack_into(">II", made, where, *pointer[:2])
                else:
                    struct.pack_into(">IHH", made, where, *pointer)
                places[i, t] = len(made)
                made += content.data[i]
        out.append(made)
    return out, places
