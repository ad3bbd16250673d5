"""What is the same for all warehouses of this version of the code, kept in the cache."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import duckdb

from ingest.formats.plugin import plugins
from ingest.lake.home import home

__all__ = ["cache", "version"]


@lru_cache
def version() -> str:
    """Return a digest of the code that decides how the views look."""
    digest = hashlib.sha256(duckdb.__version__.encode())
    ingest = Path(__file__).parents[1]
    for file in sorted([*ingest.glob("formats/**/*.py"), *ingest.glob("lake/**/*.py")]):
        digest.update(str(file.relative_to(ingest)).encode() + file.read_bytes())
    for plugin in plugins():
        for file in sorted(plugin.code.glob("**/*.py")) if plugin.code else ():
            digest.update(plugin.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def cache() -> Path:
    """Return the folder of the cache for this version of the code; it may not exist yet."""
    return home() / "cache" / "warehouse" / version()
