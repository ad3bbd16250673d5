"""The comparison of two warehouses finds every kind of difference."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ingest.lake.warehouse import Warehouse
from tests.cluster import compare
from tests.cluster.compare import different
from tests.kit.cases import cases

TABLES = 7


@cases
def test_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, found: list[str]
) -> None:
    monkeypatch.setattr(compare, "FEWEST", TABLES - 1)
    made = [Warehouse(tmp_path / name / "w.duckdb") for name in ("one", "other")]
    for warehouse in made:
        warehouse.file.parent.mkdir()
        with duckdb.connect(str(warehouse.file)) as db:
            for number in range(TABLES):
                schema = ("marts", "intermediate")[number == 2]
                db.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
                db.execute(
                    f"CREATE TABLE {schema}.t{number} AS SELECT unnest([1, 2]) AS n, "
                    "random() AS x, TIMESTAMP '2026-01-01' AS loaded_at_utc"
                )
                db.execute(f"UPDATE {schema}.t{number} SET x = n / 3")
            if change and warehouse is made[1]:
                db.execute(change)
    places = {"one": made[0].file, "other": made[1].file}
    assert different(*made) == [line.format(**places) for line in found]


def test_warehouses_without_marts_are_not_equal(tmp_path: Path) -> None:
    made = [Warehouse(tmp_path / name / "w.duckdb") for name in ("one", "other")]
    for warehouse in made:
        warehouse.create()
    assert different(*made) == ["only 0 tables to compare"]
