"""Write Parquet."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import polars as pl

from ingest.lake.seal import File

__all__ = ["write_parquet"]


def write_parquet(frame: pl.DataFrame, path: Path, *, rows: int | None = None) -> dict[str, File]:
    """Write a table; return its file's name and note. Committing a load syncs it.

    rows: in a row group, by default as many as Polars writes. Raises OSError, which Polars would
    not always.
    """
    content = io.BytesIO()
    frame.write_parquet(content, compression="zstd", compression_level=1, row_group_size=rows)
    buffer = content.getbuffer()
    path.write_bytes(buffer)
    return {path.name: File(len(buffer), zlib.crc32(buffer), frame.height)}
