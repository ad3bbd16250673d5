"""Write Parquet."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

__all__ = ["write_parquet"]


def write_parquet(frame: pl.DataFrame, path: Path) -> None:
    """Write a table; committing a load syncs it. Raises OSError, which Polars would not always."""
    content = io.BytesIO()
    frame.write_parquet(content, compression="zstd", compression_level=1)
    path.write_bytes(content.getbuffer())
