"""Text and tables as Markdown, with everything in them taken literally."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ingest.base.visible import visible

__all__ = ["code", "plain", "table"]

_SPECIAL = re.compile(r"[\\`*_\[\]<>|]")


def plain(text: str) -> str:
    """Return a text on one line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\g<0>", visible(" ".join(text.split())))


def code(text: str) -> str:
    """Return a text as code on one line, whatever is in it."""
    text = visible(" ".join(text.split()))
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def table(headings: Sequence[str], numbers: Iterable[int], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; numbers: the columns that are aligned to the right."""
    right = set(numbers)
    rules = ["---:" if i in right else "---" for i in range(len(headings))]
    lines = [map(plain, headings), rules, *(map(plain, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
