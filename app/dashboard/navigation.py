"""The pages, in the order of the menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.dashboard.queries.scope import Scope
from app.dashboard.reader import Reader
from app.dashboard.views import (
    channel_initiator,
    overview,
    published,
    queue_manager,
    tasks_and_queues,
)

__all__ = ["VIEWS", "View"]


@dataclass(frozen=True)
class View:
    """A page: its name in the menu, its place in the address, and the function that draws it.

    `draw` is for pages that show everything; `draw_scope` for those narrowed to queue managers
    and a range of time. A page has one of the two.
    """

    title: str
    path: str
    icon: str
    draw: Callable[[Reader], None] | None = None
    draw_scope: Callable[[Reader, Scope], None] | None = None


VIEWS = (
    View("Overview", "overview", ":material/inventory_2:", draw=overview.draw),
    View(
        "Queue manager", "queue-manager", ":material/sync_alt:", draw_scope=queue_manager.draw
    ),
    View(
        "Channel initiator", "channel-initiator", ":material/lan:",
        draw_scope=channel_initiator.draw,
    ),
    View(
        "Tasks and queues", "tasks-and-queues", ":material/receipt_long:",
        draw_scope=tasks_and_queues.draw,
    ),
    View("Published figures", "published", ":material/menu_book:", draw=published.draw),
)  # fmt: skip
