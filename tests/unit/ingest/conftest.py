"""A warehouse for loads: made once a module, and emptied for each test."""

import pytest

from ingest.lake.warehouse import Warehouse
from tests.kit import lakes


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    warehouse = Warehouse(tmp_path_factory.mktemp("warehouse") / "w.duckdb")
    warehouse.create()
    return warehouse


@pytest.fixture
def warehouse(created: Warehouse) -> Warehouse:
    """Return a warehouse without loads."""
    lakes.empty(created)
    return created
