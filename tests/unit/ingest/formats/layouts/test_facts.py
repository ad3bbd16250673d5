"""The layouts of z/OS compared with tables of facts: RMF's, SMF 30, 42 subtype 6 and 113.

rmf_fields.csv, smf30.csv, smf42_6.csv and smf113.csv have the fields of z/OS 3.1 (record, section,
field, offset, length, kind, the bits of a flag, unit). pointers.csv and times.csv were typed from
MVS System Management Facilities, z/OS 2.1, 2.2 and 3.1, a parser that was verified on records of
z/OS 2.5, and copies of the mapping macros in C by F. Wong (smf70h.h, smf72h.h); further sources are
in evidence/.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from pathlib import Path

import pytest

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.layouts import LAYOUTS, RECORDS
from scripts.evidence import facts

HERE = Path(__file__).parent
RMF = "rmf_fields.csv"
TABLES = {x.table: x for x in LAYOUTS if not x.table.startswith(("smf115", "smf116", "smf180"))}
HEADERS = {r.header.table: r for r in RECORDS}
FACTS = defaultdict(list)
for _file in (RMF, "smf30.csv", "smf42_6.csv", "smf113.csv"):
    for _table, _field, _row in facts(_file):
        FACTS[_table].append((_field, _row | {"of_rmf": _file == RMF}))
#: Sections of pointers, which are part of the header in the layouts.
POINTERS_ONLY = {f"smf{record}_self_defining" for record in (30, "113_1", "113_2")}
POINTERS_ONLY |= {"smf42_6_self_defining_section_subtype_6"}
#: Another view of bytes that have a field already; a reserved field with a name; a text behind.
LEFT_OUT = {"*", "smf30uab", "smf30cbs", "s42dslsr", "s42dsrls", "s42dsnsr", "s42jdtmp", "smf30acg",
            "smf74tok", "smf74ndn", "ndecpcid", "r744hfla", "r744hfl1", "r744hfl2"}  # fmt: skip
#: Arrays: offset, length of an element, elements; the facts lack some of it.
ARRAYS = {
    "r744ftap": (120, 5, 8), "r744fidp": (176, 1, 8), "r744rtap": (104, 5, 8),
    "r744ridp": (152, 1, 8), "r744rsap": (168, 5, 8), "r744rsid": (208, 1, 8),
    "r744hsap": (24, 1, 4), "r723trdb": (0, 4, 14), "r723rw": (96, 4, 15),
}  # fmt: skip
PER_ENGINE = {f"r702{n}{kind}" for n in "12" for kind in ("met", "mec", "crt", "crc")}
SECOND_SOURCE_ONLY = {
    "smf70_1_cpu_control": {"smf70cpa"},
    "smf72_3_work_resource_manager_state": {"r723rw"},
}
#: The kinds that a field may have, by its kind in the facts.
KINDS = {
    "signed": {"signed", "ticks", "time"}, "unsigned": {"unsigned", "ticks", "time", "wide"},
    "bitstring": {"unsigned"}, "bytes": {"bytes", "unsigned"}, "ebcdic": {"text"},
    "packed": {"date"}, "packed_date": {"date"}, "time_hundredths": {"time"}, "stck": {"stck"},
    "etod": {"etod"}, "hexfloat": {"hexfloat"}, "bit": {"bit", "bits"},
}  # fmt: skip
KINDS_OF_RMF = KINDS | {
    "unsigned": {"unsigned", "ticks"}, "signed": {"signed", "unsigned", "ticks", "time"},
    "ebcdic": {"text", "bytes"}, "bytes": {"bytes", "unsigned", "stck"},
    "packed": {"packed", "date", "rmf_time", "rmf_interval", "rmf_cycle"},
    "tod": {"tod", "stck", "offset"}, "stck": {"stck", "offset"},
}  # fmt: skip
#: Signed in the facts, but lengths and pointers, which cannot be negative.
NOT_NEGATIVE = re.compile(r"smf(30|113)(len|seg)|smf113_[12]_c[sd](of|ln|on)")
#: Reserved bytes at the end of a section, which the facts omit.
RESERVED = {
    "smf70_1_prsm_partition": 3,  # smf70h.h, smf70bct
    "smf70_2_crypto_cca_coprocessor": 2,  # smf70h.h, r702typ3
    "smf70_2_crypto_accelerator": 2,  # smf70h.h, r702typ4
    "smf70_2_crypto_pkcs11_coprocessor": 2,  # smf70h.h, r702typ5
    "smf72_3_workload_manager_control": 4,  # the interface description's size, 280
    "smf72_3_work_resource_manager_state": 8,  # the interface description's size, 172
    "smf72_3_resource_delay_name": 2,  # the interface description's size, 24
    "smf74_4_processor_utilization": 24,  # z/OS 3.1, "Processor Utilization Data Section"
}


def read(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def fields_of(layout: Layout) -> list[tuple[str, dict[str, str]]]:
    """The facts that a layout has to have a field for."""
    rows = [(name, row) for name, row in FACTS[layout.table] if name not in LEFT_OUT]
    flagged = {row["offset"] for _, row in rows if row["kind"] == "bit"}
    pointers = HEADERS[layout.table].pointers if layout.table in HEADERS else ()
    return [
        (name, row)
        for name, row in rows
        if row["length"] != "0"
        and not (row["kind"] == "bitstring" and row["offset"] in flagged)
        and not any(0 <= int(row["offset"] or -1) - at < 8 for at in pointers)
    ]


def place(f: Field) -> tuple[object, ...]:
    return f.offset, f.length, f.shape, f.strides


def test_every_section_has_its_own_layout() -> None:
    made_up = {table for table in TABLES if "_reassembly" in table} | {"smf7_header"}
    assert set(TABLES) - made_up == set(FACTS) - POINTERS_ONLY
    assert sum(map(len, FACTS.values())) > 2500


@pytest.mark.parametrize("table", sorted(set(FACTS) - POINTERS_ONLY))
def test_facts_and_layouts_have_the_same_fields(table: str) -> None:
    layout, rows = TABLES[table], fields_of(TABLES[table])
    assert set(layout.by_name) == {name for name, _ in rows} | SECOND_SOURCE_ONLY.get(table, set())
    for name, row in rows:
        f, length = layout.by_name[name], row["length"]
        if name in ARRAYS:
            offset, length_, count = ARRAYS[name]
            assert place(f) == (offset, length_, (count,), (length_,)), name
            assert row["offset"] in {"", str(offset)}, name
            assert length in {"", str(length_)}, name
        else:
            array = ((5,), (64,)) if name in PER_ENGINE else ((), ())
            length = str(f.length) if row["kind"] == "bit" and not row["of_rmf"] else length
            assert place(f) == (int(row["offset"]), int(length), *array), name
        kinds = KINDS_OF_RMF if row["of_rmf"] else KINDS
        unsigned = {"unsigned"} if NOT_NEGATIVE.match(name) else set()
        assert f.kind in kinds[row["kind"]] | unsigned, name
        if row["kind"] == "bit":
            first, _, last = row["bit"].partition("-")
            assert (f.bit, f.width) == (int(first), int(last or first) - int(first) + 1), name


def test_a_section_ends_where_the_facts_say() -> None:
    for table in sorted(set(FACTS) - POINTERS_ONLY):
        layout = TABLES[table]
        end = max(
            layout.by_name[name].end if name in layout.by_name
            else int(row["offset"]) + int(row["length"] or 0)
            for name, row in FACTS[table]
        )  # fmt: skip
        if table == "smf42_6_header":  # then come its pointers, and a marker of no length
            assert layout.length == HEADERS[table].pointers[0]
        elif table in HEADERS and FACTS[table][0][1]["of_rmf"]:
            assert HEADERS[table].pointers[-1] + 8 == end, table
        else:
            assert layout.length == end + RESERVED.get(table, 0), table


def test_arrays_fill_their_gap() -> None:
    """No field begins inside an array, and none of its elements inside another."""
    for layout in TABLES.values():
        for f in layout.fields:
            if f.shape and f.name not in PER_ENGINE:
                inside = {g.name for g in layout.fields if f.offset < g.offset < f.end}
                assert not inside, f.name
                assert f.end in {layout.length, *(g.offset for g in layout.fields)}, f.name


def test_moments_and_durations_count_in_their_units() -> None:
    """Times without a unit in the facts have that of the other sources."""
    kinds = {"ticks", "tod", "stck", "offset", "time", "etod"}
    assert [
        {"table": layout.table, "field": f.name, "kind": f.kind,
         "tick_us": f"{f.tick_us:g}" if f.kind == "ticks" else ""}
        for layout in TABLES.values() for f in layout.fields if f.kind in kinds
    ] == read("times.csv")  # fmt: skip


def test_floats_and_sums_of_squares_say_their_unit() -> None:
    """They stay numbers, none without a unit."""
    rmf = [table for table in TABLES if table.startswith(("smf70", "smf72", "smf74"))]
    fields = [f for table in rmf for f in TABLES[table].fields]
    assert [f.name for f in fields if f.kind == "hexfloat" and not f.unit] == []
    sums = [f for f in fields if "squares" in f.note]
    assert len(sums) > 25
    assert [f.name for f in sums if not f.unit and not f.note.endswith("unit not documented")] == []


def test_pointers_lead_where_the_manuals_say() -> None:
    """Of MQ's records too."""
    found = [
        {"record_type": str(r.record_type), "subtype": str(r.subtype), "at": str(at),
         "table": table}
        for r in RECORDS for n, at in enumerate(r.pointers)
        for table in [s.layout.table for s in r.sections if s.at == n]
        or ["undocumented"] * (n in r.undocumented)
    ]  # fmt: skip
    assert found == read("pointers.csv")
