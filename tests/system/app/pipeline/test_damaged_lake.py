"""Data files of a lake that are gone or damaged: what was in them is loaded and built again."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from app.pipeline import doctor, steps
from ingest.base.errors import WarehouseError
from ingest.lake import ducklake
from ingest.lake.ducklake import DuckLake
from ingest.lake.ledger import Entry, write_ledger
from ingest.lake.locked import misread
from ingest.lake.lost import lost_loads
from ingest.lake.parquet import write_parquet
from ingest.lake.profile import LostCatalogError, read_profile
from ingest.lake.rolled import HOURS, schema
from ingest.lake.warehouse import Warehouse
from ingest.repair import repair
from ingest.repair.lake import find_damaged_files
from tests.kit import framings
from tests.kit.days import write_day
from tests.kit.warehouses import PROFILE


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a lake with a load alone, and two that share files; a third was forgotten."""
    folder = tmp_path_factory.mktemp("loaded")
    (folder / "w.toml").write_text(PROFILE)
    day = write_day(folder / "files", 0)
    records = framings.read_records((day / "smf/MVS1.smf").read_bytes())
    for number in range(3):
        (folder / f"{number}.smf").write_bytes(framings.framed(records[number * 6 :][:6]))
    warehouse = Warehouse(folder / "w.duckdb")
    steps.ingest_paths(warehouse, [day / "manifest.json"])
    loads = steps.ingest_paths(warehouse, [folder / f"{number}.smf" for number in range(3)])
    assert {load.status for load in loads} == {"loaded"}
    assert warehouse.forget(loads[2].source_id)
    return folder


@pytest.fixture
def lake(loaded: Path, tmp_path: Path) -> Warehouse:
    """A copy of it; its files stay where they were."""
    copy = tmp_path / "copy"
    shutil.copytree(loaded, copy, symlinks=True)
    ducklake._connection.cache_clear()
    warehouse = Warehouse(copy / "w.duckdb")
    warehouse.point_views_at_own_lake()
    return warehouse


def rows(warehouse: Warehouse) -> set[tuple[object, ...]]:
    """Return the loads, and the number of rows and a digest of the tables that have rows."""
    with warehouse.connect() as db:
        asked = " UNION ALL ".join(
            f"SELECT '{table}', count(*), sum(hash(t)::HUGEINT) FROM raw.{table} AS t"
            for table in sorted(warehouse.store.filled(db) or ())
            if table != "ledger"
        )
        found = {row for row in db.execute(asked).fetchall() if row[1]}
        loads = db.execute("SELECT source_id, path, records, status FROM raw.ledger").fetchall()
        return found.union(loads)


def files(warehouse: Warehouse, table: str) -> list[Path]:
    """Return the Parquet files of a raw table, in any folder of a day."""
    assert warehouse.store.profile
    data = Path(read_profile(warehouse.store.profile).data)
    return sorted((data / "raw/raw" / table).rglob("*.parquet"))


def remove(warehouse: Warehouse, table: str) -> None:
    for file in files(warehouse, table):
        file.unlink()


