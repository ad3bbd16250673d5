"""Sections to columns and columns to sections, with the same Layout."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.formats.binary.arrow import fixed_lists, frame, nulls, numbers
from ingest.formats.binary.kinds import KINDS, Column, Elements, Rows
from ingest.formats.binary.layout import Field, Layout

__all__ = ["column_dtype", "decode_section", "encode_section", "schema", "sql_columns"]

Bytes = NDArray[np.uint8]


def decode_section(
    layout: Layout, data: Bytes, length: int, code_page: str = "037"
) -> pl.DataFrame:
    """Return the columns of `n` sections of a layout that all have `length` bytes.

    `data` is (n, min(length, layout.row_length)) bytes; a field that ends beyond it is null in
    every row.
    """
    rows = Rows(data[:, : min(length, layout.row_length)])
    return frame(
        [f.name for f in layout.fields],
        [
            _decode(rows, f, code_page)
            if f.end <= rows.length
            else nulls(KINDS[f.kind].dtype(f), f.shape, rows.count)
            for f in layout.fields
        ],
    )


def encode_section(
    layout: Layout, frame: pl.DataFrame, length: int | None = None, code_page: str = "037"
) -> Bytes:
    """Return the rows of `frame` as (n, length) bytes; missing columns and nulls become zeros.

    `length` defaults to the newest release's; fields beyond it are omitted. In a repeated section
    each row is one entry. Raises ValueError for a value that its field cannot hold.
    """
    size = length or layout.row_length
    out = np.zeros((frame.height, size), np.uint8)
    if not frame.height:
        return out
    present = set(frame.columns)
    if layout.eyecatcher and layout.repeat is None:
        eyecatcher = pl.Series("eyecatcher", [layout.eyecatcher])
        at = slice(layout.eyecatcher_at, layout.eyecatcher_at + len(layout.eyecatcher))
        eyecatcher_field = Field("eyecatcher", at.start, len(layout.eyecatcher), "text", "")
        out[:, at] = KINDS["text"].encode(eyecatcher, eyecatcher_field, code_page)
    for f in layout.fields:
        if f.name in present and f.end <= size:
            _encode(out, frame[f.name], f, code_page)
    return out


def column_dtype(f: Field) -> pl.DataType:
    """Return the Polars type of a field's column: an Array for a repeated field."""
    element = KINDS[f.kind].dtype(f)
    return pl.Array(element, f.shape) if f.shape else element


def schema(layout: Layout) -> dict[str, pl.DataType]:
    """Column name -> Polars type, in the layout's order."""
    return {f.name: column_dtype(f) for f in layout.fields}


def sql_columns(layout: Layout) -> list[tuple[str, str, str]]:
    """Return (name, DuckDB expression over the stored column, DuckDB type) of each field."""
    columns = []
    for f in layout.fields:
        kind = KINDS[f.kind]
        expression, depth = f'"{f.name}"', len(f.shape)
        if kind.sql != "{}":
            inner = kind.sql.format(f"x{depth}" if depth else expression)
            for level in range(depth, 0, -1):
                source = f"x{level - 1}" if level > 1 else expression
                inner = f"list_transform({source}, lambda x{level}: {inner})"
            expression = inner
        columns.append((f.name, expression, kind.sql_type(f) + "[]" * depth))
    return columns


def _element_offsets(f: Field) -> list[int]:
    """Return the offset of each element, with the last dimension running fastest."""
    steps = [[i * stride for i in range(n)] for n, stride in zip(f.shape, f.strides, strict=True)]
    return [f.offset + sum(step) for step in product(*steps)]


def _decode(rows: Rows, f: Field, code_page: str) -> Any:
    """Return a field as an Arrow array; all elements of a repeated field are decoded at once."""
    kind = KINDS[f.kind]
    if f.shape:
        column = kind.decode(Elements(rows.data, f), f, 0, code_page)
    else:
        column = kind.decode(rows, f, f.offset, code_page)
    if isinstance(column, Column):
        column = numbers(column.values, kind.dtype(f), column.missing)
    return fixed_lists(column, f.shape)


def _encode(out: Bytes, values: pl.Series, f: Field, code_page: str) -> None:
    kind = KINDS[f.kind]
    if not f.shape:
        encoded = kind.encode(values, f, code_page)
        if f.bit is None:
            out[:, f.offset : f.offset + f.length] = encoded
        else:
            out[:, f.offset : f.offset + f.length] |= encoded
        return
    flat = _without_nulls(values, f).cast(
        pl.List(pl.List(kind.dtype(f))) if len(f.shape) == 2 else pl.List(kind.dtype(f))
    )
    for _ in f.shape:
        flat = flat.explode()
    for i, offset in enumerate(_element_offsets(f)):
        element = flat.gather_every(f.size, i)
        out[:, offset : offset + f.length] = kind.encode(element, f, code_page)


def _without_nulls(values: pl.Series, f: Field) -> pl.Series:
    """Replace null arrays by arrays of nulls, because a null would explode into one value."""
    if not values.null_count():
        return values
    arrays = values.cast(column_dtype(f))
    nulls = pl.Series([np.full(f.shape, None).tolist()], dtype=column_dtype(f))
    return pl.select(pl.when(arrays.is_null()).then(nulls).otherwise(arrays)).to_series()
