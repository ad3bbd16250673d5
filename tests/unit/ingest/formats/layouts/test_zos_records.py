"""How SMF 30, 42 subtype 6 and 113 decode: durations, chains, counters, and damage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats.binary.framing import RecordBatch
from ingest.formats.binary.records import OPAQUE, Decoded, decode_batch
from tests.kit.cases import cases
from tests.kit.zos_records import DATA_SETS, EXAMPLES, RECORDS, Rows, decoded, example, made


def column(found: Decoded, table: str, name: str) -> list[Any]:
    return found.tables[table][name].to_list()


def test_cpu_times_are_durations() -> None:
    times = {"smf30cpt": 1_230_000, "smf30_time_on_ziip": 450_000, "smf30cep": 2048}
    (record,) = made((30, 4), {"smf30_processor_accounting": [times | {"smf30_boostclass": 5}]})
    at = int.from_bytes(record[56:60])
    assert record[at + 4 : at + 8] == (123).to_bytes(4)
    assert record[at + 116 : at + 120] == (45).to_bytes(4)
    assert record[at + 80 : at + 84] == (2).to_bytes(4)
    assert record[at + 87] == 5
    found = decoded(record)
    for name, value in times.items():
        assert column(found, "smf30_processor_accounting", name) == [value]


def test_accounting_fields_follow_one_another() -> None:
    fields = ["A1", "", "PROJECT 7", "X" * 255]
    rows = [{"smf30acg": text} for text in fields]
    (record,) = made((30, 5), {"smf30_accounting": rows})
    offset, length, number = (
        int.from_bytes(record[a:b]) for a, b in ((64, 68), (68, 70), (70, 72))
    )
    assert (length, number) == (4 + sum(map(len, fields)), 4)
    assert record[offset : offset + 4] == b"\x02" + "A1".encode("cp037") + b"\0"
    found = decoded(record)
    assert column(found, "smf30_accounting", "smf30acg") == fields
    assert column(found, "smf30_accounting", "smf30acl") == [2, 0, 9, 255]
    assert column(found, "smf30_accounting", "section_no") == [1, 2, 3, 4]
    assert found.extra_bytes.tolist() == [0]


def test_a_truncated_accounting_field_rejects_only_its_record() -> None:
    rows = [{"smf30acg": "ABC", "record_no": n} for n in (1, 2)]
    first, second = made((30, 5), {"smf30_accounting": rows}, records=2)
    at = int.from_bytes(first[64:68])
    found = decoded(first[:at] + b"\x09" + first[at + 1 :], second)
    assert [(r.index, "cut by the end" in r.reason) for r in found.rejected] == [(0, True)]
    assert column(found, "smf30_accounting", "record_no") == [2]


def test_fewer_accounting_fields_than_counted_are_accepted() -> None:
    (record,) = made((30, 5), {"smf30_accounting": [{"smf30acg": "ABC"}]})
    found = decoded(record[:70] + b"\0\7" + record[72:])
    assert not found.rejected
    assert column(found, "smf30_accounting", "smf30acg") == ["ABC"]


def test_excp_sections_continue_in_continuation_records() -> None:
    names = [f"DD{n}" for n in range(7)]
    here = [{"record_no": 1, "smf30ddn": n} for n in names[:4]]
    later = [{"record_no": 2, "smf30ddn": n} for n in names[4:]]
    records = made(
        (30, 4),
        {
            "smf30_header": [
                {"smf30eor": 3, "smf30eos": 3, "smf30_reccont_firstrec": True},
                {"smf30_reccont_lastrec": True},
            ],
            "smf30_identification": [{"record_no": n, "smf30jbn": "JOB"} for n in (1, 2)],
            "smf30_processor_accounting": [{"record_no": 1, "smf30cpt": 10_000}],
            "smf30_excp": here + later,
        },
        records=2,
    )
    found = decoded(*records)
    assert column(found, "smf30_header", "smf30eos") == [3, 0]
    assert column(found, "smf30_header", "smf30_reccont_lastrec") == [False, True]
    assert column(found, "smf30_excp", "smf30ddn") == names
    assert column(found, "smf30_excp", "record_no") == [1] * 4 + [2] * 3
    assert column(found, "smf30_identification", "smf30jbn") == ["JOB", "JOB"]
    assert column(found, "smf30_processor_accounting", "record_no") == [1]


def test_a_header_of_an_older_release_is_shorter() -> None:
    tables = {"smf30_header": [{"smf30eos": 2, "smf30opm": 3}], "smf30_operator": [{}]}
    (record,) = made((30, 2), tables, pointers=14)
    assert int.from_bytes(record[88:92]) == 148  # where the sections begin
    found = decoded(record)
    for name, value in {"smf30eos": 2, "smf30opm": 3, "smf30uds": None}.items():
        assert column(found, "smf30_header", name) == [value]
    assert column(found, "smf30_header", "smf30_cont_recs_to_follow") == [None]


@pytest.mark.parametrize(("length", "extra", "last"), [(20, 0, None), (24, 0, 9), (30, 6, 9)])
def test_a_section_has_the_length_in_its_pointer(length: int, extra: int, last: Any) -> None:
    rows = {"smf30_operator": [{"smf30pdm": 7, "smf30msr": 9}]}
    found = decoded(*made((30, 6), rows, lengths={"smf30_operator": length}))
    assert column(found, "smf30_operator", "smf30pdm") == [7]
    assert column(found, "smf30_operator", "smf30msr") == [last]
    assert found.extra_bytes.tolist() == [extra]


def test_data_sets_are_chained_from_their_job() -> None:
    (record,) = made((42, 6), DATA_SETS)
    job = int.from_bytes(record[36:40])
    first = int.from_bytes(record[job + 24 : job + 28])
    second = int.from_bytes(record[first : first + 4])
    assert record[first + 4 : first + 5].decode("cp037") == "A"
    assert record[second + 4 : second + 5].decode("cp037") == "B"
    assert record[second : second + 4] == bytes(4)
    found = decoded(record)
    assert not found.rejected
    assert column(found, "smf42_6_data_set_header", "s42dsn") == ["A", "B", "C"]
    assert column(found, "smf42_6_data_set_header", "parent_no") == [1, 1, 2]
    assert column(found, "smf42_6_data_set_header", "s42dsgsr") == [2, 0, 0]
    assert column(found, "smf42_6_data_set_io_statistics", "parent_no") == [1, 3]
    assert column(found, "smf42_6_data_set_io_statistics", "s42dsior") == [384, 640]
    assert column(found, "smf42_6_synchronous_io_section_4", "parent_no") == [2, 2]
    assert column(found, "smf42_6_synchronous_io_section_5", "parent_no") == [2, 2, 2]
    assert column(found, "smf42_6_synchronous_io_section_5", "s42snded") == [7, 8, 9]
    assert found.tables[OPAQUE]["content"].to_list() == [b"product section"]


def patch(at: int, value: int) -> Callable[[bytes], bytes]:
    """Put a fullword into the first data set header, at a place in it."""

    def apply(record: bytes) -> bytes:
        job = int.from_bytes(record[36:40])
        header = int.from_bytes(record[job + 24 : job + 28])
        where = header + at
        number = header if value < 0 else value
        return record[:where] + number.to_bytes(4) + record[where + 4 :]

    return apply


@cases
def test_a_broken_chain_rejects_its_record(change: Callable[[bytes], bytes], reason: str) -> None:
    (record,) = made((42, 6), DATA_SETS)
    found = decoded(change(record), record)
    assert [r.index for r in found.rejected] == ([0] if reason else [])
    assert all(reason in r.reason for r in found.rejected)
    records = [1, 1, 2, 2] if not reason else [2, 2]
    assert column(found, "smf42_6_job_header", "record_no") == records


def test_a_counter_set_has_counters_of_four_or_of_eight_bytes() -> None:
    tables = {
        "smf113_1_data": [{"smf113_1_cpuid": 3, "smf113_1_machtype": "3931"}],
        "smf113_1_counter_set": [
            {"smf113_1_cstype": 1, "smf113_1_csuselcds": True},
            {"smf113_1_cstype": 2, "smf113_1_csuselcds": False},
            {"smf113_1_cstype": 4, "smf113_1_csuselcds": True},
        ],
        "smf113_1_short_counter_data": [
            {"parent_no": 2, "smf113_1_scr": n} for n in (7, 0xFFFFFFFF)
        ],
        "smf113_1_long_counter_data": [
            *({"parent_no": 1, "smf113_1_lcr": n} for n in (1, 1 << 63, 3)),
            *({"parent_no": 3, "smf113_1_lcr": n} for n in (4, 5)),
        ],
    }
    found = decoded(*made((113, 1), tables))
    assert column(found, "smf113_1_counter_set", "smf113_1_cdln") == [8, 4, 8]
    assert column(found, "smf113_1_counter_set", "smf113_1_cdon") == [3, 2, 2]
    assert column(found, "smf113_1_long_counter_data", "smf113_1_lcr") == [1, 1 << 63, 3, 4, 5]
    assert column(found, "smf113_1_long_counter_data", "parent_no") == [1, 1, 1, 3, 3]
    assert column(found, "smf113_1_long_counter_data", "section_no") == [1, 2, 3, 4, 5]
    assert column(found, "smf113_1_short_counter_data", "smf113_1_scr") == [7, 0xFFFFFFFF]
    assert column(found, "smf113_1_short_counter_data", "section_no") == [1, 2]


def test_counters_of_another_length_reject_their_record() -> None:
    tables: Rows = {
        "smf113_1_data": [{}],
        "smf113_1_counter_set": [{}],
        "smf113_1_long_counter_data": [{"parent_no": 1, "smf113_1_lcr": n} for n in (1, 2)],
    }
    (record,) = made((113, 1), tables)
    data = int.from_bytes(record[44:48])
    counter_set = int.from_bytes(record[data + 52 : data + 56])
    damaged = record[: counter_set + 8] + b"\0\5" + record[counter_set + 10 :]
    found = decoded(damaged, record)
    assert [(r.index, "5 bytes" in r.reason) for r in found.rejected] == [(0, True)]
    assert column(found, "smf113_1_long_counter_data", "smf113_1_lcr") == [1, 2]


def test_all_counters_of_subtype_2_are_in_one_row() -> None:
    tables = {
        "smf113_2_data": [{"smf113_2_cff": True}, {"smf113_2_cff": True}],
        "smf113_2_counter_set": [
            {"parent_no": n, "smf113_2_cst": s, "smf113_2_csn": 2} for n in (1, 2) for s in (1, 2)
        ],
        "smf113_2_counters": [
            {"parent_no": n, "smf113_2_cr": 10 * n + i} for n in (1, 2) for i in range(4)
        ],
    }
    found = decoded(*made((113, 2), tables))
    assert column(found, "smf113_2_data", "smf113_2_cdon") == [4, 4]
    assert column(found, "smf113_2_counter_set", "parent_no") == [1, 1, 2, 2]
    assert column(found, "smf113_2_counters", "smf113_2_cr") == [10, 11, 12, 13, 20, 21, 22, 23]


@pytest.mark.parametrize("key", EXAMPLES)
@settings(max_examples=25)
@given(data=st.data())
def test_damage_rejects_a_record_or_changes_its_rows_but_raises_nothing(
    key: tuple[int, int], data: st.DataObject
) -> None:
    record, alone = example(key)
    damaged = bytearray(record)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(24, len(damaged) - 1))
        damaged[at] = data.draw(st.sampled_from([0, 1, 4, 0x7F, 0x80, 0xFF]))
    damaged = damaged[: data.draw(st.integers(24, len(damaged)))]
    buffer = np.frombuffer(bytes(damaged) + record + bytes(16), np.uint8)
    start, length = np.array([0, len(damaged)]), np.array([len(damaged), len(record)])
    batch = RecordBatch(buffer, start, length, np.array([1, 2]), start)
    found = decode_batch(batch, RECORDS)
    assert all(rejection.index == 0 for rejection in found.rejected)
    for table, rows in alone.tables.items():
        whole = found.tables.get(table, rows.clear()).filter(pl.col("record_no") == 2)
        assert whole.drop("record_no", "file_offset", strict=False).equals(
            rows.drop("record_no", "file_offset", strict=False)
        )
