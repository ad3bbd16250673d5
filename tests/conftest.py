"""Shared by all tests: the environment, and the fixtures of tests/kit.

Layers are folders: unit builds nothing, marts asks warehouses that are built once, steps runs
steps of the pipeline, system is all that takes long. See CONTRIBUTING.md.
"""

import gc
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test depends on how long something takes, nor on chance.
settings.register_profile(
    "suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")

# The settings of the Makefile, also if pytest is run directly.
for _line in (Path(__file__).parents[1] / "scripts/quiet.env").read_text().splitlines():
    if _match := re.fullmatch(r"([A-Z_]+)=(.*)", _line):
        os.environ.setdefault(*_match.groups())

# Few tests are about the published figures, which every other build would take a second for.
os.environ.setdefault("PERFHOUSE_PUBLISHED", "no")

pytest_plugins = [
    "tests.kit.samples",
    "tests.kit.warehouses",
    "tests.kit.broken",
    "tests.kit.dashboard",
    "tests.kit.presets",
    "tests.kit.browser",
    "tests.kit.judged",
    "tests.kit.large_files",
]

# Millions of objects of the collected tests stay: nobody looks through them for garbage.
gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage again, of what tests make."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the layers that take longest, and with tests that wait for no warehouse."""
    order = {layer: place for place, layer in enumerate(("system", "steps", "unit", "marts"))}
    items.sort(key=lambda item: order.get(item.nodeid.split("/")[1], len(order)))
