"""The MQ layouts against two tables of facts: every field, and the sizes of every release.

mq_structures.csv has the fields of MQ 10.0 (structure, field, offset, length; a bit field's length
is "N bits at bit K"), mq_structure_sizes.csv the length of each structure by release.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import product

import numpy as np
import pytest

from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.section import decode_section
from ingest.formats.layouts import LAYOUTS
from tests.kit.mq_structures import FACTS, SIZES, released_lengths, structure_of

FILLER = re.compile(r"filler|spare|reserved|z__|res[12]$|qcstrsv|qshspad", re.IGNORECASE)
# Flag words that the table of facts lists as one, and the flags in them.
FLAG_WORDS = {
    "qqstflag": ("qqstdisp", "qqstpart", "qqstuncm"),
    "qsphflags": ("qsphfixed", "qsphglob", "qsphdspc", "qsphivsa", "qsph64bit"),
}
# The head of the section, which the rows of its entries do not contain.
HEAD_OF_REPEATED = {"qestid", "qestll", "qesteyec"}
BITS = re.compile(r"(\d+) bits at bit (\d+)")


MQ_LAYOUTS = [layout for layout in LAYOUTS if layout.table.startswith(("smf115", "smf116"))]


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


def test_every_structure_of_the_facts_has_a_layout() -> None:
    assert {row["structure"] for row in FACTS} == {structure_of(x) for x in MQ_LAYOUTS}
    assert set(SIZES) == {structure_of(x) for x in MQ_LAYOUTS}


def test_lengths_are_those_of_the_releases_and_cut_no_field() -> None:
    for layout in MQ_LAYOUTS:
        sizes = SIZES[structure_of(layout)]
        assert layout.length == sizes[max(sizes)], layout.table
        for length in released_lengths(layout) if not layout.repeat else ():
            # A section that ends within an array has none of its elements.
            cut = [f.name for f in layout.fields if f.offset < length < f.end]
            assert not cut, (layout.table, length)


@pytest.mark.parametrize("layout", MQ_LAYOUTS, ids=lambda layout: layout.table)
def test_every_fact_is_in_the_layout(layout: Layout) -> None:
    base, per_row = (layout.repeat.offset, layout.repeat.count) if layout.repeat else (0, 1)
    seen: dict[str, int] = defaultdict(int)
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
            seen |= dict.fromkeys(FLAG_WORDS[inner], per_row)
            continue
        f = layout.by_name[column_of(path, layout)]
        seen[f.name] += 1
        if bits := BITS.match(length):
            assert (f.kind, f.offset, f.bit, bits[1]) == ("bit", offset, int(bits[2]), "1"), path
        else:
            place = index if f.shape else ()
            assert elements(f)[place] == offset, path
            assert f.length == int(length), path
            assert f.kind != "bit", path
    # No field that the facts do not have, and arrays with as many elements.
    assert {name: n // per_row for name, n in seen.items()} == {
        f.name: f.size for f in layout.fields
    }


def test_layouts_of_one_table_agree_on_its_columns() -> None:
    """Two layouts may share a table if they differ only in how a time is counted."""
    columns: dict[str, list[tuple[str, int, int]]] = {}
    for layout in LAYOUTS:
        own = [(f.name, f.offset, f.length) for f in layout.fields]
        assert columns.setdefault(layout.table, own) == own


def test_names_notes_and_kinds_are_sound() -> None:
    for layout in LAYOUTS:
        assert layout.title
        assert layout.source
        structure = layout.table.split("_", 1)[1].upper()
        assert layout.eyecatcher in {"", structure, f"{structure}ST"}
        places = [(f.offset, f.bit or 0) for f in layout.fields]
        assert places == sorted(places), layout.table
        for f in layout.fields:
            assert re.fullmatch(r"[a-z][a-z0-9_]*", f.name), f.name
            assert " ".join(f.note.split()) == f.note != "", f.name
            assert f.kind not in {"stck", "tod"} or f.length == 8, f.name
            assert (f.kind in {"bit", "bits"}) == (f.bit is not None), f.name
            assert f.codes is None or f.kind in {"unsigned", "signed", "bits"}, f.name
            assert not (f.unit and f.kind in {"text", "bytes", "bit", "stck", "tod", "ticks"}), (
                f.name
            )


# --- counters

#: What these units count only grows within an interval, so the manual's words are unsigned.
COUNTED = {"buffers", "calls", "checkpoints", "data sets", "events", "handles", "messages",
           "mounts", "pages", "requests", "suspensions", "waits"}  # fmt: skip
#: How much there is at a moment: no counters.
LEVELS = {"use_count", "maxqdpth", "qpstnbuf", "qpstcbsl", "qpstcbs", "qqstdpth"}


def test_a_counter_above_two_to_the_31_is_not_negative() -> None:
    layout = next(layout for layout in MQ_LAYOUTS if layout.table == "smf115_qmst")
    row = bytearray(layout.length)
    row[20:24] = b"\x80\x00\x00\x05"
    frame = decode_section(layout, np.frombuffer(bytes(row), np.uint8).reshape(1, -1), len(row))
    assert frame["qmstput"].to_list() == [2147483653]


def test_counters_of_four_bytes_are_unsigned() -> None:
    fields = [f for layout in MQ_LAYOUTS for f in layout.fields if f.length == 4 and not f.codes]
    assert {f.name for f in fields if f.unit in COUNTED and f.kind == "signed"} <= LEVELS
