"""A round through the dashboard in Chromium: what no other test can see."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from app.dashboard.navigation import VIEWS
from tests.kit.browser import choose, chosen, opened, settle


def test_changed_filter_appears_in_the_url_and_survives_a_reload(server, tab):
    opened(tab, f"{server}/channel-initiator")
    assert "qm=SYN1%2FSYQ1" not in tab.url
    choose(tab, "Queue manager", "SYN1/SYQ1")
    tab.wait_for_url("**/channel-initiator?*qm=SYN1%2FSYQ1*")
    tab.keyboard.press("Escape")
    settle(tab)
    tab.reload()
    settle(tab)
    assert "qm=SYN1%2FSYQ1" in tab.url
    assert "SYN1/SYQ1" in chosen(tab, "Queue manager")


def test_dragging_across_a_chart_zooms_all_charts_and_back_undoes_each_zoom(server, tab):
    opened(tab, f"{server}/queue-manager?qm=SYN1%2FSYQ1")
    tab.wait_for_url("**/queue-manager?*from=*")
    shown = [times(tab)]
    for _ in range(2):
        chart = tab.get_by_test_id("stVegaLiteChart").first
        plot = chart.locator("svg .background").first.bounding_box()
        middle = plot["y"] + plot["height"] / 2
        tab.mouse.move(plot["x"] + plot["width"] * 0.25, middle)
        tab.mouse.down()
        tab.mouse.move(plot["x"] + plot["width"] * 0.6, middle, steps=8)
        tab.mouse.up()
        tab.wait_for_function("before => location.href !== before", arg=tab.url)
        settle(tab)
        shown.append(times(tab))
        assert shown[-2][0] < shown[-1][0] < shown[-1][1] < shown[-2][1]
    for before in shown[1::-1]:
        tab.go_back()
        settle(tab)
        assert times(tab) == before


def times(tab):
    """Return the time range in the address."""
    found = parse_qs(urlsplit(tab.url).query)
    return found["from"][0], found["to"][0]


def test_time_axis_is_utc_in_any_time_zone(drawn):
    chart = drawn.get_by_test_id("stVegaLiteChart").first
    chart.locator("svg").wait_for()
    labels = chart.locator("svg text").all_text_contents()
    assert "time, UTC" in labels
    hours = {label[:3] for label in labels if re.fullmatch(r"\d\d:\d\d", label)}
    assert hours == {"13:", "14:"}  # 06:31 to 07:02 in Denver


def test_table_downloads_as_csv(drawn):
    with drawn.expect_download() as started:
        drawn.get_by_test_id("stDownloadButton").get_by_role("button").click()
    lines = started.value.path().read_text().splitlines()
    assert started.value.suggested_filename == "queue_manager_intervals.csv"
    assert lines[0].startswith("origin,source_id,record_no,system_id,queue_manager")
    assert len(lines) > 2


def test_no_page_of_another_site_shows_the_dashboard_in_a_frame(server, chromium):
    context = chromium.new_context()
    page = context.new_page()
    with page.expect_console_message(lambda said: "frame-ancestors 'none'" in said.text):
        page.set_content(f"<iframe src='{server}/loads'></iframe>")
    page.wait_for_timeout(1000)  # time to show it all the same
    shown = [frame.url for frame in page.frames[1:]]
    context.close()
    assert shown == ["chrome-error://chromewebdata/"]


@pytest.mark.parametrize(
    "view", {view.group: view for view in VIEWS}.values(), ids=lambda view: view.path
)
def test_a_page_of_each_group_is_drawn(view, server, tab):
    assert opened(tab, f"{server}/{view.path}") == view.title
