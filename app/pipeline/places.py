"""Where things are in a checkout, and what the environment says instead."""

from __future__ import annotations

import os
from pathlib import Path

from ingest.warehouse import Warehouse

__all__ = ["ROOT", "default_warehouse"]

ROOT = Path(__file__).resolve().parents[2]


def default_warehouse() -> Warehouse:
    """The warehouse at $PERFHOUSE_WAREHOUSE, or else the checkout's own."""
    file = os.environ.get("PERFHOUSE_WAREHOUSE")
    return Warehouse(Path(file) if file else ROOT / "data" / "warehouse" / "perfhouse.duckdb")
