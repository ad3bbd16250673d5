"""An estate has each LPAR's day in a file, and its records say the same."""

from __future__ import annotations

from pathlib import Path

import duckdb

from app.pipeline.steps import ingest_paths
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.bulk.estate import estate
from models_sim.simulator.campaigns.files import write_files


def test_each_file_has_a_day_of_an_lpar(tmp_path: Path) -> None:
    files = write_files(estate(3, 1), tmp_path / "estate")
    assert sorted(str(file.relative_to(tmp_path / "estate")) for file in files) == [
        *(f"2024-02-29/LP{number:02}.smf" for number in (1, 2, 3)),
        "ORIGIN",
    ]
    warehouse = Warehouse(tmp_path / "w.duckdb")
    loads = ingest_paths(warehouse, [tmp_path / "estate"])
    assert {load.status for load in loads} == {"loaded"}
    with warehouse.connect() as db:
        assert systems(db, "raw.smf_record") == {"LP01", "LP02", "LP03"}
        found = db.execute(
            "SELECT system_id, parse_filename(parse_dirpath(path)), "
            "       date_diff('hour', min(smf_time), max(smf_time)) "
            "FROM raw.smf_record JOIN raw.ledger USING (source_id) GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    assert [(system, day) for system, day, _ in found] == [
        (f"LP{number:02}", "2024-02-29") for number in (1, 2, 3)
    ]
    assert all(22 <= hours <= 25 for *_, hours in found)


def test_it_was_started_once_and_what_counts_since_then_grows(tmp_path: Path) -> None:
    write_files(estate(1, 1, hours=6), tmp_path / "estate")
    warehouse = Warehouse(tmp_path / "w.duckdb")
    ingest_paths(warehouse, [tmp_path / "estate"])
    with warehouse.connect() as db:
        (ipls,) = db.execute(
            "SELECT count(DISTINCT smf70_ipl_time) FROM raw.smf70_1_cpu_control"
        ).fetchall()
        counts = db.execute(
            "SELECT count(*), count_if(cpu < before), count_if(blocks < blocks_before) FROM ("
            "SELECT smf30cpt AS cpu, lag(cpu) OVER job AS before,"
            " smf30tep AS blocks, lag(blocks) OVER job AS blocks_before"
            " FROM raw.smf30_header JOIN raw.smf30_identification USING (source_id, record_no)"
            " JOIN raw.smf30_processor_accounting USING (source_id, record_no)"
            " JOIN raw.smf30_io_activity USING (source_id, record_no) WHERE smf30stp = 6"
            " WINDOW job AS (PARTITION BY smf30jbn, smf30asi ORDER BY smf30iet))"
        ).fetchall()
    assert ipls == (1,)
    assert counts[0][0] > 100
    assert counts[0][1:] == (0, 0)


def test_its_bytes_depend_on_the_seed_only() -> None:
    first, again, other = (dict(estate(1, 1, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def systems(db: duckdb.DuckDBPyConnection, table: str) -> set[str]:
    return {name for (name,) in db.execute(f"SELECT DISTINCT system_id FROM {table}").fetchall()}
