"""The pages and their tabs, in menu order, by group."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

__all__ = ["VIEWS", "View", "tabs_of", "view_of"]

_FOLDER = Path(__file__).with_name("views")


class View(NamedTuple):
    """A page: its title, URL path, icon, script in `views`, and group in the menu.

    page: the entry of the menu that leads to it, of which it is a tab. tab: what its tab is called;
    empty for a page without tabs. owner: whose records it shows, one of app.results.queries.owners;
    the main script then draws the choice of owners and of the time range, which these pages share.
    """

    title: str
    path: str
    icon: str
    script: Path
    group: str
    page: str
    tab: str = ""
    owner: str = ""


def _page(group: str, title: str, name: str, icon: str) -> View:
    """Return a page without tabs; its script names the path."""
    return View(
        title, name.replace("_", "-"), f":material/{icon}:", _FOLDER / f"{name}.py", group, title
    )


def _tabs(
    group: str, page: str, icon: str, *tabs: tuple[str, str, str], owner: str = ""
) -> list[View]:
    """Return the tabs of a page: title, script and the tab's word of each."""
    return [
        _page(group, title, name, icon)._replace(page=page, tab=tab, owner=owner)
        for title, name, tab in tabs
    ]


VIEWS = (
    _page("", "Today", "today", "today"),
    *_tabs(
        "Results",
        "Regressions",
        "trending_down",
        ("Regressions", "regressions", "Regressions"),
        ("Noise", "noise", "Noise"),
    ),
    _page("Results", "Comparison", "comparison", "compare_arrows"),
    *_tabs(
        "Results",
        "Runs",
        "speed",
        ("Runs", "runs", "Runs of a campaign"),
        ("Run", "run", "One run"),
    ),
    _page("Results", "Cost and zIIP", "cost", "payments"),
    _page("Results", "Factors", "factors", "tune"),
    _page("Results", "Reports", "reports", "description"),
    *_tabs(
        "Systems",
        "Systems",
        "memory",
        ("Health of systems", "system_health", "Health"),
        ("LPARs", "lpars", "LPARs"),
        ("Workload", "workload", "Workload"),
        ("Address spaces", "address_spaces", "Address spaces"),
        ("Coupling facility", "coupling_facility", "Coupling facility"),
        ("Storage", "storage", "Storage"),
        ("Crypto and hardware", "crypto_and_hardware", "Crypto and hardware"),
        owner="system",
    ),
    *_tabs(
        "Systems",
        "Queue managers",
        "sync_alt",
        ("Health of queue managers", "mq_health", "Health"),
        ("Queue manager", "queue_manager", "Activity"),
        ("Log and page sets", "logs_and_page_sets", "Log, pools, page sets"),
        ("Queues", "queues", "Queues"),
        ("Shared queues", "shared_queues", "Shared queues"),
        ("Channel initiator", "channel_initiator", "Channels"),
        ("Tasks and queues", "tasks_and_queues", "Tasks"),
        owner="queue manager",
    ),
    _page("Systems", "Usage", "usage", "stacked_bar_chart"),
    _page("Systems", "RMF reports", "rmf_reports", "print"),
    _page("Systems", "Hosts and containers", "hosts", "dns"),
    _page("Reference", "Published figures", "published", "menu_book"),
    _page("Reference", "Simulator", "simulator", "model_training"),
    _page("Reference", "Plan", "plan", "calculate"),
    _page("Data", "SQL", "sql", "terminal"),
    _page("Data", "Lineage", "lineage", "account_tree"),
    *_tabs(
        "Data",
        "Loads",
        "inventory_2",
        ("Loads", "loads", "Files"),
        ("Data issues", "data_issues", "Data issues"),
        ("Pipeline", "pipeline", "Pipeline"),
    ),
)


def view_of(path: str) -> View:
    """Return the page with this URL path."""
    return next(view for view in VIEWS if view.path == path)


def tabs_of(view: View) -> list[View]:
    """Return the tabs of the page that a view is on, in their order."""
    return [one for one in VIEWS if one.page == view.page]
