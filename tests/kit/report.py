"""What reports are made of: their outlines, tables and texts, and the numbers in them."""

from __future__ import annotations

import re
from collections.abc import Callable

from app.reports.document import Chart, Document, Heading, Table, Text

#: A preset that the bundled inputs have no campaign for.
LINUX = "mft-linux"
#: What presets are asked for, where they need to be told.
OPTIONS: dict[str, dict[str, str | int | float | None]] = {
    "campaign": {"campaign": "smoke"},
    "release": {"baseline": "machine=z15", "candidate": "machine=z16"},
}
Report = Callable[..., Document]


def tables(document: Document) -> list[Table]:
    return [block for block in document.blocks if isinstance(block, Table)]


def text_of(document: Document) -> str:
    return "\n".join(b.markdown for b in document.blocks if isinstance(b, Text))


def outline(document: Document) -> str:
    """Return the title, headings, tables with their columns, and charts, line by line."""
    lines = [document.title, document.subject]
    for block in document.blocks:
        if isinstance(block, Heading):
            lines.append(f"{'#' * block.rank} {block.markdown}")
        elif isinstance(block, Chart):
            lines.append(f"chart: {block.title}")
        elif isinstance(block, Table):
            columns = ", ".join(column.heading for column in block.columns)
            lines.append(f"table: {block.caption} ({len(block.rows)} rows of {columns})")
    return "\n".join(lines)


_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")


def unfounded(document: Document) -> set[tuple[str, str]]:
    """Return the numbers of sentences that figures made and no table or chart has, rounded."""
    shown = [float(number.replace(",", "")) for number in _NUMBER.findall(_exhibits(document))]
    shown += [100 * (number - 1) for number in shown] + [1 + number / 100 for number in shown]
    claims = [b for b in document.blocks if isinstance(b, Text) and b.is_claim]
    return {
        (number, block.markdown[:160])
        for block in claims
        for number in _NUMBER.findall(
            re.sub(r"\b[a-z]\d\d\b|\d{4}-\d\d-\d\d|[\d,]+ more runs", "", block.markdown)
        )
        if not any(abs(abs(one) - float(number.replace(",", ""))) <= _half(number) for one in shown)
    }


def _half(number: str) -> float:
    """Return half of the last digit of a number, and a little, as changes are ratios."""
    return 0.6 * 10.0 ** -len(number.partition(".")[2])


def _exhibits(document: Document) -> str:
    """Return all that tables, charts, headings and titles say."""
    texts = [document.title, document.subject]
    for block in document.blocks:
        if isinstance(block, Table):
            texts += [block.caption, *(column.heading for column in block.columns)]
            texts += [f"{over}" for over, _ in block.groups] + [said for _, said in block.sections]
            texts += [cell for row in block.rows for cell in row]
        elif isinstance(block, Chart):
            texts += [block.title, str(block.spec)]
        elif isinstance(block, Heading):
            texts.append(block.markdown)
    return " ; ".join(texts).replace("\\", "")
