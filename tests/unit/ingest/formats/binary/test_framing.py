"""Records survive every framing, and those before a damaged part survive the damage."""

from __future__ import annotations

import bisect
import io
import random
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ingest.formats.binary import framing
from ingest.formats.binary.compose import compose
from ingest.formats.binary.framing import Damage, Framing, detect_framing, read_batches
from ingest.formats.binary.write import (
    dump_header,
    dump_trailer,
    extended_record,
    frame_records,
    standard_header,
)
from ingest.formats.layouts import MQ_RECORDS
from tests.kit.cases import cases

MOMENT = datetime(2024, 2, 29, 13, 0, 0)
OPTIONS: dict[str, dict[str, Any]] = {
    "rdw": {"framing": Framing.RDW},
    "rdw, spanned": {"framing": Framing.RDW, "segment": 120},
    "bdw": {"framing": Framing.BDW, "block": 2000},
    "bdw, spanned": {"framing": Framing.BDW, "block": 500, "fill": True},
    "bdw, extended": {"framing": Framing.BDW, "block": 60_000, "extended": True},
    "none": {"framing": Framing.NONE},
}
thorough = settings(
    max_examples=40,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)
QSRS = next(r for r in MQ_RECORDS if (r.record_type, r.subtype) == (115, 7))
QPST = next(r for r in MQ_RECORDS if (r.record_type, r.subtype) == (115, 215))


@dataclass
class Found:
    records: list[bytes]
    numbers: list[int]
    offsets: list[int]
    damages: list[Damage]


def mq_records(count: int, seed: int = 1) -> list[bytes]:
    """Return records of several different lengths, for one system."""
    rng = random.Random(seed)
    headers, products, sections, pools = [], [], [], []
    for i in range(count):
        number = {"record_no": i}
        headers.append(
            number
            | {
                "sm115tme": (i * 37 % 86_400) * 1_000_000,
                "sm115dte": MOMENT.date(),
                "sm115sid": "SYN1",
                "sm115ssi": "SYQ1",
            }
        )
        products.append(number | {"qwhsssid": "SYQ1", "qwhsiseq": i, "qwhsstck": MOMENT})
        if i % 3:
            sections.append(number | {"qsrsgbytes": rng.getrandbits(63), "qsrsnmomb": i})
        else:
            pools += [
                number | {"qpstpool": n, "qpstgetp": rng.getrandbits(30)}
                for n in range(rng.randint(1, 9))
            ]
    made = [b""] * count
    for record, table, rows in ((QSRS, "smf115_qsrs", sections), (QPST, "smf115_qpst", pools)):
        numbers = sorted({row["record_no"] for row in rows})
        tables = {
            table: rows,
            "smf115_header": [headers[i] for i in numbers],
            "smf115_qwhs": [products[i] for i in numbers],
        }
        for i, composed in zip(numbers, compose(record, tables), strict=True):
            made[i] = composed
    return made


MANY = mq_records(330)  # more than two windows of the smallest size
RECORDS = MANY[:60]
SMALLEST_WINDOW = 1 << 16  # the longest segment must fit


def write(records: Iterable[bytes], form: str) -> bytes:
    return b"".join(frame_records(records, **OPTIONS[form]))


def read(content: bytes, form: str, chunk: int = 1 << 16) -> Found:
    found = Found([], [], [], [])
    for batch in read_batches(io.BytesIO(content), OPTIONS[form]["framing"], chunk):
        found.records += [batch.content(i)[4:] for i in range(len(batch.start))]
        found.numbers += batch.record_no.tolist()
        found.offsets += batch.file_offset.tolist()
        found.damages += batch.damages
    return found


def bodies(records: Iterable[bytes]) -> list[bytes]:
    return [record[4:] for record in records]


def ends(records: list[bytes], form: str) -> list[int]:
    """Return where each record ends in the file."""
    if "spanned" in form:
        return [len(write(records[: i + 1], form)) for i in range(len(records))]
    lead = 0 if form == "none" else 4
    begins = read(write(records, form), form).offsets
    return [at + lead + len(r) - 4 for at, r in zip(begins, records, strict=True)]


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> int:
    """Return a chunk size so small that a file has several windows."""
    monkeypatch.setattr(framing, "_LONGEST", SMALLEST_WINDOW)
    return 64


