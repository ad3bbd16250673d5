"""What the writers have in common: columns that a frame may lack, and texts put together by column.

Every writer takes the frames of a parser's tables (table name -> rows in print order) and gives the
bytes of the tool. A column that is absent is null throughout; what is null is not printed.
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
#: A row of a table that is printed line by line.
Row: TypeAlias = dict[str, Any]

_XML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def rows_of(tables: Tables, table: str, columns: Iterable[str]) -> pl.DataFrame:
    """The rows of a table, in the given columns; the columns that it lacks are null."""
    if table not in tables:
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    frame, columns = tables[table], list(columns)
    absent = (name for name in columns if name not in frame.columns)
    return frame.with_columns(pl.lit(None, pl.String).alias(name) for name in absent).select(
        columns
    )


def dicts(tables: Tables, table: str, columns: Iterable[str]) -> Iterator[Row]:
    """The same, row by row: for outputs whose lines differ more than they are many."""
    return rows_of(tables, table, columns).iter_rows(named=True)


def whole(value: float) -> str:
    """A number without a point where it is whole, else as short as it can be told."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def fitting(width: int, *candidates: str) -> str:
    """The first text that is no longer than `width`; the last one where none is."""
    return next((text for text in candidates if len(text) <= width), candidates[-1])


def scaled(value: float, units: Sequence[tuple[str, float]], text: Callable[[float], str]) -> str:
    """A value in the greatest of `units` (rising) that makes no fraction of it, and the unit.

    Where rounding gives an exponent or reaches the next unit's figures, the next one is taken.
    """
    at = max([n for n, (_, size) in enumerate(units) if abs(value) >= size], default=0)
    shown = text(value / units[at][1])
    if "e" in shown and at + 1 < len(units):
        at += 1
        shown = text(value / units[at][1])
    return shown + units[at][0]


def joined(rows: pl.DataFrame, key: str, text: pl.Expr, separator: str) -> pl.DataFrame:
    """The texts of the rows of each `key`, one after the other: columns `key` and `text`."""
    return rows.group_by(key, maintain_order=True).agg(text.str.join(separator).alias("text"))


def block(*parts: pl.Expr | str) -> pl.Expr:
    """Texts one after the other, the null ones left out; a string stands for itself."""
    return pl.concat_str(
        [pl.lit(part) if isinstance(part, str) else part for part in parts], ignore_nulls=True
    )


def json_text(value: pl.Expr) -> pl.Expr:
    """A text as JSON writes it, in quotes; null stays null."""
    encoded = pl.struct(v=value.cast(pl.String)).struct.json_encode()
    inside = encoded.str.strip_prefix('{"v":').str.strip_suffix("}")
    return pl.when(value.is_not_null()).then(inside)


def xml_text(value: pl.Expr) -> pl.Expr:
    """A value as the text of an XML element or attribute; null stays null."""
    return value.cast(pl.String).str.replace_many(list(_XML), list(_XML.values()))


def xml_attribute(name: str, value: pl.Expr) -> pl.Expr:
    """An attribute with a blank before it; null where its value is."""
    return pl.concat_str([pl.lit(f' {name}="'), xml_text(value), pl.lit('"')])


def xml_element(name: str, value: pl.Expr) -> pl.Expr:
    """An element around a text; null where the text is."""
    return pl.concat_str([pl.lit(f"<{name}>"), xml_text(value), pl.lit(f"</{name}>")])


def in_order(*tables: Iterable[Row]) -> Iterator[Row]:
    """The rows of several tables that stand in one print, by `record_no`, which rises in each."""
    return merge(*tables, key=itemgetter("record_no"))
