"""How many rows `perfhouse sql` prints, and where; what it may read is in tests/ingest."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from app.cli.main import main
from ingest.lake.warehouse import Warehouse
from tests.unit.app.cli.test_what_next import load

MORE = "more rows: --limit 0 prints all"
LIMITS = [
    # rows, format, is it a terminal, options, lines, what is said: in a table, or besides
    (1000, "table", True, (), 1000, "1,000 rows"),
    (1001, "table", True, (), 1000, "1,000 rows, and 1 more row: --limit 0 prints all"),
    (5000, "table", True, (), 1000, f"1,000 rows, and 4,000 {MORE}"),
    (5000, "table", True, ("--limit", "0"), 5000, "5,000 rows"),
    (5000, "table", True, ("--limit", "4"), 4, f"4 rows, and 4,996 {MORE}"),
    (5000, "table", False, (), 1000, f"1,000 rows, and 4,000 {MORE}"),
    (5000, "table", False, ("--limit", "0"), 5000, "5,000 rows"),
    (5000, "table", False, ("--limit", "4"), 4, f"4 rows, and 4,996 {MORE}"),
    (10**9, "table", True, (), 1000, f"1,000 rows, and more than 100,000 {MORE}"),
    (5000, "csv", True, (), 1000, f"perfhouse: 4,000 {MORE}"),
    (25000, "csv", False, (), 25000, ""),
    (5000, "json", True, (), 1000, f"perfhouse: 4,000 {MORE}"),
    (25000, "json", False, (), 25000, ""),
    (0, "json", True, (), 0, ""),
    (0, "table", True, (), 0, "0 rows"),
]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """A warehouse with one load."""
    return load(tmp_path_factory.mktemp("sql"))


@pytest.mark.parametrize(("rows", "style", "is_terminal", "options", "count", "said"), LIMITS)
def test_a_terminal_gets_some_rows_and_a_pipe_gets_all(
    warehouse: Warehouse,
    rows: int,
    style: str,
    is_terminal: bool,
    options: tuple[str, ...],
    count: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    sql = f"SELECT range AS n FROM range({rows})"
    command = ["sql", sql, "--format", style, *options, "--warehouse", str(warehouse.file)]
    assert main(command) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    if style == "json":
        assert [row["n"] for row in json.loads(printed.out)] == [*range(count)]
    elif style == "csv":
        assert lines == ["n", *map(str, range(count))]
    else:
        assert [int(line) for line in lines[2:-1]] == [*range(count)]
        assert lines[-1] == said
        said = ""
    assert printed.err.strip() == said


@pytest.mark.parametrize("given", ["-1", "x", "1.5", ""])
def test_a_limit_is_a_number(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT 1", f"--limit={given}"]) == 2
    assert "not a number of rows" in capsys.readouterr().err


def test_json_is_written_as_a_whole_list_would_be(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "SELECT i, [i, 2] AS l, {'a': e'two\\nlines'} AS s, NULL AS n FROM range(3) AS t (i)"
    assert main(["sql", sql, "--format", "json", "--warehouse", str(warehouse.file)]) == 0
    printed = capsys.readouterr().out
    assert printed == json.dumps(json.loads(printed), indent=1) + "\n"
    assert len(json.loads(printed)) == 3


def test_a_query_that_fails_after_some_rows_says_so(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "SELECT if(i < 90000, i, error('wrong')) AS n FROM range(100000) AS t (i)"
    command = ["sql", sql, "--format", "csv", "--warehouse", str(warehouse.file)]
    assert main(command) == 2
    assert capsys.readouterr().err == "perfhouse: Invalid Input Error: wrong\n"


def test_text_that_is_not_utf_8_is_refused_in_a_line(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sql", "SELECT '\udcff'", "--warehouse", str(warehouse.file)]) == 2
    assert capsys.readouterr().err == "perfhouse: sql: the query has bytes that are not UTF-8\n"


def test_a_table_has_to_fit_into_memory_and_csv_has_not(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_QUERY_MEMORY", "100MB")
    command = ["sql", "FROM range(3000000)", "--limit", "0", "--warehouse", str(warehouse.file)]
    assert main(command) == 2
    assert "needs more memory than 100MB" in capsys.readouterr().err
    assert main([*command, "--format", "csv"]) == 0
    assert capsys.readouterr().out.endswith("\n2999999\n")


def test_a_long_value_arrives_whole(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "SELECT repeat('é', 200000) AS x"
    assert main(["sql", sql, "--format", "csv", "--warehouse", str(warehouse.file)]) == 0
    assert capsys.readouterr().out == "x\n" + "é" * 200_000 + "\n"


def answer(
    capsys: pytest.CaptureFixture[str], warehouse: Warehouse, *words: str
) -> tuple[int, str, str]:
    """The status of `perfhouse sql`, what it printed, and its errors."""
    status = main(["sql", *words, "--warehouse", str(warehouse.file)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


PARAMETERS = [
    # given, the type that the query sees
    ("x=3", "INTEGER"), ("x=0.5", "DOUBLE"), ("x=z16", "VARCHAR"), ("x='007'", "VARCHAR"),
    ("x=", "VARCHAR"), ("x=a=b", "VARCHAR"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "kind"), PARAMETERS)
def test_parameters_are_numbers_or_texts(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str], given: str, kind: str
) -> None:
    words = ("SELECT typeof($x) AS kind", "--param", given, "--json")
    assert json.loads(answer(capsys, warehouse, *words)[1]) == [{"kind": kind}]


def test_each_of_several_queries_takes_its_own_parameters(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("SELECT $x AS a; SELECT $y AS b", "--param", "x=1", "--param", "y=2")
    _, printed, _ = answer(capsys, warehouse, *words)
    assert printed.splitlines() == ["a", "-", "1", "1 row", "", "b", "-", "2", "1 row"]
    assert answer(capsys, warehouse, *words, "--format", "csv")[1] == "b\n2\n"


def test_queries_come_from_a_file_or_from_standard_input(
    warehouse: Warehouse,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    file = tmp_path / "q.sql"
    file.write_text("SELECT 1 AS n -- a comment\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 2 AS n"))
    assert answer(capsys, warehouse, "--file", str(file), "--format", "csv")[1] == "n\n1\n"
    assert answer(capsys, warehouse, "-", "--format", "csv")[1] == "n\n2\n"
    status, _, said = answer(capsys, warehouse, "--file", str(tmp_path / "none.sql"))
    assert (status, said) == (2, f"perfhouse: {tmp_path / 'none.sql'}: No such file or directory\n")


def test_names_without_a_schema_are_those_of_raw(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    _, printed, _ = answer(capsys, warehouse, "SELECT count(*) AS n FROM ledger", "--json")
    assert json.loads(printed) == [{"n": 1}]


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet", ".xlsx"])
def test_an_answer_goes_to_a_file(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str
) -> None:
    out = tmp_path / f"answer{suffix}"
    sql = "SELECT $x AS n, 'a=1' AS t, [1, 2] AS l, INTERVAL 90 SECOND AS d FROM range(3000)"
    status, printed, _ = answer(capsys, warehouse, sql, "--param", "x=7", "--out", str(out))
    assert (status, printed) == (0, f"wrote {out}\n")
    read = {
        ".csv": pl.read_csv, ".json": pl.read_json, ".parquet": pl.read_parquet, ".xlsx": _excel,
    }[suffix](out)  # fmt: skip
    assert read.height == 3000
    row = read.row(2999, named=True)
    assert (int(row["n"]), row["t"]) == (7, "a=1")
    assert row["d"] in {90.0, timedelta(seconds=90)}
    assert row["l"] == "[1, 2]" or list(row["l"]) == [1, 2]


def _excel(file: Path) -> pl.DataFrame:
    """The cells of the first sheet: shared strings and numbers, by reference."""
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(file) as archive:
        texts = [
            "".join(part.text or "" for part in entry.iter(f"{space}t"))
            for entry in ET.fromstring(archive.read("xl/sharedStrings.xml"))
        ]
        rows = [
            [
                texts[int(cell[0].text or "")]
                if cell.get("t") == "s"
                else float(cell[0].text or "")
                for cell in row
            ]
            for row in ET.fromstring(archive.read("xl/worksheets/sheet1.xml")).iter(f"{space}row")
        ]
    return pl.DataFrame(rows[1:], schema=[str(name) for name in rows[0]], orient="row")


REFUSED = [
    # words, what is said
    (("SELECT 1", "--out", "answer.txt"), "end the name in .csv, .json, .parquet, .xlsx"),
    (("SELECT 1", "--out", "a.csv", "--unsafe"), "COPY (SELECT ...) TO 'FILE'"),
    (("SELECT 1", "--param", "x"), "write NAME=VALUE"),
    (("SELECT 1", "--file", "q.sql"), "not both"),
    (("SELECT $x",), "were not provided for the following prepared statement parameters: x"),
    (("",), "the query is empty"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_what_cannot_be_done_is_said(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    status, _, errors = answer(capsys, warehouse, *words)
    assert status == 2
    assert said in errors


def test_an_error_has_the_hints_of_duckdb(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, errors = answer(capsys, warehouse, "SELECT pth FROM raw.ledger")
    assert status == 2
    first, *hints = errors.splitlines()
    assert first.startswith("perfhouse: Binder Error: Referenced column")
    assert any("path" in line for line in hints)
    assert any(line.strip() == "^" for line in hints)


def test_a_typo_is_no_error_in_the_log(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(capsys, warehouse, "SELEC mistyped")
    sql = "SELECT level, traceback FROM meta.log WHERE message LIKE '%SELEC mistyped%'"
    _, printed, _ = answer(capsys, warehouse, sql, "--json")
    assert json.loads(printed) == [{"level": "warning", "traceback": None}]


def test_the_prompt_answers_and_goes_on_after_a_mistake(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    code = (
        "import pty, sys; pty.spawn([sys.executable, '-m', 'app.cli.main', 'sql', '--warehouse', "
        f"{str(warehouse.file)!r}])"
    )
    typed = "SELECT 41 +\n1 AS n;\nSELEC;\n.tables ledger\n.quit\n"
    environment = os.environ | {"PERFHOUSE_HOME": str(tmp_path), "TERM": "dumb"}
    done = subprocess.run(
        [sys.executable, "-c", code], input=typed, capture_output=True, text=True, timeout=120,
        env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "42" in done.stdout
    assert "Parser Error" in done.stdout
    assert "source_id" in done.stdout


def test_tables_lists_tables_and_describes_columns(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    def tables(*words: str) -> list[dict[str, str]]:
        assert main(["tables", *words, "--json", "--warehouse", str(warehouse.file)]) == 0
        found: list[dict[str, str]] = json.loads(capsys.readouterr().out)
        return found

    assert {("raw", "ledger"), ("meta", "log")} <= {
        (row["schema"], row["table"]) for row in tables()
    }
    assert {row["schema"] for row in tables("smf115")} == {"raw"}
    columns = {row["column"]: row for row in tables("raw.smf115_qmst")}
    assert columns["qmstid"]["type"]
    assert main(["tables", "smf_recrd", "--warehouse", str(warehouse.file)]) == 2
    assert "did you mean 'smf_record'" in capsys.readouterr().err
    by_field, by_words = tables("--field", "SMF70CFI"), tables("--field", "multithreading_cap_zaap")
    assert by_field == [row for row in by_words if row["field"] == "SMF70CFI"]
    assert [(row["table"], row["column"]) for row in by_field] == [
        ("smf70_1_cpu_control", "smf70cfi")
    ]
    assert [row["smf_explorer"] for row in tables("--field", "qmstid")] == [""]
    assert main(["tables", "--field", "smf70cfl", "--warehouse", str(warehouse.file)]) == 2
    assert "did you mean 'SMF70CF'" in capsys.readouterr().err
