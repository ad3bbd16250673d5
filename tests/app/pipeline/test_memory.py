"""A build keeps to its memory."""

import re
from pathlib import Path

import duckdb
import pytest

from app.pipeline import dbt
from ingest.lake.warehouse import Warehouse

_UNTESTED = ("resource_type:test",)


@pytest.mark.slow
def test_a_build_without_enough_memory_names_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse = Warehouse(tmp_path / "x.duckdb")
    with warehouse.open_work():
        pass  # opening it makes the raw views

    def build() -> int:
        return dbt.run_dbt(
            warehouse.work, warehouse.dbt, select=("+int_mq__record",), exclude=_UNTESTED
        )

    assert build() > 1
    monkeypatch.setattr(dbt, "duckdb_memory", lambda: "3MB")
    with pytest.raises(dbt.DbtError, match="PERFHOUSE_BUILD_MEMORY lets it use more memory"):
        build()


def test_a_build_says_how_much_it_wrote_to_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PERFHOUSE_BUILD_MEMORY", "2GB")
    monkeypatch.setattr(dbt, "_LOOK_SECONDS", 0.01)
    spilled = tmp_path / "work.duckdb.tmp"
    with duckdb.connect() as db, dbt._watching(spilled):
        db.execute(f"SET temp_directory = '{spilled}'; SET memory_limit = '40MB'; SET threads = 1")
        db.execute(
            "CREATE TABLE t AS SELECT hash(i) AS h, i FROM range(6000000) AS r (i) ORDER BY h"
        )
    said = re.search(r"needs more than 2\.0 GB of memory: up to (\d+) MB", caplog.text)
    assert said
    assert int(said[1]) >= 1
    caplog.clear()
    with dbt._watching(spilled):
        pass
    assert caplog.text == ""


def test_what_a_killed_build_wrote_to_disk_goes_with_its_database(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "x.duckdb")
    with warehouse.open_work():
        pass
    spilled = warehouse.work.with_name("work.duckdb.tmp")
    spilled.mkdir()
    (spilled / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(b"rows")
    warehouse.discard_work()
    assert not spilled.exists()
    assert not warehouse.work.exists()
