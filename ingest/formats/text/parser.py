"""What a parser of a text input must offer, and what it returns.

A parser is a module that opens no file. It has

    recognise(head)     kind of file, recognised by its first bytes; or None
    parse(content)      a whole file -> Parsed
    parse_parts(content, each)    the same, for files that are often large; see `Divisible`
    parse_file(content, about)    the same, given what is known of the file; see `ParserOfFile`
    SCHEMAS             table -> column -> Polars type, `record_no` first
    COLUMN_DOCS         table -> column -> meaning, with the unit in brackets
    TITLES              table -> what one row is

and is listed in `ingest.formats.parsers.PARSERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import polars as pl

__all__ = ["Divisible", "Each", "Parsed", "Parser", "ParserOfFile", "Rejected"]

A = TypeVar("A")
B = TypeVar("B")


class Rejected(NamedTuple):
    """A part of a file that was left out: the line it starts on, from 1, and the reason.

    `record_no` is its number among the file's records, if that is not the line number.
    """

    line: int
    reason: str
    record_no: int | None = None


class Parsed(NamedTuple):
    """The content of one file: its kind, its frames by table, and the parts left out."""

    kind: str
    tables: dict[str, pl.DataFrame]
    rejected: list[Rejected]


class Each(Protocol):
    """Calls a function of a module with each item and yields the results in order, as map does."""

    def __call__(self, function: Callable[[A], B], items: Iterable[A], /) -> Iterable[B]:
        """Items and results may be sent to other processes and back."""


class Parser(Protocol):
    """What the module of a parser offers."""

    @property
    def SCHEMAS(self) -> Mapping[str, Mapping[str, pl.DataType]]:  # noqa: N802
        """Table -> column -> Polars type."""

    @property
    def COLUMN_DOCS(self) -> Mapping[str, Mapping[str, str]]:  # noqa: N802
        """Table -> column -> meaning."""

    @property
    def TITLES(self) -> Mapping[str, str]:  # noqa: N802
        """Table -> what one row is."""

    def recognise(self, head: bytes, /) -> str | None:
        """Return the kind of file that begins with these bytes, or None."""

    def parse(self, content: bytes, /) -> Parsed:
        """Parse one whole file."""


@runtime_checkable
class Divisible(Parser, Protocol):
    """A parser of files that are often large."""

    def parse_parts(self, content: bytes, each: Each, /) -> Parsed:
        """Parse one whole file; `each` calls what parses a part of it."""


@runtime_checkable
class ParserOfFile(Parser, Protocol):
    """A parser that needs to know more of a file than its content."""

    def parse_file(self, content: bytes, about: Any, /) -> Parsed:
        """Parse one whole file, of which `about` says what its content does not."""
