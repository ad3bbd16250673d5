"""What is the same for all warehouses that this code makes, and so is kept in the cache."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import duckdb

from ingest.home import home

__all__ = ["kept", "version"]


@lru_cache
def version() -> str:
    """Return a digest of the code that decides how the views look."""
    digest = hashlib.sha256(duckdb.__version__.encode())
    folder = Path(__file__).parent
    for file in sorted(folder.rglob("*.py")):
        digest.update(str(file.relative_to(folder)).encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def kept() -> Path:
    """Return the folder of the cache for this version of the code; it may not exist yet."""
    return home() / "cache" / "warehouse" / version()
