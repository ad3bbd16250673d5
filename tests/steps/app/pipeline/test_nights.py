"""Simulated nights: one folder for each date, the same however often it is made."""

from datetime import date
from pathlib import Path

import duckdb
import pytest

from app.pipeline.days import note_loads
from app.pipeline.landing import ingest_files
from app.pipeline.nights import FIRST, build_of, is_published, simulate_night
from ingest.lake.warehouse import Warehouse
from ingest.load import load_file


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
    assert {p.name for p in first.parent.iterdir()} == {"2026-01-05", "2026-01-06"}
    again = simulate_night(tmp_path / "again", date(2026, 1, 5))
    assert (again / "manifest.json").read_bytes() == manifest


def test_a_night_that_two_processes_make_is_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from models_sim.simulator import campaigns

    other = tmp_path / "simulated/nightly/2026-01-05/manifest.json"

    def lose(_: object, draft: Path) -> None:
        (draft / "smf").mkdir(parents=True)
        other.parent.mkdir(parents=True)
        other.write_text("of the other")

    monkeypatch.setattr(campaigns, "write", lose)
    assert simulate_night(tmp_path, date(2026, 1, 5)) == other.parent
    assert [p.name for p in other.parent.parent.rglob("*")] == ["2026-01-05", "manifest.json"]


def test_a_night_is_published_when_readers_see_all_its_files(tmp_path: Path) -> None:
    landing = tmp_path / "landing"
    warehouse = Warehouse(tmp_path / "w.duckdb")
    warehouse.create()
    assert not is_published(warehouse, landing, FIRST)  # there are no files
    folder = simulate_night(landing, FIRST)
    first, *others = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "ORIGIN")
    ingest_files(warehouse, landing, [first])
    note_build(warehouse)
    assert not is_published(warehouse, landing, FIRST)  # others are not loaded
    ingest_files(warehouse, landing, others)
    assert not is_published(warehouse, landing, FIRST)  # they are not built
    note_build(warehouse)
    assert is_published(warehouse, landing, FIRST)
    assert not is_published(warehouse, landing, date(2026, 1, 1))


def note_build(warehouse: Warehouse) -> None:
    """Let the published file say that it holds a build of all loads."""
    with duckdb.connect(str(warehouse.file)) as db:
        note_loads(db, warehouse.loads())
