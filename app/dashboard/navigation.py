"""The pages, in menu order, by group."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

__all__ = ["VIEWS", "View", "view_of"]

_FOLDER = Path(__file__).with_name("views")


class View(NamedTuple):
    """A page: its title, URL path, icon, script in `views`, and group in the menu.

    `owner`: whose records the page shows, one of app.results.queries.owners; the main script then
    draws the choice of owners and of the time range, which these pages share.
    """

    title: str
    path: str
    icon: str
    script: Path
    group: str
    owner: str = ""


def _views(group: str, *pages: tuple[str, str, str], owner: str = "") -> list[View]:
    """Return the pages of a group: title, script and icon of each; the script names the path."""
    return [
        View(title, name.replace("_", "-"), f":material/{icon}:", _FOLDER / f"{name}.py",
             group, owner)
        for title, name, icon in pages
    ]  # fmt: skip


VIEWS = (
    *_views("", ("Today", "today", "today")),
    *_views(
        "Results",
        ("Regressions", "regressions", "trending_down"),
        ("Comparison", "comparison", "compare_arrows"),
        ("Runs", "runs", "speed"),
        ("Run", "run", "sprint"),
        ("Cost and zIIP", "cost", "payments"),
        ("Factors", "factors", "tune"),
        ("Noise", "noise", "graphic_eq"),
        ("Reports", "reports", "description"),
    ),
    *_views("Systems", ("Usage", "usage", "stacked_bar_chart")),
    *_views(
        "Systems",
        ("LPARs", "lpars", "memory"),
        ("Workload", "workload", "work_history"),
        ("Address spaces", "address_spaces", "apps"),
        ("Coupling facility", "coupling_facility", "hub"),
        ("Storage", "storage", "hard_drive"),
        ("Crypto and hardware", "crypto_and_hardware", "developer_board"),
        owner="system",
    ),
    *_views(
        "Systems",
        ("RMF reports", "rmf_reports", "print"),
        ("Hosts and containers", "hosts", "dns"),
    ),
    *_views(
        "MQ",
        ("Queue manager", "queue_manager", "sync_alt"),
        ("Log and page sets", "logs_and_page_sets", "save"),
        ("Shared queues", "shared_queues", "hub"),
        ("Queues", "queues", "inbox"),
        ("Channel initiator", "channel_initiator", "lan"),
        ("Tasks and queues", "tasks_and_queues", "receipt_long"),
        owner="queue manager",
    ),
    *_views(
        "Reference",
        ("Published figures", "published", "menu_book"),
        ("Simulator", "simulator", "model_training"),
        ("Advice", "advice", "lightbulb"),
    ),
    *_views(
        "Data",
        ("SQL", "sql", "terminal"),
        ("Lineage", "lineage", "account_tree"),
        ("Data issues", "data_issues", "report"),
        ("Loads", "loads", "inventory_2"),
        ("Pipeline", "pipeline", "conveyor_belt"),
    ),
)


def view_of(path: str) -> View:
    """Return the page with this URL path."""
    return next(view for view in VIEWS if view.path == path)
