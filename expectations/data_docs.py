"""Data Docs: what an audit said, as pages of Great Expectations that open without a network.

Great Expectations renders the pages; what it would fetch from elsewhere (styles, scripts, fonts)
is left out, and a short style sheet stands in for it.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from great_expectations.render.renderer.page_renderer import ValidationResultsPageRenderer
from great_expectations.render.view.view import DefaultJinjaPageView

__all__ = ["Page", "write_docs"]

_FETCHED = re.compile(
    r"<script\b.*?</script>|<link\b[^>]*>|<img\b[^>]*>|<iframe\b.*?</iframe>"
    r"|url\((['\"]?)https?:.*?\1\)",
    re.DOTALL | re.IGNORECASE,
)
_STYLE = """
body { font: 15px/1.45 sans-serif; margin: 2em auto; max-width: 90em; color: #222 }
table { border-collapse: collapse; width: 100%; margin: .6em 0 1.6em }
th, td { border: 1px solid #ccc; padding: .3em .6em; text-align: left; vertical-align: top }
th { background: #f2f2f2 }
.alert-warning, .failed { background: #fdecea }
.fa-times::before { content: "\\2717"; color: #b00020 }
.fa-check-circle::before { content: "\\2713"; color: #1b7837 }
.fa-exclamation-triangle::before { content: "\\26a0"; color: #b36b00 }
nav, footer, .navbar, .col-lg-2, .col-md-2, .modal, button, .collapse { display: none }
"""


class Page(NamedTuple):
    """A suite's name, and Great Expectations' result of it."""

    name: str
    validation: Any


def write_docs(pages: Sequence[Page], folder: Path, check_id: str, build_id: str) -> Path:
    """Write a page for each suite and `index.html`, which is returned; each replaces the last."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for page in pages:
        document = ValidationResultsPageRenderer().render(page.validation)
        text = DefaultJinjaPageView().render(document)
        _replace(folder / f"{page.name}.html", _offline(text))
        passed = sum(bool(result.success) for result in page.validation.results)
        failed = len(page.validation.results) - passed
        mark = ' class="failed"' if failed else ""
        rows.append(
            f'<tr{mark}><td><a href="{page.name}.html">{html.escape(page.name)}</a></td>'
            f"<td>{passed}</td><td>{failed}</td></tr>"
        )
    index = folder / "index.html"
    title = f"Audit {html.escape(check_id)} of build {html.escape(build_id)}"
    _replace(
        index,
        f'<!DOCTYPE html><html lang="en"><head><meta charset="UTF-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1><table>"
        f"<tr><th>suite</th><th>hold</th><th>do not hold</th></tr>{''.join(rows)}</table>"
        "</body></html>\n",
    )
    return index


def _offline(page: str) -> str:
    page = _FETCHED.sub("", page)
    return page.replace("</head>", f"<style>{_STYLE}</style></head>", 1)


def _replace(path: Path, text: str) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
