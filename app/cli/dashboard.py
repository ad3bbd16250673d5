"""dashboard: serve the pages."""

from __future__ import annotations

import argparse
import os
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

from app.cli.common import Command, MissingExtraError, UsageError, warehouse_of

__all__ = ["add"]

MAIN = Path(__file__).parents[1] / "dashboard" / "main.py"


def add(command: Command) -> None:
    """Declare the command."""
    dashboard = command("dashboard", _dashboard, "serve the dashboard")
    dashboard.add_argument("--port", type=int, default=8501, help="first port to try")


def _dashboard(arguments: argparse.Namespace) -> int:
    if not find_spec("streamlit"):
        raise MissingExtraError("dashboard")
    warehouse = warehouse_of(arguments)
    if warehouse.file.exists():
        warehouse.come_home()
    port = _free_port(arguments.port)
    environment = os.environ | {
        "PERFHOUSE_WAREHOUSE": str(warehouse.file),
        "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    }
    print(f"dashboard: http://127.0.0.1:{port} (Ctrl-C stops it)", flush=True)
    command = [
        *(sys.executable, "-m", "streamlit", "run", str(MAIN)),
        *("--server.address", "127.0.0.1", "--server.port", str(port)),
        *("--server.headless", "true"),
    ]
    os.execve(sys.executable, command, environment)  # noqa: S606 (Ctrl-C goes to the server)


def _free_port(first: int) -> int:
    for port in range(first, first + 20):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return port
    raise UsageError(f"ports {first} to {first + 19} are all in use; choose another with --port")
