"""Thousands of damaged dumps, and what must hold for each of them.

Whatever was done to a dump, reading and decoding it never raises and soon ends, every record that
lies entirely before the first changed byte is decoded as in the original, and the counts add up.
"""

from __future__ import annotations

import io
import random
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from ingest.formats.binary.framing import CHUNK, Damage, Framing, detect_framing, read_batches
from ingest.formats.binary.records import RECORD_TABLE, decode_batch
from ingest.lake.catalogue import smf_catalogue
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from tests.kit import framings, lakes

EDGES = (0, 1, 3, 4, 5, 17, 18, 0x7F, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF)
EDGES_OF_WORDS = (*EDGES, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


class Broken(AssertionError):
    """A rule that must hold for every file is broken."""


@dataclass(slots=True)
class Found:
    """The result of reading a file."""

    framing: Framing | None
    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    rejected: set[int] = field(default_factory=set)  # record numbers
    sections: int = 0


@dataclass(frozen=True, slots=True)
class Base:
    """An undamaged dump, the positions of its segments and records, and its content."""

    name: str
    content: bytes
    segments: list[int]
    blocks: list[int]
    ends: list[int]
    found: Found


def read(content: bytes, chunk: int = CHUNK) -> Found:
    """Read and decode a whole file as a load does."""
    found = Found(detect_framing(content, whole=True))
    if found.framing is None:
        return found
    frames: dict[str, list[pl.DataFrame]] = {}
    for batch in read_batches(io.BytesIO(content), found.framing, chunk):
        decoded = decode_batch(batch, smf_catalogue())
        for table, frame in decoded.tables.items():
            frames.setdefault(table, []).append(frame)
        found.numbers += batch.record_no.tolist()
        found.offsets += batch.file_offset.tolist()
        found.lengths += batch.length.tolist()
        found.damages += batch.damages
        found.rejected |= {int(batch.record_no[r.index]) for r in decoded.rejected}
        found.sections += int(decoded.sections.sum())
    found.tables = {t: f[0] if len(f) == 1 else pl.concat(f) for t, f in frames.items()}
    return found


def make_bases(dump: bytes) -> list[Base]:
    """Return small dumps with records of every subtype of `dump`, in each framing."""
    records = _some_of_each_kind(framings.read_records(dump))
    contents = {
        "rdw": framings.framed(records),
        "rdw, spanned": framings.framed(records, longest=1500),
        "bdw": framings.blocked(records, 8000),
        "bdw, extended": framings.blocked(records, 40_000, extended=True),
        "none": framings.bare(records),
    }
    return [_base(name, content) for name, content in contents.items()]


def _some_of_each_kind(records: list[bytes], each: int = 2) -> list[bytes]:
    taken: dict[tuple[int, bytes], int] = {}
    chosen = []
    for record in records:
        kind = (record[1], record[18:20] if len(record) >= 20 else b"")
        taken[kind] = taken.get(kind, 0) + 1
        if taken[kind] <= each:
            chosen.append(record)
    return chosen


def _base(name: str, content: bytes) -> Base:
    found = read(content)
    if found.damages or found.rejected or found.framing is None:
        raise Broken(f"{name}: the sound dump is not read as sound")
    blocks, segments = list(_blocks_and_segments(content, found.framing))
    ends = [*found.offsets[1:], len(content)]
    if found.framing is Framing.BDW:  # the descriptor of a block belongs to the record after it
        ends = [end - 4 if end - 4 in blocks else end for end in ends]
    return Base(name, content, segments, blocks, ends, found)


def _blocks_and_segments(content: bytes, framing: Framing) -> Iterator[list[int]]:
    """Return where block descriptors are, and where segments begin (none without descriptors)."""
    blocks, segments, at, block_end = [], [], 0, 0
    while framing is not Framing.NONE and at < len(content):
        if framing is Framing.BDW and at == block_end:
            blocks.append(at)
            (word,) = struct.unpack_from(">I", content, at)
            block_end = at + (word & 0x7FFFFFFF if word >> 31 else word >> 16)
            at += 4
        segments.append(at)
        at += int.from_bytes(content[at : at + 2])
    yield blocks
    yield segments


# --- mutations: random generator, undamaged dump -> other bytes


def _range(dice: random.Random, base: Base, most: int = 4000) -> tuple[int, int]:
    begin = dice.randrange(len(base.content))
    return begin, min(len(base.content), begin + 1 + int(dice.random() ** 3 * most))


def _spliced(base: Base, begin: int, end: int, middle: bytes) -> bytes:
    return base.content[:begin] + middle + base.content[end:]


def cut(dice: random.Random, base: Base) -> bytes:
    return base.content[: dice.randrange(len(base.content))]


def flip_bits(dice: random.Random, base: Base) -> bytes:
    changed = bytearray(base.content)
    for _ in range(dice.choice((1, 1, 1, 2, 8, 64))):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def overwrite(dice: random.Random, base: Base) -> bytes:
    begin, end = _range(dice, base)
    return _spliced(base, begin, end, dice.randbytes(end - begin))


def zero(dice: random.Random, base: Base) -> bytes:
    begin, end = _range(dice, base, 20_000)
    return _spliced(base, begin, end, bytes([dice.choice((0, 0, 0x40, 0xFF))]) * (end - begin))


def insert(dice: random.Random, base: Base) -> bytes:
    begin, end = _range(dice, base)
    return _spliced(base, begin, begin, dice.randbytes(end - begin))


def delete(dice: random.Random, base: Base) -> bytes:
    begin, end = _range(dice, base)
    return _spliced(base, begin, end, b"")


def repeat(dice: random.Random, base: Base) -> bytes:
    begin, end = _range(dice, base, 20_000)
    return _spliced(base, end, end, base.content[begin:end])


def _pieces(base: Base, starts: list[int]) -> list[bytes]:
    return [base.content[a:b] for a, b in pairwise([*starts, len(base.content)])]


def permute_records(dice: random.Random, base: Base) -> bytes:
    return _permuted(dice, _pieces(base, [0, *base.ends[:-1]]))


def permute_segments(dice: random.Random, base: Base) -> bytes:
    return _permuted(dice, _pieces(base, sorted({0, *base.segments})))


def _permuted(dice: random.Random, pieces: list[bytes]) -> bytes:
    if dice.random() < 0.5:
        a, b = dice.randrange(len(pieces)), dice.randrange(len(pieces))
        pieces[a], pieces[b] = pieces[b], pieces[a]
    elif dice.random() < 0.5:
        del pieces[dice.randrange(len(pieces))]
    else:
        begin = dice.randrange(len(pieces))
        tail = pieces[begin:]
        dice.shuffle(tail)
        pieces[begin:] = tail
    return b"".join(pieces)


def lie_in_a_descriptor(dice: random.Random, base: Base) -> bytes:
    changed = bytearray(base.content)
    places = base.segments + base.blocks or base.ends[:-1]
    for _ in range(dice.choice((1, 1, 3))):
        at = dice.choice(places)
        (length,) = struct.unpack_from(">H", changed, at)
        lies = (*EDGES, length + dice.randint(-20, 20), length * 2, dice.randrange(0x10000))
        struct.pack_into(">H", changed, at, dice.choice(lies) & 0xFFFF)
        if dice.random() < 0.3:
            struct.pack_into(
                ">H", changed, at + 2, dice.choice((0, 1, 0x100, 0x200, 0x300, 0x8000))
            )
    return bytes(changed)


def lie_in_a_pointer(dice: random.Random, base: Base) -> bytes:
    """Change the offset, length or number in one of a record's first triplets."""
    changed = bytearray(base.content)
    lead = 0 if base.found.framing is Framing.NONE else 4
    for _ in range(dice.choice((1, 1, 3))):
        place = base.found.offsets[dice.randrange(len(base.found.offsets))]
        at = place + lead + 24 + 8 * dice.randrange(8)
        form, here = dice.choice(((">I", 0), (">H", 4), (">H", 6)))
        if at + 8 > len(changed):
            continue
        (value,) = struct.unpack_from(form, changed, at + here)
        bits = 0xFFFFFFFF if form == ">I" else 0xFFFF
        lies = (*EDGES_OF_WORDS, value + dice.randint(-9, 9), value * 2, dice.randrange(0x10000))
        struct.pack_into(form, changed, at + here, dice.choice(lies) & bits)
    return bytes(changed)


MUTATIONS: tuple[Callable[[random.Random, Base], bytes], ...] = (
    cut,
    flip_bits,
    overwrite,
    zero,
    insert,
    delete,
    repeat,
    permute_records,
    permute_segments,
    lie_in_a_descriptor,
    lie_in_a_pointer,
)


def mutate(seed: int, bases: list[Base]) -> tuple[Base, str, bytes]:
    """Return the mutant with a number: an undamaged dump, the mutation, and the result."""
    dice = random.Random(seed)
    base, mutation = dice.choice(bases), dice.choice(MUTATIONS)
    return base, mutation.__name__, mutation(dice, base)


# --- rules


def first_change(sound: bytes, other: bytes) -> int:
    """Return where two files first differ; at most the length of the shorter."""
    n = min(len(sound), len(other))
    differing = np.frombuffer(sound, np.uint8, n) != np.frombuffer(other, np.uint8, n)
    return int(differing.argmax()) if differing.any() else n


def examine(base: Base, mutant: bytes, chunk: int = CHUNK) -> Found:
    """Read a mutant. Raises Broken, or whatever reading it raised."""
    found = read(mutant, chunk)
    check_counts(found, len(mutant))
    change = first_change(base.content, mutant)
    check_good_records(base, found, sum(end <= change for end in base.ends))
    return found


def check_counts(found: Found, size: int) -> None:
    """Check that numbers have no gap, positions are in order, and rejected records have no row."""
    numbers = sorted(found.numbers + [d.record_no for d in found.damages])
    if numbers != list(range(1, len(numbers) + 1)):
        raise Broken(f"record numbers are not 1 to {len(numbers)}: {numbers}")
    if found.offsets != sorted(found.offsets):
        raise Broken("the records are not in order")
    covered = sum(found.lengths) + sum(d.length for d in found.damages)
    covered -= 4 * len(found.lengths) * (found.framing is Framing.NONE)
    if covered > size or any(d.file_offset + d.length > size for d in found.damages):
        raise Broken(f"{covered} bytes were found in {size}")
    if found.framing is Framing.NONE and covered != size:
        raise Broken(f"{size - covered} bytes are neither record nor damage")
    rows = 0
    for table, frame in found.tables.items():
        if table == RECORD_TABLE:
            if frame["record_no"].to_list() != found.numbers:
                raise Broken("the table of records has other records")
        elif not found.rejected.isdisjoint(frame["record_no"]):
            raise Broken(f"{table} has rows of a rejected record")
        elif not table.endswith("_header"):
            rows += frame.height
    if rows != found.sections:
        raise Broken(f"{rows} rows of {found.sections} sections")


def check_good_records(base: Base, found: Found, good: int) -> None:
    """Check that the first `good` records are decoded as in the undamaged dump."""
    lost = [n for n in range(1, good + 1) if n not in set(found.numbers) - found.rejected]
    if lost:
        reasons = [d.reason for d in found.damages if d.record_no <= good]
        raise Broken(f"of {good} good records {lost} are lost ({found.framing}, {reasons})")
    for table, sound in base.found.tables.items():
        expected = _up_to(sound, good)
        frame = found.tables.get(table)
        if frame is None:
            if expected.height:
                raise Broken(f"{table} is missing")
        elif not _up_to(frame, good).equals(expected):
            raise Broken(f"{table} differs in the first {good} records")


def _up_to(frame: pl.DataFrame, record_no: int) -> pl.DataFrame:
    return frame.head(int(frame["record_no"].search_sorted(record_no, "right")))


# --- through the whole load


def examine_load(base: Base, mutant: bytes, warehouse: Warehouse, file: Path) -> None:
    """Load a mutant: the tables match those of reading it, and the ledger's counts add up."""
    file.write_bytes(mutant)
    found = read(mutant)
    load = load_file(warehouse, file)
    if load.status == "duplicate":
        return
    tables = lakes.read_tables(warehouse, load.source_id, without={"source_id"})
    expected = {table: frame for table, frame in found.tables.items() if frame.height}
    if differing := lakes.differences(tables, expected):
        raise Broken(f"the load differs from the reading: {differing}")
    aside = len(found.damages) + len(found.rejected)
    if found.framing is None:
        aside = 1
    ledger = pl.read_parquet(warehouse.raw / load.source_id / "ledger.0.parquet").row(0, named=True)
    good = len(found.numbers) - len(found.rejected)
    status = "loaded" if not aside else "partly" if good else "quarantined"
    counts = (ledger["records"], ledger["records_loaded"], ledger["records_quarantined"])
    if (ledger["status"], *counts) != (status, good + aside, good, aside):
        raise Broken(f"the ledger says {ledger['status']} {counts}, not {status} {good} {aside}")


# --- large files with damage throughout: the parts to be searched again must not grow


def make_large(dump: bytes, size: int) -> Iterator[tuple[str, bytes]]:
    """Yield names and files of about `size` bytes, with every second record damaged."""
    records = [r for r in framings.read_records(dump) if r[1] in (115, 116)]
    records *= size // sum(map(len, records)) // 2 + 1
    header = records[0][:24]
    no_date = [x for r in records for x in (r, r[:6] + b"\xff" * 4 + r[10:])]
    yield "rdw, impossible dates", framings.framed(no_date)
    yield "rdw, spanned, impossible dates", framings.framed(no_date, 1500)
    yield "bdw, impossible dates", framings.blocked(no_date, 30_000)
    yield "none, impossible dates", framings.bare(no_date)
    noise = random.Random(1).randbytes(100)
    yield "rdw, noise between records", noise.join(framings.framed([r]) for r in records)
    yield (
        "rdw, short descriptors",
        b"".join(framings.framed([r])[:-16] + framings.framed([r]) for r in records),
    )
    first = (framings.framed([r], len(r) // 2 + 8)[: len(r) // 2 + 8] for r in records)
    yield "rdw, spanned, no last segments", framings.framed(records[:9]) + b"".join(first)
    yield (
        "none, headers among zeros",
        framings.bare(records[:9]) + (header + bytes(5000)) * (size // 5024),
    )


def examine_large(content: bytes) -> float:
    """Read a large file and return the seconds. Raises Broken, or whatever reading it raised."""
    begun = time.monotonic()
    found = read(content)
    seconds = time.monotonic() - begun
    check_counts(found, len(content))
    return seconds
