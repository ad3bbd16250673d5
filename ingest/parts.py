"""A batch of SMF records as one part of a load: its tables, and what the ledger needs of it."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.binary.framing import RecordBatch
from ingest.binary.records import RECORD_TABLE, Decoded, decode_batch, record_types
from ingest.catalogue import smf_catalogue
from ingest.days import Days, smf_days
from ingest.files import sync

__all__ = [
    "Part",
    "SetAside",
    "SharedBuffers",
    "decode_part",
    "write_parquet",
    "write_part",
    "write_tables",
]

_MOST_BUFFERS = 16  # that a process keeps mapped


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
    kinds, subtypes = record_types(batch)
    record_no, days = smf_days(batch, decoded.tables[RECORD_TABLE]["smf_time"])
    part = Part(
        records=len(batch.start),
        last_record_no=int(batch.record_no[-1]) if len(batch.record_no) else 0,
        counts=Counter(zip(kinds.tolist(), subtypes.tolist(), strict=True)),
        sections=decoded.sections,
        extra_bytes=decoded.extra_bytes,
        record_no=record_no,
        days=days,
        aside=_aside(batch, decoded, kinds, subtypes),
    )
    return part, decoded.tables


class SharedBuffers:
    """Buffers for batches that other processes decode: files in a folder, mapped, used in turn."""

    def __init__(self, folder: Path, count: int) -> None:
        self._files = [folder / f"{number}.buffer" for number in range(count)]
        self._maps: list[mmap] = []
        self._taken = 0

    def take(self, size: int) -> mmap:
        """Return the next buffer, of `size` bytes. Raises OSError if the disk is full."""
        place = self._taken % len(self._files)
        self._taken += 1
        if place == len(self._maps):
            with self._files[place].open("w+b") as file:
                os.posix_fallocate(file.fileno(), 0, size)  # otherwise a full disk would kill us
                self._maps.append(mmap(file.fileno(), size))
        return self._maps[place]

    def sent(self, batch: RecordBatch) -> tuple[RecordBatch, Path]:
        """Return a batch without its buffer, the last one that was taken, and that one's file."""
        file = self._files[(self._taken - 1) % len(self._files)]
        return replace(batch, buffer=np.empty(0, np.uint8)), file


def write_part(
    batch: RecordBatch, buffer: Path, folder: Path, number: int, code_page: str, ams_type: int
) -> tuple[Part, int]:
    """Decode a batch that another process sent, and write its tables.

    Returns what the ledger needs, and the number of rows. Raises OSError.
    """
    part, tables = decode_part(replace(batch, buffer=_mapped(buffer)), code_page, ams_type)
    return part, write_tables(folder, number, tables)


@lru_cache(_MOST_BUFFERS)
def _mapped(file: Path) -> NDArray[np.uint8]:
    with file.open("rb") as content:
        return np.frombuffer(mmap(content.fileno(), 0, access=ACCESS_READ), np.uint8)


def write_tables(folder: Path, number: int, tables: Mapping[str, pl.DataFrame]) -> int:
    """Write one part of each table that has rows; return how many there are. Raises OSError."""
    rows = 0
    for table, frame in tables.items():
        if frame.height:
            write_parquet(frame, folder / f"{table}.{number}.parquet")
            rows += frame.height
    return rows


def write_parquet(frame: pl.DataFrame, path: Path) -> None:
    """Write a table. Raises OSError, also for a full disk: Polars would not always say so."""
    content = io.BytesIO()
    frame.write_parquet(content, compression="zstd", compression_level=1)
    path.write_bytes(content.getbuffer())
    sync(path)


def _aside(
    batch: RecordBatch, decoded: Decoded, kinds: NDArray[np.int32], subtypes: NDArray[np.int32]
) -> list[SetAside]:
    """Return the damage and the rejected records of a batch in the order of the file."""
    aside = [
        SetAside(d.record_no, d.file_offset, None, None, d.reason, d.content) for d in batch.damages
    ]
    for rejection in decoded.rejected:
        i = rejection.index
        subtype = int(subtypes[i])
        aside.append(
            SetAside(
                int(batch.record_no[i]),
                int(batch.file_offset[i]),
                abs(int(kinds[i])),
                subtype if subtype >= 0 else None,
                rejection.reason,
                batch.content(i),
            )
        )
    return sorted(aside, key=lambda part: part.record_no)
