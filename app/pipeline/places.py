"""Where things are: the project's own files, which are only read, and the data folder.

ROOT        the folder of the packages: the checkout, or site-packages
FILES       dbt/, dags/, data/published/, docs/queries.md: in a checkout ROOT, otherwise package
            data
home()      $PERFHOUSE_HOME, or data/ of the checkout, or the user's data folder
    warehouse/  the default warehouse ($PERFHOUSE_WAREHOUSE names another)
    landing/    files that the DAGs ingest ($PERFHOUSE_LANDING names another)
    samples/    simulated files of the bundled inputs
    cache/      what can be made again
"""

from __future__ import annotations

import os
from pathlib import Path

from ingest.lake.home import default_file, home
from ingest.lake.warehouse import Warehouse

__all__ = ["FILES", "ROOT", "dashboard_address", "default_landing", "default_warehouse",
           "home"]  # fmt: skip

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT if (ROOT / "pyproject.toml").is_file() else ROOT / "perfhouse" / "files"


def default_warehouse() -> Warehouse:
    """Return the warehouse at $PERFHOUSE_WAREHOUSE, or the one in the data folder."""
    named = os.environ.get("PERFHOUSE_WAREHOUSE")
    return Warehouse(Path(named) if named else default_file())


def default_landing() -> Path:
    """Return the folder at $PERFHOUSE_LANDING, or the one in the data folder."""
    named = os.environ.get("PERFHOUSE_LANDING")
    return Path(named).absolute() if named else home() / "landing"


def dashboard_address() -> str:
    """Return the address at which people open the dashboard, for links; '' if none is set."""
    address = os.environ.get("PERFHOUSE_DASHBOARD", "").strip()
    return address.rstrip("/") if address.startswith(("http://", "https://")) else ""
