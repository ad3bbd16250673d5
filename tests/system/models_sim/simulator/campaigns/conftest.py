"""The raw tables of what a module writes."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from app.pipeline.steps import ingest_paths
from ingest.lake.warehouse import Warehouse


@pytest.fixture(scope="module")
def loaded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Ingest the files that `written` of the module writes into a folder."""
    folder = tmp_path_factory.mktemp("campaign")
    request.module.written(folder / "files")
    warehouse = Warehouse(folder / "w.duckdb")
    loads = ingest_paths(warehouse, [folder / "files"])
    assert {load.status for load in loads} == {"loaded"}
    with warehouse.connect() as found:
        yield found
