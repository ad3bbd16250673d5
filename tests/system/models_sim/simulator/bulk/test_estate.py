"""An estate has each LPAR's day in a file, and its records say the same."""

from __future__ import annotations

from pathlib import Path

from app.pipeline.steps import ingest_paths
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.bulk.estate import estate
from models_sim.simulator.campaigns.files import write_files
from tests.kit.cases import queries

SQL = queries(__file__)


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
        found = db.execute(SQL["days"]).fetchall()
    assert [(system, day) for system, day, _ in found] == [
        (f"LP{number:02}", "2024-02-29") for number in (1, 2, 3)
    ]
    assert all(22 <= hours <= 25 for *_, hours in found)


def test_it_was_started_once_and_what_counts_since_then_grows(tmp_path: Path) -> None:
    write_files(estate(1, 1, hours=6), tmp_path / "estate")
    warehouse = Warehouse(tmp_path / "w.duckdb")
    ingest_paths(warehouse, [tmp_path / "estate"])
    with warehouse.connect() as db:
        (counts,) = db.execute(SQL["what grows"]).fetchall()
    assert counts[0] > 100
    assert counts[1:] == (0, 0, 1)


def test_its_bytes_depend_on_the_seed_only() -> None:
    first, again, other = (dict(estate(1, 1, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
