"""A report as a list of blocks, in the order in which they are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from ingest.base.errors import RequestError

__all__ = [
    "Block", "Chart", "Column", "Contents", "Document", "Heading", "PageBreak", "ReportError",
    "Table", "Text",
]  # fmt: skip


class ReportError(RequestError):
    """A report cannot be made; one line that says why."""


@dataclass(frozen=True, slots=True)
class Text:
    """Paragraphs and lists, as CommonMark without HTML.

    `is_claim`: sentences that figures made; every number in them is in a table or chart.
    """

    markdown: str
    is_claim: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of rank 2 or 3, its text as CommonMark, and its number ("2", "2.1", "A")."""

    rank: int
    markdown: str
    number: str = ""

    @property
    def anchor(self) -> str:
        """What a link to it names."""
        return f"s{self.number.replace('.', '-').lower()}"


@dataclass(frozen=True, slots=True)
class Contents:
    """The table of contents: all headings with a number."""

    headings: tuple[Heading, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading with the unit, and whether it holds numbers.

    `is_short`: its cells are kept on one line.
    """

    heading: str
    is_number: bool
    is_short: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as they are read, row by row; `left_out` counts rows that are not shown.

    `number`: of the table in the report, 0 for one without a caption.

    `groups`: headings over the columns, each with the number of columns below it; none: no such
    row. `sections`: headings between the rows, each with the place of the row below it.
    `is_small`: in small print, for what is looked up rather than read.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0
    groups: tuple[tuple[str, int], ...] = ()
    is_small: bool = False
    number: int = 0
    sections: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart under its title: a Vega-Lite specification as wide as the page, or as half of it.

    `description`: what it shows, for those who cannot see it. Two half charts that follow each
    other stand side by side. `spec`: None where the extra `charts` is missing.
    """

    title: str
    spec: dict[str, Any] | None
    description: str = ""
    is_half: bool = False
    number: int = 0


@dataclass(frozen=True, slots=True)
class PageBreak:
    """What follows begins on a new page."""


Block: TypeAlias = Text | Heading | Table | Chart | PageBreak | Contents


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report. `subject`: what it is about; `origin`: of its figures, if they have one.

    `is_note`: a page or two that need no title page. The blocks before the first heading are those
    of the title page. `figures`: every figure that it is made of, as CSV.
    """

    title: str
    subject: str
    origin: str | None
    published_at: datetime
    blocks: list[Block] = field(default_factory=list)
    is_note: bool = False
    figures: str = ""
