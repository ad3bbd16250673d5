"""Where the sections of each subtype are, and the product sections that differ from the manual."""

from __future__ import annotations

import io
import struct
from datetime import date, datetime

import pytest

from ingest.formats.binary.compose import compose
from ingest.formats.binary.framing import Framing, detect_framing, read_batches
from ingest.formats.binary.record import RecordLayout
from ingest.formats.binary.records import Decoded, decode_batch
from ingest.formats.binary.write import frame_records
from ingest.formats.layouts import AMS_RECORD, LAYOUTS, MQ_RECORDS, ZOS_RECORDS
from ingest.formats.layouts.mq_records import CHAIN_ANY_OTHER
from ingest.lake.catalogue import smf_catalogue

RECORDS = (*MQ_RECORDS, AMS_RECORD)


def name(record: RecordLayout) -> str:
    return f"{record.record_type}-{record.subtype}"


@pytest.mark.parametrize("record", RECORDS, ids=name)
def test_a_pointer_leads_to_one_layout_or_to_a_chain_of_different_types(
    record: RecordLayout,
) -> None:
    places = [(s.at, s.chain) for s in record.sections]
    assert len(places) == len(set(places))
    for triplet in {s.at for s in record.sections}:
        chains = [s.chain for s in record.sections if s.at == triplet]
        assert chains == [None] or None not in chains
    assert CHAIN_ANY_OTHER not in {1, 2}


@pytest.mark.parametrize("record", RECORDS, ids=name)
def test_tables_are_those_of_the_record_type(record: RecordLayout) -> None:
    tables = [record.header.table, *(s.layout.table for s in record.sections)]
    assert len(tables) == len(set(tables))
    assert all(t.startswith(f"smf{record.record_type}_") for t in tables)


def test_every_subtype_is_listed_once_and_every_layout_is_used() -> None:
    keys = [(r.record_type, r.subtype) for r in RECORDS]
    assert len(keys) == len(set(keys))
    every = (*RECORDS, *ZOS_RECORDS)
    used = {id(s.layout) for r in every for s in r.sections} | {id(r.header) for r in every}
    assert {x.table for x in LAYOUTS if id(x) not in used} == {"smf180_recipient"}
    assert len({id(x) for x in LAYOUTS}) == len(LAYOUTS)


# --- product sections as real records have them

HEADER = {
    "sm115tme": 36_000_000_000,
    "sm115dte": date(2026, 1, 15),
    "sm115sid": "MVS1",
    "sm115ssi": "MQ1A",
    "sm115rel": "946",
}
WORD = bytes.fromhex("00010180")
QSG, RELEASE = "QSG1".encode("cp037"), "100000".encode("cp037")
QWHX = bytes.fromhex("00101000") + QSG + RELEASE + bytes(2)
QWHX_ROW = {"qwhxqsg": "QSG1", "qwhxrel": "100000"}
# Subtype, table, block id, length and eyecatcher of its sections.
STORAGE = [
    (5, "qsph", "E20E", 88, "QSPH"),
    (6, "qsgm", "E20D", 48, "QSGM"),
    (7, "qsrs", "E20C", 232, "QSRS"),
]


def record_of(subtype: int) -> RecordLayout:
    (found,) = [r for r in MQ_RECORDS if (r.record_type, r.subtype) == (115, subtype)]
    return found


def storage_record(subtype: int, product: bytes, block_id: str, length: int, eye: str) -> bytes:
    """Return a record with two sections, byte by byte as a queue manager writes it."""
    section = bytes.fromhex(block_id) + length.to_bytes(2) + eye.encode("cp037")
    section = section.ljust(length, b"\0")
    at, end = 44 + len(product), 44 + len(product) + 2 * length
    header = struct.pack(">HHBBI", end, 0, 0x5E, 115, 3_600_000) + bytes.fromhex("0126015F")
    header += "MVS1MQ1A".encode("cp037") + subtype.to_bytes(2) + "946".encode("cp037") + bytes(1)
    pointers = struct.pack(">IHHIHH", 44, len(product), 1, at, length, 2)
    return header + pointers + product + 2 * section


