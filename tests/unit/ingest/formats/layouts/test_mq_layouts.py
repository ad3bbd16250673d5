"""The MQ layouts against two tables of facts: every field, and the sizes of every release.

mq_structures.csv has the fields of MQ 10.0 (structure, field, offset, length; a bit field's length
is "N bits at bit K"), mq_structure_sizes.csv the length of each structure by release.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.section import decode_section
from ingest.formats.layouts import LAYOUTS

HERE = Path(__file__).parent
HEADERS = {"smf115_header": "qwst", "smf116_header": "qwas"}
FILLER = re.compile(r"filler|spare|reserved|z__|res[12]$|qcstrsv|qshspad", re.IGNORECASE)
# Flag words that the table of facts lists as one, and the flags in them.
FLAG_WORDS = {
    "qqstflag": ("qqstdisp", "qqstpart", "qqstuncm"),
    "qsphflags": ("qsphfixed", "qsphglob", "qsphdspc", "qsphivsa", "qsph64bit"),
}
# The head of the section, which the rows of its entries do not contain.
HEAD_OF_REPEATED = {"qestid", "qestll", "qesteyec"}
# Lengths in records of MQ 8.0, which is older than the table of sizes.
MQ_8_0 = {
    "qmst": 72,
    "qjst": 576,
    "qist": 80,
    "qlst": 32,
    "q5st": 672,
    "qesd": 328,
    "qpst": 104,
    "qcct": 48,
    "qcst": 324,
    "qwac": 176,
    "qmac": 48,
    "wtid": 208,
    "wtas": 2344,
    "wq": 2792,
}
BITS = re.compile(r"(\d+) bits at bit (\d+)")
ELEMENT_KINDS = {"stck", "tod"}


def structure_of(layout: Layout) -> str:
    return HEADERS.get(layout.table) or layout.table.split("_", 1)[1]


MQ_LAYOUTS = [layout for layout in LAYOUTS if layout.table.startswith(("smf115", "smf116"))]


def read(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def sizes() -> dict[str, dict[int, int]]:
    """Return structure -> release -> length."""
    found: dict[str, dict[int, int]] = defaultdict(dict)
    for row in read("mq_structure_sizes.csv"):
        found[row["structure"]][int(row["mq_release"])] = int(row["length"])
    return found


def elements(f: Field) -> dict[tuple[int, ...], int]:
    """Return the index of each element -> its offset."""
    return {
        index: f.offset + sum(i * s for i, s in zip(index, f.strides, strict=True))
        for index in product(*(range(n) for n in f.shape))
    }


def column_of(path: str, layout: Layout) -> str:
    """Return the column that the naming rule gives a field: the inner name, or group_inner."""
    parts = [re.sub(r"\[\d+\]", "", part).lower() for part in path.split(".")]
    return parts[-1] if parts[-1] in layout.by_name else f"{parts[0]}_{parts[-1]}"


SIZES = sizes()
FACTS = read("mq_structures.csv")


def by_table(layout: Layout) -> str:
    return layout.table


def test_every_structure_of_the_facts_has_a_layout() -> None:
    assert {row["structure"] for row in FACTS} == {structure_of(x) for x in MQ_LAYOUTS}
    assert set(SIZES) == {structure_of(x) for x in MQ_LAYOUTS}


@pytest.mark.parametrize("layout", MQ_LAYOUTS, ids=by_table)
def test_length_matches_the_newest_release(layout: Layout) -> None:
    lengths = SIZES[structure_of(layout)]
    assert layout.length == lengths[max(lengths)]


@pytest.mark.parametrize("layout", MQ_LAYOUTS, ids=by_table)
def test_no_release_cuts_a_field(layout: Layout) -> None:
    structure = structure_of(layout)
    for length in {*SIZES[structure].values(), MQ_8_0.get(structure, layout.length)}:
        for f in layout.fields:
            # A section that ends within an array has none of its elements.
            assert f.end <= length or f.offset >= length, f"{f.name} is cut at {length}"


@pytest.mark.parametrize("layout", MQ_LAYOUTS, ids=by_table)
def test_every_fact_is_in_the_layout(layout: Layout) -> None:
    base = layout.repeat.offset if layout.repeat else 0
    seen: set[str] = set()
    for row in FACTS:
        path = row["field"]
        inner = path.split(".")[-1]
        if row["structure"] != structure_of(layout) or FILLER.match(inner):
            continue
        if layout.repeat and inner in HEAD_OF_REPEATED:
            continue
        offset, length = int(row["offset"]), row["length"]
        index = tuple(int(i) for i in re.findall(r"\[(\d+)\]", path))
        if layout.repeat:
            entry, index = index[0], index[1:]
            offset -= base + entry * layout.repeat.stride
        if inner in FLAG_WORDS:
            flags = [layout.by_name[name] for name in FLAG_WORDS[inner]]
            assert {(f.offset, f.length, f.kind) for f in flags} == {(offset, int(length), "bit")}
            seen.update(FLAG_WORDS[inner])
            continue
        f = layout.by_name[column_of(path, layout)]
        seen.add(f.name)
        if bits := BITS.match(length):
            assert (f.kind, f.offset, f.bit, bits[1]) == ("bit", offset, int(bits[2]), "1"), path
        else:
            place = index if f.shape else ()
            assert elements(f)[place] == offset, path
            assert f.length == int(length), path
            assert f.kind != "bit", path
    assert seen == set(layout.by_name), "fields that the facts do not have"


@pytest.mark.parametrize("layout", MQ_LAYOUTS, ids=by_table)
def test_arrays_have_as_many_elements_as_the_facts(layout: Layout) -> None:
    count: dict[str, int] = defaultdict(int)
    for row in FACTS:
        inner = row["field"].split(".")[-1]
        known = not FILLER.match(inner) and inner not in HEAD_OF_REPEATED | FLAG_WORDS.keys()
        if row["structure"] == structure_of(layout) and known:
            count[column_of(row["field"], layout)] += 1
    per_row = layout.repeat.count if layout.repeat else 1
    assert {name: n // per_row for name, n in count.items()} == {
        name: layout.by_name[name].size for name in count
    }


@pytest.mark.parametrize("layout", LAYOUTS, ids=by_table)
def test_names_notes_and_kinds_are_sound(layout: Layout) -> None:
    assert layout.title
    assert layout.source
    for f in layout.fields:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", f.name), f.name
        assert f.note.strip() == f.note != "", f.name
        assert f.kind not in ELEMENT_KINDS or f.length == 8, f.name
        assert (f.kind in {"bit", "bits"}) == (f.bit is not None), f.name
        assert f.codes is None or f.kind in {"unsigned", "signed", "bits"}, f.name
        assert not (f.unit and f.kind in {"text", "bytes", "bit", "stck", "tod", "ticks"}), f.name


def test_layouts_of_one_table_agree_on_its_columns() -> None:
    """Two layouts may share a table if they differ only in how a time is counted."""
    columns: dict[str, list[tuple[str, int, int]]] = {}
    for layout in LAYOUTS:
        own = [(f.name, f.offset, f.length) for f in layout.fields]
        assert columns.setdefault(layout.table, own) == own


# --- counters

#: What these units count only grows within an interval, so the manual's words are unsigned.
COUNTED = {"buffers", "calls", "checkpoints", "data sets", "events", "handles", "messages",
           "mounts", "pages", "requests", "suspensions", "waits"}  # fmt: skip
#: How much there is at a moment: no counters.
LEVELS = {"use_count", "maxqdpth", "qpstnbuf", "qpstcbsl", "qpstcbs", "qqstdpth"}


@pytest.mark.parametrize("layout", MQ_LAYOUTS, ids=by_table)
def test_counters_of_four_bytes_are_unsigned(layout: Layout) -> None:
    counters = [f for f in layout.fields if f.unit in COUNTED and f.length == 4 and not f.codes]
    assert {f.name for f in counters if f.kind == "signed"} <= LEVELS


def test_a_counter_above_two_to_the_31_is_not_negative() -> None:
    layout = next(layout for layout in MQ_LAYOUTS if layout.table == "smf115_qmst")
    row = bytearray(layout.length)
    row[20:24] = b"\x80\x00\x00\x05"
    frame = decode_section(layout, np.frombuffer(bytes(row), np.uint8).reshape(1, -1), len(row))
    assert frame["qmstput"].to_list() == [2147483653]
