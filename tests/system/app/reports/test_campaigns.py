"""Reports of the documents' campaigns, which the bundled inputs have not: they take minutes."""

from itertools import product
from pathlib import Path

import pytest

from app.reports.document import ReportError
from app.reports.html import html
from app.reports.pdf import browser
from app.reports.presets import presets
from app.reports.writing import make_report
from app.results.reader import Reader
from tests.kit.report import LINUX, OPTIONS, unfounded

_PAPER = 657  # CSS pixels of an A4 page between its margins


def test_each_number_of_a_sentence_on_linux_is_in_a_table_or_chart(campaigns: Path) -> None:
    assert not unfounded(make_report(Reader(campaigns), LINUX, {}))


@pytest.mark.skipif(browser() is None, reason="needs Chromium")
def test_no_table_is_wider_than_its_page(bundled: Path, campaigns: Path) -> None:
    """Otherwise Chromium prints the whole report smaller."""
    from playwright.sync_api import sync_playwright

    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    names = [preset.name for preset in presets()]
    found = {}
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": _PAPER, "height": 1_000})
        page.emulate_media(media="print")
        for warehouse, name in product((bundled, campaigns), names):
            options = OPTIONS[name] if name == "release" else {}
            try:
                document = make_report(Reader(warehouse), name, options)
            except ReportError:
                continue  # the warehouse lacks its records
            page.set_content(html(document))
            found[warehouse.parent.parent.name, name] = page.evaluate(wide)
        chromium.close()
    assert len(found) > len(names)
    assert not {one for one, over in found.items() if over > 0}
