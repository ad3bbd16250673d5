"""A layout that contradicts itself is found, and no layout of perfhouse does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats.binary.kinds import KINDS
from ingest.formats.binary.layout import Field, Layout, LayoutError, Repeat
from ingest.formats.binary.section import decode_section, encode_section
from ingest.formats.layouts import LAYOUTS
from tests.kit.cases import cases


def layout(*fields: Field, length: int = 16, **more: Any) -> Layout:
    """Return a verified layout."""
    made = Layout("t", "title", "source", length, fields, **more)
    made.verify()
    return made


def f(name: str, offset: int, length: int, kind: str = "unsigned", **more: Any) -> Field:
    return Field(name, offset, length, kind, "note", **more)


def test_no_layout_contradicts_itself() -> None:
    for known in LAYOUTS:
        known.verify()


@cases
def test_a_contradiction_is_refused(fields: tuple[Field, ...]) -> None:
    with pytest.raises(LayoutError, match=r"t\.?"):
        layout(*fields)


def test_layouts_accept_every_kind() -> None:
    lengths = {"unsigned": 2, "signed": 2, "text": 2, "bytes": 2, "ticks": 2, "bit": 2, "packed": 2}
    lengths |= {"bits": 2, "wide": 16}
    lengths |= dict.fromkeys(("stck", "tod", "offset", "hexfloat"), 8) | {"etod": 6}
    lengths |= dict.fromkeys(("date", "time", "rmf_time", "rmf_interval", "rmf_cycle"), 4)
    assert set(lengths) == set(KINDS)
    for kind, length in lengths.items():
        layout(f("a", 0, length, kind, bit=0 if "bit" in kind else None), length=16)


def test_an_error_names_the_field_and_its_rival() -> None:
    with pytest.raises(LayoutError, match=r"t\.second: overlaps first"):
        layout(f("first", 0, 4), f("second", 2, 4))


def test_an_entry_may_not_exceed_its_stride() -> None:
    with pytest.raises(LayoutError, match="beyond 8"):
        layout(f("a", 4, 8), length=72, repeat=Repeat(8, 8, 8, "a"))


def test_consistent_layouts_are_accepted() -> None:
    good = layout(
        f("a", 0, 2),
        f("b", 2, 1, "bit", bit=0),
        f("c", 2, 1, "bit", bit=7),
        f("d", 4, 2, shape=(2,), strides=(4,)),
        f("e", 6, 2, shape=(2,), strides=(4,)),
    )
    assert [x.end for x in good.fields] == [2, 3, 3, 10, 12]
    assert [x.size for x in good.fields] == [1, 1, 1, 2, 2]
    assert good.by_name["d"] is good.fields[3]


@settings(max_examples=40)
@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=2).map(tuple),
    gaps=st.lists(st.integers(0, 3), min_size=2, max_size=2),
    kind=st.sampled_from(["unsigned", "signed", "text", "bytes", "tod", "bit"]),
    data=st.data(),
)
def test_arrays_of_every_shape_round_trip(
    shape: tuple[int, ...], gaps: list[int], kind: str, data: st.DataObject
) -> None:
    length = 8 if kind == "tod" else data.draw(st.integers(1, 4))
    strides, width = [], length
    for n, gap in zip(reversed(shape), gaps, strict=False):
        strides.append(width + gap)
        width = (n - 1) * (width + gap) + width
    bit = 3 if kind == "bit" else None
    array = f("x", 1, length, kind, shape=shape, strides=tuple(reversed(strides)), bit=bit)
    made = layout(array, length=array.end + 1)
    raw = np.zeros((2, made.length), np.uint8)
    for i, at in enumerate(places(array)):
        raw[:, at : at + length] = (i * 7 + np.arange(length)) % 13
    decoded = decode_section(made, raw, made.length)
    again = encode_section(made, decoded)
    assert decode_section(made, again, made.length).equals(decoded)
    if kind not in {"bit", "tod", "text"}:
        assert (again == raw).all()


def places(field: Field) -> list[int]:
    found = [field.offset]
    for n, stride in zip(field.shape, field.strides, strict=True):
        found = [at + i * stride for at in found for i in range(n)]
    return found
