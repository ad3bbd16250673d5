"""A report as one HTML file that loads nothing, and prints with running heads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby, islice
from pathlib import Path

import jinja2
from markdown_it import MarkdownIt
from markupsafe import Markup

from app.reports.document import Block, Chart, Document, PageBreak, Table, Text
from app.reports.pictures import svg
from ingest.base.visible import visible

__all__ = ["html"]

_UNIT = re.compile(r"(?<=\d) (?=(?:%|MB|GB|KB|MSU|ms|µs|CPU|times)(?![a-z]))")


def html(document: Document) -> str:
    """Return the whole file."""
    return visible(
        _template().render(
            document=document,
            blocks=list(_all_rendered(document.blocks)),
            running=_css_text(visible(document.title)),
            published=_css_text(f"Published {document.published_at:%Y-%m-%d %H:%M} UTC"),
        )
    )


def _all_rendered(blocks: Iterable[Block]) -> Iterator[Markup]:
    """Yield the blocks; two half charts that follow each other share a row."""
    for is_half, some in groupby(blocks, lambda b: isinstance(b, Chart) and b.is_half):
        for row in _batched(some, 2 if is_half else 1):
            rendered = Markup("\n").join(_rendered(block) for block in row)
            yield Markup('<div class="pair">{}</div>').format(rendered) if is_half else rendered


def _batched(blocks: Iterable[Block], size: int) -> Iterator[tuple[Block, ...]]:
    """Yield blocks in groups of `size`; the last may be smaller."""
    left = iter(blocks)
    while group := tuple(islice(left, size)):
        yield group


def _rendered(block: Block) -> Markup:
    match block:
        case Text():
            text = _UNIT.sub("\u00a0", block.markdown)  # a number and its unit share a line
            return Markup(_markdown().render(text))  # noqa: S704 - without HTML
        case PageBreak():
            return Markup('<div class="break"></div>')
        case Chart(spec=dict() as spec):
            # vl-convert escapes the texts of a chart
            said = f"{block.title}. {block.description}".removesuffix(" ")
            picture = Markup(svg(spec, said))  # noqa: S704
            return Markup("<figure><figcaption>{}</figcaption>{}</figure>").format(
                block.title, picture
            )
        case Chart():
            return Markup("<p><strong>{}</strong>: {}</p>").format(block.title, block.description)
        case Table():
            return _table(block)


@cache
def _markdown() -> MarkdownIt:
    """Return a renderer of CommonMark and tables; HTML is text, and nothing is loaded."""
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def _table(table: Table) -> Markup:
    return Markup(_parts().render(block=table))  # noqa: S704 - the template escapes


def _css_text(text: str) -> Markup:
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
