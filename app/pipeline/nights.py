"""Nights of simulated benchmarks, one for each date, for a trial of the whole pipeline.

A night is one of the scenario `nightly`, whose 120 nights have changes of known size, moved to its
date; after 120 nights they begin again. Each has a build (git_revision) and noise of its own.
"""

from __future__ import annotations

import hashlib
import secrets
import shutil
from datetime import date, timedelta
from pathlib import Path

import duckdb

from app.pipeline.landing import is_read
from ingest.base.files import name_of
from ingest.lake.warehouse import Warehouse

__all__ = ["FIRST", "build_of", "is_published", "simulate_night"]

FIRST = date(2025, 11, 3)  # the date of the scenario's first night


def build_of(day: date) -> str:
    """Return the revision of the build that ran in the night of this date."""
    return hashlib.sha256(f"night of {day}".encode()).hexdigest()[:12]


def simulate_night(landing: Path, day: date) -> Path:
    """Write the files of a night below the landing folder, all at once; return their folder.

    If they are there already, nothing is done. Several processes may do this at a time.
    """
    from models_sim.simulator.campaigns import simulate, write
    from models_sim.simulator.campaigns.scenarios.nightly import NIGHTS

    folder = _folder(landing, day)
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
    draft = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")  # hidden: nobody loads it
    try:
        write(campaign, draft)
        draft.rename(folder)
    except OSError:
        if not folder.exists():  # otherwise another process was first
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder


def is_published(warehouse: Warehouse, landing: Path, day: date) -> bool:
    """Return whether everything readable in the files of a night is published."""
    folder = _folder(landing, day)
    if not folder.is_dir() or not is_read(warehouse, folder):
        return False
    with warehouse.connect() as db:
        try:
            missing, built = db.execute(
                "SELECT count(*) FILTER (NOT is_built), count(*) FROM (SELECT "
                "(source_id, loaded_at) IN (SELECT (source_id, loaded_at) FROM meta.build_load) "
                "AS is_built FROM raw.ledger WHERE starts_with(path, $1))",
                [f"{name_of(folder)}/"],
            ).fetchall()[0]
        except duckdb.CatalogException:  # nothing is published yet
            return False
    return bool(built) and not missing


def _folder(landing: Path, day: date) -> Path:
    return landing / "simulated" / "nightly" / f"{day}"
