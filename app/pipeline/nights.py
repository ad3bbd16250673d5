"""Nights of simulated benchmarks, one for each date, for a trial of the whole pipeline.

A night is one of the scenario `nightly`, whose 120 nights have changes of known size, moved to its
date; after 120 nights they begin again. Each has a build (git_revision) and noise of its own.
"""

from __future__ import annotations

import hashlib
import shutil
from datetime import date, timedelta
from pathlib import Path

import duckdb

from ingest.warehouse import Warehouse

__all__ = ["FIRST", "build_of", "is_published", "simulate_night"]

FIRST = date(2025, 11, 3)  # the date of the scenario's first night


def build_of(day: date) -> str:
    """Return the revision of the build that ran in the night of this date."""
    return hashlib.sha256(f"night of {day}".encode()).hexdigest()[:12]


def simulate_night(landing: Path, day: date) -> Path:
    """Write the files of a night below the landing folder, all at once; return their folder.

    If they are there already, nothing is done.
    """
    from models_sim.simulator.campaigns import simulate, write
    from models_sim.simulator.campaigns.scenarios.nightly import NIGHTS

    folder = landing / "simulated" / "nightly" / f"{day}"
    if folder.exists():
        return folder
    past = (day - FIRST).days
    campaign = simulate(
        "nightly",
        day.toordinal(),
        session=past % NIGHTS,
        later=timedelta(days=past - past % NIGHTS),
        labels={"git_revision": build_of(day)},
    )
    draft = folder.with_name(f".{folder.name}")
    shutil.rmtree(draft, ignore_errors=True)
    write(campaign, draft)
    return draft.rename(folder)


def is_published(warehouse: Warehouse, day: date) -> bool:
    """Return whether readers see the runs of a night."""
    with warehouse.connect() as db:
        try:
            found = db.execute(
                "SELECT 1 FROM marts.fct_run WHERE git_revision = $1 LIMIT 1", [build_of(day)]
            ).fetchall()
        except duckdb.CatalogException:  # nothing is published yet
            return False
    return bool(found)
