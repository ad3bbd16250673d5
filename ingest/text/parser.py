"""What a parser of a text input makes of a file.

A parser is a module that opens no file. It has

    recognise(head)     the kind of file that begins with these bytes, by their content; or None
    parse(content)      a whole file -> Parsed
    SCHEMAS             table -> column -> Polars type, `record_no` first
    COLUMN_DOCS         table -> column -> what it means, with its unit in brackets
    TITLES              table -> what one row is

and stands in `ingest.parsers.PARSERS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import polars as pl

__all__ = ["Parsed", "Parser", "Rejected"]


class Rejected(NamedTuple):
    """A part of a file that was left out: the line that it starts on (the first is 1), and why.

    `record_no` is its number among the file's records, where that is not its line's.
    """

    line: int
    reason: str
    record_no: int | None = None


class Parsed(NamedTuple):
    """What one file holds: its kind, its frames by table name, and the parts left out."""

    kind: str
    tables: dict[str, pl.DataFrame]
    rejected: list[Rejected]


class Parser(Protocol):
    """What a parser's module offers."""

    @property
    def SCHEMAS(self) -> Mapping[str, Mapping[str, pl.DataType]]:  # noqa: N802
        """Table -> column -> Polars type."""

    @property
    def COLUMN_DOCS(self) -> Mapping[str, Mapping[str, str]]:  # noqa: N802
        """Table -> column -> what it means."""

    @property
    def TITLES(self) -> Mapping[str, str]:  # noqa: N802
        """Table -> what one row is."""

    def recognise(self, head: bytes, /) -> str | None:
        """The kind of file that begins with these bytes, or None."""

    def parse(self, content: bytes, /) -> Parsed:
        """Parse one whole file."""
