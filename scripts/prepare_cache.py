"""Put into the cache what all warehouses have in common: the parsed dbt project, an empty build."""

import tempfile
from pathlib import Path

from app.pipeline import empty
from app.pipeline.build import build_marts
from app.pipeline.prices import prices_file
from app.pipeline.steps import prepare
from app.pipeline.team import teams
from ingest.lake.warehouse import Warehouse

with tempfile.TemporaryDirectory() as folder:

    def build() -> Path:
        """Build an empty warehouse; return its working database, which is no finished build."""
        warehouse = Warehouse(Path(folder, "empty.duckdb"))
        prepare(warehouse)
        build_marts(warehouse)
        with warehouse.open_work() as db:
            db.execute("DROP TABLE meta.build")
        return warehouse.work

    # A team's project may add rows to an empty warehouse, and prices name their currency.
    if not teams() and not prices_file():
        empty.keep(build)