@pytest.mark.parametrize("form", OPTIONS)
def test_records_round_trip(form: str) -> None:
    found = read(write(RECORDS, form), form)
    assert found.records == bodies(RECORDS)
    assert found.numbers == list(range(1, len(RECORDS) + 1))
    assert not found.damages


@pytest.mark.parametrize("form", OPTIONS)
def test_windows_make_no_difference(form: str, small_windows: int) -> None:
    content = write(MANY, form)
    assert len(content) > 2 * SMALLEST_WINDOW
    for chunk in range(small_windows, small_windows + 40, 7):
        found = read(content, form, chunk)
        assert found.records == bodies(MANY)
        assert found.offsets == read(content, form, chunk=1 << 20).offsets
        assert not found.damages


@pytest.mark.parametrize("form", OPTIONS)
def test_framing_is_recognised(form: str) -> None:
    content = write([dump_header(MOMENT, "SYN1"), *RECORDS, dump_trailer(MOMENT, "SYN1")], form)
    assert detect_framing(content, whole=True) is OPTIONS[form]["framing"]
    assert detect_framing(content[:5000], whole=False) is OPTIONS[form]["framing"]
    assert len(read(content, form).records) == len(RECORDS) + 2


def test_no_framing_is_found_in_other_files() -> None:
    for content in (b"", b"\0" * 4000, b"run,value\n1,2\n" * 300, bytes(range(256)) * 20):
        assert detect_framing(content, whole=True) is None


@pytest.mark.parametrize("form", ["rdw", "bdw", "bdw, spanned", "bdw, extended"])
def test_other_records_round_trip_too(form: str) -> None:
    """Records with or without subtype, with an extended header, and of minimum length."""
    records = [
        dump_header(MOMENT, "SYN1"),
        standard_header(30, MOMENT, "SYN1", subsystem="STC", subtype=2) + b"abc" * 70,
        standard_header(0, MOMENT, "SYN1"),
        standard_header(14, MOMENT, "SYN1") + b"\xff" * 300,
        extended_record(1154, MOMENT, "SYN1", subtype=87, body=b"x" * 100),
    ]
    found = read(write(records, form), form)
    assert found.records == bodies(records)
    assert not found.damages


# --- damage


def cut(content: bytes, at: int, _n: int, _rng: random.Random) -> bytes:
    return content[:at]


def zeroes(content: bytes, at: int, n: int, _rng: random.Random) -> bytes:
    return content[:at] + bytes(len(content[at : at + n])) + content[at + n :]


def noise(content: bytes, at: int, n: int, rng: random.Random) -> bytes:
    return content[:at] + rng.randbytes(len(content[at : at + n])) + content[at + n :]


def deletion(content: bytes, at: int, n: int, _rng: random.Random) -> bytes:
    return content[:at] + content[at + n :]


def insertion(content: bytes, at: int, n: int, rng: random.Random) -> bytes:
    return content[:at] + rng.randbytes(n) + content[at:]


DAMAGES = {d.__name__: d for d in (cut, zeroes, noise, deletion, insertion)}


@pytest.mark.parametrize("form", OPTIONS)
@thorough
@given(
    damage=st.sampled_from(sorted(DAMAGES)),
    place=st.floats(0, 1, exclude_max=True),
    length=st.integers(1, 900),
    seed=st.integers(0, 1000),
)
def test_records_before_and_well_after_the_damage_survive(
    form: str, damage: str, place: float, length: int, seed: int
) -> None:
    content = written(form)
    at = int(place * len(content))
    broken = DAMAGES[damage](content, at, length, random.Random(seed))
    before = bisect.bisect_right(ends_of_many(form), at)
    well_behind = bisect.bisect_right(ends_of_many(form), at + length + 2000) + 2
    lost_to_cut = damage == "cut"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(framing, "_LONGEST", SMALLEST_WINDOW)
        for chunk in (1, 1 << 20):
            found = read(broken, form, chunk)
            assert found.records[:before] == bodies(MANY[:before])
            if not lost_to_cut and well_behind < len(MANY):
                rest = bodies(MANY[well_behind:])
                assert found.records[-len(rest) :] == rest
            assert found.numbers == sorted(set(found.numbers))
            assert {d.record_no for d in found.damages}.isdisjoint(found.numbers)


