"""A build without the shortcuts through dbt makes the same tables."""

from pathlib import Path

import pytest

from app.pipeline import steps
from app.pipeline.shortcuts import SETTING
from ingest.lake.warehouse import Warehouse
from tests.kit.days import write_day
from tests.kit.tables import TIMES_OF_LOADS, different_tables


def test_a_build_without_shortcuts_makes_the_same_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = write_day(tmp_path / "files", 0)
    with_them, without = (Warehouse(tmp_path / name / "w.duckdb") for name in ("1", "2"))
    for warehouse in (with_them, without):
        warehouse.file.parent.mkdir()
        steps.ingest_paths(warehouse, [day])
        steps.build(warehouse)
        monkeypatch.setenv(SETTING, "no")
    assert different_tables(with_them, without, without=TIMES_OF_LOADS) == []
