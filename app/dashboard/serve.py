"""Serves the dashboard: `python -m app.dashboard.serve`, with options of `streamlit run`."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["MAIN", "main"]

MAIN = Path(__file__).with_name("main.py")


def main() -> None:
    """Run Streamlit's server without its requests to other machines."""
    from streamlit import net_util
    from streamlit.web import cli

    # Streamlit asks a server on the Internet for this machine's address, also when a browser comes
    # from an origin that it does not know. No setting prevents that.
    net_util.get_external_ip = lambda: None
    sys.argv = ["streamlit", "run", str(MAIN), *sys.argv[1:]]
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
