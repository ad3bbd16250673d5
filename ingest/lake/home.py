"""The folder of all data that perfhouse keeps, apart from warehouses that the user names."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["default_file", "home"]

_ROOT = Path(__file__).resolve().parents[2]


def home() -> Path:
    """Return $PERFHOUSE_HOME, or data/ of the checkout, or the user's data folder.

    The folder may not exist yet.
    """
    if named := os.environ.get("PERFHOUSE_HOME"):
        return Path(named).expanduser().absolute()
    if (_ROOT / "pyproject.toml").is_file():
        return _ROOT / "data"
    from platformdirs import user_data_path

    return user_data_path("perfhouse")


def default_file() -> Path:
    """Return the file of the warehouse in the data folder, which needs no --warehouse."""
    return home() / "warehouse" / "perfhouse.duckdb"
