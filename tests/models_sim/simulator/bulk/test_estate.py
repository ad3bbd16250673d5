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


def test_its_bytes_depend_on_the_seed_only() -> None:
    first, again, other = (dict(estate(1, 1, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def systems(db: duckdb.DuckDBPyConnection, table: str) -> set[str]:
    return {name for (name,) in db.execute(f"SELECT DISTINCT system_id FROM {table}").fetchall()}
