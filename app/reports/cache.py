"""Reports that were made for the dashboard, kept until a publish or a change of their preset.

Streamlit runs the script of a page again at every click, so what a page keeps must live elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from app.reports.document import Document
from app.reports.html import html
from app.reports.making import make_document
from app.reports.presets import Preset, Value
from app.results.reader import Reader, Version

__all__ = ["Made", "cached_report"]


class Made(NamedTuple):
    """A report, and its HTML."""

    document: Document
    html: str


def cached_report(reader: Reader, preset: Preset, options: Mapping[str, Value]) -> Made:
    """Return a report, made once. Raises ReportError."""
    return _make(reader.version, preset, _changed_at(preset), tuple(options.items()))


def _changed_at(preset: Preset) -> int:
    """Return when the file of a preset last changed, in nanoseconds."""
    return preset.file.stat().st_mtime_ns


@lru_cache(maxsize=8)
def _make(
    version: Version, preset: Preset, changed: int, options: tuple[tuple[str, Value], ...]
) -> Made:
    document = make_document(Reader(Path(version.path)), preset, dict(options))
    return Made(document, html(document))
