"""The layouts compared with real dumps of MQ 8.0 and the output of an independent formatter.

The dumps are not part of the project: they are expected in $PERFHOUSE_SAMPLES or in
../shared/samples next to the checkout. The formatter prints a duration as two cells, seconds and
microseconds, a moment as a date and a time, and identifiers in hexadecimal.
"""

from __future__ import annotations

import csv
import os
import struct
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

import pytest

from app.pipeline.places import ROOT
from ingest.formats.binary.layout import Field, Layout
from ingest.formats.layouts import MQ_RECORDS

SAMPLES = Path(os.environ.get("PERFHOUSE_SAMPLES") or ROOT.parent / "shared" / "samples")
DUMPS = ("TEST115", "TEST116", "TESTCHL")
RECORDS = {(r.record_type, r.subtype): r for r in MQ_RECORDS}
EPOCH = datetime(1900, 1, 1)
# What the formatter omits, or prints in another form.
NOT_PRINTED = {"block id", "block length", "eyecatcher"}
NOT_COMPARED = {
    "getminms",  # X'0FFFFFFF' is printed as -1
    "putminms",
    "qcstetmn",  # X'8FFFFFFF' is printed as 0
    "qcstrqmn",  # a backslash in the partner's name
    "wtasmthr",  # printed as parts of the correlator
    "wtaswtas",
    "wtaslatc",
    "wtashshi",
    "wtasflag",
    "wtascqf",
    "wtascqb",
    "wtastpn",
    "wtidcbwd",
    "wtidwtas",
    "wqver",
    "wqnext",
    "wqback",
}

pytestmark = pytest.mark.skipif(
    not (SAMPLES / "mq-smf").is_dir(), reason=f"no sample dumps in {SAMPLES}"
)


class Section(NamedTuple):
    layout: Layout
    content: bytes
    pointer_length: int


def logical_records(path: Path) -> Iterator[bytes]:
    """Return records of a dump with record descriptor words, their segments joined."""
    data, at, parts = path.read_bytes(), 0, b""
    while at < len(data):
        length, segment = struct.unpack_from(">HB", data, at)
        piece = data[at : at + length]
        at += length
        parts = piece if segment in {0, 1} else parts + piece[4:]
        if segment in {0, 2}:
            yield parts


def triplets(record: bytes) -> list[tuple[int, int, int]]:
    """Return (offset, length, number) of each pointer before the first section."""
    found: list[tuple[int, int, int]] = []
    first = len(record)
    while 28 + 8 * len(found) + 8 <= first and len(found) < 12:
        pointer = struct.unpack_from(">IHH", record, 28 + 8 * len(found))
        found.append(pointer)
        first = min(first, pointer[0]) if all(pointer) else first
    return found


def sections(dump: str) -> Iterator[Section]:
    for record in logical_records(SAMPLES / "mq-smf" / f"{dump}.dat"):
        if record[5] not in {115, 116}:
            continue
        layout = RECORDS[record[5], struct.unpack_from(">H", record, 22)[0]]
        pointers = triplets(record)
        assert len(pointers) <= len(layout.pointers)
        for located in layout.sections:
            if located.at == 0 or located.at >= len(pointers):
                continue
            offset, length, number = pointers[located.at]
            for i in range(number):
                start = offset + i * length
                yield Section(located.layout, record[start : start + length], length)


def rows(section: Section) -> list[bytes]:
    repeat = section.layout.repeat
    if repeat is None:
        return [section.content]
    entries = [
        section.content[repeat.offset + i * repeat.stride :][: repeat.stride]
        for i in range(repeat.count)
    ]
    return [e for e in entries if text(e[:12])]


def text(raw: bytes) -> str:
    return raw.decode("cp037").rstrip(" \0")


def values(f: Field, row: bytes) -> Iterator[bytes]:
    for index in product(*(range(n) for n in f.shape)):
        at = f.offset + sum(i * s for i, s in zip(index, f.strides, strict=True))
        if at + f.length <= len(row):
            yield row[at : at + f.length]


