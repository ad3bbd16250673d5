"""The dashboard's main script: `streamlit run app/dashboard/main.py`.

The published warehouse is the file that PERFHOUSE_WAREHOUSE names.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

_ROOT = Path(__file__).resolve().parents[2]
if str(_ROOT) not in sys.path:  # Streamlit puts the folder of this script there, not the root
    sys.path.insert(0, str(_ROOT))

from app.dashboard import components, filters, session, units  # noqa: E402
from app.dashboard.navigation import VIEWS, View  # noqa: E402
from app.pipeline.places import default_warehouse  # noqa: E402
from app.results.queries.scope import queue_managers  # noqa: E402
from app.results.reader import (  # noqa: E402
    MissingWarehouseError,
    Reader,
    UnreadableWarehouseError,
)


def main() -> None:
    """Draw the page that the address names."""
    st.set_page_config(
        page_title="perfhouse",
        page_icon=str(Path(__file__).with_name("icon.svg")),
        layout="wide",
    )
    views = {
        st.Page(
            view.script,
            title=view.title,
            icon=view.icon,
            url_path=view.path,
            default=view is VIEWS[0],
        ): view
        for view in VIEWS
    }
    page = st.navigation(list(views), position="top")
    view = views[page]
    reader = Reader(default_warehouse().file)
    try:
        if not reader.is_built:
            components.header(view.title)
            components.empty(
                "Nothing is published yet: the warehouse has no marts.", components.REBUILD
            )
        elif _prepare(view, reader):
            page.run()
        if view is not VIEWS[0]:  # which says it itself
            _say_published(reader)
    except MissingWarehouseError:
        components.header(view.title)
        components.empty(f"Nothing is published yet: there is no file {reader.file}.")
    except UnreadableWarehouseError as error:
        components.header(view.title)
        components.problem(
            f"This warehouse cannot be read: {str(error).rstrip('.')}. "
            "It may be of another version of perfhouse.",
            components.REBUILD,
        )


def _prepare(view: View, reader: Reader) -> bool:
    """Draw the filters that pages share, and say whether there is anything to show."""
    if not view.scoped:
        session.hand_over(reader, None)
        return True
    known = queue_managers(reader)
    if not known:
        components.header(view.title)
        components.empty("No SMF records of a queue manager are loaded.")
        return False
    with st.sidebar:
        session.hand_over(reader, filters.scope(known))
    return True


def _say_published(reader: Reader) -> None:
    published = reader.published_at
    now = datetime.now(UTC).replace(tzinfo=None)
    with st.sidebar:
        st.caption(
            f"Published {units.since(published, now)}", help=f"{units.moment(published)} UTC"
        )


if __name__ == "__main__":
    main()
