"""A report as one HTML file: headings, notes, tables and charts. `page.html` is its template."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
import vl_convert
from markupsafe import Markup

from app.charts.style import AnyChart

__all__ = ["Page"]

_WIDTH = 640  # pixels of a chart
_MISSING = "–"  # noqa: RUF001 - a dash for a missing value


class Page:
    """A report that grows from top to bottom; `html` returns the whole file."""

    def __init__(self, title: str, summary: str, origin: str | None = None) -> None:
        self.title = title
        self.summary = summary
        self.origin = origin
        self.blocks: list[dict[str, Any]] = []

    def section(self, title: str, note: str = "") -> None:
        """Begin a section, with a note below its heading if there is one."""
        self.blocks.append({"kind": "section", "title": title})
        if note:
            self.note(note)

    def note(self, text: str) -> None:
        """Add a line of explanation."""
        self.blocks.append({"kind": "note", "text": text})

    def chart(self, title: str, chart: AnyChart) -> None:
        """Add a chart, drawn as SVG."""
        self.drawn(title, chart.properties(width=_WIDTH).to_dict())

    def drawn(self, title: str, spec: dict[str, Any]) -> None:
        """Add a chart from its Vega-Lite specification, drawn as SVG."""
        svg = Markup(vl_convert.vegalite_to_svg(spec))  # noqa: S704 - vl-convert escapes its texts
        self.blocks.append({"kind": "chart", "title": title, "svg": svg})

    def table(self, frame: pl.DataFrame, columns: Mapping[str, str]) -> None:
        """Add a table of some columns of a frame: `columns` maps them to their headings."""
        right = Markup(' class="n"')
        headings = [
            {"title": title, "mark": right if frame.schema[name].is_numeric() else ""}
            for name, title in columns.items()
        ]
        rows = frame.select(list(columns)).rows()
        self.blocks.append({"kind": "table", "columns": headings, "rows": rows})

    def html(self) -> str:
        """Return the whole file."""
        return _template().render(page=self)


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["cell"] = _cell
    return environment.get_template("page.html")


def _cell(value: object) -> str:
    if value is None or value != value:  # NaN
        return _MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return str(value)
