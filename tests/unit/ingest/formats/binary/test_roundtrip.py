"""decode(encode(x)) == x for every layout, at the length of every release."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from ingest.formats.binary.kinds import KINDS
from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.section import decode_section, encode_section, schema
from ingest.formats.binary.text import CODE_PAGES
from ingest.formats.layouts import LAYOUTS
from tests.kit.mq_structures import released_lengths
from tests.unit.ingest.formats.binary.strategies import elements, frame, rows

CASES = [
    pytest.param(layout, length, id=f"{layout.table}-{length}")
    for layout in LAYOUTS
    for length in released_lengths(layout)
]
quick = settings(
    max_examples=5,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)


def test_every_layout_is_tried() -> None:
    assert {case.values[0].table for case in CASES} == {layout.table for layout in LAYOUTS}
    assert len(CASES) > len(LAYOUTS) > 30


@pytest.mark.parametrize(("layout", "length"), CASES)
@quick
@given(data=st.data())
def test_decoding_returns_what_was_encoded(
    layout: Layout, length: int, data: st.DataObject
) -> None:
    code_page = data.draw(st.sampled_from(CODE_PAGES))
    expected = frame(layout, data.draw(rows(layout, least=1, code_page=code_page)))
    encoded = encode_section(layout, expected, length, code_page)
    assert encoded.shape == (expected.height, length)
    decoded = decode_section(layout, encoded, length, code_page)
    beyond = [f.name for f in layout.fields if f.end > length]
    kept = expected.with_columns(
        pl.lit(None, dtype=schema(layout)[name]).alias(name) for name in beyond
    )
    assert_frame_equal(decoded, kept)


@pytest.mark.parametrize(("layout", "length"), CASES)
def test_absent_columns_and_nulls_are_zeros(layout: Layout, length: int) -> None:
    """Text is padded with blanks instead, and eyecatchers are constant."""
    absent = encode_section(layout, pl.DataFrame({"other": [1, 2]}), length)
    nulls = pl.DataFrame({n: pl.Series([None, None], dtype=t) for n, t in schema(layout).items()})
    decoded = pl.DataFrame(
        decode_section(layout, encode_section(layout, nulls, length), length)
    ).select(f.name for f in layout.fields if f.end <= length and f.kind != "text")
    at = layout.eyecatcher_at
    eyecatcher = range(at, at + (len(layout.eyecatcher) if not layout.repeat else 0))
    assert not absent[:, [i for i in range(length) if i not in eyecatcher]].any()
    assert_frame_equal(
        decoded,
        decode_section(layout, absent * 0, length).select(decoded.columns),
    )


TOO_LARGE = [
    Field("unsigned", 0, 1, "unsigned", "", ""),
    Field("unsigned", 0, 4, "unsigned", "", ""),
    Field("signed", 0, 1, "signed", "", ""),
    Field("signed", 0, 4, "signed", "", ""),
    Field("ticks", 0, 4, "ticks", "", ""),
]


@pytest.mark.parametrize("f", TOO_LARGE, ids=lambda f: f"{f.kind}-{f.length}")
def test_a_number_beyond_its_field_is_refused(f: Field) -> None:
    bits = 8 * f.length - (f.kind == "signed")
    most = (1 << bits) - 1
    assert KINDS[f.kind].encode(pl.Series("n", [most]), f, "037").shape == (1, f.length)
    with pytest.raises(ValueError, match="n"):
        KINDS[f.kind].encode(pl.Series("n", [0, most + 1]), f, "037")
    with pytest.raises(ValueError, match="n"):
        below = -most - 2 if f.kind == "signed" else -1
        KINDS[f.kind].encode(pl.Series("n", [0, below]), f, "037")


@pytest.mark.parametrize(
    ("kind", "value"), [("text", "ABCDE"), ("text", "Ω"), ("bytes", b"ABCDE"), ("tod", 1 << 52)]
)
def test_a_value_that_does_not_fit_is_refused(kind: str, value: object) -> None:
    f = Field("x", 0, 8 if kind == "tod" else 4, kind, "")
    with pytest.raises(ValueError, match="x"):
        KINDS[kind].encode(pl.Series("x", [value]), f, "037")


@quick
@given(data=st.data(), kind=st.sampled_from(["unsigned", "signed", "ticks"]))
def test_numbers_of_every_length_and_offset(data: st.DataObject, kind: str) -> None:
    """Odd lengths and offsets are decoded by other code than whole words."""
    length, offset = data.draw(st.integers(1, 8)), data.draw(st.integers(0, 5))
    field = Field("n", offset, length, kind, "")
    layout = Layout("t", "t", "t", offset + length + data.draw(st.integers(0, 3)), (field,))
    numbers = data.draw(st.lists(elements(field), min_size=1, max_size=5))
    expected = frame(layout, [{"n": n} for n in numbers])
    encoded = encode_section(layout, expected)
    assert_frame_equal(decode_section(layout, encoded, layout.length), expected)
