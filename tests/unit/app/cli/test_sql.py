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
from tests.kit.cases import cases
from tests.kit.manifests import load

MORE = "more rows: --limit 0 prints all"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """A warehouse with one load."""
    return load(tmp_path_factory.mktemp("sql"))


@cases
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
    """What is said stands in a table, or besides other formats."""
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


@cases
def test_an_answer_is_whole_or_refused(
    warehouse: Warehouse,
    options: str,
    sql: str,
    status: int,
    printed: str,
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found, out, err = answer(capsys, warehouse, sql, "--format", options.strip("-"))
    out = json.dumps(json.loads(out)) if out.startswith("[") else out
    assert (found, out) == (status, printed)
    assert said in err
    assert bool(said) == bool(err)


def test_text_that_is_not_utf_8_is_refused_in_a_line(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sql", "SELECT '\udcff'", "--warehouse", str(warehouse.file)]) == 2
    assert capsys.readouterr().err == "perfhouse: sql: the query has bytes that are not UTF-8\n"


def test_a_table_has_to_fit_into_memory_and_csv_has_not(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_QUERY_MEMORY", "30MB")
    command = ["sql", "FROM range(1000000)", "--limit", "0", "--warehouse", str(warehouse.file)]
    assert main(command) == 2
    assert "needs more memory than 30MB" in capsys.readouterr().err
    assert main([*command, "--format", "csv"]) == 0
    assert capsys.readouterr().out.endswith("\n999999\n")


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


def test_a_query_comes_from_standard_input(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 2 AS n"))
    assert answer(capsys, warehouse, "-", "--format", "csv")[1] == "n\n2\n"


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet", ".xlsx"])
def test_an_answer_goes_to_a_file(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str
) -> None:
    out = tmp_path / f"answer{suffix}"
    sql = "SELECT $x AS n, 'a=1' AS t, [1, 2] AS l, INTERVAL 90 SECOND AS d, now() FROM range(3000)"
    status, printed, _ = answer(capsys, warehouse, sql, "--param", "x=7", "--out", str(out))
    assert (status, printed) == (0, f"wrote {out}\n")
    read = {
        ".csv": pl.read_csv, ".json": pl.read_json, ".parquet": pl.read_parquet, ".xlsx": _excel,
    }[suffix](out)  # fmt: skip
    assert read.height == 3000
    row = read.row(2999, named=True)
    assert (int(row["n"]), row["t"]) == (7, "a=1")
    assert row["d"] in {90.0, "PT90S", timedelta(seconds=90)}
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
