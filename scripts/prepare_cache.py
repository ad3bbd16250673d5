"""Put into the cache what all warehouses have in common: the parsed dbt project, an empty build."""

import tempfile
from pathlib import Path

from app.pipeline import empty
from app.pipeline.build import build_marts
from app.pipeline.steps import prepare
from app.pipeline.team import team
from ingest.lake.warehouse import Warehouse

with tempfile.TemporaryDirectory() as folder:

    def build() -> Path:
        """Build an empty warehouse; return its working database."""
        warehouse = Warehouse(Path(folder, "empty.duckdb"))
        prepare(warehouse)
        build_marts(warehouse)
        return warehouse.work

    if not team():  # its project may add rows to an empty warehouse
        empty.keep(build)
