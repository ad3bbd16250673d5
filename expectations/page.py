"""The audit as one HTML page that opens without a network."""

from __future__ import annotations

import os
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from expectations.outcome import AuditResult

__all__ = ["write_page"]


def write_page(result: AuditResult, folder: Path) -> Path:
    """Write `index.html` atomically, in place of the last audit's; return its path."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    suites = {suite: list(of) for suite, of in groupby(result.results, key=lambda r: r.suite)}
    text = environment.get_template("page.html.jinja").render(audit=result, suites=suites)
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "index.html"
    unfinished = folder / f".index.html.{os.getpid()}.tmp"
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(page)
    return page
