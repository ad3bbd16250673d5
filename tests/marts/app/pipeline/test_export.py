"""Copies of a published warehouse for other tools, and what a file says that lost its lake."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest

from app.cli.main import main
from ingest.lake.warehouse import Warehouse


@pytest.fixture(scope="module")
def bundled(bundled: Path) -> Warehouse:
    """The published warehouse of the bundled inputs."""
    return Warehouse(bundled)


@pytest.fixture(scope="module")
def exported(
    bundled: Warehouse,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A folder with a copy of a small published warehouse as a file and as Parquet."""
    folder = tmp_path_factory.mktemp("exported")
    where = ("--warehouse", str(bundled.file))
    assert main(["export", str(folder / "copy.duckdb"), *where]) == 0
    assert main(["export", str(folder / "parquet"), *where]) == 0
    return folder


def test_the_file_has_the_rows_and_descriptions_of_every_table(
    bundled: Warehouse,
    exported: Path,
) -> None:
    with duckdb.connect(str(exported / "copy.duckdb"), read_only=True) as copy:
        tables = copy.execute(
            "SELECT schema_name, table_name, comment FROM duckdb_tables() ORDER BY ALL"
        ).fetchall()
        assert not copy.execute("SELECT 1 FROM duckdb_views() WHERE NOT internal").fetchall()
        with bundled.connect() as db:
            for schema, table, _ in tables:
                if schema == "meta":  # whose views are live
                    continue
                count = f"SELECT count(*) FROM {schema}.{table}"
                assert copy.execute(count).fetchall() == db.execute(count).fetchall(), table
    assert {schema for schema, *_ in tables} == {"marts", "meta", "raw"}
    assert all(about for schema, _, about in tables if schema == "marts")


def test_parquet_has_every_table_with_durations_that_come_back(exported: Path) -> None:
    places = sorted((exported / "parquet").rglob("*.parquet"))
    assert {place.parent.name for place in places} == {"marts", "meta", "raw"}
    durations = 0
    with duckdb.connect(str(exported / "copy.duckdb"), read_only=True) as copy:
        for place in places:
            if place.parent.name == "meta":  # whose views are live
                continue
            written = pl.scan_parquet(place)
            (height,) = written.select(pl.len()).collect().row(0)
            table = f"{place.parent.name}.{place.stem}"
            assert copy.execute(f"SELECT count(*) FROM {table}").fetchall() == [(height,)]
            kinds = written.collect_schema()
            spans = [name for name, kind in kinds.items() if kind == pl.Duration("us")]
            durations += len(spans)
            for name in spans:
                least = written.select(pl.col(name).dt.total_microseconds().min()).collect().item()
                query = f'SELECT min(epoch_us("{name}")) FROM {table}'
                assert copy.execute(query).fetchall() == [(least,)]
    assert durations > 50


def test_a_folder_that_is_in_use_is_refused(
    bundled: Warehouse,
    exported: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["export", str(exported), "--warehouse", str(bundled.file)]) == 2
    assert "or a new folder" in capsys.readouterr().err


def test_a_file_without_its_lake_says_what_to_copy(
    bundled: Warehouse, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = Warehouse(tmp_path / "w.duckdb")
    shutil.copyfile(bundled.file, moved.file)
    shutil.copytree(bundled.lake, moved.lake, symlinks=True, copy_function=os.link)
    words = ["sql", "FROM raw.ledger", "--format", "csv", "--warehouse", str(moved.file)]
    assert main(words) == 0  # from now on, its views read the lake beside it
    shutil.rmtree(moved.lake)
    capsys.readouterr()
    assert main(words) == 2
    assert "perfhouse export FILE.duckdb" in capsys.readouterr().err
    assert main(["sql", "FROM fct_run", "--format", "csv", "--warehouse", str(moved.file)]) == 0


def test_queries_run_on_the_file_that_stands_alone(
    exported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["sql", "SELECT count(*) > 0 AS n FROM ledger", "--json"]
    assert main([*words, "--warehouse", str(exported / "copy.duckdb")]) == 0
    assert json.loads(capsys.readouterr().out) == [{"n": True}]
