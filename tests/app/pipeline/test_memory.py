"""A build keeps to its memory."""

from pathlib import Path

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
