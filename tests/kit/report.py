"""What reports are made of: their outlines, tables and texts, and the numbers in them."""

from __future__ import annotations

import re
from collections.abc import Callable

from app.reports.document import Chart, Document, Heading, Table, Text
from app.reports.presets import preset_of
from app.results.queries.health import limits
from app.results.queries.rules import RULES

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
_VALUE = re.compile(r"{{.*?}}|{[%#].*?[%#]}", re.DOTALL)
_CONSTANTS = {95.0}  # of "95 % interval"


def unfounded(document: Document, name: str) -> set[tuple[float, str]]:
    """Return the numbers of texts that stand in no table or chart, with the text."""
    shown = _of_exhibits(document) | _CONSTANTS
    rules = _numbers(" ; ".join(f"{rule.title} {rule.do}" for rule in RULES))
    given = {n for one in limits().values() for n in (one.warning, one.alarm) if n is not None}
    written = shown | _of_templates(name) | rules | given
    texts = [block for block in document.blocks if isinstance(block, Text)]
    assert texts
    return {
        (number, block.markdown[:160])
        for block in texts
        for number in _numbers(block.markdown)
        if number not in (shown if block.is_claim else written)
    }


def _numbers(text: str) -> set[float]:
    """Return the numbers of a text, without their signs."""
    return {float(number.replace(",", "")) for number in _NUMBER.findall(text.replace("\\", ""))}


def _of_exhibits(document: Document) -> set[float]:
    """Return all numbers in the title, in tables, captions and charts, and the numbers of both."""
    texts = [document.title, document.subject]
    for block in document.blocks:
        if isinstance(block, Table):
            texts += [block.caption, *(column.heading for column in block.columns)]
            texts += [cell for row in block.rows for cell in row]
        elif isinstance(block, Chart):
            texts += [block.title, str(block.spec)]
        if isinstance(block, Table | Chart):
            texts.append(str(block.number))
    return _numbers(" ; ".join(texts))


def _of_templates(name: str) -> set[float]:
    """Return the numbers that a preset writes itself, which are of no figure: 95 %, SMF 70."""
    preset = preset_of(name)
    texts = [file.read_text() for folder in preset.folders for file in folder.glob("*.j2")]
    return _numbers(" ; ".join([preset.asks, *(_VALUE.sub(" ", text) for text in texts)]))
