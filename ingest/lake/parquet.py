"""Write Parquet."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

__all__ = ["write_parquet"]


def write_parquet(frame: pl.DataFrame, path: Path, *, rows: int | None = None) -> None:
    """Write a table; committing a load syncs it. Raises OSError, which Polars would not always.

    rows: in a row group, by default as many as Polars writes.
    """
    content = io.BytesIO()
    frame.write_parquet(content, compression="zstd", compression_level=1, row_group_size=rows)
    path.write_bytes(content.getbuffer())
