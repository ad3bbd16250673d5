"""The dashboard's main script: `streamlit run app/dashboard/main.py`.

PERFHOUSE_WAREHOUSE names the file of the published warehouse.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from app.dashboard import components, filters, pictures, roles, search, session, systems, units
from app.dashboard.navigation import MOVED, VIEWS, View, tabs_of, views
from app.pipeline.places import default_warehouse
from app.pipeline.publication import TO_READERS, why_unpublished
from app.results.queries.catalogue import filled
from app.results.queries.health import worst_first
from app.results.queries.owners import OWNERS, record_owners
from app.results.reader import (
    MissingWarehouseError,
    Reader,
    UnreadableWarehouseError,
)
from ingest.base.errors import WarehouseError


def main() -> None:
    """Draw the page that the URL names."""
    st.set_page_config(
        page_title=components.TITLE,
        page_icon=str(Path(__file__).with_name("icon.svg")),
        layout="wide",
    )
    warehouse = default_warehouse()
    reader = Reader(warehouse.file)
    listed = _with_data(reader)
    pages = {
        st.Page(
            partial(systems.draw_file, view.script) if view.is_declared else view.script,
            title=view.page,
            icon=view.icon,
            url_path=view.path,
            visibility="visible" if tabs_of(view, listed)[:1] == [view] else "hidden",
        ): view
        for view in views()
    }
    session.set_pages({view.path: page for page, view in pages.items()})
    # The root leads to the first page, so that each page has one address.
    root = st.Page(_to_first, url_path="root", default=True, visibility="hidden")
    groups: dict[str, list[st.Page]] = {}
    for page, view in pages.items():
        groups.setdefault(view.group, []).append(page)
    moved = [
        st.Page(partial(_move, name), title=name, url_path=name, visibility="hidden")
        for name in MOVED
    ]
    groups[""] += [root, *moved]
    page = st.navigation(groups, position="top")
    if page not in pages:
        page.run()
        return
    view = pages[page]
    session.set_messages(None)
    filters.begin(view.path)
    if not _may_read():
        return
    try:
        warehouse.recover()
        components.begin(view.title, reader.published_at)
        if not reader.is_built:
            components.header(view.title)
            with reader.connection() as db:
                why = why_unpublished(warehouse, db)
            if why:
                components.empty(f"Nothing is published yet: {why.reason}.", *why.commands)
        else:
            with st.container(horizontal=True, vertical_alignment="center"):
                tabs = st.container(horizontal=True, gap="xxsmall")
                box = st.container(width=340)
            search.draw(reader, box)
            if _prepare(view, reader):
                with tabs:
                    components.tabs(
                        [each for each in tabs_of(view, views()) if each in listed or each == view],
                        **_carried(view),
                    )
                page.run()
        filters.end()
        _say_published(reader)
    except MissingWarehouseError:
        components.header(view.title)
        components.empty(
            f"Nothing is published yet: there is no file {reader.file}. Load some data."
        )
    except WarehouseError as error:
        components.header(view.title)
        components.problem(f"{error}.")
    except UnreadableWarehouseError as error:
        components.header(view.title)
        components.problem(
            f"This warehouse cannot be read: {str(error).rstrip('.')}. "
            "Another version of perfhouse may have written it; rebuild it with this one.",
            *TO_READERS,
        )


def _with_data(reader: Reader) -> list[View]:
    """Return the pages that have something to show; all of them before the first build."""
    try:
        if reader.is_built:
            marts = filled(reader, dict.fromkeys(mart for view in views() for mart in view.needs))
            return [view for view in views() if not view.needs or marts.intersection(view.needs)]
    except (MissingWarehouseError, UnreadableWarehouseError, WarehouseError):
        pass  # the page says why
    return views()


def _to_first() -> None:
    """Lead from the root to the first page; say if the address names a page that there is not."""
    path = urlsplit(st.context.url or "").path.rstrip("/").rpartition("/")[2]
    if path in ("", "root") or st.context.url is None:
        components.go(VIEWS[0].path)
    st.title("No such page", anchor=False)
    st.warning(units.plain(f"There is no page {path}."), icon=":material/search_off:")
    components.link(VIEWS[0].path, VIEWS[0].title)


def _move(name: str) -> None:
    """Lead from the address of a page that there was to what has taken it in."""
    path, parameters = MOVED[name]
    given: dict[str, str | list[str]] = {
        name: st.query_params.get_all(name) for name in st.query_params
    }
    components.go(path, **{**given, **parameters})


def _may_read() -> bool:
    """Return whether the pages may be drawn; otherwise draw what to do."""
    address = st.get_option("server.address")
    if "PERFHOUSE_SIGN_IN" not in os.environ and (not address or roles.is_loopback(address)):
        session.set_role(None)
        return True
    try:
        configured = roles.read_roles(roles.sign_in_file())
    except roles.SignInError as error:
        components.header("Sign in")
        st.error(units.plain(f"{error}."))
        return False
    if not session.is_signed_in():
        components.header("Sign in", "Sign in to see this dashboard.")
        st.button("Sign in", on_click=st.login, type="primary")
        return False
    person = session.person()
    role = roles.role_of(person, configured)
    session.set_role(role)
    if role is None:
        components.header("Sign in")
        components.info(f"{person.get('email')} may not see this dashboard.", "block")
        if not roles.is_verified(person, configured):
            components.note(
                "The provider of sign-in does not say that this address is verified "
                "(email_verified)."
            )
        st.button("Sign out", on_click=st.logout)
        return False
    with st.sidebar:
        components.note(f"{person.get('email')}, {role}")
        st.button("Sign out", on_click=st.logout, type="tertiary")
    return True


def _prepare(view: View, reader: Reader) -> bool:
    """Draw the filters that pages share; return whether there is anything to show."""
    if not view.owner:
        session.hand_over(reader, None)
        return True
    owner = OWNERS[view.owner]
    owners = record_owners(reader, owner)
    if view.tab == "Health":  # what is wrong comes first
        owners = worst_first(reader, owners)
    if not owners:
        components.header(view.title)
        components.empty(owner.missing)
        _link_other_owners(reader, view.owner)
        return False
    with st.sidebar:
        scope = filters.scope(reader, owners, owner)
    pictures.say_scope(scope)
    session.hand_over(reader, scope)
    return True


def _carried(view: View) -> dict[str, str | list[str]]:
    """Return what the tabs of a page share in the address: owners and time."""
    return systems.carried(session.scope()) if view.owner else {}


def _link_other_owners(reader: Reader, missing: str) -> None:
    """Lead to the pages of other owners of records, if there are any."""
    for name, owner in OWNERS.items():
        if name != missing and record_owners(reader, owner):
            first = next(view for view in VIEWS if view.owner == name)
            components.link(first.path, f"There are records of {name}s: {first.title}")


def _say_published(reader: Reader) -> None:
    published = reader.published_at
    now = datetime.now(UTC).replace(tzinfo=None)
    st.caption(f"Published {units.since(published, now)}, {units.moment(published)} UTC.")


if __name__ == "__main__":
    main()
