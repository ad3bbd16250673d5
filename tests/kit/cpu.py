"""CPU seconds of each test: `pytest -p tests.kit.cpu --cpu FILE` appends a line of JSON for each.

A line has the test, the seconds of its process, and those of the children that it waited for; the
first test that takes a shared fixture pays for it. `python -m tests.kit.cpu FILE...` sums by layer
and lists the most expensive files and tests.
"""

from __future__ import annotations

import json
import resource
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu", type=Path, help="file to which the CPU seconds of tests are added")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before = _seconds()
    try:
        return (yield)
    finally:
        own, children = (now - then for now, then in zip(_seconds(), before, strict=True))
        if file := item.config.getoption("--cpu"):
            with file.open("a") as lines:
                lines.write(json.dumps([item.nodeid, round(own, 3), round(children, 3)]) + "\n")


def _seconds() -> tuple[float, float]:
    ours, theirs = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return ours.ru_utime + ours.ru_stime, theirs.ru_utime + theirs.ru_stime


def main(*files: str) -> None:
    layers, modules, tests = Counter[str](), Counter[str](), Counter[str]()
    for line in (line for file in files for line in Path(file).read_text().splitlines()):
        name, own, children, *_ = json.loads(line)
        module, _, test = name.partition("::")
        layers[module.split("/")[1]] += own + children
        modules[module] += own + children
        tests[f"{module}::{test.partition('[')[0]}"] += own + children
    for counted, most in ((layers, None), (modules, 40), (tests, 60)):
        print(f"{sum(counted.values()):8.1f}  all")
        for name, seconds in counted.most_common(most):
            print(f"{seconds:8.1f}  {name}")
        print()


if __name__ == "__main__":
    main(*sys.argv[1:])
