"""How RMF's records decode: triplets, parts of broken records, arrays, and truncated ones."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from ingest.formats.binary.compose import compose
from ingest.formats.binary.framing import RecordBatch
from ingest.formats.binary.record import RecordLayout
from ingest.formats.binary.records import Decoded, decode_batch
from ingest.formats.layouts import RMF_RECORDS

CATALOGUE = {(r.record_type, r.subtype): r for r in RMF_RECORDS}
LAYOUTS = {
    x.table: x for r in RMF_RECORDS for x in (r.header, *(located.layout for located in r.sections))
}

# --- records

NAMED = [pytest.param(r, id=f"{r.record_type}-{r.subtype}") for r in RMF_RECORDS]


def decoded(records: list[bytes]) -> Decoded:
    """What records that lie one behind the other, in a larger buffer, decode to."""
    lengths = np.array([len(r) for r in records], np.int64)
    start = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    numbers = np.arange(1, len(records) + 1)
    buffer = np.frombuffer(b"".join(records) + bytes(4096), np.uint8)
    return decode_batch(RecordBatch(buffer, start, lengths, numbers, start), CATALOGUE)


def filled(record: RecordLayout, **more: dict[str, object]) -> dict[str, list[dict[str, object]]]:
    """One row for each section that a triplet leads to."""
    tables: dict[str, list[dict[str, object]]] = {record.header.table: [{}]}
    for located in record.sections:
        if isinstance(located.at, int):
            tables[located.layout.table] = [{}]
    return tables | {table: [row] for table, row in more.items()}


@pytest.mark.parametrize("record", NAMED)
def test_a_truncated_record_is_rejected(record: RecordLayout) -> None:
    """Wherever it is cut behind its triplets: it gives no row to any table but that of records."""
    (whole,) = compose(record, filled(record))
    area_end = record.pointers[-1] + 8
    cuts = [whole[:length] for length in range(area_end, len(whole), 7)]
    found = decoded([*cuts, whole])
    assert [r.index for r in found.rejected] == list(range(len(cuts)))
    assert all("outside the record" in r.reason for r in found.rejected)
    for name, table in found.tables.items():
        if name != "smf_record":
            assert set(table["record_no"]) <= {len(cuts) + 1}, name


@pytest.mark.parametrize("record", NAMED)
def test_newer_sections_are_longer_and_older_ones_shorter(record: RecordLayout) -> None:
    """Extra bytes are counted but not decoded; absent fields are null."""
    located = record.sections[-1]
    length = located.layout.length
    last = located.layout.fields[-1]
    (longer,) = compose(record, filled(record), lengths={located.layout.table: length + 12})
    found = decoded([longer])
    assert not found.rejected
    assert found.extra_bytes.sum() == 12
    (shorter,) = compose(record, filled(record), lengths={located.layout.table: last.end - 1})
    column = decoded([shorter]).tables[located.layout.table][last.name]
    assert column.null_count() == 1


def test_absent_triplets_give_no_rows() -> None:
    record = CATALOGUE[74, 4]
    (made,) = compose(record, {"smf74_4_header": [{}], "smf74_4_cf_local": [{"r744fnam": "CF1"}]})
    tables = decoded([made]).tables
    assert tables["smf74_4_cf_local"]["r744fnam"].to_list() == ["CF1"]
    assert all(not tables[t].height for t in tables if t.startswith("smf74_4_re"))


def part(record: RecordLayout, parts: int, number: int) -> bytes:
    """One of the parts of a broken record, which has one section of a kind in each part."""
    prefix = f"smf{record.record_type}"
    table = f"{prefix}_{record.subtype}"
    (made,) = compose(
        record,
        {
            f"{table}_header": [{}],
            f"{table}_product": [{f"{prefix}ral": 24}],
            f"{table}_reassembly": [{f"{prefix}rbr": parts, f"{prefix}rsq": number}],
            f"{table}_reassembly_block": [
                {f"{prefix}rnn": 1, f"{prefix}rpp": 1},
                {f"{prefix}rnn": parts, f"{prefix}rpp": number},
            ],
        },
    )
    return made


@pytest.mark.parametrize("record", NAMED)
def test_parts_of_a_broken_record_are_numbered(record: RecordLayout) -> None:
    prefix, table = f"smf{record.record_type}", f"smf{record.record_type}_{record.subtype}"
    whole = compose(record, filled(record))
    found = decoded([part(record, 2, 1), part(record, 2, 2), *whole])
    assert not found.rejected
    assert found.tables[f"{table}_product"][f"{prefix}ran"].to_list() == [1, 1, 0]
    area = found.tables[f"{table}_reassembly"]
    columns = ["record_no", f"{prefix}rbr", f"{prefix}rsq", f"{prefix}rin"]
    assert area.select(columns).rows() == [(1, 2, 1, 2), (2, 2, 2, 2)]
    blocks = found.tables[f"{table}_reassembly_block"]
    columns = ["record_no", "section_no", f"{prefix}rnn", f"{prefix}rpp"]
    assert blocks.select(columns).rows() == [(1, 1, 1, 1), (1, 2, 2, 1), (2, 1, 1, 1), (2, 2, 2, 2)]
    assert found.extra_bytes.sum() == 0


@pytest.mark.parametrize("record", NAMED)
def test_the_area_follows_the_product_section(record: RecordLayout) -> None:
    """As RMF has it: at offset 104 of the product section, 16 bytes and then the blocks."""
    prefix = f"smf{record.record_type}"
    (plain,) = compose(record, {f"{prefix}_{record.subtype}_header": [{}]})
    at = len(plain)
    product = bytearray(104)
    product[68:76] = (104).to_bytes(4) + (24).to_bytes(2) + (1).to_bytes(2)
    area = bytes.fromhex("0003 0002 00000010 0004 0002 00000000")
    blocks = bytes.fromhex("0001 0001 0040 0015")
    made = bytearray(plain + product + area + blocks)
    made[28:36] = at.to_bytes(4) + (104).to_bytes(2) + (1).to_bytes(2)
    made[:2] = len(made).to_bytes(2)
    tables = decoded([bytes(made)]).tables
    table = f"{prefix}_{record.subtype}_reassembly"
    assert tables[table][f"{prefix}rsq"].to_list() == [2]
    assert tables[f"{table}_block"][f"{prefix}rnn"].to_list() == [1, 64]
    assert tables[f"{table}_block"][f"{prefix}rpp"].to_list() == [1, 21]


def test_an_area_outside_the_record_rejects_it() -> None:
    record = CATALOGUE[74, 1]
    (made,) = compose(record, filled(record, smf74_1_product={"smf74rao": 60_000, "smf74ran": 1}))
    found = decoded([made])
    assert [r.reason for r in found.rejected] == [
        "a pointer in smf74_1_product leads outside the record: smf74rao 60000, length 16, number 1"
    ]


def test_values_match_what_was_written() -> None:
    """Bytes as the manual has them, and what they mean."""
    record = CATALOGUE[72, 3]
    (made,) = compose(record, filled(record))
    at = int.from_bytes(made[28:32])
    product = bytearray(made[at : at + 104])
    product[0:2] = bytes.fromhex("798F")
    product[10:22] = bytes.fromhex("0143000F 0123045F 1500000F")
    product[30:32] = bytes.fromhex("5022")
    product[36:40] = bytes.fromhex("0001000F")
    product[60:68] = (-5 * 3600 * 1_000_000 << 12).to_bytes(8, signed=True)
    product[76:80] = bytes.fromhex("0384 003B")
    period = int.from_bytes(made[60:64])
    values = bytearray(made[period : period + 816])
    values[24:40] = bytes.fromhex("4664000000000000 C110000000000000")
    values[608:612] = (250).to_bytes(4)
    changed = bytearray(made)
    changed[at : at + 104] = product
    changed[period : period + 816] = values
    tables = decoded([bytes(changed)]).tables
    row = tables["smf72_3_product"].row(0, named=True)
    assert row["smf72mfv"] == 798
    assert row["smf72ist"] == (14 * 60 + 30) * 60_000_000
    assert str(row["smf72dat"]) == "2023-02-14"
    assert row["smf72int"] == 900_000_000
    assert (row["smf72iss"], row["smf72ism"], row["smf72m3r"]) == (True, True, False)
    assert (row["smf72eed"], row["smf72iip"], row["smf72boo"]) == (True, False, 2)
    assert row["smf72cyc"] == 1_000_000
    assert row["smf72lgo"] == -5 * 3600 * 1_000_000
    assert (row["smf72oil"], row["smf72syn"]) == (900_000_000, 59_000_000)
    period_row = tables["smf72_3_service_report_class_period"].row(0, named=True)
    assert (period_row["r723csrv"], period_row["r723ccpu"]) == (0x640000, -1.0)
    assert period_row["r723rtdm"] == 250_000


def test_arrays_are_read_element_by_element() -> None:
    record = CATALOGUE[74, 4]
    remote = {
        "r744rtap": ["CIB", "CFP", "", "CS5", "", "", "", "CL5"],
        "r744ridp": [1, 2, 3, 4, 5, 6, 7, 255],
        "r744rsap": ["CS5"] * 8,
        "r744rsid": list(range(8)),
        "ndeconfigcode": 9,
    }
    path = {"r744hsap": [9, 8, 7, 6], "r744hsav": 0b1100, "r744hopm": 0x40}
    (made,) = compose(record, filled(record, smf74_4_remote_cf=remote, smf74_4_channel_path=path))
    tables = decoded([made]).tables
    got = tables["smf74_4_remote_cf"]
    assert {name: got[name].to_list()[0] for name in remote} == remote
    got = tables["smf74_4_channel_path"]
    assert {name: got[name].to_list()[0] for name in path} == path
    assert got["r744hsap"].dtype == pl.Array(pl.Int32, 4)


def test_engines_of_an_accelerator_are_an_array() -> None:
    record = CATALOGUE[70, 2]
    row = {"r7024en": 2, "r7024sf": 2.0**-12, "r7021met": [4096.0, 8192.0, 0.0, 0.0, 0.0]}
    (made,) = compose(record, filled(record, smf70_2_crypto_accelerator=row))
    at = int.from_bytes(made[44:48])
    assert made[at + 16 : at + 24].hex() == "4410000000000000"
    assert made[at + 16 + 64 : at + 16 + 72].hex() == "4420000000000000"
    got = decoded([made]).tables["smf70_2_crypto_accelerator"]
    assert got["r7021met"].to_list() == [row["r7021met"]]
