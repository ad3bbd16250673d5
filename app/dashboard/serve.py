"""Serves the dashboard: `python -m app.dashboard.serve`, with options of `streamlit run`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from websockets.http11 import Response

__all__ = ["HEADERS", "MAIN", "main"]

MAIN = Path(__file__).with_name("main.py")
#: Of every answer: no page of another site shows the dashboard in a frame, and no browser takes an
#: answer for another type than the server says.
HEADERS = {"Content-Security-Policy": "frame-ancestors 'none'", "X-Content-Type-Options": "nosniff"}


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
    sys.argv = ["streamlit", "run", str(MAIN), *sys.argv[1:]]
    cli.main(prog_name="streamlit")


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


if __name__ == "__main__":
    main()
