"""A report as one HTML file that loads nothing, and prints with running heads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import groupby, islice
from pathlib import Path

import jinja2
from markdown_it import MarkdownIt
from markupsafe import Markup

from app.reports.document import (
    Block,
    Chart,
    Contents,
    Document,
    Heading,
    PageBreak,
    Table,
    Text,
)
from app.reports.pictures import svg
from ingest.base.visible import visible

__all__ = ["css_text", "html"]

_LONG_PART = 26  # letters of a part of a name that may not be on one line
_LETTERS, _SMALL_LETTERS = 101, 132  # that a page is wide, in print and in small print
_KEPT = 15  # letters that are on one line even if the table is too wide
_BETWEEN = 2  # letters: the space between two columns
_UNIT = re.compile(r"(?<=\d) (?=(?:%|MB|GB|KB|MSU|ms|µs|CPU|times)(?![a-z]))")


def html(document: Document) -> str:
    """Return the whole file."""
    first = next(
        (n for n, block in enumerate(document.blocks) if isinstance(block, Heading | Contents)), 0
    )
    cover = 0 if document.is_note else first  # blocks of the title page
    return visible(
        _template().render(
            document=document,
            cover=list(_render_blocks(document.blocks[:cover])),
            blocks=list(_render_blocks(document.blocks[cover:])),
            running=css_text(visible(document.title)),
            published=css_text(f"Published {document.published_at:%Y-%m-%d %H:%M} UTC"),
        )
    )


def _render_blocks(blocks: Iterable[Block]) -> Iterator[Markup]:
    """Yield the blocks; two half charts that follow each other share a row."""
    for is_half, group in groupby(blocks, lambda b: isinstance(b, Chart) and b.is_half):
        for row in _batches(group, 2 if is_half else 1):
            rendered = Markup("\n").join(_render(block) for block in row)
            yield Markup('<div class="pair">{}</div>').format(rendered) if is_half else rendered


def _batches(blocks: Iterable[Block], size: int) -> Iterator[tuple[Block, ...]]:
    """Yield blocks in groups of `size`; the last may be smaller."""
    left = iter(blocks)
    while group := tuple(islice(left, size)):
        yield group


def _render(block: Block) -> Markup:
    match block:
        case Text():
            text = _UNIT.sub("\u00a0", block.markdown)  # a number and its unit share a line
            return Markup(_markdown().render(text))  # noqa: S704 - without HTML
        case Heading():
            title = Markup(_markdown().renderInline(block.markdown))  # noqa: S704 - without HTML
            if not block.number:
                return Markup("<h{}>{}</h{}>").format(block.rank, title, block.rank)
            return Markup('<h{} id="{}"><span class="no">{}</span> {}</h{}>').format(
                block.rank, block.anchor, block.number, title, block.rank
            )
        case Contents():
            return _contents(block)
        case PageBreak():
            return Markup('<div class="break"></div>')
        case Chart(spec=dict() as spec):
            # vl-convert escapes the texts of a chart
            spoken = f"{block.title}. {block.description}".removesuffix(" ")
            picture = Markup(svg(spec, spoken))  # noqa: S704
            return Markup("<figure><figcaption>{}{}</figcaption>{}</figure>").format(
                _label("Figure", block.number), block.title, picture
            )
        case Chart():
            return Markup("<p><strong>{}{}</strong>: {}</p>").format(
                _label("Figure", block.number), block.title, block.description
            )
        case Table():
            return _table(block)


def _label(kind: str, number: int) -> Markup:
    """Return the number of a figure or table before its caption."""
    return Markup('<span class="no">{} {}.</span> ').format(kind, number) if number else Markup()


def _contents(block: Contents) -> Markup:
    """Return the table of contents; the PDF fills in its pages (see app.reports.pdf)."""
    row = Markup(
        '<li class="r{}"><a href="#{}"><span class="no">{}</span> {}</a>'
        '<span class="page" data-of="{}"></span></li>'
    )
    rows = Markup("").join(
        row.format(
            heading.rank,
            heading.anchor,
            heading.number,
            Markup(_markdown().renderInline(heading.markdown)),  # noqa: S704 - without HTML
            heading.anchor,
        )
        for heading in block.headings
    )
    return Markup(
        '<nav aria-label="Contents"><p class="title">Contents</p><ul>{}</ul></nav>'
    ).format(rows)


@cache
def _markdown() -> MarkdownIt:
    """Return a renderer of CommonMark and tables; HTML is text, and nothing is loaded."""
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def _table(table: Table) -> Markup:
    """Return a table that fits the page: in small print, or with cells that break, if it must.

    Otherwise names of rows break at commas only.
    """
    letters = _letters(table)
    table = replace(table, is_small=table.is_small or letters > _LETTERS)
    is_tight = letters > _SMALL_LETTERS
    if is_tight:
        columns = tuple(
            replace(c, is_short=c.is_short and all(len(row[n]) <= _KEPT for row in table.rows))
            for n, c in enumerate(table.columns)
        )
        table = replace(table, columns=columns)
    else:
        rows = tuple((_kept_together(row[0]), *row[1:]) for row in table.rows)
        table = replace(table, rows=rows)
    label = _label("Table", table.number)
    text = _parts().render(
        block=table, is_tight=is_tight, label=label, sections=dict(table.sections)
    )
    return Markup(text)  # noqa: S704 - the template escapes


def _letters(table: Table) -> int:
    """Return how many letters the widest cells of a table take if only long texts break."""
    width = 0
    for index, column in enumerate(table.columns):
        most = max((len(row[index]) for row in table.rows), default=0)
        is_broken = not (column.is_number or column.is_short)
        head = max(map(len, column.heading.split()), default=0)
        width += max(min(most, _LONG_PART) if is_broken else most, head) + _BETWEEN
    return width


def _kept_together(name: str) -> str:
    parts = name.split(", ")
    if len(parts) == 1 or max(map(len, parts)) > _LONG_PART:
        return name
    return ", ".join(part.replace(" ", "\u00a0") for part in parts)


def css_text(text: str) -> Markup:
    """Return a text as a string of CSS that cannot end early."""
    coded = "".join(c if c.isalnum() or c in " ,.:-()" else f"\\{ord(c):06x} " for c in text)
    return Markup(f'"{coded}"')  # noqa: S704 - letters, digits, harmless signs and codes


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        autoescape=True,
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


@cache
def _template() -> jinja2.Template:
    return _environment().get_template("page.html")


@cache
def _parts() -> jinja2.Template:
    return _environment().get_template("table.html")
