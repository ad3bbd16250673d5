"""Simulated nights: one folder for each date, the same however often it is made."""

from datetime import date
from pathlib import Path

import duckdb
import pytest

from app.pipeline.nights import FIRST, build_of, is_published, simulate_night
from ingest.load import load_file
from ingest.warehouse import Warehouse


def runs_of(folder: Path, place: Path) -> list[tuple[object, ...]]:
    warehouse = Warehouse(place / "w.duckdb")
    warehouse.create()
    load_file(warehouse, folder / "manifest.json", "simulated")
    with warehouse.connect() as db:
        return db.execute(
            "SELECT run_id, start_utc::DATE, value FROM raw.bench_run "
            "JOIN raw.bench_run_label USING (source_id, run_id) WHERE label = 'git_revision'"
        ).fetchall()


@pytest.mark.parametrize("day", [FIRST, date(2026, 3, 2), date(2026, 11, 22), date(2025, 1, 1)])
def test_a_night_has_ten_runs_of_its_date_and_build(tmp_path: Path, day: date) -> None:
    folder = simulate_night(tmp_path / "landing", day)
    runs = runs_of(folder, tmp_path)
    assert len({run for run, _, _ in runs}) == 10
    assert {(on, build) for _, on, build in runs} == {(day, build_of(day))}


def test_nights_differ_and_are_made_once(tmp_path: Path) -> None:
    first, second = (simulate_night(tmp_path, date(2026, 1, n)) for n in (5, 6))
    names = sorted(p.relative_to(first) for p in first.rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(second) for p in second.rglob("*") if p.is_file())
    manifest = (first / "manifest.json").read_bytes()
    assert manifest != (second / "manifest.json").read_bytes()
    (first / "manifest.json").write_bytes(b"kept")
    assert simulate_night(tmp_path, date(2026, 1, 5)) == first
    assert (first / "manifest.json").read_bytes() == b"kept"
    again = simulate_night(tmp_path / "again", date(2026, 1, 5))
    assert (again / "manifest.json").read_bytes() == manifest


def test_nothing_is_published_before_the_first_publish(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    assert not is_published(warehouse, FIRST)
    with duckdb.connect(str(warehouse.file)) as db:
        db.execute("CREATE SCHEMA marts; CREATE TABLE marts.fct_run (git_revision VARCHAR)")
        db.execute("INSERT INTO marts.fct_run VALUES ($1)", [build_of(FIRST)])
    assert is_published(warehouse, FIRST)
    assert not is_published(warehouse, date(2026, 1, 1))
