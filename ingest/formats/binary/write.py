"""Records to a stream of bytes: the inverse of `framing`, and the records around a dump."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from datetime import datetime

import numpy as np
import polars as pl

from ingest.formats.binary.framing import Framing
from ingest.formats.binary.kinds import KINDS
from ingest.formats.binary.layout import Field

__all__ = ["dump_header", "dump_trailer", "extended_record", "frame_records", "standard_header"]

_RDW = 4
_WHOLE, _FIRST, _LAST, _MIDDLE = range(4)
_LONGEST_SEGMENT = 32_756  # fits a block of the usual 32,760 bytes
_LEAST = 18  # bytes of a record that its first segment holds at least: the standard header
_EXTENDED = 0x8000_0000  # in a block descriptor: the length has 31 bits
_FLAGS = 0x1E  # set in records of MVS/ESA and later
_HAS_SUBTYPE = 0x40  # bit of the flags
_EXTENDED_TYPE, _EXTENDED_HEADER, _EXTENDED_FLAGS = 126, 56, 0x60


def frame_records(
    records: Iterable[bytes],
    framing: Framing = Framing.RDW,
    *,
    segment: int = _LONGEST_SEGMENT,
    block: int = 32_760,
    fill: bool = False,
    extended: bool = False,
) -> Iterator[bytes]:
    """Yield the bytes of a file of records, in pieces: blocks if there are any, otherwise records.

    Each record begins with the 4 bytes of a descriptor word, whose content does not matter. A
    record longer than `segment` bytes, with its descriptor, is written in segments. `block` is the
    longest block with its descriptor; with `fill`, a record that does not fit the rest of a block
    starts there and continues in the next one. With `extended`, block descriptors have 31-bit
    lengths.

    Raises ValueError if a segment or a block is too small for a record's header.
    """
    if segment < _LEAST or segment > 0xFFFF:
        raise ValueError(f"segments of {segment} bytes are not from {_LEAST} to 65535")
    if framing is Framing.NONE:
        yield from (record[_RDW:] for record in records)
    elif framing is Framing.RDW:
        yield from (b"".join(_segments(record, segment)) for record in records)
    else:
        most = 0x7FFF_FFFF if extended else 0x7FFF
        if not _RDW + _LEAST <= block <= most:
            raise ValueError(f"blocks of {block} bytes are not from {_RDW + _LEAST} to {most}")
        yield from _blocks(records, segment, block, fill=fill, extended=extended)


def _segments(record: bytes, longest: int, first: int = 0) -> Iterator[bytes]:
    """Return a record as it is in a file: whole, or in segments of up to `longest` bytes.

    The first segment has up to `first` bytes if that is given.
    """
    room = (first or longest) - _RDW
    data = record[_RDW:]
    if len(data) <= room:
        yield struct.pack(">HBx", len(data) + _RDW, _WHOLE) + data
        return
    at, position = 0, _FIRST
    while at < len(data):
        part = data[at : at + room]
        at += len(part)
        if at == len(data):
            position = _LAST
        yield struct.pack(">HBx", len(part) + _RDW, position) + part
        position, room = _MIDDLE, longest - _RDW


def _blocks(
    records: Iterable[bytes], segment: int, size: int, *, fill: bool, extended: bool
) -> Iterator[bytes]:
    parts: list[bytes] = []
    used = _RDW

    def close() -> bytes:
        word = used | _EXTENDED if extended else used << 16
        return b"".join([struct.pack(">I", word), *parts])

    longest = min(segment, size - _RDW)
    for record in records:
        left = size - used
        begins = fill and _LEAST <= left < len(record)
        for part in _segments(record, longest, min(left, longest) if begins else 0):
            if used + len(part) > size:
                yield close()
                parts, used = [], _RDW
            parts.append(part)
            used += len(part)
    if parts:
        yield close()


def standard_header(
    record_type: int,
    moment: datetime,
    system: str,
    *,
    subsystem: str = "",
    subtype: int | None = None,
    flags: int = _FLAGS,
) -> bytes:
    """Return the standard SMF header: 18 bytes, or 24 with a subsystem and a subtype.

    `moment` is the system's local time. The descriptor word at the beginning is zero.
    """
    hundredths = (moment.hour * 3600 + moment.minute * 60 + moment.second) * 100
    hundredths += moment.microsecond // 10_000
    date = KINDS["date"].encode(pl.Series([moment.date()]), Field("", 0, 4, "date", ""), "037")
    if subtype is not None:
        flags |= _HAS_SUBTYPE
    head = struct.pack(">4xBBI", flags, record_type, hundredths) + date.tobytes() + _name(system)
    if subtype is None:
        return head
    return head + _name(subsystem) + struct.pack(">H", subtype)


def dump_header(moment: datetime, system: str) -> bytes:
    """Return the record that begins a dump (type 2)."""
    return standard_header(2, moment, system)


def dump_trailer(moment: datetime, system: str) -> bytes:
    """Return the record that ends a dump (type 3)."""
    return standard_header(3, moment, system)


def extended_record(
    record_type: int, moment: datetime, system: str, *, subtype: int = 0, body: bytes = b""
) -> bytes:
    """Return a record with the extended header, whose type (256 to 2047) is at offset 52.

    Only what distinguishes such a record from one with a standard header is filled in.
    """
    head = standard_header(
        _EXTENDED_TYPE, moment, system, subtype=subtype, flags=_FLAGS | _EXTENDED_FLAGS
    )
    filler = bytes(_EXTENDED_HEADER - 4 - len(head))
    return head + filler + struct.pack(">HH", record_type, subtype) + body


def _name(text: str) -> bytes:
    field = Field("name", 0, 4, "text", "")
    name: np.ndarray = KINDS["text"].encode(pl.Series([text]), field, "037")
    return name.tobytes()
