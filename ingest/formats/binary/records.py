"""A batch of records to tables: headers, pointers, sections.

Everything is done for all records of a subtype at once. A record is decoded whole or not at all: if
its pointers lead outside it, or a section lacks its eyecatcher, it is rejected with a reason and
gives no row in any table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
import polars_hash
from numpy.typing import NDArray

from ingest.formats.binary.arrow import binaries, frame, numbers, views
from ingest.formats.binary.framing import RDW, RecordBatch
from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.locate import Pointers, Sections, find_sections, read_pointers
from ingest.formats.binary.record import EntryList, Inside, Located, RecordLayout, VariablePart
from ingest.formats.binary.section import column_dtype, decode_section, schema
from ingest.formats.binary.text import decode_text

__all__ = [
    "ANY_SUBTYPE",
    "OPAQUE",
    "RECORD_TABLE",
    "Catalogue",
    "Decoded",
    "Rejection",
    "decode_batch",
    "record_types",
    "table_schemas",
]

Catalogue = Mapping[tuple[int, int], RecordLayout]
ANY_SUBTYPE = -1  # in a catalogue: every subtype of the type that has no layout of its own
RECORD_TABLE = "smf_record"
OPAQUE = "smf_opaque"
_BLANK = 0x40
_KEY = {"record_no": pl.Int64(), "section_no": pl.Int32()}
_PARENT = {"parent_no": pl.Int32()}
_RECORD_SCHEMA = {
    "record_no": pl.Int64(),
    "file_offset": pl.Int64(),
    "length": pl.Int64(),
    "record_type": pl.Int32(),
    "record_subtype": pl.Int32(),
    "system_id": pl.String(),
    "subsystem_id": pl.String(),
    "smf_time": pl.Datetime("us"),
    "content_hash": pl.UInt64(),
}
_OPAQUE_SCHEMA = _KEY | {
    "record_type": pl.Int32(),
    "record_subtype": pl.Int32(),
    "triplet_no": pl.Int32(),
    "content": pl.Binary(),
}


@dataclass(frozen=True, slots=True)
class Rejection:
    """A record that does not match its layout: its index in the batch, and why."""

    index: int
    reason: str


@dataclass(slots=True)
class Decoded:
    """The content of a batch: rows by table, and rejected records.

    sections, extra_bytes: of each record, (n,) int64.
    """

    sections: NDArray[np.int64]
    extra_bytes: NDArray[np.int64]
    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    rejected: list[Rejection] = field(default_factory=list)


def table_schemas(catalogue: Catalogue) -> dict[str, dict[str, pl.DataType]]:
    """Return the columns of every table that the records of a catalogue can fill."""
    tables: dict[str, dict[str, pl.DataType]] = {
        RECORD_TABLE: dict(_RECORD_SCHEMA),
        OPAQUE: dict(_OPAQUE_SCHEMA),
    }
    for record in catalogue.values():
        tables.setdefault(record.header.table, _KEY | schema(record.header))
        for located in record.sections:
            above = _PARENT if isinstance(located.at, Inside) else {}
            columns = _KEY | above | schema(located.layout) | _extra_schema(located)
            tables.setdefault(located.layout.table, columns)
            if located.entries:
                entries = located.entries
                tables.setdefault(
                    entries.layout.table,
                    _KEY | schema(entries.layout) | {entries.text.name: pl.String()},
                )
    return tables


def record_types(batch: RecordBatch) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the type and subtype of each record; the subtype is -1 if the header has none.

    An extended header (type 126, flag bits 1 and 2 on, 56 bytes or more) has its type at offset 52.
    (MVS System Management Facilities, "Standard and Extended SMF record headers".)
    """
    buffer, start = batch.buffer, batch.start
    kind = buffer[start + 5].astype(np.int32)
    long = batch.length >= 24
    subtype = np.full(len(start), -1, np.int32)
    at = start[long]
    subtype[long] = buffer[at + 22].astype(np.int32) << 8 | buffer[at + 23]
    subtype[np.isin(kind, (2, 3, 7))] = -1
    extended = (kind == 126) & (batch.length >= 56) & (buffer[start + 4] & 0x60 == 0x60)
    at = start[extended]
    # Extended records have their own numbers, kept negative: 115 there is not MQ's 115.
    kind[extended] = -(buffer[at + 52].astype(np.int32) << 8 | buffer[at + 53])
    return kind, subtype


