"""A batch of SMF records as one part of a load: its tables, and what the ledger needs of it."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from mmap import ACCESS_READ, mmap
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.days import Days, smf_days
from ingest.formats.binary.framing import RecordBatch
from ingest.formats.binary.records import (
    RECORD_TABLE,
    Decoded,
    Rejection,
    decode_batch,
    record_types,
)
from ingest.lake.catalogue import smf_catalogue
from ingest.lake.parquet import write_parquet
from ingest.lake.seal import File, Files

__all__ = [
    "Part",
    "SetAside",
    "SharedBatch",
    "SharedBuffers",
    "decode_files",
    "decode_part",
    "write_part",
    "write_tables",
]

_BEYOND = 1 << 16  # bytes behind the last record, which decoders may look at


@dataclass(slots=True)
class SetAside:
    """What was rejected: where it is, why, and its bytes; without a type if it is no record."""

    record_no: int
    file_offset: int
    record_type: int | None
    record_subtype: int | None
    reason: str
    content: bytes


@dataclass(slots=True)
class Part:
    """What the ledger needs of a batch. By type and subtype: records, sections, bytes not decoded.

    record_no, days: of the records whose header has a possible date, (n,) int64.
    """

    records: int
    last_record_no: int
    counts: Counter[tuple[int, int]]
    sections: Mapping[tuple[int, int], int]
    extra_bytes: Mapping[tuple[int, int], int]
    record_no: NDArray[np.int64]
    days: Days
    aside: list[SetAside]


def decode_part(
    batch: RecordBatch, code_page: str, ams_type: int
) -> tuple[Part, dict[str, pl.DataFrame]]:
    """Decode a batch; return what the ledger needs of it, and its tables."""
    decoded = decode_batch(batch, smf_catalogue(ams_type), code_page)
    (part,) = _parts(batch, decoded, [batch])
    return part, decoded.tables


def decode_files(
    batches: Sequence[RecordBatch], code_page: str, ams_type: int
) -> tuple[list[Part], dict[str, pl.DataFrame]]:
    """Decode files of one batch each together; return a part of each, and their tables.

    Most of the time that a small file takes does not depend on how many records it has. The tables
    have the place of the file in `batches` as their first column, `file`.
    """
    lasts = [int(batch.record_no.max(initial=0)) for batch in batches]
    before = np.cumsum([0, *lasts[:-1]])  # added to the numbers of each file's records
    together = _join(batches, before)
    decoded = decode_batch(together, smf_catalogue(ams_type), code_page)
    parts = _parts(together, decoded, batches, before)
    tables = {}
    for name, table in decoded.tables.items():
        number = table["record_no"].to_numpy()
        file = np.searchsorted(before, number - 1, side="right") - 1
        tables[name] = table.with_columns(record_no=number - before[file]).insert_column(
            0, pl.Series("file", file, pl.UInt32)
        )
    return parts, tables


def _join(batches: Sequence[RecordBatch], before: NDArray[np.int64]) -> RecordBatch:
    """Return the records of several files as one batch, without the damage."""
    ends = [int((batch.start + batch.length).max(initial=0)) for batch in batches]
    moved = np.cumsum([0, *ends[:-1]])
    buffers = [batch.buffer[:end] for batch, end in zip(batches, ends, strict=True)]
    return RecordBatch(
        np.concatenate([*buffers, np.zeros(_BEYOND, np.uint8)]),
        np.concatenate([b.start + at for b, at in zip(batches, moved, strict=True)]),
        np.concatenate([b.length for b in batches]),
        np.concatenate([b.record_no + no for b, no in zip(batches, before, strict=True)]),
        np.concatenate([b.file_offset for b in batches]),
    )


def _parts(
    batch: RecordBatch,
    decoded: Decoded,
    files: Sequence[RecordBatch],
    before: Sequence[int] | NDArray[np.int64] = (0,),
) -> list[Part]:
    """Return a part for each of the files that a batch was made of.

    before: what was added to the numbers of a file's records.
    """
    kinds, subtypes = record_types(batch)
    record_no, days = smf_days(batch, decoded.tables[RECORD_TABLE]["smf_time"])
    ends = np.cumsum([len(file.start) for file in files])
    rejected = defaultdict(list)
    for rejection in decoded.rejected:
        rejected[int(np.searchsorted(ends, rejection.index, side="right"))].append(rejection)
    parts = []
    for index, (file, number, end) in enumerate(zip(files, before, ends.tolist(), strict=True)):
        tail = slice(end - len(file.start), end)
        types = list(zip(kinds[tail].tolist(), subtypes[tail].tolist(), strict=True))
        sections, extra_bytes = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
        for kind in set(types):
            same = (kinds[tail] == kind[0]) & (subtypes[tail] == kind[1])
            sections[kind] = int(decoded.sections[tail][same].sum())
            extra_bytes[kind] = int(decoded.extra_bytes[tail][same].sum())
        last = int(file.record_no[-1]) if len(file.record_no) else 0
        dated = slice(*np.searchsorted(record_no, (number, number + last), side="right"))
        parts.append(
            Part(
                records=len(file.start),
                last_record_no=last,
                counts=Counter(types),
                sections=sections,
                extra_bytes=extra_bytes,
                record_no=record_no[dated] - number,
                days=days[dated],
                aside=_aside(file, tail.start, rejected[index], types),
            )
        )
    return parts


class _Buffer(NamedTuple):
    """Memory that other processes can map: a file that is on no disk, and its content."""

    file: int
    content: mmap


@dataclass(frozen=True, slots=True)
class SharedBatch:
    """A batch that another process gets without a copy of its buffer, and its number."""

    number: int
    batch: RecordBatch
    buffer: _Buffer | None = None

    def __reduce__(self) -> tuple[Callable[..., SharedBatch], tuple[object, ...]]:
        assert self.buffer
        file = f"/proc/{os.getpid()}/fd/{self.buffer.file}"
        return _map, (self.number, replace(self.batch, buffer=np.empty(0, np.uint8)), file)


def _map(number: int, batch: RecordBatch, file: str) -> SharedBatch:
    with Path(file).open("rb") as opened:
        content = mmap(opened.fileno(), 0, access=ACCESS_READ)
    return SharedBatch(number, replace(batch, buffer=np.frombuffer(content, np.uint8)))


class SharedBuffers:
    """Buffers for batches that other processes decode, each used again when it is free. Linux only.

    As a context manager: other processes cannot map a buffer after it ended.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._all: list[_Buffer] = []
        self._free = SimpleQueue[_Buffer]()
        self._last: _Buffer | None = None
        self._count = 0

    def take(self, size: int) -> mmap:
        """Return a free buffer of `size` bytes, when there is one. Raises OSError."""
        if self._free.empty() and len(self._all) < self._most:
            file = os.memfd_create("batch")
            os.ftruncate(file, size)
            self._last = _Buffer(file, mmap(file, size))
            self._all.append(self._last)
        else:
            self._last = self._free.get()
        return self._last.content

    def share(self, batch: RecordBatch) -> SharedBatch:
        """Return a batch in the buffer that was taken last, with the next number from 0."""
        self._count += 1
        return SharedBatch(self._count - 1, batch, self._last)

    def release(self, shared: SharedBatch) -> None:
        """Let the buffer of a batch be taken again."""
        assert shared.buffer
        self._free.put(shared.buffer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for buffer in self._all:
            os.close(buffer.file)


def write_part(
    shared: SharedBatch, folder: Path, code_page: str, ams_type: int
) -> tuple[Part, Files]:
    """Decode a batch and write its tables, as parts with the number of the batch.

    Returns what the ledger needs, and the files. Raises OSError.
    """
    part, tables = decode_part(shared.batch, code_page, ams_type)
    return part, write_tables(folder, shared.number, tables)


def write_tables(folder: Path, number: int, tables: Mapping[str, pl.DataFrame]) -> Files:
    """Write one part of each table that has rows; return the files. Raises OSError."""
    files: dict[str, File] = {}
    for table, frame in tables.items():
        if frame.height:
            files |= write_parquet(frame, folder / f"{table}.{number}.parquet")
    return files


def _aside(
    batch: RecordBatch, first: int, rejected: Sequence[Rejection], types: list[tuple[int, int]]
) -> list[SetAside]:
    """Return the damage and the rejected records of a batch in the order of the file.

    first: the index of its first record in what was decoded.
    """
    aside = [
        SetAside(d.record_no, d.file_offset, None, None, d.reason, d.content) for d in batch.damages
    ]
    for rejection in rejected:
        i = rejection.index - first
        kind, subtype = types[i]
        aside.append(
            SetAside(
                int(batch.record_no[i]),
                int(batch.file_offset[i]),
                abs(kind),
                subtype if subtype >= 0 else None,
                rejection.reason,
                batch.content(i),
            )
        )
    return sorted(aside, key=lambda part: part.record_no)
