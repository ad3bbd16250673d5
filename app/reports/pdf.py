"""A report as PDF: its HTML, printed by the Chromium or Chrome of this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path

from app.reports.document import ReportError
from app.reports.html import css_text

__all__ = ["browser", "pages_of_bookmarks", "pdf"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SECONDS = 120
_PAGE = re.compile(r'(<span class="page" data-of="([^"]*)">)</span>')
_SECTION = re.compile(r'<h2 id="([^"]*)">(.*?)</h2>')
_TAG = re.compile(r"<[^>]*>")
_MORE_PAGES = 200  # after the last heading
_ANCHOR = re.compile(r'<h[23] id="([^"]*)"')
_OBJECT = re.compile(rb"(?m)^(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)


def browser() -> str | None:
    """Return the path of a browser that prints, or None."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def pdf(html: str) -> bytes:
    """Return an HTML report as tagged PDF with bookmarks. Raises ReportError without a browser.

    A report with a table of contents is printed twice: the bookmarks of the first print say on
    which pages its headings are, for the contents and for running heads with the section.
    """
    printed = _print_page(html)
    anchors = _ANCHOR.findall(html)
    if not anchors:
        return printed
    pages = dict(zip(anchors, pages_of_bookmarks(printed)[1:], strict=False))  # the first: title
    filled = _PAGE.sub(lambda m: f"{m[1]}{pages.get(m[2], '')}</span>", html)
    return _print_page(filled.replace("</style>", f"{_running_heads(html, pages)}</style>", 1))


def _running_heads(html: str, pages: dict[str, int]) -> str:
    """Return the style that puts the section of each page into its head.

    Chromium has no running elements. A counter style says any text for each number, so also the
    section for each number of a page: the first one that begins there, or else the last before.
    """
    begins: dict[int, list[str]] = {}
    for anchor, title in _SECTION.findall(html):
        begins.setdefault(pages.get(anchor, 0), []).append(unescape(_TAG.sub("", title)))
    last, sections = "", []
    for page in range(1, max(pages.values(), default=0) + _MORE_PAGES):
        headings = begins.get(page, [last])
        sections.append(css_text(headings[0]))
        last = headings[-1]
    return (
        f"@counter-style section {{ system: fixed; symbols: {' '.join(sections)}; }}\n"
        "@page { @top-center { content: counter(page, section); color: #4d5866;\n"
        '  font: 8.5pt Arial, "Liberation Sans", sans-serif; } }\n'
        "@page :first { @top-center { content: none; } }\n"
    )


def pages_of_bookmarks(pdf: bytes) -> list[int]:
    """Return the page of each bookmark, from 1, in the order of the document.

    Chromium writes the objects of its bookmarks and pages in clear text.
    """
    objects = {int(m[1]): m[2] for m in _OBJECT.finditer(pdf)}
    tree = re.search(rb"/Pages (\d+) 0 R", pdf)
    root = re.search(rb"/Outlines (\d+) 0 R", pdf)
    if tree is None or root is None:
        return []
    page_of = {page: index + 1 for index, page in enumerate(_leaves(objects, [int(tree[1])]))}
    return [page_of.get(page, 0) for page in _bookmarks(objects, int(root[1]))]


def _leaves(objects: dict[int, bytes], nodes: Iterable[int]) -> Iterator[int]:
    """Yield the pages of a tree of pages, in order."""
    for node in nodes:
        kids = re.search(rb"/Type /Pages\b.*?/Kids \[(.*?)\]", objects.get(node, b""), re.DOTALL)
        if kids:
            yield from _leaves(objects, [int(n) for n in re.findall(rb"(\d+) 0 R", kids[1])])
        else:
            yield node


def _bookmarks(objects: dict[int, bytes], parent: int) -> Iterator[int]:
    """Yield the pages that the bookmarks below one lead to, as numbers of objects."""
    child = re.search(rb"/First (\d+) 0 R", objects.get(parent, b""))
    while child:
        body = objects[int(child[1])]
        target = re.search(rb"/Dest \[(\d+) 0 R", body)
        yield int(target[1]) if target else 0
        yield from _bookmarks(objects, int(child[1]))
        child = re.search(rb"/Next (\d+) 0 R", body)


def _print_page(html: str) -> bytes:
    program = browser()
    if program is None:
        raise ReportError(
            "PDF needs Chromium or Chrome on the path (Debian: apt install chromium); or write "
            ".html and print it from a browser"
        )
    with tempfile.TemporaryDirectory(prefix="perfhouse-") as name:
        folder = Path(name)
        page, printed = folder / "report.html", folder / "report.pdf"
        page.write_text(html, encoding="utf-8")
        command = [
            program, "--headless", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-background-networking", "--no-first-run", "--no-pdf-header-footer",
            "--generate-pdf-document-outline", f"--user-data-dir={folder / 'profile'}",
            f"--print-to-pdf={printed}", page.as_uri(),
        ]  # fmt: skip
        if os.geteuid() == 0:  # its sandbox does not start for root; the page runs no scripts
            command.insert(1, "--no-sandbox")
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ReportError(f"{program}: {error}") from None
        if not printed.is_file():
            lines = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
            raise ReportError(f"{program} wrote no PDF: {lines[-1]}")
        return printed.read_bytes()
