"""Numbers of headings, figures and tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.reports.document import Block, Chart, Contents, Heading, Table

__all__ = ["number_blocks"]

_APPENDIX = "Appendix"


def number_blocks(blocks: Iterable[Block], *, is_note: bool) -> list[Block]:
    """Return blocks with numbers, and without headings of nothing.

    `is_note`: without numbers of headings and a table of contents, which stands before the first
    heading.
    """
    result: list[Block] = []
    chapter, section, figures, tables = 0, 0, 0, 0
    letters = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    number = ""
    for block in _drop_bare_headings(list(blocks)):
        new = block
        if isinstance(block, Heading) and block.rank == 2 and not is_note:
            section = 0
            if block.markdown.startswith(_APPENDIX):
                number = next(letters)
                title = block.markdown.removeprefix(_APPENDIX).lstrip(": ")
                new = replace(block, number=number, markdown=title[:1].upper() + title[1:])
            else:
                chapter += 1
                number = str(chapter)
                new = replace(block, number=number)
        elif isinstance(block, Heading) and not is_note:
            section += 1
            new = replace(block, number=f"{number}.{section}")
        elif isinstance(block, Chart):
            figures += 1
            new = replace(block, number=figures)
        elif isinstance(block, Table) and block.caption:
            tables += 1
            new = replace(block, number=tables)
        result.append(new)
    headings = tuple(block for block in result if isinstance(block, Heading))
    if headings and not is_note:
        first = next(n for n, block in enumerate(result) if isinstance(block, Heading))
        result.insert(first, Contents(headings))
    return result


def _drop_bare_headings(blocks: list[Block]) -> list[Block]:
    """Return blocks without headings that another one of their rank, or the end, follows."""
    kept: list[Block] = []
    for block in reversed(blocks):
        below = kept[-1] if kept else None
        is_bare = below is None or (
            isinstance(below, Heading) and below.rank <= getattr(block, "rank", 9)
        )
        if isinstance(block, Heading) and is_bare:
            continue
        kept.append(block)
    return kept[::-1]