def blank(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def overwrite(file: Path) -> None:
    """Overwrite the rows, not the frame."""
    content = bytearray(file.read_bytes())
    content[4:40] = bytes(36)
    file.write_bytes(content)


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def damaged(warehouse: Warehouse, *, deep: bool = False) -> dict[str, str]:
    """Return what is wrong with files of tables; what is found, doctor says."""
    found = find_damaged_files(warehouse, deep=deep)
    told = {one.found for one in doctor.examine(warehouse, deep=deep) if one.about == "damage"}
    assert told >= {f"{file.path} ({file.table}): {file.damage}" for file in found}
    return {file.table: file.damage for file in found}


def test_loads_in_damaged_files_are_loaded_again(lake: Warehouse) -> None:
    before = rows(lake)
    assert damaged(lake, deep=True) == {}
    damages = {
        "smf_record": Path.unlink,
        "smf30_storage": truncate,
        "smf30_performance": blank,
        "bench_run": Path.unlink,
        "ledger_count": Path.unlink,
    }
    for table, damage in damages.items():
        for file in files(lake, table):
            damage(file)
    found = damaged(lake)
    assert found.keys() == {f"raw.{table}" for table in damages}
    assert found["raw.smf_record"] == "it is gone"
    assert " bytes instead of " in found["raw.smf30_storage"]
    assert found["raw.smf30_performance"] == "it is blank"
    repair(lake)
    assert rows(lake) == before
    assert damaged(lake, deep=True) == {}
    assert not list((lake.lake / "damaged").iterdir())


def test_damage_inside_a_file_is_found_by_reading_it(lake: Warehouse) -> None:
    before = rows(lake)
    for file in files(lake, "smf_record"):
        overwrite(file)
    assert damaged(lake) == {}
    assert damaged(lake, deep=True).keys() == {"raw.smf_record"}
    repair(lake, deep=True)
    assert rows(lake) == before


def test_rows_of_a_forgotten_load_do_not_come_back_with_a_lost_file_of_deletions(
    lake: Warehouse,
) -> None:
    before = rows(lake)
    deletions = [file for file in files(lake, "smf_record") if "-delete" in file.name]
    assert deletions
    for file in deletions:
        file.unlink()
    repair(lake)
    assert rows(lake) == before


def test_what_has_no_ledger_any_more_is_loaded_again(lake: Warehouse) -> None:
    before = rows(lake)
    remove(lake, "ledger")
    repair(lake)
    assert {row for row in rows(lake) if len(row) == 3} == {row for row in before if len(row) == 3}


def test_a_load_whose_file_is_gone_too_is_lost_until_it_is_back(
    loaded: Path, lake: Warehouse
) -> None:
    before = rows(lake)
    remove(lake, "smf_record")
    away = loaded.rename(loaded.with_name("away"))
    try:
        repair(lake)
        assert [Path(load.path).name for load in lost_loads(lake)] == ["0.smf", "1.smf"]
        assert len(lake.loads()) == 1 + 2
    finally:
        away.rename(loaded)
    repair(lake)
    assert rows(lake) == before


def test_a_repair_that_is_killed_is_finished_by_a_later_one(
    lake: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(lake)
    remove(lake, "smf_record")
    for number in range(3, 8):  # the first two look for damaged files
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(DuckLake, "transact", killed_after(number))
            repair(lake)
    repair(lake)
    assert rows(lake) == before
    assert not list((lake.lake / "damaged").iterdir())


def killed_after(number: int) -> Callable[..., object]:
    """Return DuckLake.transact for a process that is killed after some transactions."""
    transact, left = DuckLake.transact, iter(range(number))

    def until(*given: Any, **more: Any) -> object:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return transact(*given, **more)

    return until


def test_a_load_that_came_after_the_damage_was_found_stays(
    lake: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove(lake, "smf_record")
    monkeypatch.setattr("ingest.repair.lake.time.time", lambda: 0.0)
    repair(lake)
    assert len(lake.loads()) == 3
    with lake.connect() as db:
        assert db.execute("SELECT count(source_id) FROM raw.smf_record").fetchall() == [(0,)]


def test_hours_that_exist_nowhere_else_are_said_to_be_lost(
    lake: Warehouse, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(2):
        folder = tmp_path / f"hours-measured-{number:06}"
        folder.mkdir()
        row = dict.fromkeys(schema()) | {"record_no": 1}
        frame = pl.DataFrame([row], schema=schema())
        hours = write_parquet(frame, folder / "usage_hour.0.parquet")
        entry = Entry(folder.name, folder.name, "measured", HOURS, "loaded", records_loaded=1)
        days = [{"first_record_no": 1, "last_record_no": 1}]
        write_ledger(folder, entry, days=days, others=hours)
        assert lake.store.commit(folder, folder.name)
    files(lake, "usage_hour")[0].unlink()
    with caplog.at_level(logging.WARNING):
        repair(lake)
    assert "hourly totals are lost (1970-01-01)" in caplog.text
    assert len(lake.loads()) == 3 + 2
    with lake.connect() as db:
        assert db.execute("SELECT count(record_no) FROM raw.usage_hour").fetchall() == [(1,)]


def test_a_catalog_that_is_gone_is_not_taken_for_an_empty_one(lake: Warehouse) -> None:
    (lake.file.parent / "catalog.sqlite.raw").rename(lake.file.parent / "away")
    for _ in range(2):
        with pytest.raises(LostCatalogError, match="restore it from a backup"):
            steps.ingest_paths(lake, [lake.file.parent / "2.smf"])


def test_loads_after_a_restored_catalog_are_missed_and_loaded_again(
    loaded: Path, lake: Warehouse
) -> None:
    """PostgreSQL, say, came back from the backup of the night before."""
    catalog = lake.file.parent / "catalog.sqlite.raw"
    older = shutil.copy(catalog, catalog.with_name("older"))
    steps.ingest_paths(lake, [loaded / "2.smf"])
    before = rows(lake)
    ducklake._connection.cache_clear()
    catalog.unlink()
    Path(older).rename(catalog)
    said = f"{loaded / '2.smf'}: its load is gone from the lake"
    assert said in {finding.found for finding in doctor.examine(lake)}
    repair(lake)
    assert rows(lake) == before


def test_without_its_profile_a_lake_is_not_taken_for_a_new_warehouse(lake: Warehouse) -> None:
    profile = lake.file.with_suffix(".toml")
    profile.rename(profile.with_suffix(".away"))
    with pytest.raises(WarehouseError, match=r"its loads are gone, as there is no .*/w\.toml:"):
        steps.ingest_paths(Warehouse(lake.file), [lake.file.parent / "2.smf"])


def test_data_that_is_not_mounted_is_not_taken_for_lost(lake: Warehouse) -> None:
    before, data = rows(lake), lake.file.parent / "data"
    data.rename(data.with_name("elsewhere"))
    data.mkdir()
    with pytest.raises(WarehouseError, match="data files of the lake is there"):
        repair(lake)
    data.rmdir()
    data.with_name("elsewhere").rename(data)
    repair(lake)
    assert rows(lake) == before


def test_a_build_begins_with_nothing_if_files_of_marts_are_damaged(lake: Warehouse) -> None:
    def build(db: duckdb.DuckDBPyConnection) -> None:
        db.execute("CREATE SCHEMA lake_marts.marts; CREATE TABLE lake_marts.marts.t AS SELECT 1 x")

    assert isinstance(lake.store, DuckLake)
    lake.store.transact(build)
    with lake.open_work():
        pass
    repair(lake)
    assert lake.work.exists()
    shutil.rmtree(lake.file.parent / "data/marts")
    assert damaged(lake) == {"marts.t": "it is gone"}
    with lake.connect() as db, pytest.raises(duckdb.IOException) as error:
        db.execute("FROM lake_marts.marts.t")
    with lake.connect() as db:
        assert "its lake has lost what it shows" in misread(db, error.value)
        assert misread(db, duckdb.IOException("No space left on device")) == ""
    repair(lake)
    assert not lake.work.exists()
    assert damaged(lake) == {}
