"""CSV of the pages, as a spreadsheet takes it."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from decimal import Decimal

import polars as pl
import pytest

from app.dashboard.spreadsheet import written
from tests.kit.cases import cases


def cells(frame: pl.DataFrame) -> list[list[str]]:
    """Return the rows below the heading as a reader of CSV finds them."""
    return list(csv.reader(io.StringIO(written(frame), newline="")))[1:]


@cases
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
