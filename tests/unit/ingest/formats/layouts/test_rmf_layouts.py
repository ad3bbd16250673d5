"""RMF's layouts compared with their source, and how they decode.

rmf_fields.csv has the fields of the z/OS 3.1 Data Gatherer's interface description. Further sources
are in evidence/; what only they have is typed here: from MVS System Management Facilities, z/OS 2.1
and 3.1, and copies of the mapping macros in C by F. Wong (smf70h.h, smf72h.h).
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ingest.formats.binary.compose import compose
from ingest.formats.binary.framing import RecordBatch
from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.record import RecordLayout
from ingest.formats.binary.records import Decoded, decode_batch
from ingest.formats.layouts import RMF_RECORDS

HERE = Path(__file__).parent
CATALOGUE = {(r.record_type, r.subtype): r for r in RMF_RECORDS}
LAYOUTS = {
    x.table: x for r in RMF_RECORDS for x in (r.header, *(located.layout for located in r.sections))
}
SECTIONS = {
    "header_self_defining": "header",
    "rmf_product": "product",
    "crypto_accelerator_r7024tc": "crypto_accelerator",  # the first engine; the layout has all
}
# Fields that repeat others.
REDEFINED = {"smf74tok", "smf74ndn", "ndecpcid", "r744hfla", "r744hfl1", "r744hfl2"}
# Arrays: what is missing in the facts. The element's length is from the facts if they have it.
ARRAYS = {
    "r744ftap": (120, 5, 8),
    "r744fidp": (176, 1, 8),
    "r744rtap": (104, 5, 8),
    "r744ridp": (152, 1, 8),
    "r744rsap": (168, 5, 8),
    "r744rsid": (208, 1, 8),
    "r744hsap": (24, 1, 4),
    "r723trdb": (0, 4, 14),
    "r723rw": (96, 4, 15),
}
PER_ENGINE = {f"r702{n}{kind}" for n in "12" for kind in ("met", "mec", "crt", "crc")}
SECOND_SOURCE_ONLY = {
    "smf70_1_cpu_control": {"smf70cpa"},
    "smf72_3_work_resource_manager_state": {"r723rw"},
}
# The kinds that a field may have, by its kind in the facts.
KINDS = {
    "unsigned": {"unsigned", "ticks"},
    "signed": {"signed", "unsigned", "ticks", "time"},
    "ebcdic": {"text", "bytes"},
    "bytes": {"bytes", "unsigned", "stck"},
    "hexfloat": {"hexfloat"},
    "packed": {"packed", "date", "rmf_time", "rmf_interval", "rmf_cycle"},
    "tod": {"tod", "stck", "offset"},
    "stck": {"stck", "offset"},
    "bitstring": {"unsigned"},
}
# Reserved bytes at the end of a section, which the facts omit: (bytes, source).
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


def facts() -> list[dict[str, str]]:
    with (HERE / "rmf_fields.csv").open(newline="") as file:
        return list(csv.DictReader(file))


FACTS = facts()


def table_of(row: dict[str, str]) -> str:
    section = SECTIONS.get(row["section"], row["section"])
    return f"smf{row['record'].replace('.', '_')}_{section}"


def column_of(row: dict[str, str]) -> str:
    return row["field"].lower().replace("#", "_no")


def is_left_out(row: dict[str, str], bits: set[tuple[str, str]]) -> bool:
    """Triplets, flag bytes whose bits are separate fields, and redefinitions."""
    if row["section"] == "header_self_defining" and int(row["offset"]) >= 28:
        return True
    flags = row["kind"] == "bitstring" and (table_of(row), row["offset"]) in bits
    return flags or column_of(row) in REDEFINED


BITS = {(table_of(row), row["offset"]) for row in FACTS if row["kind"] == "bit"}
KEPT = [row for row in FACTS if not is_left_out(row, BITS)]


def test_the_facts_are_those_of_five_records() -> None:
    assert {row["record"] for row in FACTS} == {"70.1", "70.2", "72.3", "74.1", "74.4"}
    assert len(KEPT) > 1300


@pytest.mark.parametrize("table", sorted({table_of(row) for row in FACTS}))
def test_every_fact_is_in_the_layout(table: str) -> None:
    layout = LAYOUTS[table]
    for row in (row for row in KEPT if table_of(row) == table):
        f = layout.by_name[column_of(row)]
        if f.name in ARRAYS:
            offset, length, count = ARRAYS[f.name]
            assert (f.offset, f.length, f.shape, f.strides) == (offset, length, (count,), (length,))
            assert row["offset"] in {"", str(offset)}, f.name
            assert row["length"] in {"", str(length)}, f.name
        elif f.name in PER_ENGINE:
            assert (f.shape, f.strides) == ((5,), (64,)), f.name
            assert (f.offset, f.length) == (int(row["offset"]), int(row["length"])), f.name
        else:
            assert f.shape == (), f.name
            assert (f.offset, f.length) == (int(row["offset"]), int(row["length"])), f.name
        if row["kind"] == "bit":
            first, *last = map(int, row["bit"].split("-"))
            assert (f.bit, f.width) == (first, last[0] - first + 1 if last else 1), f.name
            assert f.kind == ("bits" if last else "bit"), f.name
        else:
            assert f.kind in KINDS[row["kind"]], f.name


def test_no_field_is_made_up() -> None:
    known = {(table_of(row), column_of(row)) for row in KEPT}
    for table, layout in LAYOUTS.items():
        if "_reassembly" not in table:
            more = {f.name for f in layout.fields if (table, f.name) not in known}
            assert more == SECOND_SOURCE_ONLY.get(table, set()), table


def test_sections_end_where_the_facts_do() -> None:
    ends: dict[str, int] = defaultdict(int)
    for row in FACTS:
        name, table = column_of(row), table_of(row)
        f = LAYOUTS[table].by_name.get(name)
        end = f.end if f else int(row["offset"]) + int(row["length"])
        ends[table] = max(ends[table], end)
    for table, end in ends.items():
        if table.endswith("_header"):
            record = CATALOGUE[int(table[3:5]), int(table[6])]
            assert end == record.pointers[-1] + 8, table
        else:
            assert LAYOUTS[table].length == end + RESERVED.get(table, 0), table


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=lambda x: x.table)
def test_arrays_fill_their_gap(layout: Layout) -> None:
    """No field begins inside an array, and none of its elements inside another."""
    for f in layout.fields:
        if f.shape and f.name not in PER_ENGINE:
            inside = {g.name for g in layout.fields if f.offset < g.offset < f.end}
            assert not inside, f.name
            assert f.end in {layout.length, *(g.offset for g in layout.fields)}, f.name


# --- kinds

TICKS = {
    1: """
        smf70pdt smf70edt smf70ont smf70wst smf70mtit r744ftim r744fctm r744satm r744sstm r744sqtm
        r744sdtm r744spst r744srst r744scst r744sxst r744smtm r744pbsy r744pwai r744rsdt r744rsse
        r744ramst r744hlat r744mrst r744mwst r744apdt r744amdt r744aqdt r744aqst r744acdt r744ardt
        r744aott r744astt""",
    128: "smf74cnn smf74pen smf74atv smf74dis smf74dvb smf74cmr smf74cuq",
    1000: "smf70gts smf70wti smf70_lpar_busy r723mtvl r723rtdm",
    1_000_000: "smf70oil smf70syn smf72oil smf72syn smf74oil smf74syn",
}
MOMENTS = """
    smf70iet smf70gie smf72iet smf72gie smf74iet smf74gie smf70gjt smf70_ipl_time r723mtpa r723mtdi
    r723rtdt"""
DIFFERENCES = "smf70lgo smf72lgo smf74lgo smf70hof"


def names(kind: str, tick_us: float = 1.0) -> set[str]:
    fields = (f for layout in LAYOUTS.values() for f in layout.fields)
    return {f.name for f in fields if f.kind == kind and f.tick_us == tick_us}


@pytest.mark.parametrize("tick_us", TICKS)
def test_durations_have_their_unit(tick_us: int) -> None:
    assert names("ticks", tick_us) == set(TICKS[tick_us].split())


def test_clock_times_and_durations_have_different_kinds() -> None:
    assert names("tod") == {"smf70wat", "smf70pat"}
    assert names("stck") == set(MOMENTS.split())
    assert names("offset") == set(DIFFERENCES.split())


@pytest.mark.parametrize("prefix", ["smf70", "smf72", "smf74"])
def test_the_product_section_has_the_types_prefix(prefix: str) -> None:
    tables = [t for t in LAYOUTS if t.startswith(prefix) and t.endswith(("_product", "_header"))]
    assert tables
    for table in tables:
        assert {f.name[:5] for f in LAYOUTS[table].fields} == {prefix}


def test_floats_that_are_times_say_their_unit() -> None:
    """They stay numbers, none without a unit."""
    fields = [f for layout in LAYOUTS.values() for f in layout.fields if f.kind == "hexfloat"]
    assert len(fields) > 200
    assert {f.name for f in fields if not f.unit} == set()


def test_unknown_units_are_labelled_unknown() -> None:
    sums = [f for layout in LAYOUTS.values() for f in layout.fields if "squares" in f.note]
    assert len(sums) > 25
    for f in sums:
        assert f.unit or f.note.endswith("unit not documented"), f.name


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=lambda x: x.table)
def test_columns_are_described(layout: Layout) -> None:
    for f in layout.fields:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", f.name), f.name
        assert f.note[0] != " ", f.name
        assert "  " not in f.note, f.name
    offsets = [(f.offset, f.bit or 0) for f in layout.fields]
    assert all(a <= b for a, b in pairwise(offsets)), "fields are in the order of the section"


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
def test_triplets_match_the_facts(record: RecordLayout) -> None:
    """The manual names the triplet's three fields; the layout has its place and what it finds."""
    rows = [r for r in FACTS if r["record"] == f"{record.record_type}.{record.subtype}"]
    header = [r for r in rows if r["section"] == "header_self_defining"]
    offsets = [int(r["offset"]) for r in header if int(r["offset"]) >= 28]
    assert offsets == [at + step for at in record.pointers for step in (0, 4, 6)]
    found = [s.layout.table for s in record.sections if isinstance(s.at, int)]
    assert [s.at for s in record.sections if isinstance(s.at, int)] == list(range(len(found)))
    assert len(found) == len(record.pointers)
    assert set(found) == {table_of(r) for r in rows} - {record.header.table}


