"""decode(encode(x)) == x for every layout, at the length of every release."""

from __future__ import annotations

from itertools import product
from random import Random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ingest.formats.binary.kinds import KINDS
from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.section import decode_section, encode_section, schema
from ingest.formats.binary.text import CODE_PAGES
from ingest.formats.layouts import LAYOUTS
from tests.kit.cases import cases
from tests.kit.mq_structures import released_lengths
from tests.kit.random_rows import frame, rows


@pytest.mark.parametrize("kind", sorted({layout.table.split("_")[0] for layout in LAYOUTS}))
def test_decoding_returns_what_was_encoded(kind: str) -> None:
    of_kind = [layout for layout in LAYOUTS if layout.table.startswith(f"{kind}_")]
    cases = ((layout, length) for layout in of_kind for length in released_lengths(layout))
    for (layout, length), seed in product(cases, range(2)):
        dice = Random(f"{seed} {length}")
        code_page = dice.choice(CODE_PAGES)
        expected = frame(layout, rows(layout, dice, dice.randint(1, 3), code_page=code_page))
        encoded = encode_section(layout, expected, length, code_page)
        assert encoded.shape == (expected.height, length)
        decoded = decode_section(layout, encoded, length, code_page)
        beyond = [f.name for f in layout.fields if f.end > length]
        kept = expected.with_columns(
            pl.lit(None, dtype=schema(layout)[name]).alias(name) for name in beyond
        )
        assert_frame_equal(decoded, kept)


def test_absent_columns_and_nulls_are_zeros() -> None:
    """Text is padded with blanks instead, and eyecatchers are constant."""
    for layout, length in ((x, length) for x in LAYOUTS for length in released_lengths(x)):
        absent = encode_section(layout, pl.DataFrame({"other": [1, 2]}), length)
        empty = {n: pl.Series([None, None], dtype=t) for n, t in schema(layout).items()}
        nulls = encode_section(layout, pl.DataFrame(empty), length)
        kept = [f.name for f in layout.fields if f.end <= length and f.kind != "text"]
        at = layout.eyecatcher_at
        eyecatcher = range(at, at + (len(layout.eyecatcher) if not layout.repeat else 0))
        others = [i for i in range(length) if i not in eyecatcher]
        assert not absent[:, others].any(), layout.table
        decoded = (decode_section(layout, x, length).select(kept) for x in (nulls, absent * 0))
        assert_frame_equal(*decoded)


@cases
def test_a_number_beyond_its_field_is_refused(f: Field) -> None:
    bits = 8 * f.length - (f.kind == "signed")
    most = (1 << bits) - 1
    assert KINDS[f.kind].encode(pl.Series("n", [most]), f, "037").shape == (1, f.length)
    with pytest.raises(ValueError, match="n"):
        KINDS[f.kind].encode(pl.Series("n", [0, most + 1]), f, "037")
    with pytest.raises(ValueError, match="n"):
        below = -most - 2 if f.kind == "signed" else -1
        KINDS[f.kind].encode(pl.Series("n", [0, below]), f, "037")


@cases
def test_a_value_that_does_not_fit_is_refused(kind: str, value: object) -> None:
    f = Field("x", 0, 8 if kind == "tod" else 4, kind, "")
    with pytest.raises(ValueError, match="x"):
        KINDS[kind].encode(pl.Series("x", [value]), f, "037")


def test_numbers_of_every_length_and_offset() -> None:
    """Odd lengths and offsets are decoded by other code than whole words."""
    for kind, length, offset in product(("unsigned", "signed", "ticks"), range(1, 9), range(6)):
        dice = Random(f"{kind} {length} {offset}")
        field = Field("n", offset, length, kind, "")
        layout = Layout("t", "t", "t", offset + length + dice.randint(0, 3), (field,))
        expected = frame(layout, rows(layout, dice, 5))
        encoded = encode_section(layout, expected)
        assert_frame_equal(decode_section(layout, encoded, layout.length), expected)
