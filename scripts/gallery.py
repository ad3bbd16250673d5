"""Make the gallery of docs/reports.md: the page of each report after the title page.

    python -m scripts.gallery FOLDER WAREHOUSE...

writes FOLDER/PRESET.png of every preset, from the first of these warehouses that has what it needs.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from playwright.sync_api import FloatRect, Page, ViewportSize, sync_playwright

from app.reports.document import ReportError
from app.reports.html import html
from app.reports.presets import presets
from app.reports.writing import make_report
from app.results.reader import Reader

_PAGE = ViewportSize(width=794, height=1123)  # CSS pixels of an A4 page
_MARGINS = (
    "body { padding: 20mm 18mm !important; max-width: none !important; }"
    ".cover, nav { display: none !important; }"
)
_SCALE = 0.6
_USUAL = "nightly"


def pages(warehouses: Sequence[Path]) -> dict[str, str]:
    """Return the HTML of every preset that one of the warehouses suits, by its name.

    A campaign that is named after its preset goes before others, and then one of many nights.
    """
    result: dict[str, str] = {}
    for preset in presets():
        for options, file in product(
            ({"campaign": preset.name}, {"campaign": _USUAL}, {}), warehouses
        ):
            try:
                result[preset.name] = html(make_report(Reader(file), preset.name, options))
                break
            except ReportError as error:
                print(f"{file.name}: {error}", file=sys.stderr)
    return result


def draw(page: Page, text: str, file: Path) -> None:
    """Write a picture of the first page of a report after its title page, as it is printed."""
    page.emulate_media(media="print")
    page.set_content(text)
    page.add_style_tag(content=_MARGINS)
    page.screenshot(
        path=file, clip=FloatRect(x=0, y=0, width=_PAGE["width"], height=_PAGE["height"])
    )


def main(arguments: Sequence[str]) -> int:
    """Write the pictures; 1 if a preset has none."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder, *warehouses = map(Path, arguments)
    folder.mkdir(parents=True, exist_ok=True)
    images = pages(warehouses)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=_PAGE, device_scale_factor=_SCALE)
        for name, text in images.items():
            draw(page, text, folder / f"{name}.png")
        browser.close()
    return int(len(images) < len(presets()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
