"""dashboard: serve the pages."""

from __future__ import annotations

import argparse
import os
import socket
import sys

from app.cli.common import Command, UsageError, warehouse_of
from ingest.base.extras import require

__all__ = ["add"]


def add(command: Command) -> None:
    """Declare the command."""
    dashboard = command(
        "dashboard", _dashboard, "serve the dashboard", examples="dashboard --port 8600"
    )
    dashboard.add_argument("--port", type=int, default=8501, help="first port to try")
    dashboard.add_argument(
        "--address",
        default="127.0.0.1",
        help="address to listen on (default: 127.0.0.1, this machine only); on any other one, "
        "people have to sign in",
    )


def _dashboard(arguments: argparse.Namespace) -> int:
    from app.dashboard.roles import is_loopback, read_roles, sign_in_file

    require("dashboard")
    warehouse = warehouse_of(arguments)
    warehouse.recover()
    if warehouse.file.exists():
        warehouse.point_views_at_own_lake()
    address = arguments.address
    environment = os.environ | {"PERFHOUSE_WAREHOUSE": str(warehouse.file)}
    options = ["--browser.gatherUsageStats", "false", "--server.headless", "true"]
    if not is_loopback(address) or "PERFHOUSE_SIGN_IN" in os.environ:
        require("sign-in")
        file = sign_in_file()
        read_roles(file)
        environment["PERFHOUSE_SIGN_IN"] = str(file)
        options += ["--secrets.files", str(file), "--client.showErrorDetails", "none"]
    port = _free_port(address, arguments.port)
    shown = f"[{address}]" if ":" in address else address
    print(f"dashboard: http://{shown}:{port} (Ctrl-C stops it)", flush=True)
    command = [
        *(sys.executable, "-m", "app.dashboard.serve"),
        *("--server.address", address, "--server.port", str(port), *options),
    ]
    os.execve(sys.executable, command, environment)  # noqa: S606 (Ctrl-C goes to the server)


def _free_port(address: str, first: int) -> int:
    kind = socket.AF_INET6 if ":" in address else socket.AF_INET
    for port in range(first, first + 20):
        with socket.socket(kind) as probe:
            if probe.connect_ex((address, port)):
                return port
    raise UsageError(f"ports {first} to {first + 19} are all in use; choose another with --port")
