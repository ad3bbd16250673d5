"""What the writers share: columns that a frame may lack, and texts built column by column.

Every writer takes the frames of a parser's tables (table name -> rows in print order) and returns
the tool's bytes. An absent column counts as null; nulls are not printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from operator import itemgetter
from typing import Any, TypeAlias

import polars as pl

__all__ = ["Row", "Tables", "Writer", "block", "dicts", "fitting", "in_order", "joined",
           "json_text", "rows_of", "scaled", "whole", "xml_attribute", "xml_element",
           "xml_text"]  # fmt: skip

Tables: TypeAlias = Mapping[str, pl.DataFrame]
Writer: TypeAlias = Callable[[Tables], bytes]
#: A row of a table that is printed row by row.
Row: TypeAlias = dict[str, Any]

_XML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def rows_of(tables: Tables, table: str, columns: Iterable[str]) -> pl.DataFrame:
    """Return the rows of a table in the given columns; missing columns are null."""
    if table not in tables:
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    frame, columns = tables[table], list(columns)
    absent = (name for name in columns if name not in frame.columns)
    return frame.with_columns(pl.lit(None, pl.String).alias(name) for name in absent).select(
        columns
    )


def dicts(tables: Tables, table: str, columns: Iterable[str]) -> Iterator[Row]:
    """Yield the same rows as dictionaries, for outputs with few lines of many forms."""
    return rows_of(tables, table, columns).iter_rows(named=True)


def whole(value: float) -> str:
    """Return a number without decimal point if it is whole, otherwise in its shortest form."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def fitting(width: int, *candidates: str) -> str:
    """Return the first text that is no longer than `width`, or else the last one."""
    return next((text for text in candidates if len(text) <= width), candidates[-1])


def scaled(value: float, units: Sequence[tuple[str, float]], text: Callable[[float], str]) -> str:
    """Return a value in the largest of `units` (rising) that leaves at least 1, with the unit.

    If rounding would give an exponent or reach the next unit, the next unit is taken.
    """
    at = max([n for n, (_, size) in enumerate(units) if abs(value) >= size], default=0)
    shown = text(value / units[at][1])
    if "e" in shown and at + 1 < len(units):
        at += 1
        shown = text(value / units[at][1])
    return shown + units[at][0]


def joined(rows: pl.DataFrame, key: str, text: pl.Expr, separator: str) -> pl.DataFrame:
    """Return the joined texts of the rows of each `key`: columns `key` and `text`."""
    return rows.group_by(key, maintain_order=True).agg(text.str.join(separator).alias("text"))


def block(*parts: pl.Expr | str) -> pl.Expr:
    """Concatenate texts without the nulls; a string stands for itself."""
    return pl.concat_str(
        [pl.lit(part) if isinstance(part, str) else part for part in parts], ignore_nulls=True
    )


def json_text(value: pl.Expr) -> pl.Expr:
    """Return a text as a quoted JSON string; null stays null."""
    encoded = pl.struct(v=value.cast(pl.String)).struct.json_encode()
    inside = encoded.str.strip_prefix('{"v":').str.strip_suffix("}")
    return pl.when(value.is_not_null()).then(inside)


def xml_text(value: pl.Expr) -> pl.Expr:
    """Return a value as the text of an XML element or attribute; null stays null."""
    return value.cast(pl.String).str.replace_many(list(_XML), list(_XML.values()))


def xml_attribute(name: str, value: pl.Expr) -> pl.Expr:
    """Return an attribute with a blank before it; null if its value is null."""
    return pl.concat_str([pl.lit(f' {name}="'), xml_text(value), pl.lit('"')])


def xml_element(name: str, value: pl.Expr) -> pl.Expr:
    """Return an element around a text; null if the text is null."""
    return pl.concat_str([pl.lit(f"<{name}>"), xml_text(value), pl.lit(f"</{name}>")])


def in_order(*tables: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows of several tables of one output by `record_no`, which rises in each table."""
    return merge(*tables, key=itemgetter("record_no"))
