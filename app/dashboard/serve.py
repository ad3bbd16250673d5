"""Serves the dashboard: `python -m app.dashboard.serve`, with options of `streamlit run`."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Any

from app.dashboard.navigation import VIEWS

if TYPE_CHECKING:
    from websockets.http11 import Response

__all__ = ["HEADERS", "MAIN", "main"]

MAIN = Path(__file__).with_name("main.py")
#: Of every answer: no page of another site shows the dashboard in a frame, and no browser takes an
#: answer for another type than the server says.
HEADERS = {"Content-Security-Policy": "frame-ancestors 'none'", "X-Content-Type-Options": "nosniff"}

#: What Streamlit imports when it draws the first table and the first icon: a second's work.
_IMPORTED_BY_STREAMLIT = ("pandas", "streamlit.material_icon_names")
_MOMENT = 0.05  # seconds until the server is looked for again


def main() -> None:
    """Run Streamlit's server with HEADERS, and without its requests to other machines."""
    from streamlit import net_util
    from streamlit.web import cli

    from ingest.base.visible import guard

    guard()
    # Streamlit asks a server on the Internet for this machine's address, also when a browser comes
    # from an origin that it does not know. No setting prevents that.
    net_util.get_external_ip = lambda: None
    _add_headers()
    _close_metrics()
    # Streamlit imports what a page needs when somebody first opens it, who would wait for that.
    Thread(target=_import_when_up, name="import pages", daemon=True).start()
    sys.argv = ["streamlit", "run", str(MAIN), *sys.argv[1:]]
    cli.main(prog_name="streamlit")


def _import_when_up() -> None:
    from streamlit import runtime

    while not runtime.exists():  # caches of pages are those of the server
        sleep(_MOMENT)
    _import_pages()


def _import_pages() -> None:
    """Import what the main script and the pages import; they themselves are run as scripts."""
    for name in _IMPORTED_BY_STREAMLIT:
        import_module(name)
    import_module("app.dashboard.main")
    for view in VIEWS:
        if not view.is_declared:
            import_module(f"app.dashboard.views.{view.script.stem}")


def _add_headers() -> None:
    """Let the servers that Streamlit uses add HEADERS to every answer.

    Streamlit has no setting for headers. Middleware of its App would miss what these servers answer
    themselves: to a request that is not HTTP, after an error, to a WebSocket that is refused.
    """
    import uvicorn
    from websockets.server import ServerProtocol

    uvicorn.Config = partial(uvicorn.Config, headers=list(HEADERS.items()))  # type: ignore[misc,assignment]
    reject = ServerProtocol.reject

    def refused(*given: Any, **named: Any) -> Response:
        response = reject(*given, **named)
        response.headers.update(HEADERS)
        return response

    ServerProtocol.reject = refused  # type: ignore[method-assign]


def _close_metrics() -> None:
    """Serve no figures of the server at /_stcore/metrics: anyone could read them without sign-in.

    Streamlit has no setting for that. The path then leads to the page, like any other unknown one.
    """
    from streamlit.web.server.starlette import starlette_app

    starlette_app.create_metrics_routes = lambda *_: []  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
