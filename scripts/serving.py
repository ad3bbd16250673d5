"""The dashboard as its own process, and the moment when a page is drawn."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from app.pipeline.places import ROOT

__all__ = ["CHROMIUM_OPTIONS", "OPTIONS", "SETTLED", "serving"]

CHROMIUM_OPTIONS = ["--no-sandbox"]
#: JavaScript: whether the page is drawn.
SETTLED = """() => {
    const app = document.querySelector('[data-testid=stApp]');
    return app && app.dataset.testScriptState === 'notRunning'
        && document.querySelector('h1') && !document.querySelector('[data-testid=stSkeleton]');
}"""
_PATIENCE = 60  # seconds until it must answer


OPTIONS = ("--server.address", "127.0.0.1", "--server.headless", "true")


@contextmanager
def serving(
    file: Path,
    module: Sequence[str] = ("app.dashboard.serve", *OPTIONS, "--server.port"),
    **environment: str,
) -> Iterator[str]:
    """Serve the dashboard on a published file; yield its address.

    module: the Python module to run, with its arguments; a port is added as the last one.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *module, str(port)],
            cwd=ROOT,
            env=os.environ | {"PERFHOUSE_WAREHOUSE": str(file)} | environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            end = time.monotonic() + _PATIENCE
            while not _answers(address):
                if process.poll() is not None or time.monotonic() > end:
                    output.seek(0)
                    raise RuntimeError(f"the dashboard did not come up: {output.read()}")
                time.sleep(0.2)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=20)


def _answers(address: str) -> bool:
    try:
        with urlopen(f"{address}/_stcore/health", timeout=1):  # noqa: S310 - this machine
            return True
    except (URLError, OSError):
        return False
