"""How much memory a build, a check and a publication may take: PERFHOUSE_BUILD_MEMORY.

By default that is a quarter of the machine's memory, or of what its control group allows. DuckDB
writes what does not fit to a folder beside its database.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import duckdb

from ingest.base.errors import SettingsError

__all__ = ["SETTING", "bound", "build_memory", "duckdb_memory", "machine_memory"]

SETTING = "PERFHOUSE_BUILD_MEMORY"
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?", re.IGNORECASE)
_LEAST = 1_500_000_000  # bytes: half a GB for DuckDB
_BESIDE = 1_000_000_000  # bytes that dbt and Python take, and DuckDB without counting them
_GROUP = Path("/sys/fs/cgroup/memory.max")


def build_memory() -> int:
    """Return how many bytes a build may take. Raises SettingsError if the setting is no size."""
    given = os.environ.get(SETTING, "").strip()
    if not given:
        return max(machine_memory() // 4, _LEAST)
    size = _SIZE.fullmatch(given)
    result = int(float(size[1]) * _UNITS[size[2].upper()]) if size else 0
    if result < _LEAST:
        raise SettingsError(f"{SETTING}={given}: not a size of 1.5GB or more, such as 4GB")
    return result


def duckdb_memory() -> str:
    """Return DuckDB's setting memory_limit for the process that builds, checks or publishes."""
    return f"{(build_memory() - _BESIDE) // 10**6}MB"


def bound(db: duckdb.DuckDBPyConnection) -> None:
    """Keep an open database within that memory."""
    db.execute(f"SET memory_limit = '{duckdb_memory()}'")


def machine_memory() -> int:
    """Return the bytes of memory of this machine, or of its control group if that has less."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        allowed = _GROUP.read_text().strip()
    except OSError:
        return memory
    return min(memory, int(allowed)) if allowed.isdecimal() else memory
