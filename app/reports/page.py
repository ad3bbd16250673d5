"""A report's page: headings, notes, tables and charts as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from html import escape
from typing import Any

import polars as pl
import vl_convert

from app.charts.style import AnyChart

__all__ = ["Page"]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #1d2530; background: #fff; }
h1 { font-size: 1.7rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
p.note { color: #5c6675; margin-top: .3rem; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; background: #fff; }
figcaption { font-weight: 600; margin-bottom: .4rem; }
table { border-collapse: collapse; font-size: .88rem; margin: .8rem 0; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #d9dee5; text-align: left;
  vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.badge { font-size: .8rem; border: 1px solid currentColor; border-radius: .8rem;
  padding: .1rem .6rem; vertical-align: middle; }
@media (prefers-color-scheme: dark) {
  body { color: #e4e8ee; background: #12161c; } p.note { color: #98a3b3; }
  th, td { border-color: #2b333f; } figure svg { border-radius: 6px; padding: 6px; }
}
@media print {
  body { max-width: none; } h2 { break-after: avoid; } figure { break-inside: avoid; }
}
"""
_WIDTH = 640  # pixels of a chart
_MISSING = "&#8211;"


class Page:
    """A page that grows from above; `html` is all of it."""

    def __init__(self, title: str, says: str, origin: str | None = None) -> None:
        badge = f' <span class="badge">{escape(origin)}</span>' if origin else ""
        self.title = title
        self.parts = [f"<h1>{escape(title)}{badge}</h1>", f'<p class="note">{escape(says)}</p>']

    def section(self, title: str, says: str = "") -> None:
        """Begin a section."""
        self.parts.append(f"<h2>{escape(title)}</h2>")
        if says:
            self.note(says)

    def note(self, says: str) -> None:
        """A line of explanation."""
        self.parts.append(f'<p class="note">{escape(says)}</p>')

    def chart(self, title: str, chart: AnyChart) -> None:
        """A chart, drawn as SVG."""
        self.drawn(title, chart.properties(width=_WIDTH).to_dict())

    def drawn(self, title: str, spec: dict[str, Any]) -> None:
        """A chart from its Vega-Lite specification."""
        drawn = vl_convert.vegalite_to_svg(spec)
        self.parts.append(f"<figure><figcaption>{escape(title)}</figcaption>{drawn}</figure>")

    def table(self, frame: pl.DataFrame, columns: Mapping[str, str]) -> None:
        """A table of some columns of a frame: `columns` maps them to their headings."""
        right = {name for name in columns if frame.schema[name].is_numeric()}

        def mark(name: str) -> str:
            return ' class="n"' if name in right else ""

        head = "".join(f"<th{mark(name)}>{escape(says)}</th>" for name, says in columns.items())
        rows = "".join(
            "<tr>"
            + "".join(f"<td{mark(n)}>{_cell(v)}</td>" for n, v in zip(columns, row, strict=True))
            + "</tr>"
            for row in frame.select(list(columns)).iter_rows()
        )
        self.parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")

    def html(self) -> str:
        """The whole file."""
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(self.title)}</title><style>{_STYLE}</style></head><body>"
            + "\n".join(self.parts)
            + "</body></html>\n"
        )


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
    return escape(str(value))
