"""Query results as table, CSV and JSON."""

import io
import json

import duckdb
import pytest

from app.cli.render import render

VALUES = [
    ("1", 1, "1"),
    ("NULL", None, ""),
    ("'a,b'", "a,b", '"a,b"'),
    ("to_microseconds(1500000)", 1.5, "1.5"),
    ("TIMESTAMP '2016-02-27 22:01:33.5'", "2016-02-27T22:01:33.500000", None),
    ("DATE '2024-02-29'", "2024-02-29", None),
    ("'\\xC1\\x00'::BLOB", "C100", None),
    ("[1, NULL]", [1, None], '"[1, null]"'),
    ("[[to_microseconds(1)]]", [[1e-06]], "[[1e-06]]"),
    ("{'a': 2}", {"a": 2}, '"{""a"": 2}"'),
    ("1.50::DECIMAL(9,2)", 1.5, "1.5"),
    ("2.00::DECIMAL(9,2)", 2, "2"),
    ("true", True, "True"),
    ("'00000000-0000-0000-0000-000000000001'::UUID", "00000000-0000-0000-0000-000000000001", None),
]


@pytest.mark.parametrize(("sql", "as_json", "as_csv"), VALUES)
def test_values_in_json_and_csv(sql, as_json, as_csv):
    with duckdb.connect() as db:
        out = io.StringIO()
        render(db.execute(f"SELECT {sql} AS v"), "json", out)
        assert json.loads(out.getvalue()) == [{"v": as_json}]
        out = io.StringIO()
        render(db.execute(f"SELECT {sql} AS v"), "csv", out)
        assert out.getvalue() == f"v\n{as_csv if as_csv is not None else as_json}\n".replace(
            "v\n\n", 'v\n""\n'
        )


def test_a_table_is_not_truncated_without_a_terminal():
    out = io.StringIO()
    with duckdb.connect() as db:
        render(db.execute("SELECT repeat('x', 500) AS wide FROM range(2)"), "table", out)
    assert "x" * 500 in out.getvalue()
    assert out.getvalue().endswith("2 rows\n")


def test_brackets_are_not_markup():
    out = io.StringIO()
    with duckdb.connect() as db:
        render(db.execute("SELECT 'mean [us] of [/b]' AS \"[unit]\""), "table", out)
    assert "mean [us] of [/b]" in out.getvalue()
    assert "[unit]" in out.getvalue()


def test_no_rows_are_an_empty_json_list():
    out = io.StringIO()
    with duckdb.connect() as db:
        render(db.execute("SELECT 1 WHERE false"), "json", out)
    assert json.loads(out.getvalue()) == []
