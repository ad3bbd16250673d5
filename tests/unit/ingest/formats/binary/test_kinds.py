"""What bytes mean: tables with bytes on the left and the value on the right."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from ingest.formats.binary.kinds import KINDS
from ingest.formats.binary.layout import Field, Layout
from ingest.formats.binary.section import decode_section, sql_columns
from ingest.formats.binary.text import CODE_PAGES, alphabet

# kind, bytes in hexadecimal, value; "=" if encoding the value gives the same bytes
TABLE: list[tuple[str, str, Any, str]] = [
    ("unsigned", "00", 0, "="),
    ("unsigned", "FF", 255, "="),
    ("unsigned", "8000", 32768, "="),
    ("unsigned", "010203", 66051, "="),
    ("unsigned", "FFFFFFFF", 4294967295, "="),
    ("unsigned", "FFFFFFFFFFFFFFFF", 18446744073709551615, "="),
    ("signed", "FF", -1, "="),
    ("signed", "80", -128, "="),
    ("signed", "7FFF", 32767, "="),
    ("signed", "800000", -8388608, "="),
    ("signed", "FFFFFFFE", -2, "="),
    ("signed", "8000000000000000", -9223372036854775808, "="),
    ("bytes", "00FF40", b"\x00\xff\x40", "="),
    ("stck", "0000000000000000", None, "="),
    ("stck", "0000000000000FFF", None, ""),  # less than a microsecond after the epoch
    ("stck", "0000000000001000", datetime(2042, 9, 17, 23, 53, 47, 370497), "="),
    ("stck", "7D91048BC9FFF000", datetime(2112, 9, 17, 23, 53, 47, 370495), "="),
    ("stck", "7D91048BCA000000", datetime(1970, 1, 1), "="),
    ("stck", "7D91048BCA000FFF", datetime(1970, 1, 1), ""),
    ("stck", "B361183F48000000", datetime(2000, 1, 1), "="),
    ("stck", "FFFFFFFFFFFFF000", datetime(2042, 9, 17, 23, 53, 47, 370495), "="),
    ("tod", "0000000000000000", 0, "="),
    ("tod", "0000000000000FFF", 0, ""),
    ("tod", "00000000F4240000", 1_000_000, "="),
    ("tod", "FFFFFFFFFFFFFFFF", 4503599627370495, ""),
    ("ticks", "00000000", 0, "="),
    ("ticks", "8FFFFFFF", 2415919103, "="),
    ("date", "0099365F", date(1999, 12, 31), "="),
    ("date", "0100001F", date(2000, 1, 1), "="),
    ("date", "0124060F", date(2024, 2, 29), "="),
    ("date", "0124366F", date(2024, 12, 31), "="),
    ("date", "0123366F", None, ""),  # not a leap year
    ("date", "0000366F", None, ""),  # neither was 1900
    ("date", "0100366F", date(2000, 12, 31), "="),
    ("date", "0124000F", None, ""),
    ("date", "0124367F", None, ""),
    ("date", "01240A0F", None, ""),  # not a digit
    ("date", "01240600", None, ""),  # not a sign
    ("date", "00000000", None, "="),
    ("date", "40404040", None, ""),
    ("time", "00000000", 0, "="),
    ("time", "0083D5FF", 86_399_990_000, "="),
    ("time", "0083D600", None, ""),  # 24:00:00.00
    ("time", "FFFFFFFF", None, ""),
    ("offset", "0000000000000000", 0, "="),
    ("offset", "00000D693A400000", 3_600_000_000, "="),  # one hour east of Greenwich
    ("offset", "FFFFBCF1DCC00000", -18_000_000_000, "="),  # five hours west
    ("etod", "000000000000", None, "="),
    ("etod", "000000000001", datetime(1900, 1, 1, 0, 0, 0, 4096), "="),
    ("etod", "00B361183F48", datetime(2000, 1, 1), "="),
    ("etod", "010000000000", datetime(2042, 9, 17, 23, 53, 47, 370496), "="),  # the next epoch
    ("hexfloat", "0000000000000000", 0.0, "="),
    ("hexfloat", "4110000000000000", 1.0, "="),
    ("hexfloat", "C110000000000000", -1.0, "="),
    ("hexfloat", "4276A00000000000", 118.625, "="),
    ("hexfloat", "C276A000", -118.625, "="),
    ("hexfloat", "40800000", 0.5, "="),
    ("hexfloat", "3F199999", 0.006249997764825821, "="),
    ("hexfloat", "4E000000FFFFFFFF", 4294967295.0, ""),  # not normalised
    ("hexfloat", "48FFFFFFFF000000", 4294967295.0, "="),
    ("hexfloat", "7FFFFFFF", 16.0**63 * (1 - 2.0**-24), "="),  # the largest
    ("hexfloat", "00100000", 16.0**-65, "="),  # the smallest normalised one
    ("hexfloat", "8000000000000000", 0.0, ""),
    ("packed", "790F", 790, "="),
    ("packed", "00001D", -1, "="),
    ("packed", "00001B", -1, ""),
    ("packed", "12345C", 12345, ""),
    ("packed", "99999999999999999F", 99999999999999999, "="),
    ("packed", "7A0F", None, ""),
    ("packed", "7900", None, ""),
    ("packed", "4040", None, ""),
    ("packed", "0000", None, "="),
    ("rmf_time", "00000000", None, "="),
    ("rmf_interval", "00000000", None, "="),
    ("rmf_cycle", "00000000", None, "="),
    ("rmf_time", "0000000F", 0, "="),
    ("rmf_time", "0235959F", 86_399_000_000, "="),
    ("rmf_time", "0240000F", None, ""),
    ("rmf_time", "0006000F", None, ""),
    ("rmf_interval", "1500000F", 900_000_000, "="),
    ("rmf_interval", "0059999F", 59_999_000, "="),
    ("rmf_interval", "5959999F", 3_599_999_000, "="),
    ("rmf_interval", "0060000F", None, ""),
    ("rmf_cycle", "0001000F", 1_000_000, "="),
    ("rmf_cycle", "0000050F", 50_000, "="),
    ("rmf_cycle", "000005AF", None, ""),
]
TEXT = [
    ("037", "C1C2F1", "AB1", "="),
    ("037", "C1404040", "A", "="),
    ("037", "C1400000", "A", ""),
    ("037", "00000000", "", ""),
    ("037", "40404040", "", "="),
    ("037", "40C14040", " A", "="),
    ("037", "C100C240", "A\0B", "="),
    ("037", "BABB", "[]", "="),
    ("037", "5FB0", "¬^", "="),
    ("1047", "ADBD", "[]", "="),
    ("1047", "5FB0", "^¬", "="),
    ("1047", "BABB", "Ý¨", "="),
    ("500", "4A5A", "[]", "="),
    ("1140", "9F", "€", "="),
    ("037", "9F", "¤", "="),
    ("037", "E080", "\\Ø", "="),
]


def decode(f: Field, *rows: bytes, code_page: str = "037") -> list[Any]:
    data = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)
    layout = Layout("t", "", "", data.shape[1], (f,))
    series = decode_section(layout, data, layout.length, code_page)["x"]
    assert series.dtype == KINDS[f.kind].dtype(f)
    return series.to_list()


def encode(f: Field, value: Any, code_page: str = "037") -> bytes:
    series = pl.Series("x", [value], dtype=KINDS[f.kind].dtype(f))
    return KINDS[f.kind].encode(series, f, code_page).tobytes()


@pytest.mark.parametrize(("kind", "content", "value", "back"), TABLE)
def test_bytes_mean_a_value(kind: str, content: str, value: Any, back: str) -> None:
    raw = bytes.fromhex(content)
    f = Field("x", 0, len(raw), kind, "")
    assert decode(f, raw) == [value]
    assert decode(f, raw, bytes(len(raw)), raw)[::2] == [value, value]
    assert not back or encode(f, value) == raw
    for before in range(1, 5):  # it means the same at any offset
        f = Field("x", before, len(raw), kind, "")
        assert decode(f, b"\xa5" * before + raw + b"\xa5" * 3) == [value]


@pytest.mark.parametrize(("code_page", "content", "value", "back"), TEXT)
def test_text_depends_on_the_code_page(code_page: str, content: str, value: str, back: str) -> None:
    raw = bytes.fromhex(content)
    f = Field("x", 0, len(raw), "text", "")
    assert decode(f, raw, code_page=code_page) == [value]
    assert not back or encode(f, value, code_page) == raw


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


@pytest.mark.parametrize(
    ("bit", "content", "value"),
    [
        (0, "80000000", True),
        (0, "7FFFFFFF", False),
        (7, "01000000", True),
        (8, "00800000", True),
        (31, "00000001", True),
        (31, "FFFFFFFE", False),
    ],
)
def test_bits_count_from_the_left(bit: int, content: str, value: bool) -> None:
    f = Field("x", 0, 4, "bit", "", bit=bit)
    raw = bytes.fromhex(content)
    assert decode(f, raw) == [value]
    assert encode(f, True) == (1 << 31 - bit).to_bytes(4)


@pytest.mark.parametrize(
    ("bit", "width", "content", "value"),
    [
        (0, 2, "80", 2),
        (0, 2, "7F", 1),
        (5, 3, "07", 7),
        (5, 3, "F8", 0),
        (0, 8, "A5", 165),
        (13, 3, "0005", 5),
        (13, 3, "FF02", 2),
    ],
)
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
