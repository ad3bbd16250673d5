"""The pages and their tabs, in menu order, by group; a team's own pages are beside them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from app.results.pages import FOLDER, about_of, files, own_folder, page_of
from ingest.base.errors import SettingsError

__all__ = ["MOVED", "VIEWS", "View", "tabs_of", "view_of", "views"]

_FOLDER = Path(__file__).with_name("views")


class View(NamedTuple):
    """A page: its title, URL path, icon, script or declaration, and group in the menu.

    page: the entry of the menu that leads to it, of which it is a tab. tab: what its tab is called;
    empty for a page without tabs. needs: marts; the menu has it if one of them has a row (always if
    there are none). owner: whose records it shows, one of app.results.queries.owners;
    the main script then draws the choice of owners and of the time range, which these pages share.
    """

    title: str
    path: str
    icon: str
    script: Path
    group: str
    page: str
    tab: str = ""
    needs: tuple[str, ...] = ()
    owner: str = ""

    @property
    def is_declared(self) -> bool:
        """Whether a file of app.results.pages says what it shows."""
        return self.script.suffix == ".toml"

    @property
    def about(self) -> str:
        """What it shows: the first words of its script."""
        if self.is_declared:
            return about_of(self.script)
        _, words, _ = self.script.read_text(encoding="utf-8").split('"""', 2)
        return " ".join(words.split("\n\n")[0].split())


def _page(group: str, title: str, name: str, icon: str, needs: str = "") -> View:
    """Return a page without tabs; its script names the path. `needs`: marts between spaces."""
    return View(
        title, name.replace("_", "-"), f":material/{icon}:", _FOLDER / f"{name}.py", group, title,
        needs=tuple(needs.split()),
    )  # fmt: skip


def _tabs(
    group: str, page: str, icon: str, *tabs: tuple[str, str, str, str], owner: str = ""
) -> list[View]:
    """Return the tabs of a page: title, script, the tab's word, and what each needs."""
    return [
        _page(group, title, name, icon, needs)._replace(page=page, tab=tab, owner=owner)
        for title, name, tab, needs in tabs
    ]


def _declared(folder: Path, group: str, icon: str, entry: str = "") -> list[View]:
    """Return the pages that files in a folder declare, of an entry of the menu or of all."""
    declared = []
    for file in files(folder):
        title = file.stem.replace("_", " ").capitalize()
        view = View(
            title, file.stem.replace("_", "-"), f":material/{icon}:", file, group, title
        )  # fmt: skip
        try:
            page = page_of(file)
        except SettingsError:  # the page says so
            declared.append((0, view))
            continue
        view_of_page = view._replace(
            title=page.title, page=page.page or page.title, tab=page.tab or page.title,
            needs=tuple(sorted(page.needs)) if page.owner else (), owner=page.owner,
        )  # fmt: skip
        if entry in ("", view_of_page.page) and page.owner not in ("run", "campaign"):
            declared.append((page.place, view_of_page))
    return [view for _, view in sorted(declared, key=lambda item: item[0])]


VIEWS = (
    _page("", "Today", "today", "today"),
    *_tabs(
        "Results",
        "Regressions",
        "trending_down",
        ("Regressions", "regressions", "Regressions", "fct_measurement"),
        ("Noise", "noise", "Noise", "fct_measurement"),
    ),
    _page(
        "Results", "Comparison", "comparison", "compare_arrows", "fct_run fct_published_measurement"
    ),
    *_tabs(
        "Results",
        "Runs",
        "speed",
        ("Runs", "runs", "Runs of a campaign", "fct_run"),
        ("Run", "run", "One run", "fct_run"),
    ),
    _page("Results", "Cost and zIIP", "cost", "payments", "fct_cost_by_address_space"),
    _page("Results", "Reports", "reports", "description"),
    *_tabs(
        "Systems",
        "Systems",
        "memory",
        (
            "Health of systems",
            "system_health",
            "Health",
            "fct_processor_interval fct_volume_interval",
        ),
        owner="system",
    ),
    *_declared(FOLDER, "Systems", "memory", "Systems"),
    *_tabs(
        "Systems",
        "Queue managers",
        "sync_alt",
        (
            "Health of queue managers",
            "mq_health",
            "Health",
            "fct_queue_manager_interval fct_channel_initiator_interval",
        ),
        owner="queue manager",
    ),
    *_declared(FOLDER, "Systems", "sync_alt", "Queue managers"),
    _page("Systems", "Usage", "usage", "stacked_bar_chart", "fct_usage_hour fct_task_accounting"),
    _page("Reference", "Published figures", "published", "menu_book", "fct_published_measurement"),
    _page("Reference", "Simulator", "simulator", "model_training"),
    _page("Reference", "Plan", "plan", "calculate"),
    _page("Data", "SQL", "sql", "terminal"),
    _page("Data", "Lineage", "lineage", "account_tree"),
    *_declared(FOLDER, "Data", "inventory_2", "Loads"),
)


#: Addresses of pages that others have taken in: the page, and what in its address shows it.
MOVED: dict[str, tuple[str, dict[str, str]]] = {
    "factors": ("comparison", {"preset": "factors"}),
    "hosts": ("runs", {}),
    "pipeline": ("loads", {}),
}


def views() -> list[View]:
    """Return all pages: ours, and a team's own."""
    own_views = _declared(own_folder(), "Own", "star")
    paths = {view.path for view in VIEWS}
    group_of = {view.page: view.group for view in VIEWS}
    return [
        *VIEWS,
        *(view._replace(group=group_of.get(view.page, view.group))
          for view in own_views if view.path not in paths),
    ]  # fmt: skip


def view_of(path: str) -> View:
    """Return the page with this URL path."""
    return next(view for view in views() if view.path == path)


def tabs_of(view: View, views: Iterable[View] = VIEWS) -> list[View]:
    """Return those of some views that are tabs of the page that a view is on, in their order."""
    return [each for each in views if each.page == view.page]
