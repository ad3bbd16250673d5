"""Where the sections of each subtype are."""

from __future__ import annotations

import pytest

from ingest.binary.record import RecordLayout
from ingest.layouts import AMS_RECORD, LAYOUTS, MQ_RECORDS, ZOS_RECORDS
from ingest.layouts.mq_records import CHAIN_ANY_OTHER

RECORDS = (*MQ_RECORDS, AMS_RECORD)
# From the manual: decimal offset of the pointer in the record, subtype, eyecatcher.
POINTERS = [
    (115, 1, 100, "QSST"),
    (115, 1, 116, "QJST"),
    (115, 2, 36, "QMST"),
    (115, 2, 44, "QIST"),
    (115, 2, 60, "QLST"),
    (115, 2, 68, "Q5ST"),
    (115, 2, 76, "QEST"),
    (115, 2, 84, "QTST"),
    (115, 2, 92, "QESD"),
    (115, 5, 36, "QSPH"),
    (115, 6, 36, "QSGM"),
    (115, 7, 36, "QSRS"),
    (115, 201, 36, "QIS1"),
    (115, 215, 36, "QPST"),
    (115, 216, 36, "QQST"),
    (116, 0, 44, "QMAC"),
    (116, 1, 36, "WTID"),
    (116, 1, 44, "WTAS"),
    (116, 1, 52, "WQST"),
    (116, 2, 36, "WTID"),
    (116, 2, 44, "WQST"),
    (116, 10, 36, "QCST"),
]


def name(record: RecordLayout) -> str:
    return f"{record.record_type}-{record.subtype}"


@pytest.mark.parametrize(("record_type", "subtype", "at", "eyecatcher"), POINTERS)
def test_sections_are_found_where_the_manual_says(
    record_type: int, subtype: int, at: int, eyecatcher: str
) -> None:
    (record,) = [r for r in MQ_RECORDS if (r.record_type, r.subtype) == (record_type, subtype)]
    (section,) = [s for s in record.sections if s.layout.eyecatcher == eyecatcher]
    assert record.pointers[section.at] == at


@pytest.mark.parametrize("record", RECORDS, ids=name)
def test_pointers_are_inside_the_self_defining_area(record: RecordLayout) -> None:
    used = {s.at for s in record.sections}
    assert max(used | set(record.undocumented)) < len(record.pointers)
    assert not used & set(record.undocumented)
    assert used | set(record.undocumented) == set(range(len(record.pointers)))


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