def decode_batch(batch: RecordBatch, catalogue: Catalogue, code_page: str = "037") -> Decoded:
    """Decode a batch: all rows of all tables, beginning with record_no and section_no (from 1)."""
    kinds, subtypes = record_types(batch)
    result = Decoded(*np.zeros((2, len(kinds)), np.int64))
    result.tables[RECORD_TABLE] = _record_table(batch, kinds, subtypes, code_page)
    pieces: dict[str, list[pl.DataFrame]] = {}
    for record, keys in _layouts_in_batch(kinds, subtypes, catalogue):
        chosen = np.zeros(len(kinds), bool)
        for kind, subtype in keys:
            chosen |= (kinds == kind) & (subtypes == subtype)
        group = np.flatnonzero(chosen)
        _Group(batch, record, group, kinds[group], subtypes[group], code_page).decode(
            result, pieces
        )
    for table, frames in pieces.items():
        whole = frames[0] if len(frames) == 1 else pl.concat(frames)
        if not whole["record_no"].is_sorted():
            whole = whole.sort("record_no", "section_no")
        result.tables[table] = whole
    return result


def _layouts_in_batch(
    kinds: NDArray[np.int32], subtypes: NDArray[np.int32], catalogue: Catalogue
) -> list[tuple[RecordLayout, list[tuple[int, int]]]]:
    """Return the layouts of a batch's records, each with the (type, subtype) that use it.

    Subtypes that differ only in their number are one group, because each group costs time.
    """
    groups: dict[tuple[int, int, object], tuple[RecordLayout, list[tuple[int, int]]]] = {}
    for kind, subtype in sorted(set(zip(kinds.tolist(), subtypes.tolist(), strict=True))):
        record = catalogue.get((kind, subtype)) or catalogue.get((kind, ANY_SUBTYPE))
        if record is not None:
            same = (id(record.header), id(record.sections), record.pointers)
            groups.setdefault(same, (record, []))[1].append((kind, subtype))
    return list(groups.values())


def _record_table(
    batch: RecordBatch, kinds: NDArray[np.int32], subtypes: NDArray[np.int32], code_page: str
) -> pl.DataFrame:
    header = np.lib.stride_tricks.sliding_window_view(batch.buffer, 18)[batch.start]
    subsystem = np.full((len(kinds), 4), 0x40, np.uint8)
    long = batch.length >= 24
    subsystem[long] = batch.buffer[batch.start[long][:, None] + np.arange(18, 22)]
    hundredths = header[:, 6:10].astype(np.int64) @ np.array([1 << 24, 1 << 16, 1 << 8, 1])
    digit = np.stack([header[:, 10:14] >> 4, header[:, 10:14] & 15], 2).reshape(-1, 8)
    digit = digit.astype(np.int64)
    year = digit[:, 1] * 100 + digit[:, 2] * 10 + digit[:, 3] - 70
    days = year.astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    days += digit[:, 4] * 100 + digit[:, 5] * 10 + digit[:, 6] - 1
    columns = {
        "record_no": batch.record_no,
        "file_offset": batch.file_offset,
        "length": batch.length,
        "record_type": np.abs(kinds),
        "record_subtype": subtypes,
        "smf_time": days * 86_400_000_000 + hundredths * 10_000,
    }
    missing = {"record_subtype": subtypes < 0}
    arrays = {
        name: numbers(values, _RECORD_SCHEMA[name], missing.get(name))
        for name, values in columns.items()
    }
    arrays["system_id"] = decode_text(header[:, 14:18], code_page)
    arrays["subsystem_id"] = decode_text(subsystem, code_page)
    content = views(batch.buffer, batch.start + RDW, batch.length - RDW)
    present = [name for name in _RECORD_SCHEMA if name in arrays]
    return frame([*present, "content"], [*(arrays[name] for name in present), content]).select(
        *present, polars_hash.col("content").nchash.xxh3_64().alias("content_hash")
    )


