"""The layouts of SMF 30, 42 subtype 6 and 113 against tables of facts, and how they decode.

smf30.csv, smf42_6.csv and smf113.csv have the fields of z/OS 3.1 (record, section, field, offset,
length, kind, the bits of a flag, unit); further sources are in evidence/.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats.binary.compose import compose
from ingest.formats.binary.framing import Framing, RecordBatch, read_batches
from ingest.formats.binary.layout import Layout
from ingest.formats.binary.record import RecordLayout
from ingest.formats.binary.records import OPAQUE, Decoded, decode_batch
from ingest.formats.binary.write import frame_records
from ingest.formats.layouts import ZOS_RECORDS

HERE = Path(__file__).parent
RECORDS = {(r.record_type, r.subtype): r for r in ZOS_RECORDS if r.record_type in (30, 42, 113)}
OF_RECORD = {"30": (30, 2), "42.6": (42, 6), "113.1": (113, 1), "113.2": (113, 2)}
POINTER_SECTIONS = {"self_defining_section", "self_defining_section_subtype_6"}
# Sections whose names in the facts are not those of the tables.
NAMES = {"header_self_defining": "header", "record_header": "header"}
# Another view of bytes that have a field already, and a reserved field with a name.
OTHER_VIEWS = {"SMF30UAB", "SMF30CBS", "S42DSLSR", "S42DSRLS", "S42DSNSR", "S42JDTMP"}
TEXT_BEHIND = {"SMF30ACG"}
KINDS: dict[str, set[str]] = {
    "signed": {"signed", "ticks", "time"},
    "unsigned": {"unsigned", "ticks", "time", "wide"},
    "bitstring": {"unsigned"},
    "bytes": {"bytes", "unsigned"},
    "ebcdic": {"text"},
    "packed": {"date"},
    "packed_date": {"date"},
    "time_hundredths": {"time"},
    "stck": {"stck"},
    "etod": {"etod"},
    "hexfloat": {"hexfloat"},
    "bit": {"bit", "bits"},
}
# Signed in the facts, but lengths and pointers, which cannot be negative.
NOT_NEGATIVE = re.compile(r"smf(30|113)(len|seg)|smf113_[12]_c[sd](of|ln|on)")
TICKS = {"hundredths of a second": 1e4, "128 microseconds": 128, "1.024 ms": 1024, "us": 1}
TICKS |= {"microseconds": 1}
# Times without a unit in the facts. SMF 30: a parser that was verified on records of z/OS 2.5, what
# is a part of such a field, and the descriptions in the manual (the facts have 1024 ms for
# smf30crp). SMF 42: MVS SMF 2.2, "Access method statistics section" (delays), and 2.1, "Storage
# class response time section" (the same fields of subtype 5).
SILENT = {
    1024: "smf30crp smf30tat smf30res smf30eta",
    1e4: "smf30cpt smf30cps smf30icu smf30isb smf30jvu smf30ivu smf30jva smf30iva smf30iip "
    "smf30rct smf30hpt smf30icu_step_term smf30icu_step_init smf30isb_step_term "
    "smf30isb_step_init",
    128: "smf30tcn smf30dct smf30_missed_smf30dct s42dsior s42dsioc s42dsiop s42dsiod s42dsioq "
    "s42dsda0 s42dsmxr s42dsmxs s42dsrdd s42amsrr s42amswr s42amdrr s42amdwr s42amzrr s42amzwr",
}


def facts() -> list[dict[str, str]]:
    found = []
    for name in ("smf30", "smf42_6", "smf113"):
        with (HERE / f"{name}.csv").open(newline="") as file:
            found += list(csv.DictReader(file))
    return found


FACTS = facts()


def layouts(record: RecordLayout) -> list[Layout]:
    return [record.header, *(s.layout for s in record.sections)]


def table_of(row: dict[str, str]) -> str:
    section = NAMES.get(row["section"], row["section"].removesuffix("_section"))
    return f"smf{row['record'].replace('.', '_')}_{section}"


def in_pointers(row: dict[str, str]) -> bool:
    """Whether a field of the header belongs to a pointer."""
    at = int(row["offset"])
    pointers = RECORDS[OF_RECORD[row["record"]]].pointers
    return table_of(row).endswith("header") and any(p <= at < p + 8 for p in pointers)


def fields_of(layout: Layout) -> list[dict[str, str]]:
    """The facts that a layout has to have a field for."""
    rows = [r for r in FACTS if table_of(r) == layout.table]
    flagged = {r["offset"] for r in rows if r["kind"] == "bit" and r["field"] not in OTHER_VIEWS}
    return [
        r
        for r in rows
        if r["field"] not in OTHER_VIEWS | TEXT_BEHIND | {"*"}
        and r["length"] != "0"
        and not (r["kind"] == "bitstring" and r["offset"] in flagged)
        and not (layout is RECORDS[OF_RECORD[r["record"]]].header and in_pointers(r))
    ]


LAYOUTS = list(
    {id(x): x for record in RECORDS.values() for x in layouts(record)}.values(),
)


def by_table(layout: Layout) -> str:
    return layout.table


def test_every_section_in_the_facts_has_its_own_layout_and_table() -> None:
    tables = [x.table for x in LAYOUTS]
    assert len(set(tables)) == len(tables)
    sections = {table_of(r) for r in FACTS if r["section"] not in POINTER_SECTIONS}
    assert sections == set(tables)


@pytest.mark.parametrize("layout", LAYOUTS, ids=by_table)
def test_facts_and_layouts_have_the_same_fields(layout: Layout) -> None:
    rows = fields_of(layout)
    assert {r["field"].lower() for r in rows} == set(layout.by_name)
    for row in rows:
        f = layout.by_name[row["field"].lower()]
        assert f.offset == int(row["offset"]), f.name
        if row["kind"] == "bit":
            first, _, last = row["bit"].partition("-")
            assert (f.bit, f.width) == (int(first), int(last or first) - int(first) + 1), f.name
        else:
            assert f.length == int(row["length"]), f.name
        allowed = KINDS[row["kind"]] | ({"unsigned"} if NOT_NEGATIVE.match(f.name) else set())
        assert f.kind in allowed, f.name


@pytest.mark.parametrize("layout", LAYOUTS, ids=by_table)
def test_a_section_ends_where_the_facts_say(layout: Layout) -> None:
    rows = [r for r in FACTS if table_of(r) == layout.table]
    ends = [int(r["offset"]) + int(r["length"] or 0) for r in rows]
    if layout.table == "smf42_6_header":  # then come its pointers, and a marker of no length
        assert layout.length == RECORDS[42, 6].pointers[0]
    else:
        assert layout.length == max(ends)


@pytest.mark.parametrize("layout", LAYOUTS, ids=by_table)
def test_every_duration_counts_in_its_unit(layout: Layout) -> None:
    silent = {name: tick for tick, names in SILENT.items() for name in names.split()}
    expected = {
        name: silent.get(name) or TICKS[row["unit"]]
        for row in fields_of(layout)
        if (name := row["field"].lower()) in silent
        or (row["unit"] in TICKS and row["kind"] != "time_hundredths")
    }
    assert {f.name: f.tick_us for f in layout.fields if f.kind == "ticks"} == expected


# The parser's, and the names of the pointers' fields in the facts: SMF30SOF, SMF30IOF, ...
POINTERS = [
    (30, 24, "smf30_subsystem"),
    (30, 32, "smf30_identification"),
    (30, 40, "smf30_io_activity"),
    (30, 48, "smf30_completion"),
    (30, 56, "smf30_processor_accounting"),
    (30, 64, "smf30_accounting"),
    (30, 72, "smf30_storage"),
    (30, 80, "smf30_performance"),
    (30, 88, "smf30_operator"),
    (30, 96, "smf30_excp"),
    (30, 112, "smf30_appc_resource"),
    (30, 120, "smf30_appc_cumulative_resource"),
    (30, 128, "smf30_unix_process"),
    (30, 140, "smf30_usage_data"),
    (30, 152, "smf30_automatic_restart"),
    (30, 164, "smf30_multisystem_enclave_remote"),
    (30, 176, "smf30_counter_data"),
    (30, 184, "smf30_zedc_usage"),
    (30, 192, "smf30_crypto_counters"),
    (30, 204, "smf30_nnpi_counters"),
    (30, 220, "smf30_container"),
    (42, 36, "smf42_6_job_header"),
    (113, 28, "smf113_1_subsystem"),
    (113, 36, "smf113_1_identification"),
    (113, 44, "smf113_1_data"),
    (113, 28, "smf113_2_subsystem"),
    (113, 36, "smf113_2_identification"),
    (113, 44, "smf113_2_data"),
]


@pytest.mark.parametrize(("record_type", "at", "table"), POINTERS)
def test_sections_are_found_where_the_manual_says(record_type: int, at: int, table: str) -> None:
    for record in RECORDS.values():
        for section in record.sections:
            if section.layout.table == table:
                assert isinstance(section.at, int)
                assert (record.record_type, record.pointers[section.at]) == (record_type, at)


def test_no_pointer_is_forgotten() -> None:
    led_to = {(r.record_type, p) for r in RECORDS.values() for p in r.pointers}
    assert led_to - {(42, 28)} == {(record_type, at) for record_type, at, _ in POINTERS}
    assert set(RECORDS) == {(30, n) for n in range(2, 7)} | {
        (42, 6),
        (113, 1),
        (113, 2),
    }


# --- whole records

HEADERS = {
    30: {"smf30dte": date(2024, 2, 29), "smf30sid": "SYS1"},
    42: {"smf42dte": date(2024, 2, 29), "smf42sid": "SYS1"},
    113: {"smf113dte": date(2024, 2, 29), "smf113sid": "SYS1"},
}
Rows = dict[str, list[dict[str, Any]]]


def made(key: tuple[int, int], tables: Rows, records: int = 1, **options: Any) -> list[bytes]:
    record = RECORDS[key]
    headers = [HEADERS[key[0]] | {"record_no": n} for n in range(1, records + 1)]
    given_headers = tables.get(record.header.table)
    if given_headers:
        headers = [h | g for h, g in zip(headers, given_headers, strict=True)]
    return compose(record, tables | {record.header.table: headers}, **options)


def decoded(*records: bytes) -> Decoded:
    content = b"".join(frame_records(list(records)))
    (batch,) = [b for b in read_batches(io.BytesIO(content), Framing.RDW) if b.start.size]
    assert not batch.damages
    return decode_batch(batch, RECORDS)


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


DATA_SETS: Rows = {
    "smf42_6_job_header": [{"s42jdjnm": "JOB1"}, {"s42jdjnm": "JOB2"}],
    "smf42_6_data_set_header": [
        {"parent_no": 1, "s42dsn": "A", "s42dsgsr": 2},
        {"parent_no": 1, "s42dsn": "B"},
        {"parent_no": 2, "s42dsn": "C"},
    ],
    "smf42_6_data_set_io_statistics": [
        {"parent_no": 1, "s42dsior": 128 * 3, "s42dsr1u": 390},
        {"parent_no": 3, "s42dsior": 128 * 5, "s42dsr1u": 650},
    ],
    "smf42_6_synchronous_io_section_4": [{"parent_no": 2, "s42sntea": n} for n in (1, 2)],
    "smf42_6_synchronous_io_section_5": [{"parent_no": 2, "s42snded": n} for n in (7, 8, 9)],
    OPAQUE: [{"triplet_no": 0, "content": b"product section"}],
}


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


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (patch(0, -1), "has no end"),  # the first data set's next is itself
        (patch(0, 1 << 20), "outside the record"),
        (patch(0, 0xFFFFFFFF), "outside the record"),
        (patch(52, 1 << 20), "s42dsioo"),
        (patch(96, 1 << 20), ""),  # an offset whose length is zero leads nowhere
    ],
)
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


EXAMPLES: dict[tuple[int, int], Rows] = {
    (30, 4): {
        "smf30_identification": [{"smf30jbn": "JOB"}],
        "smf30_accounting": [{"smf30acg": "ABC"}, {"smf30acg": "D"}],
        "smf30_excp": [{"smf30ddn": "DD1"}, {"smf30ddn": "DD2"}],
    },
    (42, 6): DATA_SETS,
    (113, 1): {
        "smf113_1_data": [{}],
        "smf113_1_counter_set": [{"smf113_1_csuselcds": True}, {}],
        "smf113_1_short_counter_data": [{"parent_no": 2, "smf113_1_scr": 1}],
        "smf113_1_long_counter_data": [{"parent_no": 1, "smf113_1_lcr": n} for n in (1, 2)],
    },
    (113, 2): {
        "smf113_2_data": [{}],
        "smf113_2_counter_set": [{"smf113_2_csn": 2}],
        "smf113_2_counters": [{"smf113_2_cr": n} for n in (1, 2)],
    },
}


@cache
def example(key: tuple[int, int]) -> tuple[bytes, Decoded]:
    (record,) = made(key, EXAMPLES[key])
    return record, decoded(record)


@pytest.mark.parametrize("key", EXAMPLES)
@settings(max_examples=40, deadline=None, database=None)
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
