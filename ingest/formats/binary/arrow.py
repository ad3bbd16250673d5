"""Numpy arrays as Arrow arrays, without a copy where possible.

Arrow is the way into Polars: a frame of a hundred columns is handed over at once, whereas building
a hundred Series takes longer than decoding them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["binaries", "constant", "fixed_lists", "frame", "nulls", "numbers", "strings", "views"]

Bytes = NDArray[np.uint8]
_TYPES: dict[pl.DataType, Any] = {
    pl.Int32(): pa.int32(),
    pl.Int64(): pa.int64(),
    pl.UInt64(): pa.uint64(),
    pl.Float64(): pa.float64(),
    pl.Boolean(): pa.bool_(),
    pl.Date(): pa.date32(),
    pl.Datetime("us"): pa.timestamp("us"),
    pl.String(): pa.string(),
    pl.Binary(): pa.binary(),
}


def numbers(
    values: NDArray[Any], dtype: pl.DataType, missing: NDArray[np.bool_] | None = None
) -> Any:
    """Return (n,) numbers with the width of `dtype`; those marked by `missing` become null."""
    validity = None if missing is None or not missing.any() else _bits(~missing)
    content = _bits(values) if dtype == pl.Boolean() else pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(_TYPES[dtype], len(values), [validity, content])


def _bits(values: NDArray[np.bool_]) -> Any:
    return pa.py_buffer(np.packbits(values, bitorder="little"))


def binaries(rows: Bytes) -> Any:
    """Convert (n, length) bytes to n binary values of that length."""
    return pa.Array.from_buffers(pa.binary(), len(rows), _pieces(rows.tobytes(), *rows.shape))


def views(buffer: Bytes, start: NDArray[np.int64], length: NDArray[np.int64]) -> Any:
    """Return parts of `buffer`, longer than 12 bytes, as binary values that share its memory.

    A view is 16 bytes: the length, the first four bytes, the number of the buffer, and the offset.
    (Arrow Columnar Format, "Variable-size Binary View Layout".)
    """
    view = np.zeros((len(start), 4), np.int32)
    view[:, 0], view[:, 3] = length, start
    view.view(np.uint8)[:, 4:8] = buffer[start[:, None] + np.arange(4)]
    pieces = [None, pa.py_buffer(view), pa.py_buffer(buffer)]
    return pa.Array.from_buffers(pa.binary_view(), len(start), pieces)


def strings(content: bytes, count: int, length: int) -> Any:
    """Split `content` into `count` strings of `length` ASCII characters."""
    return pa.Array.from_buffers(pa.string(), count, _pieces(content, count, length))


def _pieces(content: bytes, count: int, length: int) -> list[Any]:
    offsets = np.arange(0, (count + 1) * length, max(length, 1), dtype=np.int32)
    return [None, pa.py_buffer(offsets[: count + 1]), pa.py_buffer(content)]


def constant(values: Any, count: int) -> Any:
    """Repeat the only value of an array `count` times."""
    return pa.repeat(values[0], count)


def nulls(dtype: pl.DataType, shape: tuple[int, ...], count: int) -> Any:
    """Return `count` nulls for a column, of arrays if `shape` is not empty."""
    kind = _TYPES[dtype]
    for size in reversed(shape):
        kind = pa.list_(kind, size)
    return pa.nulls(count, kind)


def fixed_lists(flat: Any, shape: tuple[int, ...]) -> Any:
    """Convert elements in row-major order to arrays of `shape`."""
    for size in reversed(shape):  # an empty shape: the elements are the column
        flat = pa.FixedSizeListArray.from_arrays(flat, size)
    return flat


def frame(names: Sequence[str], columns: Sequence[Any]) -> pl.DataFrame:
    """Return a frame of Arrow arrays of equal length."""
    table = pl.from_arrow(pa.RecordBatch.from_arrays(list(columns), names=list(names)))
    assert isinstance(table, pl.DataFrame)
    return table
