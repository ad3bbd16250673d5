"""A morning's questions, each answered in Chromium as an engineer would, from page to page.

PERFHOUSE_SCREENSHOTS names a folder for pictures of the last page of each journey.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page

from app.cli.main import main
from scripts.serving import serving
from tests.kit.browser import main_text, opened, settle, watched
from tests.kit.cases import cases
from tests.kit.warehouses import copied

SLOW, NIGHTS = 30, 40
SPACES = {"AGNT1": 4.0, "MQ1MSTR": 1.0, "MQ1CHIN": 2.0}  # CPU s per GB
PICTURES = os.environ.get("PERFHOUSE_SCREENSHOTS")


def nights(file: Path) -> Path:
    """Write forty nights of one configuration; channels cost 40 % more from night 30 on."""
    random = np.random.default_rng(5)
    runs = []
    for night in range(NIGHTS):
        start = datetime(2026, 4, 1, 22) + timedelta(days=night)
        costs = {
            space: cost
            * float(np.exp(random.normal(0, 0.01)))
            * (1.4 if space == "MQ1CHIN" and night >= SLOW else 1.0)
            for space, cost in SPACES.items()
        }
        given = [
            {"metric": "cost_per_GB", "value": cost, "unit": "CPU s/GB", "address_space": space}
            for space, cost in costs.items()
        ]
        total = {"metric": "cost_per_GB", "value": sum(costs.values()), "unit": "CPU s/GB"}
        runs.append({
            "run_id": f"m{night:03}",
            "start": f"{start.isoformat()}Z",
            "stop": f"{(start + timedelta(seconds=60)).isoformat()}Z",
            "labels": {"git_revision": f"b{night:03}"},
            "measurement": [total | {"more_is_better": False}, *given],
        })  # fmt: skip
    factors = {"source": "z/OS", "target": "xLinux", "file_size_mb": 100}
    held = {"perfhouse_manifest": 1, "campaign": "morning", "run": runs, "factors": factors}
    file.write_text(json.dumps(held))
    return file


@pytest.fixture(scope="module")
def morning(bundled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard on the bundled data and those nights, checked and published."""
    folder = tmp_path_factory.mktemp("morning")
    warehouse = copied(bundled, folder / "warehouse")
    run = ["run", str(nights(folder / "nights.json")), "--warehouse", str(warehouse.file)]
    assert main(run) == 1  # the regression
    with serving(warehouse.file) as address:
        yield address


def picture(tab: Page, name: str) -> None:
    if PICTURES:
        tab.screenshot(path=Path(PICTURES) / f"{name}.png")


def click_row(tab: Page, table: str, row: int = 0) -> None:
    """Click a row of a table, which is drawn on a canvas."""
    cells = tab.get_by_test_id("stDataFrame").filter(has=tab.get_by_label(table)).first
    cells.evaluate("table => table.scrollIntoView({block: 'center'})")
    box = cells.bounding_box()
    assert box is not None
    tab.mouse.click(box["x"] + 120, box["y"] + 52 + 35 * row)


def test_two_releases_compared(morning: str, tab: Page) -> None:
    opened(
        tab,
        f"{morning}/comparison?compare=Range+of+builds&baseline=b000&baseline-to=b029"
        "&candidate=b030&candidate-to=b039",
    )
    assert "1 worse. The largest difference: Cost per GB" in main_text(tab)
    picture(tab, "comparison")


def test_the_price_of_an_offload(morning: str, tab: Page) -> None:
    opened(tab, f"{morning}/cost?origin=simulated&campaign=smoke")
    price = tab.get_by_role("spinbutton", name="Price of an MSU hour")
    price.fill("50")
    price.press("Enter")
    settle(tab)
    tile = tab.get_by_test_id("stMetric").filter(has_text="Price")
    assert "a day" in tile.inner_text()
    assert "price=50" in tab.url  # the address can be sent
    picture(tab, "offload")


def test_a_question_in_sql(morning: str, tab: Page) -> None:
    opened(tab, f"{morning}/sql")
    query = tab.get_by_role("textbox", name="Query")
    query.fill("SELECT count(*) AS runs FROM marts.fct_run WHERE campaign = 'morning'")
    query.press("Control+Enter")
    tab.get_by_role("button", name="Run", exact=True).click()
    tab.get_by_text("1 row in").wait_for()
    with tab.expect_download() as started:
        tab.get_by_role("button", name="CSV", exact=True).locator("visible=true").click()
    assert started.value.path().read_text() == f"runs\n{NIGHTS}\n"
    picture(tab, "sql")


def test_a_number_followed_to_its_record(morning: str, tab: Page) -> None:
    opened(tab, f"{morning}/run?run=m030")
    click_row(tab, "figures")
    settle(tab)
    tab.get_by_role("link", name="comes from").click()
    tab.wait_for_url("**/lineage?*run=m030*")
    settle(tab)
    assert "cost_per_GB = as given" in main_text(tab)
    click_row(tab, "records")
    tab.get_by_role("link", name="Record 31 of").click()
    tab.wait_for_url("**/lineage?*record=31*")
    settle(tab)
    assert "raw.bench_measurement (4)" in main_text(tab)  # the total and three address spaces
    picture(tab, "lineage")


def test_a_report_from_the_page(morning: str, tab: Page) -> None:
    opened(tab, f"{morning}/reports?report=campaign&campaign=morning")
    with tab.expect_download() as started:
        tab.get_by_role("button", name="HTML").click()
    html = started.value.path().read_text()
    assert "morning" in html
    assert "<svg" in html
    picture(tab, "report")


@pytest.fixture(scope="module")
def asking(morning: str, browsing: BrowserContext) -> Iterator[Page]:
    """A tab for all questions, which goes back to Today for each."""
    with watched(browsing) as page:
        opened(page, f"{morning}/today")
        count = page.get_by_test_id("stMetric").filter(has_text="Open regressions").inner_text()
        assert "1" in count
        yield page


@cases
def test_a_question_is_answered_in_two_clicks_and_in_words(
    clicks: tuple[str, ...], answer: str, asking: Page
) -> None:
    """Clicks begin at Today; the page that they lead to has the answer."""
    assert len(clicks) <= 2
    if "/today" not in asking.url:
        asking.get_by_test_id("stTopNavLink").filter(has_text="Today").click()
        asking.wait_for_url("**/today*")
        settle(asking)
    for place, click in enumerate(clicks):
        if click == "row":
            click_row(asking, "open regressions")
            asking.wait_for_url("**/regressions?id=*")
        elif place == 0:
            asking.get_by_test_id("stTopNavSection").filter(has_text=click).click()
        else:
            asking.get_by_test_id("stTopNavDropdownLink").filter(has_text=click).first.click()
            asking.wait_for_url(lambda url: "/today" not in url)
    settle(asking)
    assert answer in main_text(asking)
