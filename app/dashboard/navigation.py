"""The pages, in menu order."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

__all__ = ["VIEWS", "View"]

_FOLDER = Path(__file__).with_name("views")


class View(NamedTuple):
    """A page: its title, URL path, icon, and script in `views`.

    `scoped`: the page shows MQ's SMF records, filtered by queue manager and time range.
    """

    title: str
    path: str
    icon: str
    script: Path
    scoped: bool = False


VIEWS = (
    View("Overview", "overview", ":material/inventory_2:", _FOLDER / "overview.py"),
    View("Data issues", "data-issues", ":material/report:", _FOLDER / "issues.py"),
    View("Runs", "runs", ":material/speed:", _FOLDER / "runs.py"),
    View("Comparison", "comparison", ":material/compare_arrows:", _FOLDER / "comparison.py"),
    View("Regressions", "regressions", ":material/trending_down:", _FOLDER / "regressions.py"),
    View(
        "Queue manager",
        "queue-manager",
        ":material/sync_alt:",
        _FOLDER / "queue_manager.py",
        scoped=True,
    ),
    View(
        "Channel initiator",
        "channel-initiator",
        ":material/lan:",
        _FOLDER / "channel_initiator.py",
        scoped=True,
    ),
    View(
        "Tasks and queues",
        "tasks-and-queues",
        ":material/receipt_long:",
        _FOLDER / "tasks_and_queues.py",
        scoped=True,
    ),
    View("Processors", "processors", ":material/memory:", _FOLDER / "processors.py"),
    View("Published figures", "published", ":material/menu_book:", _FOLDER / "published.py"),
    View("Pipeline", "pipeline", ":material/conveyor_belt:", _FOLDER / "pipeline.py"),
)
