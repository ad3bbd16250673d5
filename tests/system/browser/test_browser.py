"""The dashboard in Chromium: addresses, menus, downloads, and barriers on every page."""

from __future__ import annotations

import re
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe

from app.dashboard.navigation import VIEWS, tabs_of, view_of
from scripts.serving import SETTLED
from tests.kit.browser import TITLED, chosen, opened, settle

SVG = "{http://www.w3.org/2000/svg}"


def go(tab, view):
    """Open a page from the menu, and a tab from its page."""
    first = tabs_of(view)[0]
    links = tab.get_by_test_id("stPageLink")
    if view is first or not links.filter(has_text=view.tab).count():
        if view.group:
            tab.get_by_test_id("stTopNavSection").filter(has_text=view.group).click()
        tab.locator(f"a[href$='/{first.path}']").click()
        tab.wait_for_function(TITLED, arg=first.title)
    if view is not first:
        links.get_by_role("link", name=view.tab, exact=True).click()
    tab.wait_for_function(TITLED, arg=view.title)
    tab.wait_for_function(SETTLED)
    assert tab.get_by_test_id("stException").count() == 0


def test_queue_manager_is_kept_across_pages(server, tab):
    opened(tab, f"{server}/queue-manager?qm=SYN1%2FSYQ2")
    first = next(i for i, view in enumerate(VIEWS) if view.owner == "queue manager")
    for view in VIEWS[first + 1 : first + 3]:
        go(tab, view)
        tab.wait_for_url(f"**/{view.path}?*qm=SYN1%2FSYQ2*")
        assert chosen(tab, "Queue manager") == ["SYN1/SYQ2"]


def test_filter_is_kept_when_returning_to_its_page(server, tab):
    opened(tab, f"{server}/published?show=Claims&document=004")
    go(tab, view_of("loads"))
    go(tab, view_of("published"))
    tab.wait_for_url("**/published?*document=004*")
    settle(tab)
    assert "show=Claims" in tab.url


def test_an_address_without_a_page_says_so(server, tab):
    assert opened(tab, f"{server}/advice") == "No such page"
    assert "There is no page advice." in tab.get_by_test_id("stMain").inner_text()


def test_a_published_figure_is_followed_to_its_record_in_two_clicks(server, tab):
    assert opened(tab, f"{server}/published?cell=4") == "Published figures"
    tab.get_by_role("link", name="Where it comes from").click()
    tab.wait_for_url("**/lineage?*cell=4*")
    tab.get_by_role("link", name="Record 4 of").click()
    tab.get_by_text("raw.published_cell (1)").wait_for()
    tab.wait_for_url("**/lineage?*record=4*")
    settle(tab)
    assert "FROM raw.published_cell WHERE" in tab.get_by_test_id("stCode").first.inner_text()


@pytest.mark.parametrize("path", ["system-health", "published", "runs"])
def test_back_from_a_page_with_filters_takes_one_press(path, server, tab):
    opened(tab, f"{server}/loads")
    go(tab, view_of(path))
    tab.wait_for_url(f"**/{path}?*")
    settle(tab)
    tab.go_back()
    tab.wait_for_function(TITLED, arg="Loads")
    assert "/loads" in tab.url


def test_a_link_from_a_page_to_itself_changes_the_address_and_back_undoes_it(server, tab):
    opened(tab, f"{server}/comparison?compare=Factor&factor=message_size_bytes")
    tab.wait_for_url("**/comparison?*candidate=*")
    settle(tab)
    tab.get_by_role("link", name="in spite").click()
    tab.wait_for_url("**/comparison?*ignore=messages*")
    settle(tab)
    assert chosen(tab, "Ignore") == ["Messages"]
    tab.go_back()
    tab.wait_for_url(lambda url: "ignore=" not in url)
    settle(tab)
    assert chosen(tab, "Ignore") == []