@cache
def written(form: str) -> bytes:
    return write(MANY, form)


@cache
def ends_of_many(form: str) -> list[int]:
    return ends(MANY, form)


@pytest.mark.parametrize("form", OPTIONS)
def test_a_tail_of_zeroes_costs_no_record(form: str) -> None:
    for tail in (1, 3, 4, 17, 18, 5000):
        found = read(write(RECORDS, form) + bytes(tail), form)
        assert found.records == bodies(RECORDS), tail
        assert [d.length for d in found.damages] == [tail]


@pytest.mark.parametrize("form", OPTIONS)
def test_a_file_truncated_anywhere_keeps_its_whole_records(form: str) -> None:
    records = MANY[:7]
    content, whole = write(records, form), ends_of_many(form)[:7]
    for at in range(0, len(content), 13):
        found = read(content[:at], form)
        before = sum(end <= at for end in whole)
        assert found.records == bodies(records[:before]), at


@pytest.mark.parametrize("form", ["rdw", "bdw", "bdw, extended"])
def test_a_wrong_length_costs_one_record(form: str) -> None:
    content = bytearray(write(RECORDS, form))
    victim = 30
    at = content.index(RECORDS[victim][4:60]) - 4
    kept = bodies(RECORDS[:victim]) + bodies(RECORDS[victim + 1 :])
    for wrong in (0, 5, 17, 19, 300, 0x7FFF, 0xFFFF):
        content[at : at + 2] = wrong.to_bytes(2)
        found = read(bytes(content), form)
        assert [r for r in found.records if r in kept] == kept, wrong
        assert found.damages, wrong


def segments_of(record: bytes) -> list[bytes]:
    whole, at, found = b"".join(frame_records([record], segment=120)), 0, []
    while at < len(whole):
        (size,) = struct.unpack_from(">H", whole, at)
        found.append(whole[at : at + size])
        at += size
    return found


@pytest.mark.parametrize("lost", range(4))
def test_a_lost_segment_costs_only_its_record(lost: int) -> None:
    pieces = segments_of(MANY[3])
    assert len(pieces) > lost + 1
    del pieces[lost]
    content = write(MANY[:3], "rdw, spanned") + b"".join(pieces) + write(MANY[4:], "rdw, spanned")
    found = read(content, "rdw, spanned")
    if lost and pieces[-1][2] == 2:  # nothing can notice a missing middle segment
        del found.records[3]
    assert found.records == bodies(MANY[:3] + MANY[4:])


@pytest.mark.parametrize("segment", range(3))
def test_a_wrong_segment_length_costs_one_record(segment: int) -> None:
    before, after = write(MANY[:3], "rdw, spanned"), write(MANY[4:], "rdw, spanned")
    for wrong in (0, 4, 99, 150, 700, 0xFFFF):
        pieces = segments_of(MANY[3])
        pieces[segment] = wrong.to_bytes(2) + pieces[segment][2:]
        found = read(before + b"".join(pieces) + after, "rdw, spanned")
        assert found.records[:3] == bodies(MANY[:3]), wrong
        assert found.records[-len(MANY) + 5 :] == bodies(MANY[5:]), wrong
        assert found.damages, wrong


@cases
def test_orphan_segments_are_set_aside(positions: list[int], reason: str) -> None:
    body = RECORDS[0][4:64]
    orphans = b"".join(struct.pack(">HBx", 4 + len(body), p) + body for p in positions)
    content = write(RECORDS[:5], "rdw") + orphans + write(RECORDS[5:10], "rdw")
    found = read(content, "rdw")
    assert found.records == bodies(RECORDS[:10])
    assert [d.reason for d in found.damages if reason in d.reason]
    assert found.damages[0].file_offset == len(write(RECORDS[:5], "rdw"))


