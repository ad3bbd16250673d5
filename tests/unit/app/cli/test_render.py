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


def table(sql, *, full=False):
    """Return the lines of a table, and the line below it."""
    out = io.StringIO()
    with duckdb.connect() as db:
        render(db.execute(sql), "table", out, full=full)
    *lines, last = out.getvalue().splitlines()
    return lines, last


CUT = "1 row; long values are shortened: --full shows them, as do --format csv and json"
SHORTENED = [
    # terminal, query, the row as it is printed in it, and with --full
    (30, "'abc' AS a, repeat('x', 40) AS b", "abc  " + "x" * 24 + "…", "abc  " + "x" * 40),
    (30, "'MQ00001' AS a, [1, 2, 3, 4, 5, 6, 7, 8, 9] AS b", "MQ00001  [1, 2, 3, 4, 5, 6, 7…",
     "MQ00001  [1, 2, 3, 4, 5, 6, 7, 8, 9]"),
    (40, "'\\xC1'::BLOB || encode(repeat('a', 99)) AS b", "C161616161616161… (100 bytes)",
     "C1" + "61" * 99),
    (20, "'/data/june/MVS1/smf.dump' AS path", "/data/jun…1/smf.dump", "/data/june/MVS1/smf.dump"),
    (12, "repeat('漢', 9) AS a", "漢漢漢漢漢 …", "漢" * 9),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "sql", "row", "whole"), SHORTENED)
def test_long_values_are_shortened_to_the_terminal(columns, sql, row, whole, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert table(f"SELECT {sql}")[0][2] == row
    assert table(f"SELECT {sql}")[1] == CUT
    assert table(f"SELECT {sql}", full=True)[0][2] == whole
    assert table(f"SELECT {sql}", full=True)[1] == "1 row"


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("SELECT 1 AS n, 'a' AS t UNION ALL SELECT 100, 'b' ORDER BY 1", "  1  a"),
        ("SELECT encode(repeat('a', 24)) AS message_id FROM range(2)", "61" * 24),
        ("SELECT e'two\nlines\x01' AS t FROM range(2)", "two↵lines\\x01"),
        ("SELECT chr(8238) || 'a' || chr(27) || '[2J' AS t FROM range(2)", r"\u202ea\x1b[2J"),
        ("SELECT 'mean [us] of [/b]' AS \"[unit]\" FROM range(2)", "mean [us] of [/b]"),
        ("SELECT NULL AS a, 'x' AS b FROM range(2)", "   x"),
    ],
)
def test_a_table_that_fits_is_printed_whole(sql, row):
    lines, last = table(sql)
    assert lines[2] == row
    assert last == "2 rows"


def test_numbers_and_times_are_never_shortened(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    values = "123456789.123456 AS n, TIMESTAMP '2016-02-27 22:01:33.5' AS at"
    lines, _ = table(f"SELECT {values}, repeat('x', 99) AS t")
    assert lines[2] == "123456789.123456  2016-02-27T22:01:33.500000  xxxxxxxxxxxxx…"


def test_rows_whose_columns_do_not_fit_have_a_line_per_column(monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    columns = ", ".join(f"{n} AS a_long_name_{n}" for n in range(5))
    sql = f"SELECT {columns}, repeat('x', 99) AS t FROM range(2)"
    lines, last = table(sql)
    row = [*(f"a_long_name_{n}  {n}" for n in range(5)), "t              " + "x" * 34 + "…"]
    assert lines == ["row 1", *row, "row 2", *row]
    assert "shortened" in last
    assert len(table(sql, full=True)[0]) == 2 + 2


def test_a_plan_is_printed_as_it_is_drawn():
    out = io.StringIO()
    with duckdb.connect() as db:
        render(db.execute("EXPLAIN SELECT 42"), "table", out)
    assert len(out.getvalue().splitlines()) > 3
    assert "↵" not in out.getvalue()


def test_every_line_fits_any_terminal(monkeypatch):
    texts = ", ".join(f"repeat('y', {7 * n}) AS column_{n}" for n in range(1, 6))
    for width in range(24, 140, 7):
        monkeypatch.setenv("COLUMNS", str(width))
        assert max(map(len, table(f"SELECT {texts}")[0])) <= width


def test_no_rows_are_an_empty_json_list():
    out = io.StringIO()
    with duckdb.connect() as db:
        render(db.execute("SELECT 1 WHERE false"), "json", out)
    assert json.loads(out.getvalue()) == []
