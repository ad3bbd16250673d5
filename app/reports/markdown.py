"""A report as a Markdown file, with its charts as SVG files beside it."""

from __future__ import annotations

import re

from app.reports.document import Chart, Contents, Document, Heading, PageBreak, Table, Text
from app.reports.pictures import svg
from app.results import markdown as written
from app.results.markdown import plain
from ingest.base.visible import visible

__all__ = ["markdown"]


def markdown(document: Document, folder: str) -> tuple[str, dict[str, str]]:
    """Return the text, and the charts by their paths: FOLDER/01-title.svg and so on.

    A chart without a specification becomes what it shows, in words.
    """
    origin = f" ({document.origin})" if document.origin else ""
    parts = [f"# {plain(document.title)}{origin}"]
    if document.subject:
        parts.append(plain(document.subject))
    if document.origin == "simulated" and not document.is_note:
        parts.append("The runs of this report are synthetic: they were not measured.")
    charts: dict[str, str] = {}
    for block in document.blocks:
        match block:
            case Text():
                parts.append(block.markdown.strip("\n"))
            case Heading():
                parts.append(
                    " ".join(filter(None, ["#" * block.rank, block.number, block.markdown]))
                )
            case Contents():
                parts.append(
                    "\n".join(
                        f"{'  ' * (heading.rank - 2)}- {heading.number} {heading.markdown}"
                        for heading in block.headings
                    )
                )
            case Table():
                parts.append(_table(block))
            case Chart(spec=dict() as spec):
                words = re.sub(r"[^a-z0-9]+", "-", block.title.lower()).strip("-")[:40].strip("-")
                path = f"{folder}/{len(charts) + 1:02d}-{words or 'chart'}.svg"
                text = f"{block.title}. {block.description}".removesuffix(" ")
                charts[path] = svg(spec, text)
                parts.append(f"{_caption(block)}\n\n![{plain(text)}](<{path}>)")
            case Chart():
                parts.append(f"{_caption(block)}: {plain(block.description)}")
            case PageBreak():
                pass
    return visible("\n\n".join(parts)) + "\n", charts


def _caption(chart: Chart) -> str:
    return f"**Figure {chart.number}. {plain(chart.title)}**"


def _table(table: Table) -> str:
    lines = [f"**Table {table.number}. {plain(table.caption)}**", ""] if table.caption else []
    numbers = [i for i, column in enumerate(table.columns) if column.is_number]
    lines += [*written.table(_headings(table), numbers, table.rows).split("\n")]
    first = len(lines) - len(table.rows)
    for index, heading in reversed(table.sections):
        cells = [f"**{plain(heading)}**", *[""] * (len(table.columns) - 1)]
        lines.insert(first + index, f"| {' | '.join(cells)} |")
    if table.left_out:
        lines += [
            "",
            f"{table.left_out:,} more row{'s are' if table.left_out > 1 else ' is'} not shown.",
        ]
    return "\n".join(lines)


def _headings(table: Table) -> list[str]:
    """Return the headings of columns; Markdown has no row for those of groups."""
    over = [heading for heading, count in table.groups for _ in range(count)]
    over += [""] * (len(table.columns) - len(over))
    return [
        f"{above}: {column.heading}" if above else column.heading
        for above, column in zip(over, table.columns, strict=True)
    ]
