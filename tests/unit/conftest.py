"""What no test of this layer starts: builds, browsers, the dashboard."""

import os
import re
import sys
from collections.abc import Iterator
from threading import current_thread, main_thread
from typing import Any

import pytest

_HEAVY = re.compile(
    r"app\.pipeline\.dbt|(?:app\.cli\.main|bin/perfhouse) (?:run|build|dashboard)\b"
    r"|^\S*(?:chrom|playwright)"
)
_running: list[pytest.Item] = []


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Fail a test that starts one of these. Raises AssertionError."""
    if event == "subprocess.Popen" and _running and current_thread() is main_thread():
        command = " ".join(map(os.fsdecode, arguments[1]))
        if heavy := _HEAVY.search(command):
            raise AssertionError(f"a test that starts {heavy[0]!r} belongs to tests/steps")


sys.addaudithook(_watch)


@pytest.fixture(autouse=True)
def _nothing_heavy(request: pytest.FixtureRequest) -> Iterator[None]:
    """Know which test runs."""
    _running[:] = [request.node]
    yield
    _running.clear()