# Which section the source's self-defining area says each triplet finds, by the offset's field.
FOUND_BY = {
    (70, 1): "prs product ccs cpu_control cps cpu_data ass asid_data bcs prsm_partition"
    " bvs prsm_logical_processor cns cpu_identification cos logical_core_data"
    " tns tenant_resource_group",
    (70, 2): "prs product 23s crypto_cca_coprocessor 24s crypto_accelerator 2cs icsf_services"
    " 25s crypto_pkcs11_coprocessor",
    (72, 3): "prs product wms workload_manager_control sss service_class_served"
    " rgs resource_group scs service_report_class_period rts response_time_distribution"
    " wrs work_resource_manager_state dns resource_delay_name",
    (74, 1): "prs product dcs device_control dds device_data",
    (74, 4): "prs product 4fo cf_local 4xo connectivity 4go storage 4qo structure 4so request"
    " 4po processor_utilization 4co cache 4ro remote_cf 4ho channel_path"
    " 4mo storage_class_memory 4ao async_cf_duplexing",
}


@pytest.mark.parametrize("record", NAMED)
def test_each_triplet_finds_its_section(record: RecordLayout) -> None:
    key = (record.record_type, record.subtype)
    said = iter(FOUND_BY[key].split())
    by_offset = {
        int(r["offset"]): r["field"].lower()
        for r in FACTS
        if r["record"] == f"{key[0]}.{key[1]}" and r["section"] == "header_self_defining"
    }
    layouts = {s.at: s.layout for s in record.sections if isinstance(s.at, int)}
    for i, (field, section) in enumerate(zip(said, said, strict=True)):
        assert by_offset[record.pointers[i]] == f"smf{key[0]}{field}"
        assert layouts[i].table == f"smf{key[0]}_{key[1]}_{section}"


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


def field(table: str, name: str) -> Field:
    return LAYOUTS[table].by_name[name]


def test_short_floats_have_four_bytes() -> None:
    short = {f.name for f in LAYOUTS["smf74_1_device_data"].fields if f.kind == "hexfloat"}
    short = {n for n in short if field("smf74_1_device_data", n).length == 4}
    expected = "slbr slbw scmr snis stor stow sor sow ios"
    assert short == {f"smf74{n}" for n in expected.split()}
