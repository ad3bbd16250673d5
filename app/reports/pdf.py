"""A report as PDF: its HTML, printed by the Chromium or Chrome of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from app.reports.document import ReportError

__all__ = ["browser", "pdf"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SECONDS = 120


def browser() -> str | None:
    """Return the path of a browser that prints, or None."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def pdf(html: str) -> bytes:
    """Return the pages of an HTML report as PDF. Raises ReportError without a browser."""
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
