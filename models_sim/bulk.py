"""Large dumps for benchmarks: the records of a small one again and again, later each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.binary.framing import Framing, RecordBatch
from ingest.binary.kinds import KINDS, Rows
from ingest.binary.layout import Field, Layout
from ingest.binary.locate import Sections, find_sections, read_pointers
from ingest.binary.records import record_types
from ingest.binary.write import frame_records
from models_sim.dump import RECORDS
from models_sim.synthetic_mq import SYQ2, records_of

__all__ = ["repeat", "write_bulk"]

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
_DUMP_RECORDS = (2, 3)  # the header and the trailer of a dump
_TIME, _DATE = Field("time", 6, 4, "time", ""), Field("date", 10, 4, "date", "")
_HUNDREDTHS_A_DAY = 8_640_000
# Identifiers that begin with a moment, and have to go on matching it.
_MOMENTS_IN_IDENTIFIERS = {("smf116_wq", "correl")}


def write_bulk(path: Path, size: int, seed: int = 1, framing: Framing = Framing.RDW) -> int:
    """Write a synthetic dump of at least `size` bytes; return the number of its records.

    It is the two hours of a synthetic queue manager, repeated without a gap.
    """
    records = records_of(SYQ2, seed)
    written = count = 0

    def counted() -> Iterator[bytes]:
        nonlocal count
        for record in repeat(records, timedelta(seconds=SYQ2.runs[-1][1])):
            if written >= size and not count % len(records):
                return
            count += 1
            yield record

    with path.open("wb") as file:
        for piece in frame_records(counted(), framing):
            written += file.write(piece)
    return count


def repeat(records: Sequence[bytes], every: timedelta) -> Iterator[bytes]:
    """Records without end: the given ones, then the same as if made the time `every` later.

    Every moment in them that a layout knows moves on, and so do the times of their headers.
    Records begin with their descriptor word; the header and trailer of a dump are left out.
    """
    kept = [record for record in records if record[5] not in _DUMP_RECORDS]
    length = np.array([len(record) for record in kept], np.int64)
    bounds = np.concatenate([[0], np.cumsum(length)])
    start = bounds[:-1]
    buffer = np.frombuffer(bytearray(b"".join(kept)), np.uint8)
    moments = _moments(buffer, start, length)
    step = every // timedelta(microseconds=1)
    while True:
        whole = buffer.tobytes()
        yield from (whole[begin:end] for begin, end in pairwise(bounds.tolist()))
        _move_moments(buffer, moments, step)
        _move_headers(buffer, start, step)


def _moments(buffer: Bytes, start: Ints, length: Ints) -> Ints:
    """Where in the buffer a moment of the TOD clock stands that is not zero."""
    zero = np.zeros(len(start), np.int64)
    batch = RecordBatch(buffer, start, length, zero, zero)
    kinds, subtypes = record_types(batch)
    found = []
    for key in sorted(set(zip(kinds.tolist(), subtypes.tolist(), strict=True))):
        layout = RECORDS.get(key)
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
                found.append(sections.start[inside] + offset)
    places = np.concatenate(found)
    return places[_words(buffer, places) != 0]


def _moment_offsets(layout: Layout) -> list[int]:
    return [
        f.offset + sum(steps)
        for f in layout.fields
        if f.kind == "stck" or (layout.table, f.name) in _MOMENTS_IN_IDENTIFIERS
        for steps in product(
            *([i * s for i in range(n)] for n, s in zip(f.shape, f.strides, strict=True))
        )
    ]


def _words(buffer: Bytes, places: Ints) -> NDArray[np.uint64]:
    eight = buffer[places[:, None] + np.arange(8)]
    return eight.view(">u8").ravel().astype(np.uint64)


def _move_moments(buffer: Bytes, places: Ints, microseconds: int) -> None:
    later = _words(buffer, places) + np.uint64(microseconds << 12)
    buffer[places[:, None] + np.arange(8)] = later.astype(">u8").view(np.uint8).reshape(-1, 8)


def _move_headers(buffer: Bytes, start: Ints, microseconds: int) -> None:
    rows = Rows(buffer[start[:, None] + np.arange(14)])
    day = KINDS["date"].decode(rows, _DATE, _DATE.offset, "037")
    hundredths = rows.uint(_TIME.offset, _TIME.length) + microseconds // 10_000
    days, rest = np.divmod(hundredths, _HUNDREDTHS_A_DAY)
    moved = day.values.astype("datetime64[D]") + days.astype("timedelta64[D]")
    for field, values in ((_TIME, rest * 10_000), (_DATE, moved)):
        encoded = KINDS[field.kind].encode(pl.Series(values), field, "037")
        buffer[start[:, None] + field.offset + np.arange(field.length)] = encoded
