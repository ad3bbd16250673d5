"""The text that a template makes: its values escaped, and its parts between blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from app.reports.cells import shown
from app.reports.document import Block, Heading, Text

__all__ = ["MARK", "printed", "split"]

#: Where a block belongs, by its number.
MARK = re.compile(r"\x02(\d+)\x03")
_SPECIAL = re.compile(r"[\\`*_\[\]<>$~|#&!]|^(\s*)([-+=]|\d+[.)](?=\s|$))")
_HEADING = re.compile(r"(#{1,6}) ")
_HEADINGS = re.compile(r"(?m)^(#{2,3}) (.*)$")


def split(text: str, blocks: Sequence[Block]) -> Iterable[tuple[int | None, Block]]:
    """Yield headings, the text between blocks, and the blocks with their places."""
    for place, part in enumerate(MARK.split(_without_bare_headings(text))):
        if place % 2:
            yield int(part), blocks[int(part)]
            continue
        before, *found = _HEADINGS.split(part)  # text, then rank, title and text of each heading
        pieces = [before, *found[2::3]]
        for at, piece in enumerate(pieces):
            if at:
                yield None, Heading(len(found[3 * at - 3]), found[3 * at - 2].strip())
            if piece.strip():
                yield None, Text(_tight(piece))


def _without_bare_headings(text: str) -> str:
    r"""Return a text without headings that another one of their rank, or the end, follows.

    >>> _without_bare_headings("## A\n\n### a\n\n## B\n\nText\n").split()
    ['##', 'B', 'Text']
    """
    kept: list[str] = []
    rank = 0  # of the heading below, until there is something between
    for line in reversed(text.split("\n")):
        heading = _HEADING.match(line)
        own = len(heading[1]) if heading else 0
        if heading and (0 < rank <= own or not any(map(str.strip, kept))):
            continue
        if line.strip():
            rank = own
        kept.append(line)
    return "\n".join(reversed(kept))


def _tight(text: str) -> str:
    """Return a text without empty lines between the items of a list, and few elsewhere."""
    few = re.sub(r"\n\s*\n\s*\n+", "\n\n", text.strip("\n") + "\n")
    return re.sub(r"(?m)^(- .*)\n\n+(?=- )", r"\1\n", few)


def printed(value: object) -> Markup:
    """Return a value as Markdown that reads as it is, on one line."""
    if isinstance(value, Markup):
        return value
    return Markup(_SPECIAL.sub(_escaped, shown(value)))  # noqa: S704 - rendered without HTML


def _escaped(match: re.Match[str]) -> str:
    text = match[0]
    return text[:-1] + "\\" + text[-1]