def test_orphan_at_the_end_is_set_aside() -> None:
    content = write(RECORDS[:5], "rdw")
    content += struct.pack(">HBx", 64, 1) + RECORDS[5][4:64]
    found = read(content, "rdw")
    assert found.records == bodies(RECORDS[:5])
    assert [d.reason for d in found.damages] == ["the file ends before the record's last segment"]


def test_damage_keeps_its_bytes_and_position() -> None:
    content = write(RECORDS[:5], "rdw")
    junk = b"\xff" * 100
    found = read(content + junk + write(RECORDS[5:10], "rdw"), "rdw")
    assert found.records == bodies(RECORDS[:10])
    (damage,) = found.damages
    assert (damage.record_no, damage.file_offset, damage.length) == (6, len(content), 100)
    assert damage.content == junk
    assert found.numbers == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]


@pytest.mark.parametrize("first", [5, 8, 13, 17])
def test_a_first_segment_may_end_within_the_header(first: int) -> None:
    """A block may have room for only a few bytes of the next record."""
    body = RECORDS[1][4:]
    segments = struct.pack(">HBx", first, 1) + body[: first - 4]
    segments += struct.pack(">HBx", 4 + len(body) - (first - 4), 2) + body[first - 4 :]
    content = write(RECORDS[:1], "rdw") + segments + write(RECORDS[2:9], "rdw")
    found = read(content, "rdw")
    assert found.records == bodies(RECORDS[:9])
    assert not found.damages


def test_segments_without_a_whole_header_are_set_aside() -> None:
    """The shortest record has 18 bytes with its descriptor."""
    short = struct.pack(">HBx", 8, 1) + b"abcd" + struct.pack(">HBx", 8, 2) + b"efgh"
    found = read(write(RECORDS[:3], "rdw") + short + write(RECORDS[3:6], "rdw"), "rdw")
    assert found.records == bodies(RECORDS[:6])
    assert [d.reason for d in found.damages] == ["a record of 12 bytes is shorter than its header"]


def test_a_window_has_room_for_its_spanned_records(small_windows: int) -> None:
    """Even if all are spanned, and one began in the window before."""
    big = [MANY[i] + random.Random(i).randbytes(30_000) for i in range(40)]
    found = read(b"".join(frame_records(big, segment=32_000)), "rdw", small_windows)
    assert found.records == bodies(big)


def test_an_endless_record_is_damage() -> None:
    body = RECORDS[0][4:] + bytes(20_000)
    endless = struct.pack(">HBx", 4 + len(body), 1) + body
    endless += (struct.pack(">HBx", 32_756, 3) + bytes(32_752)) * 40
    found = read(write(RECORDS[:3], "rdw") + endless + write(RECORDS[3:9], "rdw"), "rdw")
    assert found.records == bodies(RECORDS[:9])
    assert "longer than" in found.damages[0].reason
    assert len(found.damages[0].content) <= 1 << 16


# --- writing


def test_segments_are_no_longer_than_asked() -> None:
    content = write(RECORDS, "rdw, spanned")
    at, lengths = 0, []
    while at < len(content):
        (length,) = struct.unpack_from(">H", content, at)
        lengths.append(length)
        at += length
    assert max(lengths) == 120
    assert at == len(content)


@pytest.mark.parametrize("form", ["bdw", "bdw, spanned"])
def test_blocks_are_no_longer_than_asked(form: str) -> None:
    pieces = list(frame_records(RECORDS, **OPTIONS[form]))
    size = OPTIONS[form]["block"]
    assert all(struct.unpack(">H", p[:2])[0] == len(p) <= size for p in pieces)
    if "fill" in OPTIONS[form]:
        assert all(len(p) > size - 18 for p in pieces[:-1])


def test_extended_blocks_are_marked() -> None:
    (word,) = struct.unpack(">I", next(frame_records(RECORDS, **OPTIONS["bdw, extended"]))[:4])
    assert word & 0x8000_0000
    assert word & 0x7FFF_FFFF > 0x7FFF // 2


@cases
def test_impossible_sizes_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="bytes"):
        list(frame_records(RECORDS, **options))
