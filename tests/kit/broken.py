"""Facts that do not hold: a mistake that breaks one, and the fixtures that let no other pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import duckdb
import polars as pl
import pytest

from app.pipeline import broken, build, steps
from app.pipeline.broken import Broken
from app.pipeline.dbt import FailedTest
from ingest.lake.ducklake import DuckLake
from ingest.lake.seal import seal_what_is_there
from ingest.lake.warehouse import Warehouse

__all__ = ["broken_facts", "dbt_runs", "facts_hold", "ingested", "misnumber", "rows_of"]


def misnumber(warehouse: Warehouse, source_id: str, table: str, column: str) -> None:
    """Give all rows of a load in a raw table the number 1, as only a bug of a decoder would."""
    if isinstance(warehouse.store, DuckLake):
        with warehouse.store.opened() as db:
            db.execute(
                f"UPDATE lake_raw.raw.{table} SET {column} = 1 WHERE source_id = $1", [source_id]
            )
        return
    file = warehouse.raw / source_id / f"{table}.0.parquet"
    rows = pl.read_parquet(file)
    file.unlink()  # others may have a link to it
    rows.with_columns(pl.lit(1, rows.schema[column]).alias(column)).write_parquet(file)
    seal_what_is_there(file.parent)


_find = broken.find_broken


def _none_broken(db: duckdb.DuckDBPyConnection, failed: Sequence[FailedTest]) -> list[Broken]:
    assert _find(db, failed) == []
    return []


@pytest.fixture(scope="session", autouse=True)
def facts_hold() -> Iterator[None]:
    """Let each build of this process fail in which a fact does not hold."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(broken, "find_broken", _none_broken)
        yield


@pytest.fixture
def broken_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the builds of a test do what they do if a fact does not hold."""
    monkeypatch.setattr(broken, "find_broken", _find)


@pytest.fixture
def dbt_runs(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return a function that says how often builds ran dbt since it was last called."""
    ran: list[object] = []
    run = build.run_dbt

    def counted(*places: Path, **options: object) -> object:
        ran.append(places)
        return run(*places, **options)  # type: ignore[arg-type]

    def since() -> int:
        number = len(ran)
        ran.clear()
        return number

    monkeypatch.setattr(build, "run_dbt", counted)
    return since


def ingested(warehouse: Warehouse, file: Path) -> str:
    """Load a file, and return its source_id."""
    (load,) = steps.ingest_paths(warehouse, [file])
    assert load.status == "loaded", load.reasons
    return load.source_id


def rows_of(warehouse: Warehouse, sql: str, *values: object) -> list[tuple[object, ...]]:
    """Return the rows of a query of the published file."""
    with warehouse.connect() as db:
        return db.execute(sql, list(values)).fetchall()
