"""The audit as one HTML page that opens without a network."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from expectations.outcome import AuditResult
from ingest.base.files import replacing

__all__ = ["write_page"]


def write_page(result: AuditResult, folder: Path) -> Path:
    """Write `index.html` atomically, in place of the last audit's; return its path."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    by_suite = groupby(result.results, key=lambda outcome: outcome.suite)
    suites = {suite: list(outcomes) for suite, outcomes in by_suite}
    text = environment.get_template("page.html.jinja").render(audit=result, suites=suites)
    page = folder / "index.html"
    with replacing(page) as draft:
        draft.write_text(text, "utf-8")
    return page
