"""Make a report and write it: HTML, PDF or Markdown, by the suffix of the file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from app.reports.document import Document, ReportError
from app.reports.html import html
from app.reports.making import make_document
from app.reports.markdown import markdown
from app.reports.pdf import pdf
from app.reports.presets import Value, option_values, preset_of
from app.results.reader import Reader
from ingest.base.files import replacing

__all__ = ["SUFFIXES", "make_report", "write", "zip_report"]

SUFFIXES = (".html", ".pdf", ".md")


def make_report(reader: Reader, name: str, given: Mapping[str, Value]) -> Document:
    """Return the report of a preset with these options. Raises ReportError."""
    preset = preset_of(name)
    return make_document(reader, preset, option_values(reader, preset, given))


def write(document: Document, file: Path) -> None:
    """Write a report, and its figures as FILE.csv; Markdown has its charts in a folder beside it.

    Raises ReportError.
    """
    match file.suffix.lower():
        case ".html":
            content = html(document).encode()
        case ".pdf":
            content = pdf(html(document))
        case ".md":
            content = _with_charts(document, file)
        case _:
            raise ReportError(f"{file}: a report ends in {', '.join(SUFFIXES)}")
    with replacing(file) as draft:
        draft.write_bytes(content)
    if document.figures:
        with replacing(file.with_suffix(".csv")) as draft:
            draft.write_text(document.figures, encoding="utf-8")


def _with_charts(document: Document, file: Path) -> bytes:
    folder = file.with_name(f"{file.stem}-charts")
    text, charts = markdown(document, folder.name)
    if charts:
        folder.mkdir(parents=True, exist_ok=True)
    for path, picture in charts.items():
        file.with_name(path.split("/")[0]).joinpath(path.split("/")[1]).write_text(
            picture, encoding="utf-8"
        )
    return text.encode()


def zip_report(document: Document, name: str) -> bytes:
    """Return a report in Markdown and its charts as one ZIP file."""
    text, charts = markdown(document, f"{name}-charts")
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        files = {f"{name}.csv": document.figures} if document.figures else {}
        for path, content in {f"{name}.md": text, **files, **charts}.items():
            archive.writestr(path, content)
    return target.getvalue()
