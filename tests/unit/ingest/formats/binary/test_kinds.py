"""What bytes mean: kinds.csv and texts.csv have the bytes and their value."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from ingest.formats.binary.kinds import KINDS
from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.section import decode_section, sql_columns
from ingest.formats.binary.text import CODE_PAGES, alphabet
from tests.kit.cases import cases

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def decode(f: Field, *rows: bytes, code_page: str = "037") -> list[Any]:
    data = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)
    layout = Layout("t", "", "", data.shape[1], (f,))
    series = decode_section(layout, data, layout.length, code_page)["x"]
    assert series.dtype == KINDS[f.kind].dtype(f)
    return series.to_list()


def encode(f: Field, value: Any, code_page: str = "037") -> bytes:
    series = pl.Series("x", [value], dtype=KINDS[f.kind].dtype(f))
    return KINDS[f.kind].encode(series, f, code_page).tobytes()


@pytest.mark.parametrize("row", rows("kinds.csv"), ids=lambda row: f"{row['kind']} {row['bytes']}")
def test_bytes_mean_a_value(row: dict[str, str]) -> None:
    raw = bytes.fromhex(row["bytes"])
    f = Field("x", 0, len(raw), row["kind"], "")
    (value,) = decode(f, raw)
    assert str("" if value is None else value) == row["value"]
    assert decode(f, raw, bytes(len(raw)), raw)[::2] == [value, value]
    assert row["encodes_back"] == "no" or encode(f, value) == raw
    for before in range(1, 5):  # it means the same at any offset
        f = Field("x", before, len(raw), row["kind"], "")
        assert decode(f, b"\xa5" * before + raw + b"\xa5" * 3) == [value]


def test_text_depends_on_the_code_page() -> None:
    for row in rows("texts.csv"):
        raw = bytes.fromhex(row["bytes"])
        f = Field("x", 0, len(raw), "text", "")
        (value,) = decode(f, raw, code_page=row["code_page"])
        assert repr(value) == row["value"], row
        assert row["encodes_back"] == "no" or encode(f, value, row["code_page"]) == raw, row


def test_non_ascii_letters_do_not_affect_their_neighbours() -> None:
    f = Field("x", 0, 2, "text", "")
    rows = [bytes.fromhex(row) for row in ("C140", "4A9F", "C240", "9F40")]
    assert decode(f, *rows) == ["A", "¢¤", "B", "¤"]


@pytest.mark.parametrize("code_page", CODE_PAGES)
def test_a_code_page_has_each_character_once(code_page: str) -> None:
    assert len(set(alphabet(code_page))) == 256


def test_an_unknown_code_page_is_refused() -> None:
    with pytest.raises(ValueError, match="1252"):
        alphabet("1252")


@cases
def test_bits_count_from_the_left(bit: int, content: str, value: bool) -> None:
    f = Field("x", 0, 4, "bit", "", bit=bit)
    raw = bytes.fromhex(content)
    assert decode(f, raw) == [value]
    assert encode(f, True) == (1 << 31 - bit).to_bytes(4)


@cases
def test_bits_of_a_byte_form_a_number(bit: int, width: int, content: str, value: int) -> None:
    raw = bytes.fromhex(content)
    f = Field("x", 0, len(raw), "bits", "", bit=bit, width=width)
    assert decode(f, raw) == [value]
    assert encode(f, value) == (value << 8 * len(raw) - bit - width).to_bytes(len(raw))


def test_bits_refuse_a_number_that_is_too_large() -> None:
    with pytest.raises(ValueError, match="from 0 to 7"):
        encode(Field("x", 0, 1, "bits", "", bit=5, width=3), 8)


@pytest.mark.parametrize("value", [0, 1, (3 << 64) + 7, (1 << 128) - 1])
def test_a_wide_number_is_shown_as_the_nearest_double(value: int) -> None:
    f = Field("x", 0, 16, "wide", "")
    stored = decode(f, value.to_bytes(16))
    assert encode(f, stored[0]) == value.to_bytes(16)
    ((_, expression, sql_type),) = sql_columns(Layout("t", "t", "t", 16, (f,)))
    with duckdb.connect() as db:
        db.register("frame", pl.DataFrame({"x": stored}).to_arrow())
        query = f"SELECT {expression}, typeof({expression}) FROM frame"
        assert db.sql(query).fetchone() == (float(value), sql_type)


def test_ticks_are_longer_than_a_microsecond() -> None:
    f = Field("x", 0, 4, "ticks", "", tick_us=1_000_000)
    assert decode(f, bytes.fromhex("00000005")) == [5_000_000]
    assert encode(f, 5_000_000) == bytes.fromhex("00000005")


# What a raw view shows for the stored value, in SQL.
SQL = [
    ("tod", 1_500_000, "to_microseconds(1500000)", "INTERVAL"),
    ("ticks", 2, "to_microseconds(2)", "INTERVAL"),
    ("time", 86_399_990_000, "TIME '23:59:59.99'", "TIME"),
    ("unsigned", 7, "7", "INTEGER"),
    ("stck", datetime(2000, 1, 1), "TIMESTAMP '2000-01-01'", "TIMESTAMP"),
]


@pytest.mark.parametrize(("kind", "stored", "shown", "sql_type"), SQL)
def test_views_show_stored_values(kind: str, stored: Any, shown: str, sql_type: str) -> None:
    length = 2 if kind == "unsigned" else 4 if kind == "time" else 8
    f = Field("x", 0, length, kind, "")
    ((name, expression, declared),) = sql_columns(Layout("t", "t", "t", 8, (f,)))
    assert (name, declared) == ("x", sql_type)
    frame = pl.DataFrame({"x": pl.Series([stored], dtype=KINDS[kind].dtype(f))})
    with duckdb.connect() as db:
        db.register("frame", frame.to_arrow())
        query = f"SELECT ({expression}) = {shown}, typeof({expression}) FROM frame"
        assert db.sql(query).fetchone() == (True, sql_type)


def test_views_show_arrays_element_by_element() -> None:
    f = Field("x", 0, 8, "tod", "", shape=(2, 2), strides=(16, 8))
    ((_, expression, declared),) = sql_columns(Layout("t", "t", "t", 32, (f,)))
    assert declared == "INTERVAL[][]"
    with duckdb.connect() as db:
        query = f"SELECT epoch(({expression})[2][1]) FROM (SELECT [[1, 2], [3000000, 4]] AS x)"
        assert db.sql(query).fetchone() == (3.0,)