def decoded(record: bytes) -> Decoded:
    (batch,) = [b for b in read_batches(io.BytesIO(record), Framing.RDW) if b.start.size]
    return decode_batch(batch, smf_catalogue())


@pytest.mark.parametrize("extended", [True, False], ids=["with QWHX", "older release"])
@pytest.mark.parametrize(("subtype", "table", "block_id", "length", "eye"), STORAGE)
def test_records_of_the_storage_manager_are_composed_as_real_ones(
    subtype: int, table: str, block_id: str, length: int, eye: str, *, extended: bool
) -> None:
    tables = {
        "smf115_header": [HEADER | {"sm115flg": 0x5E}],
        "smf115_qwhx": [QWHX_ROW] if extended else [],
        f"smf115_{table}": 2 * [{f"{table}id": int(block_id, 16)}],
    }
    product = WORD + QWHX if extended else WORD
    (made,) = compose(record_of(subtype), tables)
    assert made == storage_record(subtype, product, block_id, length, eye)


@pytest.mark.parametrize(("subtype", "table", "block_id", "length", "eye"), STORAGE)
@pytest.mark.parametrize("product", [WORD + QWHX, WORD, b"\0\1\1\0" + QWHX, QWHX])
def test_records_of_the_storage_manager_are_read_without_qwhs(
    product: bytes, subtype: int, table: str, block_id: str, length: int, eye: str
) -> None:
    record = storage_record(subtype, product, block_id, length, eye)
    found = decoded(record)
    assert not found.rejected
    assert "smf115_qwhs" not in found.tables
    assert found.tables["smf115_header"]["sm115ssi"].to_list() == ["MQ1A"]
    assert found.tables[f"smf115_{table}"][f"{table}id"].to_list() == 2 * [int(block_id, 16)]
    extension = found.tables.get("smf115_qwhx")
    rows = [] if extension is None else extension.select(*QWHX_ROW).to_dicts()
    assert rows == ([QWHX_ROW] if QWHX in product else [])
    bare = b"".join(frame_records([record], Framing.NONE))
    assert detect_framing(bare, whole=True, records=smf_catalogue()) is Framing.NONE


def test_a_block_after_the_word_must_have_a_possible_length() -> None:
    record = storage_record(7, WORD + b"\0\3" + QWHX[2:], *STORAGE[2][2:])
    assert [r.reason for r in decoded(record).rejected] == [
        "the product section begins with a block of 3 bytes"
    ]


def test_other_records_must_have_a_block_in_place_of_the_word() -> None:
    (made,) = compose(record_of(215), {"smf115_header": [HEADER], "smf115_qwhs": [{}]})
    broken = made.replace(bytes.fromhex("003401"), WORD[:3])
    assert [r.reason for r in decoded(broken).rejected] == [
        "the product section begins with a block of 1 bytes"
    ]


def test_the_header_of_the_record_after_a_restart_is_kept() -> None:
    product = {"qwhsssid": "MQ1A", "qwhsiseq": 1, "qwhsstck": datetime(2026, 1, 15, 15)}
    tables = {"smf115_header": [HEADER], "smf115_qwhs": [product], "smf115_qwhx": [QWHX_ROW]}
    (made,) = compose(record_of(240), tables)
    assert len(made) == 128
    assert made[28:60] == struct.pack(">IHH", 60, 52 + 16, 1) + bytes(24)
    found = decoded(made)
    assert not found.rejected
    assert found.tables["smf115_header"]["sm115ssi"].to_list() == ["MQ1A"]
    assert found.tables["smf115_qwhs"]["qwhsstck"].to_list() == [datetime(2026, 1, 15, 15)]
    assert found.tables["smf115_qwhx"]["qwhxrel"].to_list() == ["100000"]
    assert set(found.tables) == {"smf_record", "smf115_header", "smf115_qwhs", "smf115_qwhx"}


def test_data_of_the_record_after_a_restart_would_be_kept_raw() -> None:
    opaque = [{"triplet_no": 2, "content": b"something"}]
    (made,) = compose(record_of(240), {"smf115_header": [HEADER], "smf_opaque": opaque})
    assert decoded(made).tables["smf_opaque"]["content"].to_list() == [b"something"]
