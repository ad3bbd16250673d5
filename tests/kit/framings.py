"""The same records in other framings: blocked, spanned, without descriptor words."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from ingest.formats.binary.framing import Framing, detect_framing

WHOLE, FIRST, LAST, MIDDLE = range(4)
RDW = 4


def read_segments(dump: bytes) -> Iterator[bytes]:
    """Return the segments of a dump with record descriptor words, with their descriptors."""
    at = 0
    while at < len(dump):
        (length,) = struct.unpack_from(">H", dump, at)
        yield dump[at : at + length]
        at += length


def read_records(dump: bytes) -> list[bytes]:
    """Return the whole records, without descriptor, of a dump with record descriptor words."""
    records: list[bytes] = []
    for segment in read_segments(dump):
        if segment[2] in (WHOLE, FIRST):
            records.append(segment[RDW:])
        else:
            records[-1] += segment[RDW:]
    return records


def bare(records: list[bytes]) -> bytes:
    """Records alone."""
    return b"".join(records)


def spanned(records: list[bytes], longest: int) -> Iterator[bytes]:
    """Return segments with their descriptors, none longer than `longest` bytes."""
    room = longest - RDW
    for record in records:
        pieces = [record[i : i + room] for i in range(0, len(record), room)]
        for i, piece in enumerate(pieces):
            first, last = i == 0, i == len(pieces) - 1
            kind = WHOLE if first and last else FIRST if first else LAST if last else MIDDLE
            yield struct.pack(">HBB", RDW + len(piece), kind, 0) + piece


def framed(records: list[bytes], longest: int = 32756) -> bytes:
    """Return records with descriptor words, as segments of at most `longest` bytes."""
    return b"".join(spanned(records, longest))


def blocked(records: list[bytes], size: int, *, extended: bool = False) -> bytes:
    """Return records in blocks of at most `size` bytes, spanned if one does not fit a block."""
    blocks: list[bytearray] = [bytearray()]
    for segment in spanned(records, min(size, 32760) - RDW):
        if len(blocks[-1]) + len(segment) > size - RDW:
            blocks.append(bytearray())
        blocks[-1] += segment
    form = ">I" if extended else ">HH"
    return b"".join(
        struct.pack(form, *((0x8000_0000 | len(b) + RDW,) if extended else (len(b) + RDW, 0))) + b
        for b in blocks
    )


def longest_plain(dumps: list[Path]) -> bytes:
    """Return the longest of the uncompressed dumps with record descriptor words."""
    contents = [file.read_bytes() for file in dumps]
    return max((c for c in contents if detect_framing(c, whole=True) is Framing.RDW), key=len)
