"""The pages, in the order of the menu."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

__all__ = ["VIEWS", "View"]

_FOLDER = Path(__file__).with_name("views")


class View(NamedTuple):
    """A page: its title, its place in the address, its icon, and its script in `views`.

    `scoped`: it shows SMF records, narrowed to queue managers and a range of time.
    """

    title: str
    path: str
    icon: str
    script: Path
    scoped: bool = False


VIEWS = (
    View("Overview", "overview", ":material/inventory_2:", _FOLDER / "overview.py"),
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
)
