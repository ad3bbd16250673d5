"""Manifests of one run, and small warehouses of them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from ingest.lake.warehouse import Warehouse

__all__ = ["MANIFEST", "load", "manifest", "merged", "single", "source_id_of"]

MANIFEST = """
perfhouse_manifest = 1
campaign = "may"
[[run]]
start = 2026-03-01T10:00:00Z
stop = 2026-03-01T10:02:00Z
"""


def manifest(folder: Path, campaign: str) -> Path:
    """Write a manifest of one run, in the month that gives the campaign its name."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{campaign}.toml"
    month = f"{datetime.strptime(campaign, '%B').replace(tzinfo=UTC):%m}"
    file.write_text(MANIFEST.replace("may", campaign).replace("2026-03", f"2026-{month}"))
    return file


def load(folder: Path, *campaigns: str) -> Warehouse:
    """Load manifests, or one of May, into a new warehouse; nothing is built."""
    from app.pipeline import steps

    warehouse = Warehouse(folder / "w.duckdb")
    steps.ingest_paths(warehouse, [manifest(folder, name) for name in campaigns or ("may",)])
    return warehouse


def single(warehouse: Warehouse) -> Path:
    """Return the folder of the load that is not merged."""
    (folder,) = (one for one in warehouse.raw.iterdir() if len(one.name) == 64)
    return folder


def merged(warehouse: Warehouse) -> Path:
    """Return the folder of loads that are merged."""
    (folder,) = warehouse.raw.glob("day-*")
    return folder


def source_id_of(warehouse: Warehouse, end_of_path: str) -> str:
    """Return the identity of the load of the file whose path ends with this."""
    with warehouse.connect() as db:
        ((source_id,),) = db.execute(
            "SELECT source_id FROM raw.ledger WHERE ends_with(path, $1)", [end_of_path]
        ).fetchall()
    return str(source_id)
