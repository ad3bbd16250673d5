"""Numbers of headings, figures and tables, and the references to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from app.reports.document import Block, Chart, Contents, Heading, Table, Text

__all__ = ["numbered", "reference"]

_REFERENCE = re.compile(r"\x04([\d,]*)\x05")
_APPENDIX = "Appendix"


def reference(places: Sequence[int]) -> str:
    """Return a mark that becomes "Figure 2 and Table 1": of the blocks at these places."""
    return f"\x04{','.join(map(str, places))}\x05"


def numbered(blocks: Iterable[Block], places: Mapping[int, int], *, is_note: bool) -> list[Block]:
    """Return blocks with numbers, and with the references in their texts resolved.

    `places`: of blocks that a reference can name, by their position in `blocks`; `is_note`:
    without numbers of headings and a table of contents, which stands before the first heading.
    """
    found: list[Block] = []
    chapter, section, figures, tables = 0, 0, 0, 0
    letters = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    number = ""
    names: dict[int, tuple[str, int]] = {}
    for place, block in enumerate(blocks):
        new = block
        if isinstance(block, Heading) and is_note:
            pass
        elif isinstance(block, Heading) and block.rank == 2:
            section = 0
            if block.markdown.startswith(_APPENDIX):
                number = next(letters)
                title = block.markdown.removeprefix(_APPENDIX).lstrip(": ")
                new = replace(
                    block, number=number, markdown=title[:1].upper() + title[1:] or _APPENDIX
                )
            else:
                chapter += 1
                number = str(chapter)
                new = replace(block, number=number)
        elif isinstance(block, Heading):
            section += 1
            new = replace(block, number=f"{number}.{section}")
        elif isinstance(block, Chart):
            figures += 1
            new = replace(block, number=figures)
            if place in places:
                names[places[place]] = ("Figure", figures)
        elif isinstance(block, Table) and block.caption:
            tables += 1
            new = replace(block, number=tables)
            if place in places:
                names[places[place]] = ("Table", tables)
        found.append(new)
    found = [
        replace(block, markdown=_REFERENCE.sub(lambda m: _named(m[1], names), block.markdown))
        if isinstance(block, Text) else block
        for block in found
    ]  # fmt: skip
    headings = tuple(block for block in found if isinstance(block, Heading))
    if headings and not is_note:
        first = next(n for n, block in enumerate(found) if isinstance(block, Heading))
        found.insert(first, Contents(headings))
    return found


def _named(places: str, names: Mapping[int, tuple[str, int]]) -> str:
    """Return references in words: "Figures 2 to 4 and Table 1"; nothing if there is none."""
    known = [names[int(place)] for place in places.split(",") if place and int(place) in names]
    parts = []
    for kind in ("Figure", "Table"):
        own = sorted(number for one, number in known if one == kind)
        if len(own) == 1:
            parts.append(f"{kind} {own[0]}")
        elif own:
            link = "and" if len(own) == 2 else "to"
            parts.append(f"{kind}s {own[0]} {link} {own[-1]}")
    return " and ".join(parts)
