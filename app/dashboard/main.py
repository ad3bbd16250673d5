"""The dashboard's main script: `streamlit run app/dashboard/main.py`.

The published warehouse is the file that PERFHOUSE_WAREHOUSE names.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

_ROOT = Path(__file__).resolve().parents[2]
if str(_ROOT) not in sys.path:  # Streamlit puts the folder of this script there, not the root
    sys.path.insert(0, str(_ROOT))

from app.dashboard import components, filters, units  # noqa: E402
from app.dashboard.navigation import VIEWS, View  # noqa: E402
from app.dashboard.queries.scope import queue_managers  # noqa: E402
from app.dashboard.reader import MissingWarehouseError, Reader, UnreadableWarehouseError  # noqa: E402

_DEFAULT = _ROOT / "data" / "warehouse" / "perfhouse.duckdb"


def main() -> None:
    """Draw the page that the address names."""
    st.set_page_config(
        page_title="perfhouse", page_icon=str(Path(__file__).with_name("icon.svg")), layout="wide"
    )
    reader = Reader(Path(os.environ.get("PERFHOUSE_WAREHOUSE") or _DEFAULT))
    pages = {
        st.Page(
            lambda: None, title=view.title, icon=view.icon, url_path=view.path, default=not place
        ): view
        for place, view in enumerate(VIEWS)
    }
    page = st.navigation(list(pages), position="top")
    page.run()
    try:
        _draw(pages[page], reader)
    except MissingWarehouseError:
        components.header(page.title, "")
        components.empty(f"Nothing is published yet: there is no file {reader.file}.")
    except UnreadableWarehouseError as error:
        components.problem(
            f"This warehouse cannot be read: {error}. It may be of another version of perfhouse.",
            "perfhouse build && perfhouse check && perfhouse publish",
        )


def _draw(view: View, reader: Reader) -> None:
    if view.draw is not None:
        view.draw(reader)
    elif view.draw_scope is not None:
        known = queue_managers(reader)
        if not known:
            components.header(view.title, "")
            components.empty("No SMF records of a queue manager are loaded.")
        else:
            # Here, and not in the view, so that all pages share these filters.
            with st.sidebar:
                scope = filters.scope(known)
            view.draw_scope(reader, scope)
    with st.sidebar:
        published = reader.published_at
        now = datetime.now(UTC).replace(tzinfo=None)
        st.caption(f"Published {units.moment(published)} UTC, {units.since(published, now)}")


main()