def test_a_table_has_no_other_download_than_ours(drawn):
    tab = drawn
    tab.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")  # not below the menu
    tab.get_by_test_id("stVegaLiteChart").first.hover()
    tab.get_by_role("button", name="Show data").first.click()  # the rows of a chart are a table
    tab.wait_for_function("document.querySelectorAll('[data-testid=stDataFrame]').length === 2")
    search = tab.get_by_role("button", name="Search")
    search.nth(1).wait_for(state="attached")  # tables are there before their buttons
    assert search.count() == 2
    assert tab.locator("[aria-label^='Download as CSV']").count() == 2  # Streamlit's, hidden
    shown = tab.get_by_role("button", name=re.compile("CSV|Export", re.IGNORECASE))
    assert shown.all_inner_texts() == ["download\n\nCSV"]


def test_chart_downloads_with_what_it_shows_and_its_source(drawn):
    tab = drawn
    tab.get_by_test_id("stPopover").first.get_by_role("button").click()
    menu = tab.get_by_test_id("stPopoverBody")
    with tab.expect_download() as started:
        menu.get_by_role("button", name="SVG").click()
    assert started.value.suggested_filename == "queue_manager_calls_by_verb.svg"
    drawn = ElementTree.parse(started.value.path()).getroot()
    assert drawn.attrib["aria-label"] == "Calls by verb"
    said = "\n".join("".join(text.itertext()) for text in drawn.iter(f"{SVG}text"))
    assert "Calls by verb" in said
    assert "Queue manager · SYN1/SYQ2 · 2024-02-29 13:31 to 2024-02-29 14:02 UTC" in said
    assert re.search(r"Source: perfhouse, published \d{4}-\d\d-\d\d \d\d:\d\d UTC · \w+ data", said)
    with tab.expect_download() as started:
        menu.get_by_role("button", name="PNG").click()
    assert started.value.path().read_bytes().startswith(b"\x89PNG\r\n")


#: Streamlit asks below the page's path first, then at the root, where its server is.
PROBES = ("/_stcore/host-config", "/_stcore/health")


def serious(tab):
    """Return what axe-core calls a serious barrier on the page that is shown, or a worse one."""
    found = Axe().run(tab, options={"resultTypes": ["violations"]}).response
    return {
        (urlsplit(tab.url).path, one["id"], node["html"])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    }


#: JavaScript: whether the page is in the dark theme.
DARK = """() => {
    const app = getComputedStyle(document.querySelector('[data-testid=stApp]'));
    return app.backgroundColor === 'rgb(20, 23, 28)';
}"""
#: A page of each group, and pages with what others have not: a form, a report, an editor, a graph.
DIFFERENT = {
    *{view.group: view.path for view in VIEWS}.values(),
    *("comparison", "lineage", "reports", "simulator", "sql", "today"),
}


def test_pages_open_without_errors_and_name_their_charts(server, tab):
    said, narrow = [], {"width": 800, "height": 900}
    wide = tab.viewport_size
    tab.on(
        "console",
        lambda message: (
            message.type == "error"
            and not message.location["url"].endswith(PROBES)
            and said.append(f"{tab.url}: {message.text}")
        ),
    )
    tab.emulate_media(color_scheme="light")
    titles, unnamed, barriers = {VIEWS[0].path: opened(tab, server)}, [], set()
    for view in VIEWS:
        if view is not VIEWS[0]:
            go(tab, view)
        titles[view.path] = tab.get_by_role("heading", level=1).first.inner_text()
        charts = tab.get_by_test_id("stVegaLiteChart")
        names = charts.evaluate_all("charts => charts.map(c => c.getAttribute('aria-label'))")
        unnamed += [view.path for name in names if not (name or "").strip()]
        barriers |= serious(tab)
        if view.path in DIFFERENT:
            tab.set_viewport_size(narrow)
            tab.emulate_media(color_scheme="dark")
            tab.wait_for_function(DARK)
            barriers |= serious(tab)
            tab.emulate_media(color_scheme="light")
            tab.set_viewport_size(wide)
            tab.wait_for_function(f"!({DARK})()")
    assert titles == {view.path: view.title for view in VIEWS}
    assert unnamed == []
    assert barriers == set()
    assert said == []
