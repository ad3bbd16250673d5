"""The Python API, without a built warehouse; test_wheel.py runs the examples of its docstrings."""

import gzip
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import perfhouse


def test_importing_it_imports_no_heavy_library() -> None:
    heavy = ["airflow", "dbt", "duckdb", "great_expectations", "numpy", "polars", "streamlit"]
    code = f"import sys, perfhouse; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> perfhouse.Warehouse:
    return perfhouse.Warehouse(tmp_path_factory.mktemp("api") / "w.duckdb")


def test_decoded_tables_equal_the_raw_views(
    warehouse: perfhouse.Warehouse, dumps: list[Path]
) -> None:
    for dump in dumps:
        (load,) = warehouse.ingest(dump)
        tables = perfhouse.decode(dump)
        assert tables.pop("quarantine").is_empty()
        assert sum(rows.height for rows in tables.values()) == load.rows
        for name, rows in tables.items():
            columns = ", ".join(f'"{column}"' for column in rows.columns)
            query = f"SELECT {columns} FROM raw.{name} WHERE source_id = $1"
            assert_frame_equal(rows, warehouse.query(query, [load.source_id]))


def test_text_is_decoded_too(tmp_path: Path) -> None:
    report = tmp_path / "run.toml"
    report.write_text(
        'perfhouse_manifest = 1\ncampaign = "may"\n[[run]]\n'
        "start = 2026-03-01T10:00:00Z\nstop = 2026-03-01T10:02:00Z\n"
        "[[run]]\nstart = 2026-03-01T11:00:00Z\n"  # without a stop
    )
    tables = perfhouse.decode(report)
    assert tables["bench_run"]["campaign"].to_list() == ["may"]
    (reason,) = tables["quarantine"]["reason"]
    assert "stop" in reason


def test_content_decodes_like_its_file_even_if_compressed(
    dumps: list[Path], tmp_path: Path
) -> None:
    content = gzip.decompress(dumps[0].read_bytes()) if dumps[0].suffix == ".gz" else b""
    content = content or dumps[0].read_bytes()
    packed = tmp_path / "dump.gz"
    packed.write_bytes(gzip.compress(content))
    expected = perfhouse.decode(packed)
    decoded = perfhouse.decode(content)
    assert list(decoded) == list(expected)
    for name, rows in decoded.items():
        assert_frame_equal(rows, expected[name])


def test_damage_is_in_quarantine(dumps: list[Path]) -> None:
    content = dumps[0].read_bytes()
    tables = perfhouse.decode(content[:-10])
    assert tables["smf_record"].height > 0
    (damage,) = tables["quarantine"].rows(named=True)
    assert damage["record_no"] > 1
    assert damage["reason"]


def test_unknown_content_is_an_error() -> None:
    with pytest.raises(perfhouse.PerfhouseError, match="not an SMF dump"):
        perfhouse.decode(b"hello")


def test_intervals_become_durations_at_any_depth(
    warehouse: perfhouse.Warehouse, dumps: list[Path]
) -> None:
    warehouse.ingest(dumps[0])
    row = warehouse.query(
        "SELECT INTERVAL 1 SECOND a, [INTERVAL 2 SECOND] b, [[INTERVAL 3 SECOND]] c, 4 d"
    )
    seconds = [timedelta(seconds=n) for n in (1, 2, 3)]
    assert row.rows() == [(seconds[0], [seconds[1]], [[seconds[2]]], 4)]
    assert warehouse.query("SELECT $b - $a AS n", {"a": 1, "b": 3})["n"].to_list() == [2]
    with pytest.raises(perfhouse.PerfhouseError, match="a data frame holds one answer"):
        warehouse.query("SELECT 1; SELECT 2")


def test_a_load_is_forgotten(warehouse: perfhouse.Warehouse, dumps: list[Path]) -> None:
    (load,) = warehouse.ingest(dumps[0])
    warehouse.forget(load.source_id[:12])
    rows = warehouse.query("FROM raw.ledger WHERE source_id = $1", [load.source_id])
    assert rows.is_empty()


def test_predict_appends_a_figure_or_a_reason() -> None:
    row = {"document": "000", "metric": "rate", "source": "the moon"}
    predicted = perfhouse.predict(pl.DataFrame([row]))
    assert predicted["predicted"].to_list() == [None]
    assert predicted["reason"][0]
