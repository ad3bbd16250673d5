"""What the writers have in common: columns that a frame may lack, and texts put together by column.

Every writer takes the frames of a parser's tables (table name -> rows in print order) and gives the
bytes of the tool. A column that is absent is null throughout; what is null is not printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

import polars as pl

__all__ = ["Tables", "Writer", "block", "joined", "json_text", "rows_of", "xml_attribute",
           "xml_element", "xml_text"]  # fmt: skip

Tables: TypeAlias = Mapping[str, pl.DataFrame]
Writer: TypeAlias = Callable[[Tables], bytes]

_XML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def rows_of(tables: Tables, table: str, columns: Iterable[str]) -> pl.DataFrame:
    """The rows of a table, in the given columns; the columns that it lacks are null."""
    frame = tables.get(table, pl.DataFrame())
    return frame.select(
        pl.col(name) if name in frame.columns else pl.lit(None, pl.String).alias(name)
        for name in columns
    )


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