def is_printed(f: Field, raw: bytes, cells: list[str]) -> bool:
    """Return whether a formatted line has the value as decoded; zeros are not compared."""
    number = int.from_bytes(raw, "big", signed=f.kind == "signed")
    if f.kind in {"unsigned", "signed", "ticks"}:
        return not number or str(number) in cells or f"{number:X}" in cells
    if f.kind == "bytes":
        return raw.hex().upper() in cells
    if f.kind == "text":
        return text(raw) in {cell.rstrip(" .") for cell in cells}
    microseconds = number >> 12
    if f.kind == "tod":
        pair = (str(microseconds // 1_000_000), str(microseconds % 1_000_000))
    else:
        moment = EPOCH + timedelta(microseconds=microseconds)
        pair = (moment.strftime("%Y/%m/%d"), moment.strftime("%H:%M:%S,%f"))
    return not microseconds or pair in set(pairwise(cells))


def printed(dump: str, layout: Layout) -> list[list[str]] | None:
    name = layout.table.split("_", 1)[1].upper().replace("_", "")
    path = SAMPLES / "peer-csv" / dump / f"SMF-{name}.csv"
    if not path.exists():
        return None
    with path.open(newline="") as file:
        lines = list(csv.reader(file))[1:]
    return [[cell.strip().strip('="').strip() for cell in line] for line in lines]


@pytest.mark.parametrize("dump", DUMPS)
def test_sections_have_their_eyecatcher_and_length(dump: str) -> None:
    seen = 0
    for layout, content, length in sections(dump):
        if layout.eyecatcher:
            seen += 1
            assert text(content[layout.eyecatcher_at :][:4]) == layout.eyecatcher
            assert struct.unpack_from(">H", content, 2)[0] == length, layout.table
    assert seen


@pytest.mark.parametrize("dump", DUMPS)
def test_kinds_agree_with_an_independent_formatter(dump: str) -> None:
    of_table: dict[str, list[tuple[Layout, bytes]]] = defaultdict(list)
    for section in sections(dump):
        of_table[section.layout.table] += [(section.layout, row) for row in rows(section)]
    compared = 0
    for entries in of_table.values():
        lines = printed(dump, entries[0][0])
        if lines is None:
            continue
        assert len(lines) == len(entries)
        for (layout, row), cells in zip(entries, lines, strict=True):
            for f in layout.fields:
                skipped = f.note.startswith(tuple(NOT_PRINTED)) or f.name in NOT_COMPARED
                if skipped or f.codes or f.kind == "bit":
                    continue
                for raw in values(f, row):
                    compared += 1
                    assert is_printed(f, raw, cells), f"{layout.table}.{f.name}: {raw.hex()}"
    assert compared > 1000 if dump == "TESTCHL" else compared


def test_codes_and_flags_mean_the_same_to_the_formatter() -> None:
    """Compare codes of the channels and flags of the buffer pools with the printed labels."""
    labels = {
        "qcstchdp": {"Private": "Private"},
        "qcstchty": {"SvrConn": "Server connection"},
        "qcstchst": {"Inactive": "Inactive", "Running": "Running"},
        "qcststcl": {"High": "High"},
    }
    pools = {
        "qpstloc": {"Above": True, "Below": False},
        "qpstf4kb": {"Fixed": True, "Paged": False},
    }
    found: dict[str, set[object]] = defaultdict(set)
    for table in ("smf116_qcst", "smf115_qpst"):
        entries = [(s.layout, s.content) for s in sections("TESTCHL") if s.layout.table == table]
        lines = printed("TESTCHL", entries[0][0])
        assert lines is not None
        for (layout, row), cells in zip(entries, lines, strict=True):
            for name, meaning in (labels if table == "smf116_qcst" else pools).items():
                f = layout.by_name[name]
                (raw,) = values(f, row)
                number = int.from_bytes(raw, "big")
                own: object = (
                    bool(number >> (8 * f.length - 1 - (f.bit or 0)) & 1)
                    if f.kind == "bit"
                    else (f.codes or {})[number]
                )
                assert own in {meaning[c] for c in cells if c in meaning}, f"{name}: {own}"
                found[name].add(own)
    expected: dict[str, set[object]] = {n: set(m.values()) for n, m in (labels | pools).items()}
    assert found == expected