class _Group:
    """All records of one layout in a batch: `group` are their indexes in it."""

    def __init__(
        self,
        batch: RecordBatch,
        record: RecordLayout,
        group: NDArray[np.int64],
        kinds: NDArray[np.int32],
        subtypes: NDArray[np.int32],
        code_page: str,
    ) -> None:
        self.batch, self.record, self.code_page = batch, record, code_page
        self.group, self.kinds, self.subtypes = group, kinds, subtypes
        self.sections, self.extra_bytes = np.zeros((2, len(group)), np.int64)  # of each record
        self.start, self.length = batch.start[group], batch.length[group]
        self.reasons: dict[int, str] = {}  # by index in the group

    def decode(self, result: Decoded, pieces: dict[str, list[pl.DataFrame]]) -> None:
        pointers = read_pointers(self.batch.buffer, self.start, self.length, self.record)
        self.reasons |= pointers.faults
        tables = []
        by_table: dict[str, Sections] = {}
        for located in self.record.sections:
            lengths = self.record.lengths(located)
            sections, faults = find_sections(
                self.batch.buffer, pointers, located, by_table, lengths
            )
            self.reasons |= {i: why for i, why in faults.items() if i not in self.reasons}
            tables.append((located, sections))
            by_table[located.layout.table] = sections
        parts = [self._parts(located, sections) for located, sections in tables]
        good = np.ones(len(self.group), bool)
        good[list(self.reasons)] = False
        result.rejected += [
            Rejection(int(self.group[i]), reason) for i, reason in sorted(self.reasons.items())
        ]

        if good.any():
            pieces.setdefault(self.record.header.table, []).append(self._headers(pointers, good))
        for (located, sections), frames in zip(tables, parts, strict=True):
            kept = good[sections.record]
            if not kept.any():  # most records lack most of the sections that they could have
                continue
            self._count(self.sections, sections.record[kept])
            if not located.parts:  # which follow the known fields
                beyond = np.maximum(sections.length[kept] - located.layout.length, 0)
                self._count(self.extra_bytes, sections.record[kept], beyond)
            table = self._rows(located.layout, sections, kept, frames)
            pieces.setdefault(located.layout.table, []).append(table)
            if located.entries:
                entries = self._entries(located.entries, sections, kept)
                pieces.setdefault(located.entries.layout.table, []).append(entries)
        opaque = self._opaque(pointers, good)
        if opaque.height:
            pieces.setdefault(OPAQUE, []).append(opaque)
        result.sections[self.group] = self.sections
        result.extra_bytes[self.group] = self.extra_bytes

    @staticmethod
    def _count(
        total: NDArray[np.int64],
        record: NDArray[np.int64],
        amount: NDArray[np.int64] | None = None,
    ) -> None:
        """Add one, or an amount, to a record's total each time that it occurs in `record`."""
        total += np.bincount(record, amount, len(total)).astype(np.int64)

    def _headers(self, pointers: Pointers, good: NDArray[np.bool_]) -> pl.DataFrame:
        """Return the headers, with the length of the whole record in place of the file's."""
        n, layout = len(self.group), self.record.header
        size = np.minimum(pointers.header_end, layout.length)
        sections = Sections(np.arange(n), self.start, size, np.ones(n, np.int32))
        rows = self._rows(layout, sections, good, [])
        length, segment = layout.fields[:2]
        whole = pl.Series(length.name, self.length[good]).cast(column_dtype(length))
        none = pl.repeat(0, rows.height, dtype=column_dtype(segment), eager=True)
        rows.replace_column(rows.get_column_index(length.name), whole)
        rows.replace_column(rows.get_column_index(segment.name), none.alias(segment.name))
        return rows

    def _keys(self, sections: Sections) -> list[pl.Series]:
        keys = [
            pl.Series("record_no", self.batch.record_no[self.group[sections.record]]),
            pl.Series("section_no", sections.number, dtype=pl.Int32),
        ]
        if sections.parent is not None and sections.above is not None:
            above = sections.above.number[sections.parent]
            keys.append(pl.Series("parent_no", above, dtype=pl.Int32))
        return keys

    def _rows(
        self,
        layout: Layout,
        sections: Sections,
        kept: NDArray[np.bool_],
        parts: list[pl.Series],
    ) -> pl.DataFrame:
        if not kept.all():
            sections = sections.take(kept)
            parts = [p.filter(pl.Series(kept)) for p in parts]
        same = bool(len(sections.length)) and (sections.length == sections.length[0]).all()
        distinct = sections.length[:1] if same else np.unique(sections.length)
        if len(distinct) <= 1:
            length = int(distinct[0]) if len(distinct) else layout.row_length
            columns = self._columns(layout, sections.start, length)
        else:
            frames, order = [], []
            for length in distinct.tolist():
                rows = np.flatnonzero(sections.length == length)
                order.append(rows)
                frames.append(self._columns(layout, sections.start[rows], length))
            columns = pl.concat(frames)[np.argsort(np.concatenate(order), kind="stable")]
        return pl.DataFrame([*self._keys(sections), *columns.get_columns(), *parts])

    def _columns(self, layout: Layout, starts: NDArray[np.int64], length: int) -> pl.DataFrame:
        width = min(length, layout.row_length)
        data = np.lib.stride_tricks.sliding_window_view(self.batch.buffer, width)[starts]
        return decode_section(layout, data, length, self.code_page)

    def _parts(self, located: Located, sections: Sections) -> list[pl.Series]:
        """Return the variable parts of a section, one value per section."""
        parts = [self._part(located.layout, part, sections) for part in located.parts]
        return (
            [self._text_behind(located, located.text, sections), *parts] if located.text else parts
        )

    def _text_behind(self, located: Located, text: Field, sections: Sections) -> pl.Series:
        """Return the texts that follow the sections of a run."""
        buffer, size = self.batch.buffer, located.layout.fields[0]
        length = np.zeros(len(sections.start), np.int64)
        for i in range(size.offset, size.end):
            length = length << 8 | buffer[sections.start + i]
        rows = np.full((len(length), max(int(length.max(initial=0)), 1)), _BLANK, np.uint8)
        for n in np.unique(length).tolist():
            same = np.flatnonzero(length == n)
            at = sections.start[same] + located.layout.length
            rows[same, :n] = buffer[at[:, None] + np.arange(n)]
        return _texts(text.name, rows, self.code_page)

    def _part(self, layout: Layout, part: VariablePart, sections: Sections) -> pl.Series:
        values: list[bytes] = []
        offset_at = layout.by_name[f"{part.prefix}_offset"].offset
        for record, start, size in zip(
            sections.record.tolist(), sections.start.tolist(), sections.length.tolist(), strict=True
        ):
            record_end = int(self.start[record] + self.length[record])
            content = b""
            if offset_at + 8 <= size:
                raw = self.batch.buffer[start + offset_at : start + offset_at + 8].tobytes()
                offset, length = int.from_bytes(raw[:4]), int.from_bytes(raw[4:])
                if length and start + offset + length > record_end:
                    self.reasons.setdefault(record, f"its {part.note} lies outside the record")
                elif length:
                    content = self.batch.buffer[start + offset :][:length].tobytes()
            values.append(content)
        if part.kind == "bytes":
            return pl.Series(part.name, values, dtype=pl.Binary)
        return self._texts(part.name, values)

    def _texts(self, name: str, values: list[bytes]) -> pl.Series:
        width = max(map(len, values), default=0)
        if not width:
            return pl.Series(name, [""] * len(values), dtype=pl.String)
        padded = b"".join(v.ljust(width, b"\x40") for v in values)
        rows = np.frombuffer(padded, np.uint8).reshape(len(values), width)
        return _texts(name, rows, self.code_page)

    def _entries(
        self, entries: EntryList, sections: Sections, kept: NDArray[np.bool_]
    ) -> pl.DataFrame:
        numbers: list[int] = []
        places: list[int] = []
        lengths: list[int] = []
        texts: list[bytes] = []
        parent = entries.layout
        buffer = self.batch.buffer
        located = next(s.layout for s in self.record.sections if s.entries is entries)
        first_at = located.by_name[f"{entries.prefix}_offset"].offset
        count_at = located.by_name[entries.count].offset
        for record, start in zip(
            sections.record[kept].tolist(), sections.start[kept].tolist(), strict=True
        ):
            end = int(self.start[record] + self.length[record])
            count = int.from_bytes(buffer[start + count_at : start + count_at + 4].tobytes())
            at = start + int.from_bytes(buffer[start + first_at :][:4].tobytes())
            for number in range(1, count + 1):
                if at + 4 > end:
                    break
                length = int.from_bytes(buffer[at : at + 4].tobytes())
                if at + 4 + length > end:
                    break
                numbers.append(int(self.batch.record_no[self.group[record]]))
                places.append(number)
                lengths.append(length)
                texts.append(buffer[at + 4 : at + 4 + length].tobytes())
                at += 4 + length
        return pl.DataFrame(
            [
                pl.Series("record_no", numbers, dtype=pl.Int64),
                pl.Series("section_no", places, dtype=pl.Int32),
                pl.Series(parent.fields[0].name, lengths, dtype=pl.Int64),
                self._texts(entries.text.name, texts),
            ]
        )

    def _opaque(self, pointers: Pointers, good: NDArray[np.bool_]) -> pl.DataFrame:
        frames = []
        for triplet in self.record.undocumented:
            sections = pointers.sections(triplet)
            kept = good[sections.record]
            self._count(self.sections, sections.record[kept])
            for length in np.unique(sections.length[kept]).tolist():
                same = kept & (sections.length == length)
                view = np.lib.stride_tricks.sliding_window_view(self.batch.buffer, length)
                content = pl.from_arrow(binaries(view[sections.start[same]]))
                assert isinstance(content, pl.Series)
                frames.append(
                    pl.DataFrame(
                        [*self._keys(sections.take(same)), content.alias("content")]
                    ).with_columns(
                        record_type=pl.Series(self.kinds[sections.record[same]]),
                        record_subtype=pl.Series(self.subtypes[sections.record[same]]),
                        triplet_no=pl.lit(triplet, pl.Int32),
                    )
                )
        if not frames:
            return pl.DataFrame(schema=_OPAQUE_SCHEMA)
        opaque = pl.concat(frames).sort("record_no", "triplet_no", "section_no")
        number = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("record_no")
        return opaque.with_columns(number.alias("section_no")).select(list(_OPAQUE_SCHEMA))


def _texts(name: str, rows: NDArray[np.uint8], code_page: str) -> pl.Series:
    decoded = pl.from_arrow(decode_text(rows, code_page))
    assert isinstance(decoded, pl.Series)
    return decoded.alias(name)


def _extra_schema(located: Located) -> dict[str, pl.DataType]:
    """Return the columns whose length is stored in the record."""
    kinds = {located.text.name: "text"} if located.text else {}
    kinds |= {part.name: part.kind for part in located.parts}
    return {name: pl.String() if kind == "text" else pl.Binary() for name, kind in kinds.items()}
