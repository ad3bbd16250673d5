"""Records that are composed and written in any framing are read back unchanged."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ingest.formats.binary.compose import ANY_OTHER_BLOCK, compose
from ingest.formats.binary.framing import Framing, RecordBatch, read_batches
from ingest.formats.binary.layout import Layout
from ingest.formats.binary.record import Inside, Located, RecordLayout
from ingest.formats.binary.records import OPAQUE, Decoded, decode_batch
from ingest.formats.binary.write import frame_records
from ingest.formats.layouts import AMS_RECORD, RECORDS
from tests.kit.cases import cases
from tests.kit.mq_structures import released_lengths
from tests.kit.random_rows import rows, text

EVERY = (*RECORDS, AMS_RECORD)
CATALOGUE = {(r.record_type, r.subtype): r for r in EVERY}
# The subtypes of SMF 30 share sections.
DISTINCT = list({id(r.sections): r for r in EVERY}.values())
FRAMINGS: dict[str, dict[str, Any]] = {
    "rdw": {},
    "rdw, spanned": {"segment": 300},
    "bdw": {"framing": Framing.BDW},
    "bdw, spanned": {"framing": Framing.BDW, "block": 1000, "fill": True},
    "bdw, extended": {"framing": Framing.BDW, "block": 100_000, "extended": True},
    "none": {"framing": Framing.NONE},
}
Row = dict[str, Any]
Rows = list[Row]
Tables = dict[str, Rows]


def name(record: RecordLayout) -> str:
    return f"{record.record_type}-{record.subtype}"


def filled_in(layout: Layout, *, chained: bool, header: bool) -> set[str]:
    """Return fields that composing fills in: lengths, types, eyecatchers and pointers to parts."""
    places = {0, 2, 5, 22} if header else {0, 2} if chained else set()
    if layout.eyecatcher:
        places = {2, layout.eyecatcher_at}
    found = {f.name for f in layout.fields if f.offset in places and f.bit is None}
    found |= {f.name for f in layout.fields if f.name.endswith(("_offset", "_length"))}
    return found | {"rb41nrc", "rb41rcre"}


def pointing(record: RecordLayout, layout: Layout) -> set[str]:
    """Return fields of a section that point to other sections: composing fills them in."""
    found: set[str] = set()
    for located in record.sections:
        inside = located.at
        if isinstance(inside, Inside):
            if inside.parent is layout:
                found |= {inside.offset, inside.number}
            if isinstance(inside.length, str) and (inside.length_in or inside.parent) is layout:
                found.add(inside.length)
            if located.layout is layout:
                found.add(inside.next)
    return found - {""}


def sections(
    record: RecordLayout, located: Located, records: int, dice: Random, *, single: bool
) -> list[Rows]:
    """Return rows of a section for each of several records."""
    layout, key = located.layout, located.layout.repeat and located.layout.repeat.present
    without = filled_in(layout, chained=located.chain is not None, header=False)
    without |= pointing(record, layout)
    if located.text:
        without |= {layout.fields[0].name}
    most = 1 if single or located.chain is not None else 3

    def one() -> Row:
        (row,) = rows(layout, dice, 1, without=without)
        if key:
            row[key] = text(dice, layout.by_name[key].length, 1)
        for part in located.parts:
            row[part.name] = text(dice, 40) if part.kind == "text" else dice.randbytes(30)
        if located.text:
            row[located.text.name] = text(dice, 40)
        return row

    return [[one() for _ in range(dice.randint(0, most))] for _ in range(records)]


def contents(record: RecordLayout, dice: Random) -> tuple[Tables, dict[str, int]]:
    """Return tables of one to three records of a subtype, and the lengths of its sections."""
    count = dice.randint(1, 3)
    lengths = {
        s.layout.table: dice.choice(released_lengths(s.layout))
        for s in record.sections
        if not (s.layout.repeat or s.only_length or s.text or pointing(record, s.layout))
    }
    without = filled_in(record.header, chained=False, header=True)
    if record.subtype == 0 and record.record_type == 180:
        without -= {"smfrecsty"}
    tables: Tables = {record.header.table: rows(record.header, dice, count, without=without)}
    led_to: set[tuple[str, str, int]] = set()  # pointers inside sections that are in use
    for located in record.sections:
        if isinstance(located.at, Inside):
            parents = tables[located.at.parent.table]
            tables[located.layout.table] = nested(record, located, parents, led_to, dice)
            continue
        of_records = sections(record, located, count, dice, single=record.pointer == "doublet")
        tables[located.layout.table] = numbered(of_records)
        if entry := located.entries:
            of_records = [
                [{entry.text.name: text(dice, 60)} for _ in range(dice.randint(0, 3) * bool(some))]
                for some in of_records
            ]
            tables[entry.layout.table] = numbered(of_records)
    for number, row in enumerate(tables[record.header.table], 1):
        row |= {"record_no": number, "section_no": 1}
    tables[OPAQUE] = numbered(
        [
            [
                {"triplet_no": t, "content": dice.randbytes(9)}
                for t in record.undocumented
                for _ in range(dice.randint(0, 2))
            ]
            for _ in range(count)
        ]
    )
    return tables, lengths


def nested(
    record: RecordLayout,
    located: Located,
    parents: Rows,
    led_to: set[tuple[str, str, int]],
    dice: Random,
) -> Rows:
    """Return rows of the sections that the sections of the given rows point to, in order.

    Pointers in `led_to` point to sections of another layout; those that are used here are added.
    """
    inside = located.at
    assert isinstance(inside, Inside)
    # A product section's own count of what it points to is 0 or 1.
    single = isinstance(inside.length, int) or not (inside.number or inside.next)
    of_records: dict[int, Rows] = {}
    for index, parent in enumerate(parents):
        if (pointer := (inside.parent.table, inside.offset, index)) in led_to:
            continue
        (some,) = sections(record, located, 1, dice, single=single)
        led_to |= {pointer} if some else set()
        own = of_records.setdefault(parent["record_no"], [])
        own += [row | {"parent_no": parent["section_no"]} for row in some]
    most = max(of_records, default=0)
    return numbered([of_records.get(number, []) for number in range(1, most + 1)])


def numbered(of_records: list[Rows]) -> Rows:
    return [
        row | {"record_no": number, "section_no": place}
        for number, some in enumerate(of_records, start=1)
        for place, row in enumerate(some, start=1)
    ]


def decoded(content: bytes, framing: Framing, chunk: int = 1 << 16) -> Decoded:
    """Decode a whole file, which must not be damaged."""
    whole = Decoded(*np.zeros((2, 0), np.int64))
    pieces: dict[str, list[pl.DataFrame]] = {}
    for batch in read_batches(io.BytesIO(content), framing, chunk, CATALOGUE):
        assert not batch.damages
        found = decode_batch(batch, CATALOGUE | {(180, -1): AMS_RECORD})
        whole.rejected += found.rejected
        for table, rows_found in found.tables.items():
            pieces.setdefault(table, []).append(rows_found)
    whole.tables = {table: pl.concat(some) for table, some in pieces.items()}
    return whole


@pytest.mark.parametrize("record", DISTINCT, ids=name)
@pytest.mark.parametrize("seed", range(2))
def test_records_round_trip_in_every_framing(record: RecordLayout, seed: int) -> None:
    tables, lengths = contents(record, Random(seed))
    records = compose(record, tables, lengths=lengths)
    empty = record.pointers[-1] + 8 if record.pointers else record.header.length
    for name_, options in FRAMINGS.items():
        if name_ == "none" and (record is AMS_RECORD or min(map(len, records)) <= empty):
            continue  # without a descriptor word their length cannot be found
        framing = options.get("framing", Framing.RDW)
        found = decoded(b"".join(frame_records(records, **options)), framing)
        assert not found.rejected, name_
        assert found.tables["smf_record"]["length"].to_list() == [len(r) for r in records]
        for table, expected in tables.items():
            got = found.tables.get(table, pl.DataFrame())
            assert got.height == len(expected), (name_, table)
            if expected:
                assert_same(got, expected, layouts_of(record).get(table), lengths.get(table))


def layouts_of(record: RecordLayout) -> dict[str, Layout]:
    """Return table -> layout, except for tables without one."""
    return {x.table: x for x in (record.header, *(s.layout for s in record.sections))}


def assert_same(
    got: pl.DataFrame, expected: list[dict[str, Any]], layout: Layout | None, length: int | None
) -> None:
    """Return the rows that went in, with null for fields that a section is too short for."""
    order = ["record_no", *(["triplet_no"] if "triplet_no" in expected[0] else []), "section_no"]
    went_in = pl.DataFrame(
        {n: pl.Series(n, [row[n] for row in expected], dtype=got[n].dtype) for n in expected[0]}
    )
    if layout and length:
        gone = [f.name for f in layout.fields if f.end > length and f.name in went_in.columns]
        went_in = went_in.with_columns(
            pl.lit(None, dtype=went_in[name].dtype).alias(name) for name in gone
        )
    # Undocumented sections are identified by their pointer, whatever their numbers.
    left_out = ["section_no"] if "triplet_no" in went_in.columns else []
    assert_frame_equal(
        got.select(went_in.columns).sort(order).drop(left_out), went_in.sort(order).drop(left_out)
    )


def rebuilt(real: RecordBatch, tables: dict[str, pl.DataFrame]) -> list[bytes]:
    """Return the records of a real dump, composed again from their decoded tables."""
    groups: dict[tuple[tuple[int, int], bool], list[int]] = {}
    with_queues = set(tables.get("smf116_wq", pl.DataFrame({"record_no": []}))["record_no"])
    columns = ["record_no", "record_type", "record_subtype"]
    made = {}
    for number, *key in tables["smf_record"].select(columns).iter_rows():
        groups.setdefault((tuple(key), number in with_queues), []).append(number)
    for (key, queues), numbers in groups.items():
        if key not in CATALOGUE:
            made |= {n: real.content(n - 1) for n in numbers}
            continue
        record = CATALOGUE[key]
        own = dict(tables)
        own[record.header.table] = own[record.header.table].filter(
            pl.col("record_no").is_in(numbers)
        )
        lengths = IN_8_0 | ({"smf116_qwhs": 36} if key in {(116, 0), (116, 1)} else {})
        pointers = 3 if key == (116, 1) and not queues else None
        records = compose(record, own, lengths=lengths, pointers=pointers)
        made |= zip(numbers, records, strict=True)
    return [made[n] for n in sorted(made)]


# Lengths in MQ 8.0, which wrote these dumps, if they are not the newest.
IN_8_0 = {
    "smf115_qmst": 72,
    "smf115_qjst": 576,
    "smf115_qesd": 328,
    "smf115_qcct": 48,
    "smf116_qcst": 324,
    "smf116_wq": 2792,
    "smf115_qsst": 80,
    "smf115_qtst": 100,
}


# Where the file has a record, the bytes of a spanned one from its first descriptor, and the hash,
# which takes in fillers.
SEGMENT_FIELDS = {"content_hash", "file_offset", "sm115len", "sm115sgd", "sm116len", "sm116sgd"}


@pytest.mark.parametrize("dump", ["TEST115", "TEST116", "TESTCHL"])
def test_real_records_are_composed_unchanged(dump: str, samples: Path) -> None:
    """Records are equal except for fillers and fractions of a microsecond."""
    content = (samples / "mq-smf" / f"{dump}.dat").read_bytes()
    (real,) = [b for b in read_batches(io.BytesIO(content), Framing.RDW) if b.start.size]
    tables = decode_batch(real, CATALOGUE).tables
    records = rebuilt(real, tables)
    for i, made in enumerate(records):
        assert len(made) == real.length[i]
        # After the descriptor word, which a spanned record has from its first segment.
        assert made[4:36] == real.content(i)[4:36]
    again = decoded(b"".join(frame_records(records)), Framing.RDW).tables
    assert again.keys() == tables.keys()
    for table, frame in tables.items():
        changed = SEGMENT_FIELDS & set(frame.columns)
        assert_frame_equal(again[table].drop(changed), frame.drop(changed))


def test_product_section_is_a_chain() -> None:
    record = CATALOGUE[116, 0]
    made = compose(
        record,
        {
            "smf116_header": [{"sm116ssi": "QM1"}],
            "smf116_qwhs": [{"qwhsssid": "QM1"}],
            "smf116_qwhc": [{"qwhccn": "JOB"}],
            "smf116_qwhx": [{"qwhxrel": "100000"}],
        },
        lengths={"smf116_qwhs": 36},
    )[0]
    at = int.from_bytes(made[28:32])
    assert made[32:36] == (36 + 92 + 16).to_bytes(2) + b"\0\1"
    lengths, kinds = [], []
    while at < len(made):
        lengths.append(int.from_bytes(made[at : at + 2]))
        kinds.append(made[at + 2])
        at += lengths[-1]
    assert (lengths, kinds) == ([36, 92, 16], [1, 2, ANY_OTHER_BLOCK])


def test_given_values_are_not_overwritten() -> None:
    record = CATALOGUE[115, 7]
    made = compose(
        record,
        {
            "smf115_header": [{"sm115rty": 114, "sm115stf": 9}],
            "smf115_qsrs": [{"qsrsll": 7, "qsrseyec": "WHAT"}],
        },
    )[0]
    assert (made[5], int.from_bytes(made[22:24])) == (114, 9)
    assert made[50:52] == b"\0\7"
    assert made[52:56].decode("cp037") == "WHAT"


def test_descriptor_word_counts_the_record() -> None:
    tables = {
        "smf115_header": [{"record_no": 1}, {"record_no": 2}],
        "smf115_qsrs": [{"record_no": 2}],
    }
    made = compose(CATALOGUE[115, 7], tables)
    assert len(made[1]) == len(made[0]) + CATALOGUE[115, 7].sections[-1].layout.length
    assert [r[:4] for r in made] == [len(r).to_bytes(2) + b"\0\0" for r in made]


def test_rows_of_other_records_are_ignored() -> None:
    tables = {
        "smf115_header": [{"record_no": 5}],
        "smf115_qsrs": [{"record_no": n, "qsrsnmomb": n} for n in (4, 5, 6)],
    }
    (made,) = compose(CATALOGUE[115, 7], tables)
    found = decoded(framed_with_date(made), Framing.RDW).tables["smf115_qsrs"]
    assert found["qsrsnmomb"].to_list() == [5]


def framed_with_date(record: bytes) -> bytes:
    """Return a file of one record, with a date in its header."""
    return b"".join(frame_records([record[:10] + b"\x01\x24\x06\x0f" + record[14:]]))


@cases
def test_inconsistent_rows_are_refused(
    key: tuple[int, int], tables: Tables, options: dict[str, Any], message: str
) -> None:
    record = CATALOGUE[key]
    with pytest.raises(ValueError, match=message):
        compose(record, {record.header.table: [{}]} | tables, **options)


def test_two_headers_need_different_record_numbers() -> None:
    with pytest.raises(ValueError, match="record_no"):
        compose(CATALOGUE[115, 7], {"smf115_header": [{}, {}]})
