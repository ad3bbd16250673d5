"""The dashboard as users see it: the real server, and tabs of headless Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from scripts.serving import CHROMIUM_OPTIONS, SETTLED, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

CHROMIUM = os.environ.get("PERFHOUSE_CHROMIUM") or shutil.which("chromium")
TITLED = "title => document.querySelector('h1')?.innerText === title"


@pytest.fixture(scope="session")
def server(bundled: Path) -> Iterator[str]:
    """The URL of a dashboard on the bundled data."""
    with serving(bundled) as address:
        yield address


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A headless browser; skip if none is installed.

    Of a module: while it runs, nothing else in this process can run an event loop.
    """
    if not CHROMIUM:
        pytest.skip("no Chromium: `make chromium` installs it, or PERFHOUSE_CHROMIUM names one")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browsing(chromium: Browser) -> Iterator[BrowserContext]:
    """What all tabs share, so that each of them need not fetch the dashboard's scripts again."""
    # Not UTC: what is shown must not depend on the browser's time zone.
    context = chromium.new_context(
        viewport={"width": 1440, "height": 900}, timezone_id="America/Denver"
    )
    yield context
    context.close()


@pytest.fixture
def tab(browsing: BrowserContext) -> Iterator[Page]:
    """A tab; the test fails if it made an outside request or the page raised an error."""
    with watched(browsing) as page:
        yield page


@pytest.fixture(scope="module")
def drawn(server: str, browsing: BrowserContext) -> Iterator[Page]:
    """A tab with half an hour of a queue manager, for tests that change nothing about it."""
    with watched(browsing) as page:
        address = f"{server}/queue-manager?qm=SYN1%2FSYQ2"
        opened(page, f"{address}&from=2024-02-29T13%3A31&to=2024-02-29T14%3A02")
        yield page


@contextmanager
def watched(browsing: BrowserContext) -> Iterator[Page]:
    """Open a tab, and find out in the end whether it asked elsewhere or raised an error."""
    page = browsing.new_page()
    page.set_default_timeout(60_000)
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    outside = {
        url
        for url in asked
        if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).hostname != "127.0.0.1"
    }
    assert asked
    assert outside == set()
    assert errors == []


def settle(tab: Page) -> None:
    """Wait until the page is drawn after something was done to it."""
    tab.wait_for_timeout(300)  # until it begins
    tab.wait_for_function(SETTLED)


def opened(tab: Page, address: str) -> str:
    """Open an address; return the page's heading."""
    tab.goto(address)
    tab.wait_for_function(SETTLED)
    assert tab.get_by_test_id("stException").count() == 0
    return tab.get_by_role("heading", level=1).first.inner_text()


def field(tab: Page, label: str) -> Locator:
    """Return a filter."""
    return tab.get_by_test_id("stMultiSelect").filter(has_text=label)


def choose(tab: Page, label: str, value: str) -> None:
    """Choose a value of a filter, and close its list."""
    field(tab, label).get_by_role("combobox").click()
    tab.get_by_role("option", name=value, exact=True).click()


def chosen(tab: Page, label: str) -> list[str]:
    """Return the values of a filter, as displayed."""
    return field(tab, label).locator("[data-tag]").all_inner_texts()


def main_text(tab: Page) -> str:
    """Return the text of the page, without its tables, which are drawn on a canvas."""
    return tab.get_by_test_id("stMain").inner_text()
