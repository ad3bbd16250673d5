"""A build in DuckLake is one transaction."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.pipeline import steps
from ingest.lake.alone import StepError
from ingest.lake.warehouse import Warehouse
from tests.steps.app.pipeline.test_incremental import building
from tests.system.app.pipeline.test_ducklake import PROFILE, write_day


def test_models_are_one_transaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    building(monkeypatch, "+int_runs__given", "+int_runs__manifest")
    (tmp_path / "w.toml").write_text(PROFILE)
    lake = Warehouse(tmp_path / "w.duckdb")
    steps.ingest_paths(lake, write_day(tmp_path / "files", 0))
    steps.build(lake)
    with lake.open_work() as db:
        begun = db.execute(
            "SELECT count(*) > 1, count(DISTINCT begin_snapshot) "
            "FROM __ducklake_metadata_lake_marts.ducklake_table WHERE end_snapshot IS NULL"
        ).fetchall()
    assert begun == [(True, 1)]


def test_a_build_that_fails_leaves_nothing_in_the_lake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    building(monkeypatch, "+int_runs__given", "int_runs__reading")  # but not all that this reads
    (tmp_path / "w.toml").write_text(PROFILE)
    lake = Warehouse(tmp_path / "w.duckdb")
    steps.ingest_paths(lake, write_day(tmp_path / "files", 0))
    with pytest.raises(StepError, match="int_runs__reading"):
        steps.build(lake)
    assert "OK created sql incremental model intermediate.int_runs__given" in (
        lake.dbt / "dbt.log"
    ).read_text("utf-8")
    with lake.open_work() as db:
        made = "FROM __ducklake_metadata_lake_marts.ducklake_table"
        assert db.execute(made).fetchall() == []
